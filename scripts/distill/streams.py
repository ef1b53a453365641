"""What the development data says of a set of vectors: pairs told apart, and candidates that a replay would meet."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import corpus

FOLDER = corpus.DATA / "semantic"
BEST = 8


def rows(name: str) -> list[dict]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf8").splitlines()]


def prompts() -> list[str]:
    """Every text of the development data once."""
    found: dict[str, None] = {}
    for name in ("stream_mixed.jsonl", "stream_isartor_faq.jsonl"):
        found.update((row["prompt"], None) for row in rows(name))
    for name in ("pairs.jsonl", "pairs_qqp_natural.jsonl"):
        for row in rows(name):
            found[row["a"]] = found[row["b"]] = None
    return list(found)


def roc_auc(score: np.ndarray, same: np.ndarray) -> float:
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(score))
    ranks[order] = np.arange(1, len(score) + 1)
    for value in np.unique(score):  # ties share their mean rank
        at = score == value
        if at.sum() > 1:
            ranks[at] = ranks[at].mean()
    n = same.sum()
    return float((ranks[same].sum() - n * (n + 1) / 2) / (n * (len(same) - n)))


def pr_auc(score: np.ndarray, same: np.ndarray) -> float:
    """Average precision."""
    hit = same[np.argsort(-score, kind="stable")]
    precision = np.cumsum(hit) / np.arange(1, len(hit) + 1)
    return float((precision * hit).sum() / hit.sum())


def pairs(vector: dict[str, np.ndarray]) -> dict[str, tuple[int, float, float]]:
    """By source: number, PR-AUC, ROC-AUC."""
    by_source: dict[str, list[tuple[float, bool]]] = {}
    for name in ("pairs.jsonl", "pairs_qqp_natural.jsonl"):
        for row in rows(name):
            by_source.setdefault(row["source"], []).append((float(vector[row["a"]] @ vector[row["b"]]), row["same"]))
    table = {}
    for source, found in by_source.items():
        score, same = np.array([s for s, _ in found]), np.array([s for _, s in found])
        table[source] = (len(found), pr_auc(score, same), roc_auc(score, same))
    return table


def plain(prompt: str) -> str:
    """What exact and canonical keys would take for the same, roughly: those need no vector."""
    words = re.sub(r"\s+", " ", prompt.lower()).strip(" .?!")
    return re.sub(r"^(please|hey|hi|hello|could you|can you|would you)[, ]+|[, ]+(please|thanks|thank you)$", "", words).strip(" .?!")


@dataclass
class Replay:
    """What each request of a replay meets among the earlier ones that are not the same text."""

    # [request, rank]: cosines of the best eight, best first, and whether each means the same
    cosine: np.ndarray
    right: np.ndarray
    # [request]: is there an earlier one of the same meaning at all?
    repeatable: np.ndarray

    def at(self, threshold: float) -> dict[str, float]:
        above = self.cosine >= threshold
        return {
            # of the repeatable: one that means the same is among the best eight and at or above the threshold
            "recall": float((above & self.right).any(1)[self.repeatable].mean()),
            # a request
            "candidates": float(above.sum(1).mean()),
            # of the requests with a candidate: the nearest one means the same
            "nearest_right": float(self.right[above[:, 0], 0].mean()),
        }

    def threshold_for(self, candidates: float) -> float:
        """The least threshold at which a request has so many candidates on average."""
        ordered = np.sort(self.cosine.ravel())[::-1]
        return float(ordered[min(len(ordered) - 1, int(candidates * len(self.cosine)))])


def replay(name: str, vector: dict[str, np.ndarray]) -> Replay:
    """Requests that repeat an earlier text are left out: exact and canonical keys answer those."""
    first: dict[str, int] = {}
    kept: list[dict] = []
    meanings: list[set[str]] = []
    for row in rows(name):
        at = first.setdefault(plain(row["prompt"]), len(kept))
        if at == len(kept):
            kept.append(row)
            meanings.append(set())
        meanings[at].add(row["intent_id"])
    vectors = np.stack([vector[row["prompt"]] for row in kept])
    cosine = vectors @ vectors.T
    found = Replay(np.full((len(kept), BEST), -1.0), np.zeros((len(kept), BEST), bool), np.zeros(len(kept), bool))
    for i, row in enumerate(kept):
        allowed = {row["intent_id"], *row["also"]}
        same = [bool(meanings[j] & allowed) or row["intent_id"] in kept[j]["also"] for j in range(i)]
        best = np.argsort(-cosine[i, :i], kind="stable")[:BEST]
        found.cosine[i, : len(best)] = cosine[i, best]
        found.right[i, : len(best)] = [same[j] for j in best]
        found.repeatable[i] = any(same)
    return found
