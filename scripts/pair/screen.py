"""Trains the screen, a small network that refuses clear noes before the pair model runs: `screen.py --work D --out F`.

It learns what the pair model says of near pairs; what that said is kept below `--work`, because it takes ten minutes.
"""

import argparse
import hashlib
import json
import math
import random
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

import edits
from candidates import embed, table
from data import Pairs, add_edits, add_groups, add_own
from encode import LONGEST, ROOT, ids_of
from network import read_safetensors
from score import Scorer
from sources import Groups, corpus, families, part_of, tables
from text import words

MODEL = ROOT / "models/deflector-pair"
#: Somewhat below the gate of the gateway, so that both sides of it are known.
NEAR = 0.84
#: Lines whose neighbours are looked for, and how many of each are taken.
ASKED, OF_EACH = 40_000, 6
WANTED = {"near": 130_000, "made": 120_000, "made and near": 60_000, "calibrate": 4_000}
WIDTH, HIDDEN, LAST = 56, 32, 32
LENGTHS = (8, 12, 16, 24, 40, LONGEST)
BATCH, EPOCHS, RATE = 256, 10, 3e-3
#: Below this guess a pair is refused: on the development streams the model then runs for less than a quarter of the misses.
LEAST = 0.38
#: From this probability on the pair model serves, as far as the shares that are printed go.
SERVED = 0.8


def near_pairs(lines):
    rng = np.random.default_rng(5)
    vectors = embed(lines)
    asked = rng.permutation(len(lines))[:ASKED]
    found = []
    for at in range(0, len(asked), 512):
        cosine = vectors[asked[at : at + 512]] @ vectors.T
        row, other = np.nonzero(cosine >= NEAR)
        order = np.lexsort((rng.random(len(row)), row))
        taken = {}
        for a, b in zip(row[order], other[order]):
            one = int(asked[at + a])
            if b == one:
                continue
            taken[a] = taken.get(a, 0) + 1
            if taken[a] <= OF_EACH and float(cosine[a, b]) >= NEAR:
                found.append((lines[one], lines[b]))
    return found


def chosen():
    """Pairs by part and source. Lines of the corpus are split as our own intents are."""
    rng, lines = random.Random(11), corpus()
    seen, kinds = set(), {}

    def add(one, other, part, source):
        key = (min(one, other), max(one, other))
        if key in seen or words(one) == words(other) or max(len(ids_of(one)), len(ids_of(other))) > LONGEST:
            return
        seen.add(key)
        kinds.setdefault((part, source), []).append((one, other))

    near = near_pairs(lines)
    rng.shuffle(near)
    for one, other in near[: WANTED["near"]]:
        held = [part_of(text) == "calibrate" for text in (one, other)]
        if all(held) or (any(held) and rng.random() < 0.1):
            add(one, other, "calibrate", "near")
        elif not any(held):
            add(one, other, "train", "near")
    for _, same, traps in families("calibrate"):
        some = [(a, b) for i, a in enumerate(same) for b in same[i + 1 :]] + [(a, trap) for a in same for trap in traps]
        for one, other in rng.sample(some, min(len(some), 40)):
            add(one, other, "calibrate", "family")
    for _, one, other, _ in tables("calibrate"):
        add(one, other, "calibrate", "table")
    pairs, harmful = Pairs(1), edits.Harmful(lines)
    add_own(pairs, harmful)
    add_groups(pairs, Groups())
    add_edits(pairs, harmful, lines)
    rng.shuffle(pairs.rows)
    for row in pairs.rows[: WANTED["made"]]:
        add(row["a"], row["b"], "train", "made")
    for key, some in kinds.items():
        cosine = (embed([one for one, _ in some]) * embed([other for _, other in some])).sum(1)
        kinds[key] = [pair for pair, near in zip(some, cosine) if near >= NEAR]
        rng.shuffle(kinds[key])
    most = WANTED["calibrate"]
    held = kinds["calibrate", "near"][:most] + kinds["calibrate", "family"][:most] + kinds["calibrate", "table"]
    learnt = kinds["train", "near"] + kinds["train", "made"][: WANTED["made and near"]]
    rng.shuffle(learnt)
    return [(*pair, "calibrate") for pair in held] + [(*pair, "train") for pair in learnt]


def taught(work):
    """Pairs with their part, and the pair model's logit of each. Other weights have another file."""
    network = MODEL / "onnx/model_quantized.onnx"
    file = work / f"screen-{hashlib.sha256(network.read_bytes()).hexdigest()[:16]}.json"
    if not file.exists():
        rows = chosen()
        print(f"{len(rows)} pairs", flush=True)
        scorer = Scorer(network)
        with ThreadPoolExecutor(2) as pool:
            logits = list(pool.map(lambda row: scorer.logit(row[0], row[1]), rows))
        part = file.with_suffix(".part")
        part.write_text(json.dumps({"rows": rows, "logits": logits}))
        part.rename(file)
    known = json.loads(file.read_text())
    return known["rows"], np.array(known["logits"])


