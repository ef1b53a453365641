"""How the network does on a part of our own pairs: `evaluate.py --model F [--part calibrate]`.

`test` is for the last measurement of a model, once.
"""

import argparse
from collections import defaultdict

import numpy as np

from candidates import embed
from sources import families, tables
from score import Scorer


def pairs_of(part):
    for name, same, other in families(part):
        for i, one in enumerate(same):
            for two in same[i + 1:]:
                yield f"{name} same", one, two, 1
            for trap in other:
                yield f"{name} trap", one, trap, 0
    for _, one, other, same in tables(part):
        yield f"table {'same' if same else 'trap'}", one, other, same


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--model", required=True)
    args.add_argument("--part", default="calibrate")
    args.add_argument("--threshold", type=float, default=0.85)
    o = args.parse_args()
    scorer = Scorer(o.model)
    rows = list(pairs_of(o.part))
    z = scorer.logits([(one, other) for _, one, other, _ in rows])
    a, b = embed([r[1] for r in rows]), embed([r[2] for r in rows])
    cosine = (a * b).sum(1)
    y = np.array([r[3] for r in rows])
    groups = np.array([r[0] for r in rows])
    print(f"{len(rows)} pairs, {y.sum()} of one answer; cosine >= {o.threshold}: "
          f"{(cosine[y == 1] >= o.threshold).mean():.3f} same, {(cosine[y == 0] >= o.threshold).mean():.3f} traps")
    for bar in (0, 1, 2, 3, 4):
        served = z >= bar
        both = served & (cosine >= o.threshold)
        print(f"logit >= {bar}: same {served[y == 1].mean():.3f} traps {served[y == 0].mean():.4f}"
              f" | and cosine: same {both[y == 1].mean():.3f} traps {both[y == 0].mean():.4f}")
    order = np.argsort(-z)
    wrong = np.cumsum(1 - y[order]) / max(1, (1 - y).sum())
    for share in (0.005, 0.01, 0.02, 0.05):
        at = np.searchsorted(wrong, share)
        print(f"traps {share:.3f}: same {y[order][:at].sum() / y.sum():.3f} at logit {z[order][min(at, len(z) - 1)]:.2f}")
    table = defaultdict(list)
    for group, score in zip(groups, z):
        table[group].append(score)
    for group, some in sorted(table.items()):
        some = np.array(some)
        print(f"  {group:16} {len(some):5}  >=1 {np.mean(some >= 1):.3f}  >=2 {np.mean(some >= 2):.3f}  >=3 {np.mean(some >= 3):.3f}")


if __name__ == "__main__":
    main()
