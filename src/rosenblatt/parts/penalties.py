"""Penalties: what large w costs. The core keeps w = scale * v, so a penalty costs one product a visit."""

from .part import Part

PENALTIES = {"l2": Part(1, "1/2 ||w||^2; the offset is free unless penalize_intercept")}
