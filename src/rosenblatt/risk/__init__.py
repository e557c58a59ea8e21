"""The risk of a classifier: estimates, intervals, VC bounds, Bayes decisions. May import `statistics` and below."""
