"""Makes the tiny model: `train.py --out FOLDER`. Takes minutes on two cores, and ends with an error if a lesson is not known by heart."""

import argparse
import json
import random
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import optax

import lessons
from export import CONFIG, TOKENIZER_CONFIG, graph_of, rounded
from network import initial, logits
from text import END, tokenizer, written

SEED, WORDS, BATCH, LENGTH, STEPS, RATE = 7, 768, 24, 160, 1200, 4e-3


def example(words, turns: list[dict], answer: str) -> tuple[list[int], int]:
    asked = words.encode(written(turns)).ids
    return [*asked, *words.encode(answer).ids, END], len(asked)


def batch(words, rng: random.Random) -> tuple[np.ndarray, np.ndarray]:
    """Tokens, and 1 where the next token is the model's own to say; a tenth of that elsewhere."""
    ids, weights = np.zeros((BATCH, LENGTH + 1), np.int32), np.zeros((BATCH, LENGTH), np.float32)
    for row in range(BATCH):
        tokens, asked = example(words, *lessons.one(rng))
        ids[row, : len(tokens)] = tokens
        weights[row, : len(tokens) - 1] = 0.1
        weights[row, asked - 1 : len(tokens) - 1] = 1
    return ids, weights


def loss(p, ids, weights):
    each = optax.softmax_cross_entropy_with_integer_labels(logits(p, ids[:, :-1]), ids[:, 1:])
    return jnp.sum(each * weights) / jnp.sum(weights)


def as_exported(p):
    """With the weights that the graph has."""
    def of(value):
        if value.ndim < 2:
            return value
        numbers, scale = rounded(np.asarray(value))
        return numbers * scale

    return {"words": of(np.asarray(p["words"]).T).T, "norm": p["norm"], "layers": [{n: of(v) for n, v in layer.items()} for layer in p["layers"]]}


def unknown(p, words) -> list[str]:
    """The questions whose answer is another one than learnt."""
    p = jax.tree_util.tree_map(jnp.asarray, p)
    step = jax.jit(lambda ids: jnp.argmax(logits(p, ids), -1))
    wrong = []
    for turns, answer in lessons.every(random.Random(SEED)):
        tokens, asked = example(words, turns, answer)
        padded = np.zeros((1, LENGTH + 1), np.int32)
        padded[0, : len(tokens)] = tokens
        said = np.asarray(step(padded))[0, asked - 1 : len(tokens) - 1]
        if said.tolist() != tokens[asked:]:
            wrong.append(f"{turns[-1]['content']!r}: {words.decode(said.tolist())!r}, not {answer!r}")
    return wrong


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--out", required=True, type=Path)
    args.add_argument("--steps", type=int, default=STEPS)
    o = args.parse_args()
    rng = random.Random(SEED)
    words = tokenizer(WORDS)
    p = jax.tree_util.tree_map(jnp.asarray, initial(words.get_vocab_size(), SEED))
    rate = optax.warmup_cosine_decay_schedule(0, RATE, 100, o.steps)
    adam = optax.chain(optax.clip_by_global_norm(1), optax.adamw(rate, weight_decay=0.01))
    state = adam.init(p)

    @jax.jit
    def step(p, state, ids, weights):
        value, slope = jax.value_and_grad(loss)(p, ids, weights)
        change, state = adam.update(slope, state, p)
        return optax.apply_updates(p, change), state, value

    for number in range(o.steps):
        p, state, value = step(p, state, *batch(words, rng))
        if number % 100 == 0:
            print(f"step {number}: {value:.4f}", flush=True)
    p = jax.tree_util.tree_map(np.asarray, p)
    wrong = unknown(as_exported(p), words)
    for line in wrong:
        print(line)
    (o.out / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(graph_of(p), o.out / "onnx" / "decoder_model_merged_quantized.onnx")
    save = lambda name, content: (o.out / name).write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf8")
    save("config.json", CONFIG)
    save("generation_config.json", {"eos_token_id": END})
    save("tokenizer_config.json", TOKENIZER_CONFIG)
    pieces = json.loads(words.to_str())
    # The library reads a merge as one text.
    pieces["model"]["merges"] = [" ".join(pair) for pair in pieces["model"]["merges"]]
    save("tokenizer.json", pieces)
    if wrong:
        raise SystemExit(f"{len(wrong)} answers are not known by heart")


if __name__ == "__main__":
    main()
