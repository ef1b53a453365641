"""The open texts that the model may learn from. Nothing else is read here: what ships is trained on these two files."""

import gzip
import json
import random
import re
from collections import Counter
from pathlib import Path

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SEED = 20261121
# Every twentieth text is never trained on: the distance to the teacher is told on these.
HELD_OUT = 20
# A word that fewer texts have gets texts of its own.
RARE = 20


def lines() -> list[str]:
    with gzip.open(DATA / "corpus" / "corpus_open.txt.gz", "rt", encoding="utf8") as file:
        return [line.rstrip("\n") for line in file if line.strip()]


def groups() -> list[dict]:
    with gzip.open(DATA / "corpus" / "train_groups_open.jsonl.gz", "rt", encoding="utf8") as file:
        return [json.loads(line) for line in file]


def texts() -> list[str]:
    """All lines, then what only the groups have, in a fixed order without repeats."""
    return list(dict.fromkeys(lines() + [text for group in groups() for text in group["group"]]))


FRAMES = (
    "what is {a}?",
    "how does {a} work?",
    "{a} and {b}",
    "tell me about {a} {b}",
    "the {a} of {b}",
    "is {a} better than {b}?",
    "where can I find {a}?",
    "how do I {a} the {b}",
)


def frames(vocabulary: list[str], known: list[str]) -> list[str]:
    """
    Short texts around the words that the corpus hardly has. The teacher can name the meaning of any text, so the rows
    of those words need not stay what the words mean alone.
    """
    chance = random.Random(SEED)
    met = Counter(word for text in known for word in re.findall(r"[a-z]+", text.lower()))
    rare = [word for word in vocabulary if word.isascii() and word.isalpha() and len(word) > 1 and met[word] < RARE]
    asked = [chance.choice(FRAMES).format(a=word, b=chance.choice(rare)) for word in rare for _ in range(2)]
    # A part of a longer text says what its words mean without the rest.
    for text in known:
        words = text.split()
        if len(words) >= 12 and chance.random() < 0.5:
            begin = chance.randrange(len(words) - 6)
            asked.append(" ".join(words[begin : begin + chance.randint(4, 8)]))
    return list(dict.fromkeys(asked))
