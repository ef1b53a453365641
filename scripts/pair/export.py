"""Writes the network as an ONNX graph that onnxruntime 1.14 reads (IR 8, opset 13), with 8-bit weights."""

import argparse
import pickle
import tempfile
from pathlib import Path

import jax
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from network import HEADS, initial


class Graph:
    def __init__(self):
        self.nodes, self.tensors, self.count = [], [], 0

    def const(self, value, dtype=np.float32):
        self.count += 1
        name = f"c{self.count}"
        self.tensors.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def op(self, kind, *inputs, **attributes):
        self.count += 1
        name = f"t{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def split(self, x, parts):
        self.count += 1
        names = [f"t{self.count}_{part}" for part in range(parts)]
        self.nodes.append(helper.make_node("Split", [x], names, axis=-1))
        return names

    def ints(self, *values):
        return self.const(values, np.int64)

    def norm(self, x, g, b):
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        # In the form that onnxruntime recognises and runs as one operation; so are the two below.
        variance = self.op("ReduceMean", self.op("Pow", centred, self.const(2.0)), axes=[-1])
        scaled = self.op("Div", centred, self.op("Sqrt", self.op("Add", variance, self.const(1e-12))))
        return self.op("Add", self.op("Mul", scaled, self.const(g)), self.const(b))

    def dense(self, x, w, b):
        return self.op("Add", self.op("MatMul", x, self.const(w)), self.const(b))


def graph_of(words, p):
    g = Graph()
    width = words.shape[1]
    length = g.op("Slice", g.op("Shape", "input_ids"), g.ints(1), g.ints(2))
    position = g.op("Slice", g.const(p["position"]), g.ints(0), length, g.ints(0))
    h = g.op("Gather", g.const(words), "input_ids")
    h = g.op("Add", g.op("Add", h, position), g.op("Gather", g.const(p["type"]), "token_type_ids"))
    h = g.norm(h, p["norm_g"], p["norm_b"])
    mask = g.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = g.op("Mul", g.op("Unsqueeze", g.op("Sub", g.const(1.0), mask), g.ints(1, 2)), g.const(-1e9))
    shape = g.ints(0, 0, HEADS, width // HEADS)
    for layer in p["layers"]:
        joined = g.dense(h, np.concatenate([layer[n] for n in "qkv"], 1), np.concatenate([layer[f"{n}_b"] for n in "qkv"]))
        q, k, v = (g.op("Reshape", x, shape) for x in g.split(joined, 3))
        q, v = (g.op("Transpose", x, perm=[0, 2, 1, 3]) for x in (q, v))
        k = g.op("Transpose", k, perm=[0, 2, 3, 1])
        scores = g.op("Mul", g.op("MatMul", q, k), g.const(1 / np.sqrt(width // HEADS)))
        weights = g.op("Softmax", g.op("Add", scores, bias), axis=-1)
        context = g.op("Transpose", g.op("MatMul", weights, v), perm=[0, 2, 1, 3])
        context = g.op("Reshape", context, g.ints(0, 0, width))
        h = g.norm(g.op("Add", h, g.dense(context, layer["o"], layer["o_b"])), layer["n1"], layer["n1_b"])
        inner = g.dense(h, layer["i"], layer["i_b"])
        bent = g.op("Add", g.op("Erf", g.op("Div", inner, g.const(np.sqrt(2.0)))), g.const(1.0))
        inner = g.op("Mul", g.op("Mul", inner, bent), g.const(0.5))
        h = g.norm(g.op("Add", h, g.dense(inner, layer["d"], layer["d_b"])), layer["n2"], layer["n2_b"])
    kind = g.op("Cast", "token_type_ids", to=TensorProto.FLOAT)
    second = g.op("Mod", kind, g.const(2.0), fmod=1)
    second = g.op("Mul", second, mask)
    first = g.op("Sub", mask, second)

    def mean(m):
        column = g.op("Unsqueeze", m, g.ints(2))
        total = g.op("ReduceSum", g.op("Mul", h, column), g.ints(1), keepdims=0)
        return g.op("Div", total, g.op("Max", g.op("ReduceSum", m, g.ints(1), keepdims=1), g.const([[1.0]])))

    a, b = mean(first), mean(second)
    start = g.op("Squeeze", g.op("Slice", h, g.ints(0), g.ints(1), g.ints(1)), g.ints(1))
    x = g.op("Concat", start, g.op("Abs", g.op("Sub", a, b)), g.op("Mul", a, b), axis=-1)
    x = g.op("Tanh", g.dense(x, p["head_w"], p["head_b"]))
    out = g.op("Squeeze", g.dense(x, p["out_w"], p["out_b"]), g.ints(1))
    g.nodes.append(helper.make_node("Identity", [out], ["logit"]))
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"])
              for n in ("input_ids", "attention_mask", "token_type_ids")]
    outputs = [helper.make_tensor_value_info("logit", TensorProto.FLOAT, ["batch"])]
    graph = helper.make_graph(g.nodes, "pair", inputs, outputs, g.tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--weights", required=True, nargs="+", help="of several, their mean")
    args.add_argument("--base", required=True)
    args.add_argument("--out", required=True)
    o = args.parse_args()
    some = [pickle.loads(Path(file).read_bytes()) for file in o.weights]
    params = jax.tree_util.tree_map(lambda *each: np.mean(each, axis=0, dtype=np.float32), *some)
    words, _ = initial(Path(o.base), 1)
    model = graph_of(np.asarray(words), params)
    onnx.checker.check_model(model)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        onnx.save(model, whole)
        # Seven bits: older processors add pairs of 8-bit products in 16 bits, which would overflow and change verdicts.
        quantize_dynamic(whole, o.out, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    small = onnx.load(o.out)
    small.ir_version = 8
    onnx.save(small, o.out)
    print(f"{o.out}: {Path(o.out).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
