"""What the shipped files are worth on the development data, beside their teacher. Prints the tables of the model card."""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

import label
import streams
import teacher

FOLDER = Path(__file__).resolve().parents[2] / "models" / "deflector-static-384"
STREAMS = ("stream_mixed.jsonl", "stream_isartor_faq.jsonl")


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def ours(texts: list[str]) -> np.ndarray:
    """Through the ONNX file, as any other program would use it."""
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.enable_truncation(512)
    session = onnxruntime.InferenceSession(str(FOLDER / "onnx" / "model_quantized.onnx"))
    encoded = tokenizer.encode_batch(texts)
    return unit(np.stack([session.run(None, {"input_ids": np.array([e.ids])})[0][0].mean(0) for e in encoded]))


def order(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's correlation."""
    ranks = lambda values: np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def main() -> None:
    prompts = streams.prompts()
    theirs = label.vectors_of("dev", prompts)
    mine = ours(prompts)
    print(f"order of {len(prompts) - 1:,} neighbouring pairs as the teacher has it (Spearman):", end=" ")
    print(f"{order((mine[1:] * mine[:-1]).sum(1), (theirs[1:] * theirs[:-1]).sum(1)):.3f}\n")

    print("| source | pairs | ours PR-AUC / ROC-AUC | MiniLM PR-AUC / ROC-AUC |\n| --- | --- | --- | --- |")
    own, other = streams.pairs(dict(zip(prompts, mine))), streams.pairs(dict(zip(prompts, theirs)))
    for source, (count, pr, roc) in own.items():
        print(f"| `{source}` | {count:,} | {pr:.3f} / {roc:.3f} | {other[source][1]:.3f} / {other[source][2]:.3f} |")

    print("\n| stream | vectors | gate | recall | candidates a request | nearest is right |\n| --- | --- | --- | --- | --- | --- |")
    for name in STREAMS:
        own, other = (streams.replay(name, dict(zip(prompts, vectors))) for vectors in (mine, theirs))
        gates = [("ours", own, gate) for gate in (0.80, 0.85, 0.90)] + [("MiniLM", other, gate) for gate in (0.55, 0.60, 0.85)]
        for who, replay, gate in gates:
            at = replay.at(gate)
            print(f"| {name} | {who} | {gate:.2f} | {at['recall']:.1%} | {at['candidates']:.2f} | {at['nearest_right']:.1%} |")
        print(f"{name}: {int(own.repeatable.sum())} of {len(own.repeatable)} requests repeatable in other words", file=sys.stderr)


if __name__ == "__main__":
    main()
