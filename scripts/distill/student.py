"""The student: a row for each token, and the mean of the rows is the sentence. Fitted to the teacher's vectors."""

import sys

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import lsqr

from corpus import HELD_OUT, SEED

WIDTH = 384
SPECIAL = (0, 100, 101, 102, 103)
# SIF: a token of frequency p weighs a / (a + p).
SIF = 3e-4
EPOCHS, BATCH, RATE = 5, 1024, 0.01
# A batch is made of so many texts from one neighbourhood: only near texts can show which is the nearest.
NEIGHBOURHOODS, NEIGHBOURS = 256, 128
# Weight and temperature of "the same neighbours in the same order" against "the same direction", and of "length one".
RANKING, TEMPERATURE, LENGTH = 3.0, 0.05, 0.1
# How much a row that few texts have keeps to what is usual.
CALM = 0.3


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def means(ids: list[list[int]], tokens: int) -> sparse.csr_matrix:
    """Times the table it gives the mean of each text's rows, special tokens included."""
    length = np.array([len(one) for one in ids])
    flat = np.fromiter((token for one in ids for token in one), np.int32, length.sum())
    begin = np.concatenate([[0], np.cumsum(length)])
    return sparse.csr_matrix((np.repeat(1 / length, length).astype(np.float32), flat, begin), (len(ids), tokens))


def first_table(alone: np.ndarray, texts: sparse.csr_matrix, target: np.ndarray) -> np.ndarray:
    """What each token means alone, weighted by its rarity, then turned as a whole so that the means fit best."""
    count = np.asarray((texts > 0).sum(0)).ravel()
    weight = SIF / (SIF + (count + 0.3) / count.sum())
    table = (alone - alone[1000:].mean(0)) * weight[:, None]
    table[list(SPECIAL)] = 0
    table[1:100] = 0
    sentence = texts @ table
    gram = sentence.T @ sentence
    turn = np.linalg.solve(gram + 1e-3 * np.trace(gram) / WIDTH * np.eye(WIDTH), sentence.T @ target)
    table = (table @ turn).astype(np.float32)
    return table / np.linalg.norm(texts @ table, axis=1).mean()


def neighbourhoods(target: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """The number of each text's neighbourhood: spherical k-means, six rounds."""
    centre = target[chance.choice(len(target), NEIGHBOURHOODS, replace=False)].copy()
    for _ in range(6):
        own = np.concatenate([(target[i : i + 16384] @ centre.T).argmax(1) for i in range(0, len(target), 16384)])
        for number in range(NEIGHBOURHOODS):
            if (own == number).any():
                centre[number] = target[own == number].mean(0)
        centre = unit(centre)
    return own


def ranking(cosine: np.ndarray) -> np.ndarray:
    np.fill_diagonal(cosine, -9)
    weight = np.exp((cosine - cosine.max(1, keepdims=True)) / TEMPERATURE)
    return weight / weight.sum(1, keepdims=True)


def slope(sentence: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Of the loss, by the sentence vectors of one batch."""
    length = np.maximum(np.linalg.norm(sentence, axis=1, keepdims=True), 1e-6)
    own = sentence / length
    wrong = ranking(own @ own.T) - ranking(target @ target.T)
    by_direction = -target + RANKING * (wrong + wrong.T) @ own
    by_direction -= (by_direction * own).sum(1, keepdims=True) * own
    return (by_direction / length + 2 * LENGTH * (length - 1) * own) / len(target)


def fit(table: np.ndarray, texts: sparse.csr_matrix, target: np.ndarray) -> np.ndarray:
    """Adam over the rows that a batch touches."""
    chance = np.random.default_rng(SEED)
    table = table.copy()
    drift, spread, met = np.zeros_like(table), np.zeros_like(table), np.zeros(len(table), np.int32)
    learnt = np.array([i for i in range(len(target)) if i % HELD_OUT])
    near = neighbourhoods(target, chance)[learnt]
    steps, step = EPOCHS * (len(learnt) // BATCH), 0
    for epoch in range(EPOCHS):
        order = learnt[np.lexsort((chance.random(len(learnt)), near))]
        chunks = order[: len(order) // NEIGHBOURS * NEIGHBOURS].reshape(-1, NEIGHBOURS)
        chunks = chunks[chance.permutation(len(chunks))]
        per_batch = BATCH // NEIGHBOURS
        for begin in range(0, len(chunks) - per_batch + 1, per_batch):
            rows = np.sort(chunks[begin : begin + per_batch].ravel())
            batch = texts[rows]
            used, place = np.unique(batch.indices, return_inverse=True)
            batch = sparse.csr_matrix((batch.data, place.astype(np.int32), batch.indptr), (len(rows), len(used)))
            now = table[used]
            by_row = batch.T @ slope(batch @ now, target[rows])
            met[used] += 1
            age = met[used][:, None]
            drift[used] = 0.9 * drift[used] + 0.1 * by_row
            spread[used] = 0.99 * spread[used] + 0.01 * by_row**2
            rate = RATE * min(1, (step + 1) / 50) * 0.5 * (1 + np.cos(np.pi * min(1, step / steps)))
            move = (drift[used] / (1 - 0.9**age)) / (np.sqrt(spread[used] / (1 - 0.99**age)) + 1e-10)
            table[used] = now - rate * move
            step += 1
        print(f"epoch {epoch + 1}: cosine to the teacher {held_out(table, texts, target):.4f}", file=sys.stderr, flush=True)
    return table


def held_out(table: np.ndarray, texts: sparse.csr_matrix, target: np.ndarray) -> float:
    rows = np.arange(0, len(target), HELD_OUT)
    return float((unit(texts[rows] @ table) * target[rows]).sum(1).mean())


def gated(table: np.ndarray, texts: sparse.csr_matrix, lift: float) -> np.ndarray:
    """
    In place of the direction that says least, all rows point the same way, so far that a mean points there `lift` ** 0.5
    times as far as everywhere else. It turns each cosine c of two texts to about (c + lift) / (1 + lift): the order
    stays, and the gate can be where it shall be. Lengths differ by text, so how far each row points is fitted too.
    """
    sentence = texts @ table
    _, directions = np.linalg.eigh(sentence.T @ sentence)
    mirror = directions[:, 0].astype(np.float32) - np.eye(WIDTH, dtype=np.float32)[-1]
    mirror /= np.linalg.norm(mirror)
    turned = table - 2 * (table @ mirror)[:, None] * mirror
    far = np.sqrt(lift) * np.linalg.norm((texts @ turned)[:, :-1], axis=1)
    usual = np.full(len(table), far.mean(), np.float32)
    calm = sparse.identity(len(table), dtype=np.float32, format="csr") * np.sqrt(CALM)
    change = lsqr(sparse.vstack([texts, calm]), np.concatenate([far - texts @ usual, np.zeros(len(table))]), iter_lim=60)
    turned[:, -1] = usual + change[0]
    return turned


def rounded(table: np.ndarray) -> tuple[np.ndarray, float]:
    """int8 numbers and their one scale. The few largest are cut: a scale that fits them would be coarse for all."""
    scale = max(float(np.quantile(np.abs(table), 0.99995)), float(np.quantile(table[:, -1], 0.999))) / 127
    return np.clip(np.round(table / scale), -127, 127).astype(np.int8), scale
