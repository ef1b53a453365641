"""What there is to learn from: our own families and tables, the open corpora, and what is held out."""

import gzip
import hashlib
import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from encode import ROOT
from text import content, exact, plain

SHARED = ROOT.parent / "shared/data"
OWN = Path(__file__).parent / "own"


def part_of(intent: str) -> str:
    """Every sentence of an intent is trained, calibrated or tested on, and nothing else: 60, 20 and 20 %."""
    at = int(hashlib.sha256(intent.encode()).hexdigest()[:8], 16) % 10
    return "train" if at < 6 else "calibrate" if at < 8 else "test"


def lines_of(file: Path) -> list[str]:
    opened = gzip.open(file, "rt") if file.suffix == ".gz" else open(file)
    with opened as handle:
        return [line for line in handle.read().split("\n") if line]


def families(part: str, languages: bool = False):
    """Our own question families: (file, prompts of one answer, near prompts of another answer).

    Common questions have been written twice: what is measured with is not learnt from.
    """
    unseen = measured_with() if part == "train" else set()
    kept = lambda texts: [text for text in texts if plain(text) not in unseen]
    for file in sorted(OWN.glob("*.jsonl")):
        # Two letters name a language other than English.
        if (len(file.stem) == 2) != languages:
            continue
        for line in lines_of(file):
            family = json.loads(line)
            if part_of(family["q"]) == part:
                same = kept([family["q"], *family["same"]])
                if len(same) > 2:
                    yield file.stem, same, kept(text for _, text in family["other"])


def tables(part: str):
    """Our own pairs: (class, one prompt, another, have they one answer)."""
    unseen = measured_with() if part == "train" else set()
    for name, same in (("same", 1), ("traps", 0)):
        for line in lines_of(OWN / f"{name}.tsv"):
            kind, one, other = line.split("\t")[:3]
            if part_of(one) == part and unseen.isdisjoint((plain(one), plain(other))):
                yield kind, one, other, same


def held_out() -> set[str]:
    """What the development streams and pairs ask: never trained on, so that their figures are out of fold."""
    found = set()
    for name in ("stream_mixed", "stream_isartor_faq"):
        found |= {plain(json.loads(line)["prompt"]) for line in lines_of(SHARED / f"semantic/{name}.jsonl")}
    for line in lines_of(SHARED / "semantic/pairs.jsonl"):
        pair = json.loads(line)
        found |= {plain(pair["a"]), plain(pair["b"])}
    return found


@cache
def measured_with() -> set[str]:
    """The streams, the development pairs, and the pairs of other authors."""
    pairs = [line.split("\t") for file in OWN.glob("unseen-*.tsv") for line in lines_of(file)]
    return held_out() | {plain(text) for _, one, other in pairs for text in (one, other)}


def corpus() -> list[str]:
    """The open prompts and sentences that are not held out."""
    unseen = held_out()
    return [line for line in lines_of(SHARED / "corpus/corpus_open.txt.gz") if plain(line) not in unseen and " " in line]


def key_of(one: str, other: str) -> str:
    """Names a pair of corpus lines without holding them: their licences do not let them into the repository."""
    return hashlib.sha256("\n".join(sorted((one, other))).encode()).hexdigest()[:16]


def labels() -> dict[str, int]:
    """What readers said of near pairs of the corpus: 1 for one answer."""
    return {key: int(same) for key, same in (line.split("\t") for line in lines_of(OWN / "labels.tsv"))}


class Groups:
    """The labelled groups of the open corpora."""

    def __init__(self):
        unseen = held_out()
        #: Prompts of one answer.
        self.same: list[tuple[str, list[str]]] = []
        #: The examples of one manual page: other tasks of one tool.
        self.pages: dict[str, list[str]] = defaultdict(list)
        #: What a line is labelled as, by the kind of its label.
        self.meanings: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for line in lines_of(SHARED / "corpus/train_groups_open.jsonl.gz"):
            group = json.loads(line)
            source, texts = group["source"], group["group"]
            known = [text for text in texts if plain(text) not in unseen]
            if source in ("nl2bash", "gptcache_mock") and len(known) == len(texts):
                self.same.append((source, texts))
            if source == "tldr":
                # Only the description is a prompt; commands that differ in their placeholders are one.
                command = re.sub(r"\{\{.*?\}\}", "_", texts[-1])
                self.meanings[texts[0]].add((source, command))
                self.pages[group["page"]] += known[:1]
            elif source != "gptcache_mock":
                for text in known:
                    self.meanings[text].add((source, group.get("intent") or group["command"]))

    def differ(self, one: str, other: str) -> bool:
        """Do their labels, or else their words, say that two lines have two answers?"""
        here, there = self.meanings.get(one), self.meanings.get(other)
        if here and there and {s for s, _ in here} & {s for s, _ in there}:
            # Labels of commands are finer than answers.
            return here.isdisjoint(there) and content(one) != content(other)
        return clearly_other(one, other)


def clearly_other(one: str, other: str) -> bool:
    """Has each prompt more of its own than they share, or do they differ in a number, a name or a path?

    Of pairs that share more, readers found two of three to have one answer: those are left to them.
    """
    here, there = content(one), content(other)
    mine, theirs, both = len(here - there), len(there - here), len(here & there)
    return exact(one) != exact(other) or (min(mine, theirs) > 0 and mine + theirs > both)
