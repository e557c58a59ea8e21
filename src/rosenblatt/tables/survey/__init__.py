"""From a source to encoded rows by their use (train, stop, test), in memory or in a cache."""
