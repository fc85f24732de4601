"""Answers a folder of cases that `gnomon emit` wrote (spec/subject.md, SUBJ-8), on any machine with NumPy:

    python3 answer.py DIR         adds y to every file; gnomon check judges them
    python3 answer.py --judge DIR judges the answers by the truth in the files, without Gnomon
"""
import json
import pathlib
import struct
import sys

import numpy as np

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4"}
OVERFLOW = {"f64": np.inf, "f32": (2 - 2.0**-24) * 2.0**127, "bf16": (2 - 2.0**-8) * 2.0**127, "f16": 65520.0}
PROFILE = "f32-angle"


def load(path):
    """{name: array} and the metadata. bf16 comes as float32, which holds it exactly."""
    data = path.read_bytes()
    end = 8 + struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:end])
    metadata, tensors = header.pop("__metadata__", {}), {}
    for name, t in header.items():
        begin, stop = t["data_offsets"]
        array = np.frombuffer(data[end + begin:end + stop], DTYPES[t["dtype"]]).reshape(t["shape"])
        tensors[name] = (array.astype(np.uint32) << 16).view(np.float32) if t["dtype"] == "BF16" else array
    return tensors, metadata, data, header


def add(path, name, array, dtype):
    """Puts a tensor behind those that the file has."""
    _, metadata, data, header = load(path)
    end = 8 + struct.unpack_from("<Q", data)[0]
    raw, used = array.astype(DTYPES[dtype]).tobytes(), len(data) - end
    header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [used, used + len(raw)]}
    text = json.dumps({"__metadata__": metadata, **header}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[end:] + raw)


def to_bf16(x):
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return np.where(np.isnan(x), bits >> 16 | 0x40, (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)


def rope(x, positions, theta, layout):
    """The kernel: pairs (i, i + head_dim / 2) or (2i, 2i + 1), all of it in float32."""
    half = x.shape[-1] // 2
    angle = positions.astype(np.float32)[..., None] / np.float32(theta) ** (
        np.arange(half, dtype=np.float32) / np.float32(half))
    cos, sin = np.cos(angle)[..., None, :], np.sin(angle)[..., None, :]
    first, second = (slice(half), slice(half, None)) if layout == "half_split" else (slice(0, None, 2), slice(1, None, 2))
    a, b, y = x[..., first], x[..., second], np.empty_like(x)
    y[..., first], y[..., second] = a * cos - b * sin, a * sin + b * cos
    return y


def answer(path):
    tensors, metadata, _, _ = load(path)
    case = json.loads(metadata["gnomon.case"])
    p, given = case["parameters"], set(case["parameters"])
    if case["operation"] != "rope.apply" or "positions" not in tensors or given - {"layout", "head_dim", "rope_theta"}:
        return False  # not what this kernel does; `gnomon emit --description FILE` leaves such cases out
    y = rope(tensors["x"].astype(np.float32), tensors["positions"], float(p.get("rope_theta", 10000)), p["layout"])
    form = case.get("format", "f32").upper()
    add(path, "y", to_bf16(y) if form == "BF16" else y, form)
    return True


def judge(path):
    """How many elements lie outside the bound, by the rule of SUBJ-8."""
    tensors, metadata, _, _ = load(path)
    y, rounded = tensors["y"].astype(np.float64), tensors["rounded/y"].astype(np.float64)
    stated, bound = tensors["truth/y"], tensors[f"bound/{PROFILE}/y"]
    threshold = OVERFLOW[json.loads(metadata["gnomon.case"]).get("format", "f32")]
    right = (y == rounded) | (np.isnan(y) & np.isnan(rounded)) | (np.abs(y - stated) <= bound)
    right |= np.isinf(y) & ((np.sign(y) * stated + bound) * (1 - 2.0**-51) >= threshold)
    return int(np.sum(~(right | (~np.isfinite(y) & np.isinf(bound)))))


def main():
    np.seterr(all="ignore")
    files = sorted(pathlib.Path(sys.argv[-1]).glob("*.safetensors"))
    if sys.argv[1] == "--judge":
        outside = {f.name: judge(f) for f in files if "y" in load(f)[0]}
        for name, count in outside.items():
            if count:
                print(f"{name}: {count} elements outside {PROFILE}")
        print(f"{len(outside) - sum(map(bool, outside.values()))} of {len(outside)} answers within {PROFILE}")
        return 0 if outside and not any(outside.values()) else 1
    print(f"{sum(answer(f) for f in files)} of {len(files)} cases answered")
    return 0


sys.exit(main())
