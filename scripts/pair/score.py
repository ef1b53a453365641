"""Probabilities of pairs by an exported network, as the gateway computes them."""

import numpy as np
import onnxruntime

from encode import encode


class Scorer:
    """One pair a run, without padding: a verdict depends on its pair alone."""

    def __init__(self, file, threads: int = 1):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

    def logit(self, one: str, other: str) -> float:
        ids, types = (np.array([x], np.int64) for x in encode(one, other))
        feeds = {"input_ids": ids, "token_type_ids": types, "attention_mask": np.ones_like(ids)}
        return float(self.session.run(None, feeds)[0][0])

    def logits(self, pairs) -> np.ndarray:
        return np.array([self.logit(one, other) for one, other in pairs])
