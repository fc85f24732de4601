#!/usr/bin/env python3
"""Case files of recorded xPos rotations (rope.xpos), and their entries at the end of INDEX.json.

    convert_rope_xpos.py DUMPS --gnomon PROGRAM

convert.py has the layout of a dump and of a case file. The centre is what the producer's convention
makes of the call (XPOS-2).
"""

import argparse
import json
import pathlib

from convert import HERE, axes_of, measured, read_safetensors, write_safetensors

FLOAT = "angle and scale by pow, in float32, the scale applied to "

# name: [(suffix, role, x, y, centre, the reason)]; all are to meet f32-angle
RECORDINGS = {
    "flashattn_torch_xpos_q_f32": [("", "query", "x", "y", 1024 // 2, FLOAT + "the tables")],
    "lucid_xpos_f32": [
        ("_q", "query", "q", "y_q", 32 // 2, FLOAT + "the products"),
        ("_k", "key", "k", "y_k", 32 // 2, FLOAT + "the products; its inverse by a second pow"),
    ],
    "torchscale_xpos_L32_o0_q": [("", "query", "x", "y", -(-32 // 2), FLOAT + "the tables")],
    "xtransformers_xpos_q_f32": [("", "query", "x", "y", (1023 + 1) // 2, FLOAT + "the products")],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dumps", type=pathlib.Path)
    parser.add_argument("--gnomon", required=True)
    options = parser.parse_args()
    index = HERE / "INDEX.json"
    entries = [e for e in json.loads(index.read_text()) if e["recording"] not in RECORDINGS]
    for name, files in RECORDINGS.items():
        sidecar = json.loads((options.dumps / f"{name}.json").read_text())
        tensors = read_safetensors(options.dumps / f"{name}.safetensors")
        equivalent = sidecar["hf_equivalent"]
        for suffix, role, x, y, center, reason in files:
            axes = axes_of(sidecar, x)
            axes = ["heads" if axis == "1" else axis for axis in axes]
            case = {
                "operation": "rope.xpos",
                "parameters": {
                    "head_dim": equivalent["head_dim"],
                    "rope_theta": equivalent["rope_theta"],
                    "layout": sidecar["layout"].replace("-", "_"),
                    "role": role,
                    "scale_base": equivalent["xpos"]["scale_base"],
                    "center": center,
                },
                "format": sidecar["dtype"].lower(),
                "inputs": {"x": x, "positions": "positions"},
                "outputs": {"y": y},
                "axes": {"x": axes, "y": axes},
            }
            path = HERE / f"{name}{suffix}.safetensors"
            write_safetensors(path, {t: tensors[t] for t in (x, "positions", y)}, case)
            producer = sidecar["producer"]
            entries.append({
                "file": path.name,
                "recording": name,
                "producer": producer["name"],
                "version": producer.get("commit") or producer.get("version"),
                "profile": "f32-angle",
                "reason": reason,
                **measured(options.gnomon, path),
            })
    index.write_text(json.dumps(entries, indent=1) + "\n")


if __name__ == "__main__":
    main()
