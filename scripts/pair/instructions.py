"""Learns which instructions make the next message a text to work on: `instructions.py --out models/deflector-pair/instructions.json`.

A text is scored by the mean of its word pieces' weights. A weight is what one direction in the static embedder's space
says of a piece, so words that no example has are judged by their neighbours. Takes seconds.
"""

import argparse
import base64
import json

import numpy as np
from scipy.optimize import minimize

from candidates import table
from encode import ROOT, ids_of

EXAMPLES = ROOT / "scripts/pair/own/instructions.tsv"
#: Weight decay of the logistic regression, chosen in cross-validation among 0.003, 0.01, 0.03 and 0.06.
DECAY = 0.04
FOLDS = 6
#: Share of the examples of work that is let through, in cross-validation.
MISSED = 0.05


def examples(file):
    rows = [line.split("\t") for line in file.read_text().splitlines()]
    return [text for _, text in rows], np.array([kind == "work" for kind, _ in rows])


def means(texts):
    rows = table()
    return np.stack([rows[list(ids_of(text))].mean(0) for text in texts])


def fit(x, y):
    sign = np.where(y, 1.0, -1.0)

    def loss(w):
        margin = sign * (x @ w[:-1] + w[-1])
        slope = -sign / (1 + np.exp(margin)) / len(x)
        value = np.logaddexp(0, -margin).mean() + DECAY * (w[:-1] @ w[:-1]) / 2
        return value, np.append(x.T @ slope + DECAY * w[:-1], slope.sum())

    return minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    out = parser.parse_args().out
    texts, y = examples(EXAMPLES)
    raw = means(texts)
    center, spread = raw.mean(0), raw.std(0).mean()
    x = (raw - center) / spread
    fold = np.random.default_rng(0).permutation(len(y)) % FOLDS
    held = np.zeros(len(y))
    for k in range(FOLDS):
        w = fit(x[fold != k], y[fold != k])
        held[fold == k] = x[fold == k] @ w[:-1] + w[-1]
    least = float(np.quantile(held[y], MISSED))
    refused = float((held[~y] >= least).mean())
    right = float(((held > 0) == y).mean())
    print(f"{len(y)} examples, out of fold: {right:.1%} right at 0; at {MISSED:.0%} missed {refused:.1%} of the others are refused")
    w = fit(x, y)
    # What is the same for each piece goes into the bar.
    weights = (table() - center) @ w[:-1] / spread + w[-1] - least
    # Only the sign of a sum counts, so nobody needs the unit.
    signed = np.round(weights / np.abs(weights).max() * 127).astype(np.int8)
    body = {"weights": base64.b64encode(signed.tobytes()).decode()}
    with open(out, "w") as file:
        file.write(json.dumps(body) + "\n")


if __name__ == "__main__":
    main()
