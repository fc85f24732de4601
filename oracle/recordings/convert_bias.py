#!/usr/bin/env python3
"""The biases' share of the recordings: ALiBi, T5, DeBERTa. Run after convert.py, which writes the rest of INDEX.json.

    convert_bias.py DUMPS [--gnomon PROGRAM]

Says where a recorded bucket differs from the exact one, which it works out by itself in Python's integers.
"""

import argparse
import json
import pathlib
import struct

from convert import HERE, measured, read_safetensors, write_safetensors

EXACT = "integers, as the clause has them"
FLOAT_LOG = (
    "the logarithm is formed in float32 and falls one ulp short of the integers 8 and 16 at the distances 36 and 54: "
    "one bucket low there; flaxformer's epsilon in the logarithm hides it"
)
EPSILON = EXACT + "; an epsilon of float32 in the logarithm keeps it on the right side of an exact boundary"
SLOPES = "slopes in float64, rounded once to float32"
PRODUCT = "float32 slopes times the key's position, rounded once more"
POWERS = "every slope a power of two, so every product is exact"

HEADS = [1, 2, 4, 6, 8, 12, 16, 20, 32, 40, 48, 64, 71, 112]
T5 = ["bi_32_128", "bi_64_256", "uni_20_100", "uni_32_128", "uni_48_81_boundary"]


# As stored; the operation's own order has a batch before them.
AXES = {"query_positions": ["query"], "key_positions": ["key"]}
BIAS_AXES = {**AXES, "bias": ["heads", "query", "key"]}
BUCKET_AXES = {**AXES, "buckets": ["query", "key"]}


def integers(values):
    return "I64", [len(values)], struct.pack(f"<{len(values)}q", *values)


def cases(dumps):
    """(file name, recording, case, tensors, profile, reason)"""

    def load(name):
        sidecar = json.loads((dumps / f"{name}.json").read_text())
        return sidecar, read_safetensors(dumps / f"{name}.safetensors")

    _, tensors = load("alibi_slopes_ref")
    for heads in HEADS:
        case = {
            "operation": "alibi.slopes",
            "parameters": {"num_heads": heads},
            "format": "f32",
            "outputs": {"slopes": "y"},
        }
        yield f"alibi_slopes_ref_h{heads}", "alibi_slopes_ref", case, {"y": tensors[f"y_h{heads}"]}, "rounded", SLOPES

    positions = {"query_positions": "query_positions", "key_positions": "key_positions"}
    _, tensors = load("alibi_table_ref_h12")
    case = {
        "operation": "alibi.bias",
        "parameters": {"num_heads": 12, "form": "key"},
        "format": "f32",
        "inputs": positions,
        "outputs": {"bias": "y"},
        "axes": BIAS_AXES,
    }
    tensors = {"y": tensors["y"], "query_positions": integers([63]), "key_positions": integers(range(64))}
    yield "alibi_table_ref_h12", "alibi_table_ref_h12", case, tensors, "standard", PRODUCT

    _, tensors = load("xtransformers_alibi_h8")
    case = {
        "operation": "alibi.bias",
        "parameters": {"num_heads": 8, "form": "distance"},
        "format": "f32",
        "inputs": {"query_positions": "q_positions", "key_positions": "k_positions"},
        "outputs": {"bias": "y"},
        "axes": BIAS_AXES,
    }
    yield "xtransformers_alibi_h8", "xtransformers_alibi_h8", case, tensors, "rounded", POWERS

    for producer in ("flaxformer", "xtransformers"):
        for which in T5:
            name = f"t5_bucket_{producer}_{which}"
            sidecar, tensors = load(name)
            case = {
                "operation": "t5_bias.bucket",
                "parameters": {k: sidecar["arguments"][k] for k in ("bidirectional", "num_buckets", "max_distance")},
                "format": "f32",
                "inputs": {"query_positions": "query_positions", "key_positions": "relative_position"},
                "outputs": {"buckets": "y"},
                "axes": BUCKET_AXES,
            }
            boundary = which.endswith("boundary")
            low = boundary and producer == "xtransformers"
            reason = FLOAT_LOG if low else EPSILON if producer == "flaxformer" else EXACT
            yield name, name, case, with_origin(tensors, 0), "f32-angle" if low else "rounded", reason

    for which in ("32_128", "256_512"):
        name = f"deberta_log_bucket_{which}"
        sidecar, tensors = load(name)
        case = {
            "operation": "t5_bias.deberta_bucket",
            "parameters": {
                "position_buckets": sidecar["arguments"]["bucket_size"],
                "max_relative_positions": sidecar["arguments"]["max_position"],
            },
            "format": "f32",
            "inputs": {"query_positions": "relative_position", "key_positions": "key_positions"},
            "outputs": {"buckets": "y"},
            "axes": BUCKET_AXES,
        }
        yield name, name, case, with_origin(tensors, 1), "rounded", EXACT


