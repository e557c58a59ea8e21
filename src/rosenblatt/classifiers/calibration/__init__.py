"""From scores to probabilities: Platt's scaling and isotonic regression, fitted to rows held out from training."""
