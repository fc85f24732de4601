#!/usr/bin/env python3
"""Makes case files out of the recorded softmax and attention dumps, as convert.py does of the others.

    convert_attention.py DUMPS [--gnomon PROGRAM]

Entries of INDEX.json are put at its end; those of other dumps stay as they are.
"""

import argparse
import json
import pathlib

from convert import HERE, measured, read_safetensors, write_safetensors

FLOAT = "float32 throughout; the mask holds distances, alibi_bias_max is its max_bias"
EXPECTED = {
    "ggml_flash_attn_alibi_h12_kv4_f32kv": ("standard", FLOAT + "; three query heads share a key head"),
    "ggml_flash_attn_alibi_h8_kv8_f16kv": (
        None,
        "queries are rounded to float16 and outputs accumulated in it, which reproduces the recording; the output is float32: no profile declares that",
    ),
    "ggml_flash_attn_alibi_h8_kv8_f32kv": ("standard", FLOAT),
    "ggml_softmax_alibi_h12_causal": ("standard", FLOAT + "; slopes of 12 heads"),
    "ggml_softmax_alibi_h8_causal": ("standard", FLOAT),
    "ggml_softmax_alibi_h8_full": ("standard", FLOAT),
}


def case_of(sidecar, tensors):
    arguments = sidecar["arguments"]
    case = {
        "parameters": {
            "mask": "none",  # minus infinity stands in the bias
            "scale": arguments["scale"],
            "alibi_bias_max": arguments["max_bias"],
        },
        "format": "f32",
    }
    bias = {"bias": ["query", "key"]}
    scores = ["query_heads", "query", "key"]
    if "x" in tensors:
        return {
            **case,
            "operation": "attention.weights",
            "inputs": {"scores": "x", "bias": "mask"},
            "outputs": {"weights": "y"},
            "axes": {"scores": scores, "weights": scores, **bias},
        }, ("x", "mask", "y")
    return {
        **case,
        "operation": "attention.softmax",
        "inputs": {"q": "q", "k": "k", "v": "v", "bias": "mask"},
        "outputs": {"y": "y"},
        "axes": {
            "q": ["query_heads", "query", "head_dim"],
            "k": ["kv_heads", "key", "head_dim"],
            "v": ["kv_heads", "key", "value_dim"],
            "y": ["query", "query_heads", "value_dim"],
            **bias,
        },
    }, ("q", "k", "v", "mask", "y")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dumps", type=pathlib.Path)
    parser.add_argument("--gnomon")
    options = parser.parse_args()
    index = json.loads((HERE / "INDEX.json").read_text())
    index = [entry for entry in index if entry["recording"] not in EXPECTED]
    for name, (profile, reason) in sorted(EXPECTED.items()):
        sidecar = json.loads((options.dumps / f"{name}.json").read_text())
        tensors = read_safetensors(options.dumps / f"{name}.safetensors")
        case, used = case_of(sidecar, tensors)
        path = HERE / f"{name}.safetensors"
        write_safetensors(path, {tensor: tensors[tensor] for tensor in used}, case)
        entry = {
            "file": path.name,
            "recording": name,
            "producer": sidecar["producer"]["name"],
            "version": sidecar["producer"]["commit"],
            "profile": profile,
            "reason": reason,
        }
        if options.gnomon:
            entry.update(measured(options.gnomon, path))
        index.append(entry)
    (HERE / "INDEX.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
