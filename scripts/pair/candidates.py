"""The static embedder of the gateway, in Python: which prompts a cache would compare."""

import numpy as np
import onnx
from onnx import numpy_helper

from encode import CLS, ROOT, SEP, ids_of

_table = None


def table() -> np.ndarray:
    """Rows of the built-in model, one a token."""
    global _table
    if _table is None:
        graph = onnx.load(ROOT / "models/deflector-static-384/onnx/model_quantized.onnx").graph
        tensors = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        rows = next(t for t in tensors.values() if t.ndim == 2)
        scale = next(t for n, t in tensors.items() if "scale" in n)
        zero = next((t for n, t in tensors.items() if "zero" in n), np.zeros(1))
        _table = ((rows.astype(np.float32) - zero.astype(np.float32)) * scale).astype(np.float32)
    return _table


def embed(texts) -> np.ndarray:
    rows = table()
    out = np.zeros((len(texts), rows.shape[1]), np.float32)
    for at, text in enumerate(texts):
        v = rows[[CLS, *ids_of(text)[:510], SEP]].sum(0)
        out[at] = v / max(1e-9, float(np.sqrt(v @ v)))
    return out


def neighbours(vectors: np.ndarray, most: int, block: int = 1024):
    """For each row the `most` nearest others, best first: lists of (row, cosine)."""
    found = []
    for at in range(0, len(vectors), block):
        near = vectors[at : at + block] @ vectors.T
        near[np.arange(len(near)), np.arange(at, at + len(near))] = -1
        top = np.argpartition(-near, most, axis=1)[:, :most]
        for row, some in enumerate(top):
            some = some[np.argsort(-near[row, some])]
            found.append([(int(i), float(near[row, i])) for i in some])
    return found
