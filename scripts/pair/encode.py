"""Prompts to token ids, and pairs of prompts to the inputs of the network."""

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

ROOT = Path(__file__).resolve().parents[2]
TOKENIZER = ROOT / "models/deflector-static-384/tokenizer.json"

#: Tokens of one prompt that the network can read; longer prompts are not compared.
LONGEST = 64
CLS, SEP = 101, 102

_tokenizer = Tokenizer.from_file(str(TOKENIZER))
_tokenizer.no_padding()
_tokenizer.no_truncation()
_known: dict[str, tuple[int, ...]] = {}


def ids_of(text: str) -> tuple[int, ...]:
    """Token ids without the special ones."""
    known = _known.get(text)
    if known is None:
        known = _known[text] = tuple(_tokenizer.encode(text, add_special_tokens=False).ids)
    return known


def encode(one: str, other: str) -> tuple[list[int], list[int]]:
    """Ids and types of a pair. The order of the two prompts does not matter: they are sorted by their ids.

    A type is 0 in the first prompt and 1 in the second, and 2 more where the other prompt has the same token.
    """
    first, second = sorted((ids_of(one)[:LONGEST], ids_of(other)[:LONGEST]))
    here, there = set(first), set(second)
    ids = [CLS, *first, SEP, *second, SEP]
    types = [0, *(2 * (i in there) for i in first), 0, *(1 + 2 * (i in here) for i in second), 1]
    return ids, types


#: Lengths to which pairs are padded in training: one compiled program each.
LENGTHS = (16, 24, 32, 40, 56, 80, 2 * LONGEST + 3)


def length_of(one: str, other: str) -> int:
    tokens = min(len(ids_of(one)), LONGEST) + min(len(ids_of(other)), LONGEST) + 3
    return next(length for length in LENGTHS if tokens <= length)


def pack(pairs, length: int):
    """Arrays of ids, types and mask for pairs of at most `length` tokens."""
    ids = np.zeros((len(pairs), length), np.int32)
    types = np.zeros((len(pairs), length), np.int32)
    mask = np.zeros((len(pairs), length), np.float32)
    for row, (one, other) in enumerate(pairs):
        i, t = encode(one, other)
        ids[row, : len(i)], types[row, : len(t)], mask[row, : len(i)] = i, t, 1
    return ids, types, mask
