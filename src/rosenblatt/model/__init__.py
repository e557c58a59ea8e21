"""A trained model as a value: its file, its predictions, its explanation, its export. May import `risk` and below."""
