"""Makes the pairs to train on: `data.py --out F --near F`. Needs ../shared/data beside the repository."""

import argparse
import gzip
import json
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

import edits
from candidates import embed, neighbours
from encode import LONGEST, ids_of
from sources import Groups, corpus, families, key_of, labels, tables
from text import exact, words

#: Pairs of each kind that is made as needed.
WANTED = {"near": 18_000, "further": 4_000, "easy": 3_000, "harmful": 13_000, "harmful+": 13_000, "harmless": 9_000, "harmless+": 9_000}
#: Pairs of one answer that one family gives at most, and pairs with its traps.
MOST_SAME, MOST_TRAPS = 10, 18
#: The threshold of the gateway: only nearer pairs are compared.
NEAR = 0.85


class Pairs:
    def __init__(self, seed: int):
        self.rng, self.rows, self.seen = random.Random(seed), [], set()

    def add(self, one: str, other: str, same: int, source: str, weight: float = 1.0) -> int:
        key = (min(one, other), max(one, other))
        if words(one) == words(other) or key in self.seen or any(len(ids_of(text)) > LONGEST for text in key):
            return 0
        self.seen.add(key)
        self.rows.append({"a": one, "b": other, "y": same, "s": source, "w": weight})
        return 1

    def changed(self, text: str) -> str:
        return edits.harmless(text, self.rng, 2) or text

    def twice(self, one: str, other: str, same: int, source: str, weight: float) -> None:
        """The pair as it is, and with harmless changes on either side."""
        self.add(one, other, same, source, weight)
        self.add(self.changed(one), self.changed(other), same, f"{source}+")


def add_own(pairs: Pairs, harmful: edits.Harmful) -> None:
    rng = pairs.rng
    by_domain = defaultdict(list)
    for name, same, other in families("train"):
        by_domain[name].append(same + other)
        alike = [(one, two) for i, one in enumerate(same) for two in same[i + 1 :]]
        traps = [(one, trap) for one in same for trap in other]
        for one, two in rng.sample(alike, min(MOST_SAME, len(alike))):
            pairs.twice(one, two, 1, f"family {name}", 2.0)
            pairs.add(pairs.changed(one), two, 1, f"family {name}+")
        for at, (one, trap) in enumerate(rng.sample(traps, min(MOST_TRAPS, len(traps)))):
            pairs.add(one, trap, 0, f"family {name}", 2.0)
            if at % 4 == 0:
                pairs.add(pairs.changed(one), pairs.changed(trap), 0, f"family {name}+")
        for one in rng.sample(same, 3):
            if change := harmful.change(one, rng):
                pairs.add(pairs.changed(rng.choice(same)) if rng.random() < 0.4 else one, change, 0, "family harmful", 0.8)
            if change := edits.harmless(one, rng):
                pairs.add(one, change, 1, "family harmless")
    for some in by_domain.values():
        for _ in range(2 * len(some)):
            one, other = rng.sample(some, 2)
            pairs.add(rng.choice(one), rng.choice(other), 0, "family other")
    for _, one, other, same in tables("train"):
        pairs.twice(one, other, same, "table", 2.5)


def add_groups(pairs: Pairs, groups: Groups) -> None:
    for source, texts in groups.same:
        for i, one in enumerate(texts):
            for two in texts[i + 1 :]:
                # Groups of one command hold prompts that name other files.
                if exact(one) == exact(two):
                    pairs.twice(one, two, 1, f"group {source}", 1.0)
    for texts in groups.pages.values():
        for one, other in zip(texts, texts[1:]):
            if pairs.rng.random() < 0.05:
                pairs.add(one, other, 0, "page", 0.7)


def nearest(lines: list[str], file: Path) -> list[tuple[float, str, str]]:
    """Pairs of near lines, kept in `file`, because finding them takes minutes."""
    if not file.exists():
        found = neighbours(embed(lines), 12)
        flat = [(c, a, b) for a, some in enumerate(found) for b, c in some if c >= 0.75 and (a < b or all(x != a for x, _ in found[b]))]
        np.savez(file, cosine=[f[0] for f in flat], pair=[f[1:] for f in flat])
    kept = np.load(file)
    return [(float(c), lines[a], lines[b]) for c, (a, b) in zip(kept["cosine"], kept["pair"])]


def add_neighbours(pairs: Pairs, groups: Groups, near: list[tuple[float, str, str]], lines: list[str]) -> None:
    rng, said = pairs.rng, labels()
    rng.shuffle(near)
    made = Counter()
    for cosine, one, other in near:
        same = said.get(key_of(one, other))
        if same is not None:
            pairs.twice(one, other, same, "labelled", 4.0)
            continue
        kind = "near" if cosine >= NEAR else "further"
        if made[kind] < WANTED[kind] and groups.differ(one, other):
            if rng.random() < 0.25:
                one, other = pairs.changed(one), pairs.changed(other)
            made[kind] += pairs.add(one, other, 0, kind)
    for _ in range(WANTED["easy"]):
        pairs.add(*rng.sample(lines, 2), 0, "easy")


def add_edits(pairs: Pairs, harmful: edits.Harmful, lines: list[str]) -> None:
    rng = pairs.rng
    asks = [line for line in lines if 3 <= len(words(line)) <= 40]

    def make(kind: str, line: str):
        if kind.startswith("harmful"):
            change = harmful.change(line, rng)
            return (line, change, 0) if kind == "harmful" else (pairs.changed(line), change and pairs.changed(change), 0)
        return (line if kind == "harmless" else pairs.changed(line), edits.harmless(line, rng), 1)

    for kind in ("harmful", "harmful+", "harmless", "harmless+"):
        made = 0
        while made < WANTED[kind]:
            line = rng.choice(asks)
            # Of a line without a form there are manners alone to learn.
            if "harmless" in kind and not edits.has_form(line) and rng.random() < 0.5:
                continue
            one, other, same = make(kind, line)
            if other:
                made += pairs.add(one, other, same, kind, 1.0 if same else 0.8)


def main() -> None:
    args = argparse.ArgumentParser()
    args.add_argument("--out", required=True)
    args.add_argument("--near", required=True)
    args.add_argument("--seed", type=int, default=1)
    o = args.parse_args()
    lines, groups = corpus(), Groups()
    pairs, harmful = Pairs(o.seed), edits.Harmful(lines)
    add_own(pairs, harmful)
    add_groups(pairs, groups)
    add_neighbours(pairs, groups, nearest(lines, Path(o.near)), lines)
    add_edits(pairs, harmful, lines)
    pairs.rng.shuffle(pairs.rows)
    # Under another name until it is whole: a run that is stopped here makes it anew.
    part = Path(o.out + ".part")
    with gzip.open(part, "wt") as file:
        for row in pairs.rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    part.rename(o.out)
    kinds = Counter(row["s"].split()[0].rstrip("+") for row in pairs.rows)
    print(f"{len(pairs.rows)} pairs, {sum(row['y'] for row in pairs.rows)} of one answer: {dict(kinds)}")


if __name__ == "__main__":
    main()
