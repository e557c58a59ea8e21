"""Random numbers and permutations, as the core draws them: functions of a seed and a counter."""

ANY_ORDER = 16384  # rows up to which a permutation may be any of all
CHUNKS_PER_WINDOW = 64


def random_bits(seed: int, counter: int) -> int:
    """64 random bits (SplitMix64)."""
    z = (seed + (counter + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def random_below(seed: int, counter: int, limit: int) -> int:
    """A random whole number from 0 to limit - 1."""
    return (random_bits(seed, counter) >> 32) * limit >> 32


def shuffle(items: list[int], key: int, first: int) -> list[int]:
    """Fisher and Yates, from the front; the random numbers are those from `first` on."""
    for i in range(len(items)):
        j = i + random_below(key, first + i, len(items) - i)
        items[i], items[j] = items[j], items[i]
    return items


def chunk_rows(n: int) -> int:
    """How many neighbours a shuffle of n rows takes together."""
    return min(max(n // 4096, 64), 512)


def permutation(n: int, seed: int, number: int) -> list[int]:
    """Of few rows any permutation. Of many: chunks of neighbours in any order, then the rows of each window of chunks.

    A window fits into the cache, so rows are read nearly in sequence.
    """
    key, chunk = random_bits(seed, number), chunk_rows(n)
    if n <= ANY_ORDER:
        return shuffle(list(range(n)), key, 0)
    window, whole = CHUNKS_PER_WINDOW * chunk, n // chunk * chunk
    begins = shuffle(list(range(0, whole, chunk)), key, n)
    rows = [row for begin in begins for row in range(begin, begin + chunk)] + list(range(whole, n))
    windows = [shuffle(rows[k : k + window], key, k) for k in range(0, n, window)]
    return [row for window in windows for row in window]


def rows_of_pass(order: str, n: int, seed: int, number: int) -> list[int]:
    """The rows of one epoch, for the orders that visit every row once an epoch."""
    if order == "cyclic":
        return list(range(n))
    return permutation(n, seed, number if order == "shuffle" else 0)
