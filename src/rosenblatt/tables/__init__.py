"""From files to rows of numbers. Knows nothing of models."""
