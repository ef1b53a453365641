"""Byte-pair tokens of the lessons, and the form in which a conversation is written down."""

import random
from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

import lessons

SPECIAL = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
END = 0
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def written(turns: list[dict]) -> str:
    """As `TEMPLATE` writes it, up to the answer."""
    return "".join(f"<|{turn['role']}|>{turn['content']}<|end|>" for turn in turns) + "<|assistant|>"


def tokenizer(size: int) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=SPECIAL, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False
    )
    made.train_from_iterator(texts(), trainer)
    return made


def texts() -> Iterable[str]:
    for turns, answer in lessons.every(random.Random(0)):
        yield from (turn["content"] for turn in turns)
        yield answer
