"""Small readings of a prompt that the generators of pairs share."""

import re

FUNCTION = set(
    """a an the this that these those i you he she it we they me him her us them my your his its our their mine yours
    is are was were be been being am do does did doing done have has had having can could will would shall should may
    might must and or but if then than so as of in on at to for from by with about into onto over under out off up down
    there here what which who whom whose where when why how not no yes please just really very too also any some all
    each every one s t re ve ll d m get got want need help tell show give know""".split()
)
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d[\d.,:/-]*|[^\sA-Za-z0-9]")
_EXACT = re.compile(r"\d[\d.,:/%-]*|[`\"“][^`\"”]+[`\"”]|\S*[/\\*_~$<>{}=|]\S*|\S+\.\w{1,5}\b|-{1,2}\w+")


def words(text: str) -> list[str]:
    return [w for w in _WORD.findall(text.lower()) if w[0].isalnum()]


def stem(word: str) -> str:
    for end in ("ing", "ied", "ies", "ed", "es", "s", "er", "ly", "al", "ment", "ation", "ion"):
        if word.endswith(end) and len(word) - len(end) > 2:
            return word[: -len(end)].rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


def content(text: str) -> set[str]:
    return {stem(w) for w in words(text) if w not in FUNCTION}


def exact(text: str) -> tuple[str, ...]:
    """Numbers, quotations, paths and options: what two prompts of one answer share letter by letter."""
    return tuple(sorted(x.strip(".,?!\"`'“”") for x in _EXACT.findall(text)))


def plain(text: str) -> str:
    return " ".join(words(text))
