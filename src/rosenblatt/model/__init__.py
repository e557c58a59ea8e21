"""A trained model as a value: its file, its predictions, its explanation, its export."""
