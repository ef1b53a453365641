"""Finds what a cache of the open corpora would serve, for a reader to label: `mine.py --model F --near F --out F`.

Each line of the corpora asks a cache that holds all the others, and the network judges its nearest. Pairs that it would
serve, and that no label of the corpora speaks of, are printed best first, with the key under which `own/labels.tsv`
keeps what the reader says.
"""

import argparse
import json
import random
from pathlib import Path

from data import NEAR, nearest
from score import Scorer
from sources import Groups, corpus, key_of, labels
from text import words


def main() -> None:
    args = argparse.ArgumentParser()
    args.add_argument("--model", required=True)
    args.add_argument("--near", required=True)
    args.add_argument("--out", required=True)
    args.add_argument("--pairs", type=int, default=40_000)
    args.add_argument("--least", type=float, default=0.5, help="logit")
    args.add_argument("--seed", type=int, default=11)
    o = args.parse_args()
    groups, said, scorer = Groups(), labels(), Scorer(o.model)
    near = [p for p in nearest(corpus(), Path(o.near)) if p[0] >= NEAR]
    random.Random(o.seed).shuffle(near)
    found = []
    for cosine, one, other in near[: o.pairs]:
        if words(one) == words(other) or key_of(one, other) in said or max(len(one), len(other)) > 250:
            continue
        z = scorer.logit(one, other)
        if z >= o.least:
            found.append({"key": key_of(one, other), "z": round(z, 2), "other": groups.differ(one, other), "a": one, "b": other})
    found.sort(key=lambda row: -row["z"])
    Path(o.out).write_text("".join(json.dumps(row) + "\n" for row in found))
    print(f"{len(near)} near pairs, {min(o.pairs, len(near))} judged, {len(found)} would be served")


if __name__ == "__main__":
    main()
