"""Orders: which row is visited next."""

from .part import Part

ORDERS = {
    "cyclic": Part(0, "the rows as given, again and again"),
    "shuffle-once": Part(1, "one random permutation, again and again"),
    "shuffle": Part(2, "a new random permutation each epoch"),
    "random-mistake": Part(3, "rows drawn uniformly with replacement; after n draws without a mistake all are checked"),
    "working-set": Part(4, "the hardest rows (quarters of quarters) until they are right, then a check of more"),
    "batch": Part(5, "all rows at once: w moves by the sum of the pushes"),
}

WHOLE_PASSES = ("cyclic", "shuffle-once", "shuffle")  # orders that visit every row once an epoch
SINGLE_ROW = tuple(name for name in ORDERS if name != "batch")
