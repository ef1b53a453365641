"""Reads the weights of a finished model back, so that training can go on from them: `weights.py --model F --base F --out F`.

They are as good as their 8 bits; half an epoch makes up for that.
"""

import argparse
import pickle
from pathlib import Path

import jax
import numpy as np
import onnx
from onnx import numpy_helper

from export import graph_of
from network import initial


def tensors_in(file: Path) -> dict[str, np.ndarray]:
    """By name, without the roundings' marks: `c7_quantized` with its scale and zero point is `c7`."""
    found = {one.name: numpy_helper.to_array(one) for one in onnx.load(file).graph.initializer}
    for name in [name for name in found if name.endswith("_quantized")]:
        plain = name.removesuffix("_quantized")
        scale, zero = found[f"{plain}_scale"], found[f"{plain}_zero_point"]
        found[plain] = ((found[name].astype(np.float32) - zero.astype(np.float32)) * scale).astype(np.float32)
    return found


def weights_of(model: Path, base: Path):
    """Every tensor of a graph is named by its place, so a graph of other weights says which is which."""
    words, params = initial(base, layers=6)
    rng = np.random.default_rng(0)
    params = jax.tree_util.tree_map(lambda x: rng.normal(size=x.shape).astype(np.float32), params)
    places = {one.name: numpy_helper.to_array(one) for one in graph_of(np.asarray(words), params).graph.initializer}
    stored = tensors_in(model)
    names = {array.tobytes(): name for name, array in places.items()}

    def found(*leaves):
        joined = np.concatenate(leaves, -1)
        return np.split(stored[names[joined.tobytes()]], len(leaves), -1)

    for layer in params["layers"]:
        for parts in ("q", "k", "v"), ("q_b", "k_b", "v_b"):
            layer.update(zip(parts, found(*(layer[part] for part in parts))))
    qkv = {"q", "k", "v", "q_b", "k_b", "v_b"}
    rest = lambda name, x: x if name in qkv else found(x)[0]
    params["layers"] = [{name: rest(name, x) for name, x in layer.items()} for layer in params["layers"]]
    return {name: x if name == "layers" else rest(name, x) for name, x in params.items()}


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--model", required=True)
    args.add_argument("--base", required=True)
    args.add_argument("--out", required=True)
    o = args.parse_args()
    Path(o.out).write_bytes(pickle.dumps(weights_of(Path(o.model), Path(o.base))))


if __name__ == "__main__":
    main()
