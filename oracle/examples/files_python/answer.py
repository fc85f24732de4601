"""Answers a folder of cases that `gnomon emit` wrote (spec/subject.md, SUBJ-8), on any machine with NumPy:
    python3 answer.py DIR         adds y to every file; `gnomon check DIR` judges them, or judge.py does without Gnomon
"""
import json
import pathlib
import struct
import sys

try:
    import numpy as np
except ImportError:
    sys.exit("answer.py needs NumPy: apt-get install python3-numpy, or pip install numpy")

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4"}


def load(path):
    """The case, {name: array}, and the file's header and data. bf16 comes as float32, which holds it exactly."""
    file = path.read_bytes()
    end = 8 + struct.unpack_from("<Q", file)[0]
    header, data, tensors = json.loads(file[8:end]), file[end:], {}
    for name in header.keys() - {"__metadata__"}:
        t = header[name]
        array = np.frombuffer(data[slice(*t["data_offsets"])], DTYPES[t["dtype"]]).reshape(t["shape"])
        tensors[name] = (array.astype(np.uint32) << 16).view(np.float32) if t["dtype"] == "BF16" else array
    return json.loads(header["__metadata__"]["gnomon.case"]), tensors, header, data


def rope(x, positions, theta, layout):
    """The kernel: pairs (i, i + head_dim / 2) or (2i, 2i + 1), all of it in float32."""
    half = x.shape[-1] // 2
    exponent = np.arange(half, dtype=np.float32) / np.float32(half)
    angle = positions.astype(np.float32)[..., None] / np.float32(theta) ** exponent
    cos, sin = np.cos(angle)[..., None, :], np.sin(angle)[..., None, :]
    first, second = (slice(half), slice(half, None)) if layout == "half_split" else (slice(0, None, 2), slice(1, None, 2))
    a, b, y = x[..., first], x[..., second], np.empty_like(x)
    y[..., first], y[..., second] = a * cos - b * sin, a * sin + b * cos
    return y


def answer(path):
    case, tensors, header, data = load(path)
    p, dtype = case["parameters"], case.get("format", "f32").upper()
    if case["operation"] != "rope.apply" or "positions" not in tensors or set(p) - {"layout", "head_dim", "rope_theta"}:
        return False  # not what this kernel does; `gnomon emit --description FILE` leaves such cases out
    y = rope(tensors["x"].astype(np.float32), tensors["positions"], p.get("rope_theta", 10000), p["layout"])
    if dtype == "BF16":
        bits = y.view(np.uint32)  # rounded to nearest, ties to even
        y = np.where(np.isnan(y), bits >> 16 | 0x40, bits + 0x7FFF + (bits >> 16 & 1) >> 16)
    raw = y.astype(DTYPES[dtype]).tobytes()  # behind the tensors that the file has
    header["y"] = {"dtype": dtype, "shape": y.shape, "data_offsets": [len(data), len(data) + len(raw)]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data + raw)
    return True


if __name__ == "__main__":
    np.seterr(all="ignore")
    answered = [answer(path) for path in sorted(pathlib.Path(sys.argv[1]).glob("*.safetensors"))]
    print(f"{sum(answered)} of {len(answered)} cases answered")
