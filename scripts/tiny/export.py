"""Writes the network as the library loads it: one ONNX graph (IR 8, opset 13) with a cache of keys and values, and 8-bit weights."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from network import DEPTH, EPSILON, HEADS, INNER, LAYERS, PACE, WIDTH, WINDOW
from text import END, SPECIAL, TEMPLATE

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "max_position_embeddings": WINDOW,
    "rms_norm_eps": EPSILON,
    "tie_word_embeddings": True,
    "eos_token_id": END,
}
TOKENIZER_CONFIG = {
    "tokenizer_class": "GPT2Tokenizer",
    "model_max_length": WINDOW,
    "clean_up_tokenization_spaces": False,
    "eos_token": SPECIAL[END],
    "chat_template": TEMPLATE,
}


def rounded(value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eight bits for each number, and a scale for each column."""
    scale = np.maximum(np.abs(value).max(0), 1e-8).astype(np.float32) / 127
    return np.clip(np.round(value / scale), -127, 127).astype(np.int8), scale


class Graph:
    def __init__(self):
        self.nodes, self.tensors = [], []

    def tensor(self, value: np.ndarray) -> str:
        name = f"c{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(value, name))
        return name

    def op(self, kind: str, *inputs: str, out: str | None = None, **attributes) -> str:
        out = out or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def number(self, value: float) -> str:
        return self.tensor(np.array(value, np.float32))

    def ints(self, *values: int) -> str:
        return self.tensor(np.array(values, np.int64))

    def weights(self, value: np.ndarray) -> str:
        numbers, scale = rounded(value)
        zero = self.tensor(np.zeros(len(scale), np.int8))
        return self.op("DequantizeLinear", self.tensor(numbers), self.tensor(scale), zero, axis=1)

    def norm(self, x: str, weight: np.ndarray) -> str:
        mean = self.op("ReduceMean", self.op("Mul", x, x), axes=[-1])
        root = self.op("Sqrt", self.op("Add", mean, self.number(EPSILON)))
        return self.op("Mul", self.op("Div", x, root), self.tensor(weight))

    def half(self, x: str, start: int, end: int) -> str:
        return self.op("Slice", x, self.ints(start), self.ints(end), self.ints(3))

    def rotated(self, x: str, cos: str, sin: str) -> str:
        first, second = self.half(x, 0, DEPTH // 2), self.half(x, DEPTH // 2, DEPTH)
        left = self.op("Sub", self.op("Mul", first, cos), self.op("Mul", second, sin))
        right = self.op("Add", self.op("Mul", second, cos), self.op("Mul", first, sin))
        return self.op("Concat", left, right, axis=-1)


def graph_of(p: dict) -> onnx.ModelProto:
    g = Graph()
    size = lambda of, axis: g.op("Squeeze", g.op("Gather", g.op("Shape", of), g.ints(axis)), g.ints(0))
    whole = lambda value: g.tensor(np.array(value, np.int64))
    past, fresh = size("past_key_values.0.key", 2), size("input_ids", 1)
    total = g.op("Add", past, fresh)
    at = g.op("Range", past, total, whole(1))
    row, column = g.op("Unsqueeze", at, g.ints(1)), g.op("Range", whole(0), total, whole(1))
    angles = g.op("Mul", g.op("Cast", row, to=TensorProto.FLOAT), g.tensor(PACE))
    cos, sin = g.op("Cos", angles), g.op("Sin", angles)
    seen = g.op("And", g.op("LessOrEqual", column, row), g.op("Cast", "attention_mask", to=TensorProto.BOOL))
    bias = g.op("Where", seen, g.number(0), g.number(-1e9))
    words = g.weights(p["words"].T)
    h = g.op("Gather", g.op("Transpose", words, perm=[1, 0]), "input_ids")
    for number, layer in enumerate(p["layers"]):
        x = g.norm(h, layer["norm1"])
        heads = lambda n: g.op(
            "Transpose",
            g.op("Reshape", g.op("MatMul", x, g.weights(layer[n])), g.ints(0, 0, HEADS, DEPTH)),
            perm=[0, 2, 1, 3],
        )
        cached = lambda name, value: g.op(
            "Concat", f"past_key_values.{number}.{name}", value, axis=2, out=f"present.{number}.{name}"
        )
        k = cached("key", g.rotated(heads("k"), cos, sin))
        v = cached("value", heads("v"))
        scores = g.op("MatMul", g.rotated(heads("q"), cos, sin), g.op("Transpose", k, perm=[0, 1, 3, 2]))
        scaled = g.op("Div", scores, g.number(np.sqrt(DEPTH)))
        context = g.op("MatMul", g.op("Softmax", g.op("Add", scaled, bias), axis=-1), v)
        context = g.op("Reshape", g.op("Transpose", context, perm=[0, 2, 1, 3]), g.ints(0, 0, WIDTH))
        h = g.op("Add", h, g.op("MatMul", context, g.weights(layer["o"])))
        x = g.norm(h, layer["norm2"])
        gate = g.op("MatMul", x, g.weights(layer["gate"]))
        inner = g.op("Mul", g.op("Mul", gate, g.op("Sigmoid", gate)), g.op("MatMul", x, g.weights(layer["up"])))
        h = g.op("Add", h, g.op("MatMul", inner, g.weights(layer["down"])))
    g.op("MatMul", g.norm(h, p["norm"]), words, out="logits")
    caches = [f"{number}.{name}" for number in range(LAYERS) for name in ("key", "value")]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        g.nodes,
        "deflector-tiny",
        [
            value("input_ids", TensorProto.INT64, ["batch", "tokens"]),
            value("attention_mask", TensorProto.INT64, ["batch", "total"]),
            *(value(f"past_key_values.{c}", TensorProto.FLOAT, ["batch", HEADS, "past", DEPTH]) for c in caches),
        ],
        [
            value("logits", TensorProto.FLOAT, ["batch", "tokens", len(p["words"])]),
            *(value(f"present.{c}", TensorProto.FLOAT, ["batch", HEADS, "total", DEPTH]) for c in caches),
        ],
        g.tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    return model
