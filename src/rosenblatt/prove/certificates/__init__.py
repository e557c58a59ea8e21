"""Proofs as plain content that anyone can check."""
