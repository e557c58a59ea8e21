"""Answers with proofs: floating point proposes, exact arithmetic decides, and anyone can check the certificate.

May import `engine` and below.
"""
