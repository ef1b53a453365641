"""Trains the early no: `early.py --weights F --data F --base F --out F [--layers 2] [--pairs 60000]`.

Most pairs that a cache meets are clear noes, and the first layers know it. A head of their own ends the run there, so
that a clear no costs a third of a run. Its bar is one that costs at most `LOST` of the pairs that the network would serve.
"""

import argparse
import gzip
import json
import pickle
import random
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

from encode import length_of, pack
from network import HIDDEN, embedded, headed, initial, logits, pooled, through
from sources import families, tables
from train import batches_of

#: Share of the pairs of one answer with a logit of 0 or more that may be refused early.
LOST = 0.005
#: Pairs of the part "calibrate" on which the bar is found.
MEASURED = 6_000


def measured_pairs(rng: random.Random) -> list[tuple[str, str]]:
    pairs = [(one, other) for _, one, other, _ in tables("calibrate")]
    for _, same, other in families("calibrate"):
        pairs += [(one, two) for i, one in enumerate(same) for two in same[i + 1 :]] + [(same[0], trap) for trap in other]
    return rng.sample(pairs, min(MEASURED, len(pairs)))


def main() -> None:
    args = argparse.ArgumentParser()
    for name in ("weights", "data", "base", "out"):
        args.add_argument(f"--{name}", required=True)
    args.add_argument("--layers", type=int, default=2)
    args.add_argument("--pairs", type=int, default=60_000)
    args.add_argument("--seed", type=int, default=1)
    o = args.parse_args()
    rng = random.Random(o.seed)
    with gzip.open(o.data, "rt") as file:
        rows = [json.loads(line) for line in file]
    rows = rng.sample(rows, min(o.pairs, len(rows)))
    words, _ = initial(Path(o.base), 1, o.seed)
    params = jax.tree_util.tree_map(jnp.asarray, pickle.loads(Path(o.weights).read_bytes()))
    shape = np.random.default_rng(o.seed)
    width = params["head_w"].shape[0]
    head = {
        "head_w": jnp.asarray(shape.normal(0, 0.03, (width, HIDDEN)), jnp.float32),
        "head_b": jnp.zeros(HIDDEN),
        "out_w": jnp.asarray(shape.normal(0, 0.1, (HIDDEN, 1)), jnp.float32),
        "out_b": jnp.zeros(1),
    }
    plan = batches_of(rows, o.seed)
    optimiser = optax.adam(optax.cosine_decay_schedule(1e-3, len(plan), 0.02))
    state = optimiser.init(head)

    def seen(ids, types, mask):
        return pooled(through(params["layers"][: o.layers], embedded(words, params, ids, types), mask), types, mask)

    @jax.jit
    def step_of(head, state, ids, types, mask, y, key):
        x = seen(ids, types, mask)
        loss = lambda h: optax.sigmoid_binary_cross_entropy(headed(h, x, key), y).mean()
        value, grads = jax.value_and_grad(loss)(head)
        updates, state = optimiser.update(grads, state)
        return optax.apply_updates(head, updates), state, value

    losses = []
    for at, (length, some) in enumerate(plan):
        ids, types, mask = pack([(r["a"], r["b"]) for r in some], length)
        y = np.array([r["y"] for r in some], np.float32)
        head, state, value = step_of(head, state, ids, types, mask, y, jax.random.PRNGKey(at))
        losses.append(float(value))
        if (at + 1) % 200 == 0:
            print(f"step {at + 1}/{len(plan)} loss {np.mean(losses[-200:]):.4f}", flush=True)

    @jax.jit
    def both(ids, types, mask):
        return headed(head, seen(ids, types, mask)), logits(words, params, ids, types, mask)

    found = []
    pairs = sorted(measured_pairs(rng), key=lambda pair: length_of(*pair))
    for at in range(0, len(pairs) - 31, 32):
        some = pairs[at : at + 32]
        found.append(both(*pack(some, max(length_of(*pair) for pair in some))))
    early, late = (np.concatenate([np.asarray(f[n]) for f in found]) for n in (0, 1))
    below = float(np.quantile(early[late >= 0], LOST))
    print(f"below {below:.3f}: {100 * (early < below).mean():.0f} % of {len(early)} pairs end early")
    whole = jax.tree_util.tree_map(np.asarray, params)
    whole["early"] = {"layers": o.layers, "below": below, **jax.tree_util.tree_map(np.asarray, head)}
    Path(o.out).write_bytes(pickle.dumps(whole))


if __name__ == "__main__":
    main()
