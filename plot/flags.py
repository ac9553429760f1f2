"""The guards that travel with every number: name, letter and meaning.

In the order of their bits; the same as in results/SCHEMA.md, which the test compares.
"""

from __future__ import annotations

FLAGS = (
    ("unsteady", "u", "the median's interval is wider than the target; digits beyond it are noise"),
    ("foreign_load", "f", "other processes used more than 0.1 core while it was measured"),
    ("clock_unsteady", "c", "the core clock moved by more than 5 % between samples"),
    ("too_few_samples", "t", "fewer than 16 samples"),
    ("incomplete_rounds", "i", "some of the planned rounds are missing"),
    ("virtual_machine", "v", "measured in a virtual machine, beside unseen neighbours"),
    ("constant_data", "d", "the inputs are constant: fewer bits toggle, less power is drawn"),
    (
        "cache_resident",
        "r",
        "larger than the last level cache, but below 4 times it: some of it stays cached",
    ),
    (
        "huge_pages_refused",
        "h",
        "huge pages were asked for and not granted for the whole buffer",
    ),
    ("oversubscribed", "o", "more threads than processors"),
    ("no_latch", "l", "timed without a latch: launches that came late may be counted"),
)
LETTERS = {name: letter for name, letter, _ in FLAGS}


def of_bits(bits: int) -> tuple[str, ...]:
    """Names of the bits that are set."""
    return tuple(name for i, (name, _, _) in enumerate(FLAGS) if bits >> i & 1)


def letters_of(flags: tuple[str, ...]) -> str:
    """ "ufv"; a flag of a newer ridge is a question mark."""
    return "".join(LETTERS.get(flag, "?") for flag in flags)
