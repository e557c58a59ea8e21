"""Learning from rows that arrive one after the other and are seen once."""
