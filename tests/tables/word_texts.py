"""Texts, and what is learned of their words."""

import pyarrow as arrow

from rosenblatt.tables.encode.words import Words

TEXTS = ["The cat sat, the cat_2 ran; a 42!", "", "Don't STOP the cat", "no words: - . x", "a pneumonoultramicroscopic"]


def learned(texts, **settings):
    words = Words(**settings)
    words.learn(arrow.array(texts, arrow.string()))
    words.finish()
    return words
