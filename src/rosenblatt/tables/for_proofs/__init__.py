"""Tables as proofs need them: exact numbers, nothing scaled or rounded."""
