"""What a classifier costs on new rows: risk, intervals, VC bounds, Bayes decisions, validation."""
