"""The widest margin, with a lower and an upper bound."""
