"""Trains the pair model on pairs.jsonl.gz: `train.py --data F --out F [--from F] [--epochs 1] [--rate 6e-5]`.

A stopped run goes on where its last checkpoint is (`--out` with `.part` behind it).
"""

import argparse
import gzip
import json
import math
import pickle
import random
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

from encode import length_of, pack
from network import initial, logits

BATCH = 64
#: Longer pairs cost more, so their batches are smaller.
MOST_TOKENS = 2048


def batches_of(rows, seed):
    """Rows of like length together, in an order that the seed alone decides."""
    rng = random.Random(seed)
    by_length: dict[int, list] = {}
    for row in rows:
        by_length.setdefault(length_of(row["a"], row["b"]), []).append(row)
    batches = []
    for length, some in sorted(by_length.items()):
        rng.shuffle(some)
        size = min(BATCH, max(8, MOST_TOKENS // length // 8 * 8))
        batches += [(length, some[at : at + size]) for at in range(0, len(some) - size + 1, size)]
    rng.shuffle(batches)
    return batches


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--data", required=True)
    args.add_argument("--base", required=True)
    args.add_argument("--out", required=True)
    args.add_argument("--start")
    args.add_argument("--layers", type=int, default=6)
    args.add_argument("--epochs", type=float, default=1)
    args.add_argument("--rate", type=float, default=7e-5)
    args.add_argument("--smooth", type=float, default=0.03)
    args.add_argument("--minutes", type=float, default=1e9)
    args.add_argument("--seed", type=int, default=1)
    o = args.parse_args()
    jax.config.update("jax_compilation_cache_dir", str(Path(o.out).parent / "compiled"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 1)
    with gzip.open(o.data, "rt") as file:
        rows = [json.loads(line) for line in file]
    words, params = initial(Path(o.base), o.layers, o.seed)
    if o.start:
        params = jax.tree_util.tree_map(jnp.asarray, pickle.loads(Path(o.start).read_bytes()))
    plan = []
    for epoch in range(math.ceil(o.epochs)):
        some = batches_of(rows, o.seed + epoch)
        plan += some[: int(len(some) * min(1, o.epochs - epoch))]
    total = len(plan)
    heads = {"head_w", "head_b", "out_w", "out_b"}
    labels = {name: "head" if name in heads else "body" for name in params}
    began, done_before = time.time(), 0

    def share(step):
        warm = jnp.minimum(1.0, (step + 1) / 100)
        return warm * (0.02 + 0.98 * 0.5 * (1 + jnp.cos(jnp.pi * jnp.minimum(1.0, step / total))))

    body = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(lambda s: o.rate * share(s), weight_decay=0.01))
    head_rate = 1e-3 if not o.start else 3e-4
    optimiser = optax.multi_transform({"body": body, "head": optax.adam(lambda s: head_rate * share(s))}, labels)
    state = optimiser.init(params)

    def loss(p, ids, types, mask, y, w, key):
        z = logits(words, p, ids, types, mask, key)
        return (optax.sigmoid_binary_cross_entropy(z, y) * w).sum() / w.sum()

    @jax.jit
    def step_of(p, state, ids, types, mask, y, w, key):
        value, grads = jax.value_and_grad(loss)(p, ids, types, mask, y, w, key)
        updates, state = optimiser.update(grads, state, p)
        return optax.apply_updates(p, updates), state, value

    part = Path(o.out + ".part")
    first = 0
    if part.exists():
        first, params, state = pickle.loads(part.read_bytes())
        done_before = first
    losses, pairs = [], 0
    for at in range(first, total):
        length, some = plan[at]
        ids, types, mask = pack([(r["a"], r["b"]) for r in some], length)
        y = np.array([r["y"] for r in some], np.float32) * (1 - 2 * o.smooth) + o.smooth
        w = np.array([r.get("w", 1) for r in some], np.float32)
        params, state, value = step_of(params, state, ids, types, mask, y, w, jax.random.PRNGKey(at))
        losses.append(value)
        pairs += len(some)
        if (at + 1) % 100 == 0:
            spent = time.time() - began
            left = spent / (at + 1 - done_before) * (total - at - 1)
            print(f"step {at + 1}/{total} loss {np.mean([float(x) for x in losses[-100:]]):.4f} "
                  f"{pairs / spent:.0f} pairs/s {left / 60:.0f} min left", flush=True)
        if (at + 1) % 500 == 0:
            part.write_bytes(pickle.dumps((at + 1, *jax.tree_util.tree_map(np.asarray, (params, state)))))
            Path(o.out).write_bytes(pickle.dumps(jax.tree_util.tree_map(np.asarray, params)))
        if time.time() - began > o.minutes * 60:
            break
    Path(o.out).write_bytes(pickle.dumps(jax.tree_util.tree_map(np.asarray, params)))
    part.unlink(missing_ok=True)
    print(f"{o.out}: {pairs} pairs in {(time.time() - began) / 60:.0f} min")


if __name__ == "__main__":
    main()
