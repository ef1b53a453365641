"""Plays SDKs of PyPI for the matrix: a question for each line of the input, an answer for each line of the output."""

import importlib
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

AT_ONCE = 10
writing = threading.Lock()
sessions = {}


def tell(line):
    with writing:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def status_of(error):
    """Every SDK has a place of its own for it."""
    for name in ("status_code", "code"):
        status = getattr(error, name, None)
        if isinstance(status, int):
            return status
    return None


def answer(line):
    client, natives = sessions[line["url"]]
    question = line["question"]
    # What the SDK gave stays here, in its own shape; the number of it goes there and back.
    for turn in question["turns"]:
        if "native" in turn:
            turn["native"] = natives[turn["native"]]
    try:
        said = client(question, line["stream"])
    except Exception as error:
        tell({"id": line["id"], "refusal": {"status": status_of(error), "message": f"{type(error).__name__}: {error}"}})
        return
    natives.append(said.pop("native"))
    tell({"id": line["id"], "answer": {**said, "native": len(natives) - 1}})


# All at the beginning: two threads that import parts of one package see it half made.
NAMES = ("openai_chat", "openai_responses", "anthropic_messages", "google_genai", "langchain_models")
MODULES = {name: importlib.import_module(name) for name in NAMES}
pool = ThreadPoolExecutor(AT_ONCE)
for text in sys.stdin:
    asked = json.loads(text)
    url = asked["url"]
    if asked.get("close"):
        sessions.pop(url, None)
        continue
    if url not in sessions:
        module, of = asked["client"]
        sessions[url] = (MODULES[module].opened(url, of), [])
    pool.submit(answer, asked)
# Whoever asked is gone, and waits for no answer.
os._exit(0)
