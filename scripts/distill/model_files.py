"""Writes the four files that the transformers libraries and our own reader load."""

import json
import struct
from pathlib import Path

import numpy as np

import teacher

WIDTH = 384
FLOAT, INT8, INT64 = 1, 3, 7


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def _message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """A protobuf message: whole numbers as varints, everything else with its length before it."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += _varint(number << 3) + _varint(value)
        else:
            raw = value.encode() if isinstance(value, str) else value
            out += _varint(number << 3 | 2) + _varint(len(raw)) + raw
    return out


def onnx(numbers: np.ndarray, scale: float) -> bytes:
    """Gather(table, input_ids) -> DequantizeLinear -> last_hidden_state; opset 13, IR 7."""

    def tensor(name: str, kind: int, shape: tuple[int, ...], raw: bytes) -> bytes:
        return _message(*((1, size) for size in shape), (2, kind), (8, name), (9, raw))

    def value(name: str, kind: int, *shape: int | str) -> bytes:
        sizes = [(1, _message((2, size) if isinstance(size, str) else (1, size))) for size in shape]
        return _message((1, name), (2, _message((1, _message((1, kind), (2, _message(*sizes)))))))

    graph = _message(
        (1, _message((1, "table"), (1, "input_ids"), (2, "rows"), (4, "Gather"))),
        (1, _message((1, "rows"), (1, "scale"), (2, "last_hidden_state"), (4, "DequantizeLinear"))),
        (2, "deflector-static-384"),
        (5, tensor("table", INT8, numbers.shape, numbers.tobytes())),
        (5, tensor("scale", FLOAT, (), struct.pack("<f", scale))),
        (11, value("input_ids", INT64, "batch", "tokens")),
        (12, value("last_hidden_state", FLOAT, "batch", "tokens", WIDTH)),
    )
    return _message((1, 7), (2, "deflector"), (7, graph), (8, _message((2, 13))))


def write(folder: Path, numbers: np.ndarray, scale: float) -> None:
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    (folder / "onnx" / "model_quantized.onnx").write_bytes(onnx(numbers, scale))
    tokenizer = json.loads((teacher.folder() / "tokenizer.json").read_text(encoding="utf8"))
    tokenizer["truncation"] = tokenizer["padding"] = None

    def save(name: str, content: dict) -> None:
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf8")

    save("tokenizer.json", tokenizer)
    save(
        "tokenizer_config.json",
        {
            "tokenizer_class": "BertTokenizer",
            "model_max_length": 512,
            "do_lower_case": True,
            "unk_token": "[UNK]",
            "sep_token": "[SEP]",
            "pad_token": "[PAD]",
            "cls_token": "[CLS]",
            "mask_token": "[MASK]",
        },
    )
    save(
        "config.json",
        {
            "model_type": "bert",
            "architectures": ["BertModel"],
            "hidden_size": WIDTH,
            "vocab_size": len(numbers),
            "max_position_embeddings": 512,
            "num_hidden_layers": 0,
            "num_attention_heads": 12,
            "intermediate_size": WIDTH,
            "pad_token_id": 0,
        },
    )
