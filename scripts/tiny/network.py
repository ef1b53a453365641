"""A decoder in the style of Llama: root-mean-square norms, rotated positions, gated inner layers, tied words."""

import jax
import jax.numpy as jnp
import numpy as np

WIDTH, LAYERS, HEADS, INNER = 96, 3, 4, 192
DEPTH = WIDTH // HEADS
WINDOW = 1024
EPSILON = 1e-5
#: Of each pair of dimensions, by which its angle grows with every token.
PACE = (1.0 / 10_000 ** (np.arange(0, DEPTH, 2) / DEPTH)).astype(np.float32)


def initial(words: int, seed: int) -> dict:
    rng = np.random.default_rng(seed)

    def some(*shape, scale=0.05):
        return rng.normal(0, scale, shape).astype(np.float32)

    layer = lambda: {
        "norm1": np.ones(WIDTH, np.float32),
        "q": some(WIDTH, WIDTH), "k": some(WIDTH, WIDTH), "v": some(WIDTH, WIDTH), "o": some(WIDTH, WIDTH),
        "norm2": np.ones(WIDTH, np.float32),
        "gate": some(WIDTH, INNER), "up": some(WIDTH, INNER), "down": some(INNER, WIDTH),
    }  # fmt: skip
    return {"words": some(words, WIDTH), "layers": [layer() for _ in range(LAYERS)], "norm": np.ones(WIDTH, np.float32)}


def norm(x, weight):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + EPSILON) * weight


def rotated(x, cos, sin):
    first, second = jnp.split(x, 2, -1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def logits(p, ids):
    """ids [batch, tokens] -> [batch, tokens, words]"""
    batch, length = ids.shape
    angles = jnp.arange(length)[:, None] * PACE
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    mask = jnp.tril(jnp.ones((length, length), bool))
    h = p["words"][ids]
    for layer in p["layers"]:
        x = norm(h, layer["norm1"])
        q, k, v = ((x @ layer[n]).reshape(batch, length, HEADS, DEPTH).transpose(0, 2, 1, 3) for n in "qkv")
        scores = rotated(q, cos, sin) @ rotated(k, cos, sin).transpose(0, 1, 3, 2) / np.sqrt(DEPTH)
        weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), -1)
        h = h + (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, WIDTH) @ layer["o"]
        x = norm(h, layer["norm2"])
        h = h + (jax.nn.silu(x @ layer["gate"]) * (x @ layer["up"])) @ layer["down"]
    return norm(h, p["norm"]) @ p["words"].T
