"""From a table to a model: read, split, encode, train, measure. May import `model` and below."""
