"""Numbers with their nouns, for everything that says a size."""


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, which is plural where it has to be."""
    return f"{n:,} {noun if n == 1 else noun + 's'}"
