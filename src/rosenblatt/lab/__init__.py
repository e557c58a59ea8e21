"""The lab: see a perceptron learn, in a browser (`rosenblatt lab`) or in a notebook (`rosenblatt.Lab`).

Python answers questions (`answers.py`), a page asks them and draws (`static/`). The page never learns by itself: every
weight that it shows comes from the core.
"""
