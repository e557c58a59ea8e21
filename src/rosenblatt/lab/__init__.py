"""The lab: watch a perceptron train, in a browser (`rosenblatt lab`) or in a notebook (`rosenblatt.Lab`).

Python answers questions (`questions.py`); the page in `static/` asks them and draws the answers. The page never trains:
every weight that it shows comes from the core. May import `reference` and below.
"""
