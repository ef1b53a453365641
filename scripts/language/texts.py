"""Writes what the language model learns from: short texts of programs, and words with their frequency, by language."""

import gzip
import json
import re
import sys
from pathlib import Path

import msgpack

SITE = Path(msgpack.__file__).parent.parent
#: Languages in Latin letters that a source has.
LANGUAGES = "af bs ca cs cy da de en es et eu fi fil fr ga gl hr hu id is it lb lt lv ms nb nl nn pl pt ro sh sk sl sv tr vi".split()
#: Characters of the longest text.
MOST = 200
#: Words of a language by frequency; those beyond are mostly names.
WORDS = 60_000


def plain(text: str) -> str:
    """Without placeholders and markup."""
    text = re.sub(r"\{[^{}]*\{[^{}]*\}[^{}]*\}|\{[^{}]*\}|%\(\w+\)\w|%\w|<[^>]*>|https?:\S+", " ", text)
    return re.sub(r"\s+", " ", text).strip()


def frontend():
    """Home Assistant's user interface."""
    for file in sorted((SITE / "hass_frontend/static/translations").rglob("*.json")):
        language = re.match(r"(\w+?)(?:-\w+)?-[0-9a-f]{32}", file.stem)
        if language:
            for text in json.loads(file.read_text()).values():
                yield language[1], text


def catalogues():
    """A shop and a content system: `msgid` is English."""
    for folder in ("oscar", "wagtail"):
        for file in sorted((SITE / folder).rglob("locale/*/LC_MESSAGES/*.po")):
            language = file.parts[-3].split("_")[0]
            for entry in file.read_text().split("\n\n"):
                if re.search(r"^#,.*\bfuzzy\b", entry, re.M):
                    continue
                fields = re.findall(r'^(msgid|msgstr)(?:\[\d\])? ((?:"(?:[^"\\]|\\.)*"\n?)+)', entry, re.M)
                for name, quoted in fields:
                    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', quoted)).replace("\\n", " ").replace('\\"', '"')
                    yield ("en" if name == "msgid" else language), text


def words(language: str):
    """Words, the most frequent first, with their frequency in hundredths of powers of ten."""
    for size in ("large", "small"):
        file = SITE / f"wordfreq/data/{size}_{language}.msgpack.gz"
        if file.exists():
            rows = msgpack.unpackb(gzip.open(file).read(), raw=False)[1:]
            ranked = [(word, at) for at, row in enumerate(rows) for word in row if re.fullmatch(r"[^\W\d_]+", word)]
            return ranked[:WORDS]
    return []


def main(out: str) -> None:
    seen = set()
    with gzip.open(f"{out}/texts.tsv.gz", "wt") as texts:
        for language, text in (*frontend(), *catalogues()):
            row = (language, plain(text))
            if language in LANGUAGES and 1 < len(row[1]) <= MOST and row not in seen:
                seen.add(row)
                texts.write("\t".join(row) + "\n")
    with gzip.open(f"{out}/words.tsv.gz", "wt") as ranked:
        for language in LANGUAGES:
            for word, at in words(language):
                ranked.write(f"{language}\t{word}\t{at}\n")


main(*sys.argv[1:])
