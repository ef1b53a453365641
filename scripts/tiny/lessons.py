"""Conversations to learn from: the lessons themselves, and requests to sort them by tier."""

import json
import random
from pathlib import Path

HERE = Path(__file__).parent
#: What a client says beside its request; none of it changes the answer.
MANNERS = ["", "", "You are a helpful assistant.", "You answer in one word.", "You write code.", "Be brief."]
SIMPLE = ("TEMPLATE", "SNIPPET")


def lines(name: str) -> list[str]:
    return (HERE / name).read_text(encoding="utf8").splitlines()


LESSONS = [json.loads(line) for line in lines("lessons.jsonl")]
TIERS = {lesson["ask"]: lesson["tier"] for lesson in LESSONS if lesson["ask"]}
TIERS |= {other: "COMPLEX" for other in lines("others.txt")}
#: Asked as often as all others together, because most of the mistakes are made here.
SIMPLE_ASKS = [ask for ask, tier in TIERS.items() if tier in SIMPLE]
#: Sentences, and the text that the layer `slm` has.
TIERED, BINARY = lines("instructions/tiered.txt"), lines("instructions/binary.txt")
LAYER = {"tiered": "\n".join(lines("instructions/layer-tiered.txt")), "binary": "\n".join(lines("instructions/layer-binary.txt"))}
#: What may stand around a request, and around what its client says of itself.
FRAMES = [("", ""), ("Request:\n", ""), ("Request: ", ""), ("", "\n\nLabel:"), ("<request>\n", "\n</request>")]
SETTINGS = ["{}\n\n", "Setting:\n{}\n\n", "System: {}\n\n"]


def answering(lesson: dict, system: str) -> tuple[list[dict], str]:
    turns = [{"role": "system", "content": system}] if system else []
    for asked, answered in lesson.get("before", []):
        turns += [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
    return [*turns, {"role": "user", "content": lesson["ask"]}], lesson["answer"]


def sorting(ask: str, mode: str, rng: random.Random, plain: bool = False) -> tuple[list[dict], str]:
    """As the layer asks; unless `plain`, half of them with other instructions, in any order and number."""
    label = TIERS[ask]
    if mode == "binary" and label in SIMPLE:
        label = "SIMPLE"
    system, frame, setting = LAYER[mode], FRAMES[1], SETTINGS[1]
    if not plain and rng.random() < 0.5:
        pool = TIERED if mode == "tiered" else BINARY
        said = rng.sample(pool, rng.randint(2, len(pool)))
        if not any(word in " ".join(said) for word in (SIMPLE if mode == "tiered" else ["SIMPLE"])):
            said.insert(0, pool[0])
        system, frame, setting = rng.choice([" ", "\n", "\n- "]).join(said), rng.choice(FRAMES), rng.choice(SETTINGS)
    manners = rng.choice(MANNERS)
    asked = (setting.format(manners) if manners else "") + frame[0] + ask + frame[1]
    return [{"role": "system", "content": system}, {"role": "user", "content": asked}], label


def one(rng: random.Random) -> tuple[list[dict], str]:
    if rng.random() < 0.5:
        return answering(rng.choice(LESSONS), rng.choice(MANNERS))
    ask = rng.choice(SIMPLE_ASKS if rng.random() < 0.5 else list(TIERS))
    return sorting(ask, rng.choice(["tiered", "binary"]), rng)


def every(rng: random.Random) -> list[tuple[list[dict], str]]:
    """Each lesson under each manners, and each request under both instructions: what an export has to know by heart."""
    asked = [answering(lesson, manners) for lesson in LESSONS for manners in dict.fromkeys(MANNERS)]
    return asked + [sorting(ask, mode, rng, plain) for ask in TIERS for mode in LAYER for plain in (True, False)]