def weak_ids():
    """Pieces that say little by themselves: those of `sides.ts`."""
    source = (ROOT / "plugins/models/pair/function-words.ts").read_text()
    english = source[source.index("ENGLISH = ") : source.index("GERMAN = ")]
    said = [text for _, text in re.findall(r"""^\s*(['"])(.*)\1""", english, re.M)]
    return {i for word in [*" ".join(said).split(), *".,?!:;'\"()-"] for i in ids_of(word)}


def counts(one, other, weak):
    """Likeness, as in `likeness.ts`, and the numbers of different pieces and of all."""
    a, b = set(one), set(other)
    left, right = a - weak, b - weak
    both, every, least = len(left & right), len(left | right), min(len(left), len(right))
    short, long = sorted((len(one), len(other)))
    return [
        both / every if every else 1,
        both / least if least else 1,
        short / long if long else 1,
        len(a ^ b) / 8,
        abs(len(a) - len(b)) / 8,
        (short + long) / 32,
    ]


def initial(rng, base):
    def components(rows, width):
        rows = rows - rows.mean(0)
        some = rows[rng.permutation(len(rows))[:8000]]
        kept = rows @ np.linalg.svd(some, full_matrices=False)[2][:width].T
        return kept / kept.std() * 0.5

    def drawn(*shape):
        return rng.normal(0, 1 / math.sqrt(shape[0]), shape).astype(np.float32)

    bert = read_safetensors(base)["embeddings.word_embeddings.weight"]
    bert = bert / np.linalg.norm(bert, axis=1, keepdims=True)
    rows = np.concatenate([components(table(), WIDTH // 2), components(bert, WIDTH // 2)], 1)
    return {
        "rows": rows.astype(np.float32),
        "before": np.zeros(WIDTH, np.float32),
        "after": np.zeros(WIDTH, np.float32),
        "sharpness": np.float32(1),
        "distance": np.float32(0),
        "own": drawn(WIDTH, HIDDEN),
        "aligned": drawn(WIDTH, HIDDEN),
        "difference": drawn(WIDTH, HIDDEN),
        "product": drawn(WIDTH, HIDDEN),
        "bias": np.zeros(HIDDEN, np.float32),
        "same": np.zeros(HIDDEN, np.float32),
        "last": drawn(3 * HIDDEN + 6, LAST),
        "last_bias": np.zeros(LAST, np.float32),
        "out": drawn(LAST, 1)[:, 0],
        "out_bias": np.float32(0),
    }


def logits(p, a, b, numbers, key=None):
    """One number a pair. With `key`, a tenth of the inputs is dropped."""
    ma, mb = (a > 0).astype(jnp.float32), (b > 0).astype(jnp.float32)
    keys = [None] * 3 if key is None else jax.random.split(key, 3)

    def dropped(x, key):
        return x if key is None else x * jax.random.bernoulli(key, 0.9, x.shape) / 0.9

    def read(ids, mask, key):
        e = p["rows"][ids] * mask[..., None]
        none = jnp.zeros_like(e[:, :1])
        e = e + p["before"] * jnp.concatenate([none, e[:, :-1]], 1) + p["after"] * jnp.concatenate([e[:, 1:], none], 1)
        return dropped(e, key)

    ea, eb = read(a, ma, keys[0]), read(b, mb, keys[1])
    place = lambda m: jnp.arange(m.shape[1])[None] / m.sum(1)[:, None]
    apart = jnp.abs(place(ma)[:, :, None] - place(mb)[:, None, :])
    scores = jnp.einsum("bid,bjd->bij", ea, eb) * p["sharpness"] - jax.nn.softplus(p["distance"]) * apart
    equal = (a[:, :, None] == b[:, None, :]).astype(jnp.float32)

    def compared(e, own_mask, other, mask, scores, equal):
        weights = jax.nn.softmax(jnp.where(mask[:, None, :] > 0, scores, -1e9), -1)
        aligned = weights @ other
        h = e @ p["own"] + aligned @ p["aligned"] + jnp.abs(e - aligned) @ p["difference"]
        h = h + (e * aligned) @ p["product"] + p["bias"] + (equal * mask[:, None, :]).max(2)[..., None] * p["same"]
        return jax.nn.relu(h) * own_mask[..., None]

    ha = compared(ea, ma, eb, mb, scores, equal)
    hb = compared(eb, mb, ea, ma, scores.transpose(0, 2, 1), equal.transpose(0, 2, 1))
    sa, sb = ha.sum(1), hb.sum(1)
    v = jnp.concatenate([(sa + sb) / 5, jnp.abs(sa - sb) / 5, jnp.maximum(ha.max(1), hb.max(1))], -1)
    v = jnp.concatenate([dropped(v, keys[2]), numbers], -1)
    return jax.nn.relu(v @ p["last"] + p["last_bias"]) @ p["out"] + p["out_bias"]


def length_of(one, other):
    longer = max(len(one), len(other))
    return next(length for length in LENGTHS if longer <= length)


def packed(pairs, length):
    a, b = np.zeros((2, len(pairs), length), np.int32)
    for row, (one, other) in enumerate(pairs):
        a[row, : len(one)], b[row, : len(other)] = one, other
    return a, b


def trained(params, ids, numbers, said):
    """`said` are the pair model's logits, likeness and calibration applied."""
    lengths = np.array([length_of(*pair) for pair in ids])
    steps = int(EPOCHS * len(ids) / BATCH)
    optimiser = optax.adamw(optax.warmup_cosine_decay_schedule(0, RATE, 200, steps, 1e-5), weight_decay=1e-3, b2=0.99)

    def loss(p, a, b, numbers, said, key):
        out, target = logits(p, a, b, numbers, key), jax.nn.sigmoid(said)
        return (jax.nn.softplus(out) - target * out + 0.05 * (out - jnp.clip(said, -4, 4)) ** 2).mean()

    @jax.jit
    def step(p, state, *batch):
        value, gradient = jax.value_and_grad(loss)(p, *batch)
        updates, state = optimiser.update(gradient, state, p)
        return optax.apply_updates(p, updates), state, value

    rng, key, state, done = np.random.default_rng(1), jax.random.key(0), optimiser.init(params), 0
    while done < steps:
        order = rng.permutation(len(ids))
        by_length = [order[lengths[order] == length] for length in LENGTHS]
        batches = [some[at : at + BATCH] for some in by_length for at in range(0, len(some) - BATCH + 1, BATCH)]
        for at in rng.permutation(len(batches))[: steps - done]:
            rows = batches[at]
            a, b = packed([ids[row] for row in rows], lengths[rows[0]])
            if rng.random() < 0.5:
                a, b = b, a
            key, now = jax.random.split(key)
            params, state, value = step(params, state, a, b, numbers[rows], said[rows], now)
            done += 1
            if done % 500 == 0:
                print(f"{done} of {steps} steps, loss {value:.4f}", flush=True)
    return jax.tree_util.tree_map(np.asarray, params)


def predicted(params, ids, numbers):
    out, run = np.zeros(len(ids)), jax.jit(logits)
    lengths = np.array([length_of(*pair) for pair in ids])
    for length in LENGTHS:
        some = np.flatnonzero(lengths == length)
        if len(some):
            out[some] = run(params, *packed([ids[row] for row in some], length), numbers[some])
    return out


def rounded(rows):
    """Rows as they are stored: 8 bits, and one scale each."""
    scales = np.maximum(np.abs(rows).max(1), 1e-6).astype(np.float32) / 127
    return np.round(rows / scales[:, None]).astype(np.int8), scales


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--work", required=True)
    args.add_argument("--base", required=True)
    args.add_argument("--out", required=True)
    o = args.parse_args()
    rows, logit = taught(Path(o.work))
    calibration, weak = json.loads((MODEL / "calibration.json").read_text()), weak_ids()
    ids = [(ids_of(one), ids_of(other)) for one, other, _ in rows]
    numbers = np.array([counts(*pair, weak) for pair in ids], np.float32)
    weights = [calibration["likeness"][name] for name in ("shared", "contained", "length")]
    said = (logit + numbers[:, :3] @ weights - calibration["shift"]) / calibration["temperature"]
    said = said.astype(np.float32)
    learnt = np.array([part == "train" for *_, part in rows])
    some = lambda mask: [pair for pair, wanted in zip(ids, mask) if wanted]
    params = trained(initial(np.random.default_rng(1), Path(o.base)), some(learnt), numbers[learnt], said[learnt])

    coded, scales = rounded(params["rows"])
    params["rows"] = coded * scales[:, None]
    screened = predicted(params, some(~learnt), numbers[~learnt])
    served = said[~learnt] >= math.log(SERVED / (1 - SERVED))
    bar = math.log(LEAST / (1 - LEAST))
    lost, saved = (screened[served] < bar).mean(), (screened[~served] < bar).mean()
    print(f"refuses {lost:.3f} of the pairs that the model serves, and {saved:.3f} of the others")
    params["distance"] = np.log1p(np.exp(params["distance"]))
    params["scales"] = scales
    # The weights of one output beside each other, as they are read.
    arrays = {name: np.asarray(params[name].T, "<f4") for name in sorted(params) if name != "rows"}
    lengths = {name: array.size for name, array in arrays.items()}
    head = json.dumps({"width": WIDTH, "hidden": HIDDEN, "least": LEAST, "arrays": lengths}).encode()
    numbers = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())
    Path(o.out).write_bytes(np.uint32(len(head)).tobytes() + head + numbers + coded.tobytes())


if __name__ == "__main__":
    main()
