"""From files to rows of numbers. Knows nothing of models. May import `distributed` and below."""
