"""Answers with proofs: floating point proposes, exact arithmetic decides, and anyone can check the certificate."""
