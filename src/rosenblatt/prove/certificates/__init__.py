"""Proofs as plain JSON values that anyone can check."""