def with_origin(tensors, axis):
    """The other position is 0; the vector of buckets becomes one row, or one column."""
    dtype, shape, data = tensors["y"]
    role = "key_positions" if axis else "query_positions"
    return {
        "relative_position": tensors["relative_position"],
        role: integers([0]),
        "y": (dtype, shape + [1] if axis else [1] + shape, data),
    }


def t5_bucket(bidirectional, num_buckets, max_distance, rel):
    side = num_buckets // 2 if bidirectional else num_buckets
    exact, first = side // 2, side if bidirectional and rel > 0 else 0
    x = abs(rel) if bidirectional else max(-rel, 0)
    if x < exact:
        return first + x
    logs = side - exact
    return first + exact + max(k for k in range(logs) if exact ** (logs - k) * max_distance**k <= x**logs)


def deberta_bucket(position_buckets, max_relative_positions, rel):
    mid, last = position_buckets // 2, max_relative_positions - 1
    x = min(abs(rel), last)
    if abs(rel) <= mid:
        return rel
    k = next(k for k in range(mid) if x ** (mid - 1) * mid**k <= last**k * mid ** (mid - 1))
    return (mid + k) * (1 if rel > 0 else -1)


def numbers(tensor):
    dtype, _, data = tensor
    letter = {"I64": "q", "I32": "i", "F32": "f"}[dtype]
    return struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data)


def differences(case, tensors):
    """[(offset, recorded, exact)], in exact integers."""
    p = case["parameters"]
    if case["operation"] == "t5_bias.bucket":
        exact = lambda rel: t5_bucket(p["bidirectional"], p["num_buckets"], p["max_distance"], rel)
    elif case["operation"] == "t5_bias.deberta_bucket":
        exact = lambda rel: deberta_bucket(p["position_buckets"], p["max_relative_positions"], rel)
    else:
        return []
    pairs = zip(numbers(tensors["relative_position"]), numbers(tensors["y"]))
    return [(rel, got, exact(rel)) for rel, got in pairs if got != exact(rel)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dumps", type=pathlib.Path)
    parser.add_argument("--gnomon")
    options = parser.parse_args()
    made = []
    for file, recording, case, tensors, profile, reason in cases(options.dumps):
        for difference in differences(case, tensors):
            print(f"{file}: offset, recorded, exact: {difference}")
        path = HERE / f"{file}.safetensors"
        write_safetensors(path, tensors, case)
        producer = json.loads((options.dumps / f"{recording}.json").read_text())["producer"]
        entry = {
            "file": path.name,
            "recording": recording,
            "producer": producer["name"],
            "version": producer.get("commit") or producer.get("version"),
            "profile": profile,
            "reason": reason,
        }
        if options.gnomon:
            entry.update(measured(options.gnomon, path))
        made.append(entry)
    index = json.loads((HERE / "INDEX.json").read_text())
    names = {entry["file"] for entry in made}
    index = [entry for entry in index if entry["file"] not in names] + made
    (HERE / "INDEX.json").write_text(json.dumps(index, indent=1) + "\n")
    print(f"{len({e['recording'] for e in made})} recordings, {len(made)} case files")


if __name__ == "__main__":
    main()
