"""Judges answers by the truth that `gnomon emit --truth` put into the files (spec/subject.md, SUBJ-8), without Gnomon:

    python3 judge.py DIR
"""
import pathlib
import sys

import numpy as np

from answer import load

OVERFLOW = {"f64": np.inf, "f32": (2 - 2.0**-24) * 2.0**127, "bf16": (2 - 2.0**-8) * 2.0**127, "f16": 65520.0}
PROFILE = "f32-angle"


def outside(case, tensors):
    """How many elements lie outside the bound."""
    y, rounded = tensors["y"].astype(np.float64), tensors["rounded/y"].astype(np.float64)
    stated, bound = tensors["truth/y"], tensors[f"bound/{PROFILE}/y"]
    right = np.abs(y - stated) <= bound
    for one in rounded, tensors.get("also/y", rounded).astype(np.float64):
        right |= (y == one) | (np.isnan(y) & np.isnan(one))
    right |= np.isinf(y) & ((np.sign(y) * stated + bound) * (1 - 2.0**-51) >= OVERFLOW[case["format"]])
    left_open = tensors.get(f"open/{PROFILE}/y", 0)
    return int(np.sum(~(right | (~np.isfinite(y) & (left_open == 1)))))


np.seterr(all="ignore")
files = {path.name: load(path) for path in sorted(pathlib.Path(sys.argv[1]).glob("*.safetensors"))}
counts = {name: outside(*file[:2]) for name, file in files.items() if "y" in file[1]}
for name, count in counts.items():
    if count:
        print(f"{name}: {count} elements outside {PROFILE}")
print(f"{sum(count == 0 for count in counts.values())} of {len(counts)} answers within {PROFILE}")
sys.exit(0 if counts and not any(counts.values()) else 1)
