"""Asks the teacher for every text once and keeps its answers in the work folder, a chunk at a time."""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import corpus
import teacher

CHUNK = 8192
WORK = Path(__file__).resolve().parents[2] / ".distill"


def _labelled(name: str, ids: list[list[int]], model) -> np.ndarray:
    parts = []
    for begin in range(0, len(ids), CHUNK):
        chunk = ids[begin : begin + CHUNK]
        # Named by what was asked: other texts are asked anew.
        asked = hashlib.sha256(json.dumps(chunk).encode()).hexdigest()[:12]
        file = WORK / f"{name}-{begin:07d}-{asked}.npy"
        if not file.exists():
            vectors = model().embed(chunk).astype(np.float16)
            np.save(WORK / "part.npy", vectors)
            (WORK / "part.npy").rename(file)
            print(f"{name}: {min(begin + CHUNK, len(ids))} of {len(ids)}", file=sys.stderr, flush=True)
        parts.append(np.load(file).astype(np.float32))
    return np.concatenate(parts)


def vectors_of(name: str, texts: list[str]) -> np.ndarray:
    """The teacher's vectors of these texts, kept under `name`."""
    WORK.mkdir(exist_ok=True)
    return _labelled(name, ids_of(texts), teacher.lazy())


def ids_of(texts: list[str]) -> list[list[int]]:
    return [encoded.ids for encoded in teacher.tokenizer().encode_batch(texts)]


def run() -> tuple[np.ndarray, list[list[int]], np.ndarray]:
    """The teacher's vectors of each token alone, then ids and vectors of the training texts."""
    WORK.mkdir(exist_ok=True)
    teach = teacher.lazy()
    vocabulary, texts = teacher.vocabulary(), corpus.texts()
    alone = _labelled("token", [[teacher.CLS, token, teacher.SEP] for token in range(len(vocabulary))], teach)
    ids, more = ids_of(texts), ids_of(corpus.frames(vocabulary, texts))
    return alone, ids + more, np.concatenate([_labelled("text", ids, teach), _labelled("frame", more, teach)])


if __name__ == "__main__":
    run()
