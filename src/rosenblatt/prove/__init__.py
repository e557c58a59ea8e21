"""Answers with proofs: floating point proposes, exact arithmetic decides, and a certificate lets anyone check."""
