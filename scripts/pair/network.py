"""The cross-encoder: layers of a sentence model that read both prompts at once, and a small head."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

HEADS = 12
HIDDEN = 128
_CPU = Path("/proc/cpuinfo")
#: Of products: bfloat16 is as good, and twice as fast where a processor has matrix tiles (AMX), but slower elsewhere.
_COMPUTE = jnp.bfloat16 if _CPU.exists() and "amx_bf16" in _CPU.read_text() else jnp.float32


def read_safetensors(file: Path) -> dict[str, np.ndarray]:
    """All float32 tensors of a safetensors file."""
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    body = memoryview(data)[8 + size :]
    return {
        name: np.frombuffer(body[slice(*at["data_offsets"])], np.float32).reshape(at["shape"])
        for name, at in header.items()
        if name != "__metadata__" and at["dtype"] == "F32"
    }


def initial(file: Path, layers: int, seed: int = 0):
    """Frozen word rows, and the parameters that are trained, from the weights of a BERT sentence model."""
    w = read_safetensors(file)
    width = w["embeddings.word_embeddings.weight"].shape[1]
    rng = np.random.default_rng(seed)
    segment = w["embeddings.token_type_embeddings.weight"]
    params = {
        "position": w["embeddings.position_embeddings.weight"][:160],
        # A token that the other prompt has begins as any other of its prompt.
        "type": np.concatenate([segment, segment]),
        "norm_g": w["embeddings.LayerNorm.weight"],
        "norm_b": w["embeddings.LayerNorm.bias"],
        "layers": [],
        "head_w": rng.normal(0, 0.03, (3 * width, HIDDEN)).astype(np.float32),
        "head_b": np.zeros(HIDDEN, np.float32),
        "out_w": rng.normal(0, 0.1, (HIDDEN, 1)).astype(np.float32),
        "out_b": np.zeros(1, np.float32),
    }
    names = {
        "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
        "o": "attention.output.dense", "n1": "attention.output.LayerNorm",
        "i": "intermediate.dense", "d": "output.dense", "n2": "output.LayerNorm",
    }
    for n in range(layers):
        layer = {}
        for short, name in names.items():
            weight = w[f"encoder.layer.{n}.{name}.weight"]
            layer[short] = weight if short in ("n1", "n2") else weight.T.copy()
            layer[f"{short}_b"] = w[f"encoder.layer.{n}.{name}.bias"]
        params["layers"].append(layer)
    words = w["embeddings.word_embeddings.weight"]
    return jnp.asarray(words), jax.tree_util.tree_map(jnp.asarray, params)


def _norm(x, g, b):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-12) * g + b


def _times(x, w, b):
    return (x.astype(_COMPUTE) @ w.astype(_COMPUTE)).astype(jnp.float32) + b


def logits(words, p, ids, types, mask, key=None):
    """One number a pair. With `key`, a tenth of the head's inputs is dropped."""
    h = words[ids] + p["position"][: ids.shape[1]][None] + p["type"][types]
    h = _norm(h, p["norm_g"], p["norm_b"])
    batch, length, width = h.shape
    bias = (1 - mask)[:, None, None, :] * -1e9
    split = lambda x: x.reshape(batch, length, HEADS, width // HEADS).transpose(0, 2, 1, 3).astype(_COMPUTE)
    for layer in p["layers"]:
        q, k, v = (split(_times(h, layer[n], layer[f"{n}_b"])) for n in "qkv")
        scores = (q @ k.transpose(0, 1, 3, 2)).astype(jnp.float32) / np.sqrt(width // HEADS)
        weights = jax.nn.softmax(scores + bias, -1).astype(_COMPUTE)
        context = (weights @ v).astype(jnp.float32).transpose(0, 2, 1, 3).reshape(batch, length, width)
        h = _norm(h + _times(context, layer["o"], layer["o_b"]), layer["n1"], layer["n1_b"])
        inner = jax.nn.gelu(_times(h, layer["i"], layer["i_b"]), approximate=False)
        h = _norm(h + _times(inner, layer["d"], layer["d_b"]), layer["n2"], layer["n2_b"])
    second = (types % 2).astype(jnp.float32) * mask
    first = mask - second
    mean = lambda m: (h * m[:, :, None]).sum(1) / jnp.maximum(m.sum(1), 1)[:, None]
    a, b = mean(first), mean(second)
    x = jnp.concatenate([h[:, 0], jnp.abs(a - b), a * b], -1)
    if key is not None:
        x = x * jax.random.bernoulli(key, 0.9, x.shape) / 0.9
    x = jnp.tanh(x @ p["head_w"] + p["head_b"])
    return (x @ p["out_w"] + p["out_b"])[:, 0]
