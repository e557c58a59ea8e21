"""Choose the penalty and its strength by the loss of rows that are left out in turn."""
