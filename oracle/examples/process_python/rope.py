"""RoPE in NumPy as a process (spec/subject.md, SUBJ-5), in float32 and bf16:

    gnomon check --subject 'process:python3 oracle/examples/process_python/rope.py'
"""
import json
import struct
import sys

import numpy as np

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4"}  # bf16 as its bits
DESCRIPTION = {"name": "rope.py", "promise": "f32-angle", "operations": {"rope.apply": {
    "formats": ["f32", "bf16"], "parameters": {"layout": ["half_split"]}, "strides": False, "in_place": False,
    "without": ["frequencies", "rotary_dim", "rotary_offset", "output_layout", "direction", "cos", "sin"]}}}


def read(data):
    """The case and the tensors of a safetensors file."""
    end = 8 + struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:end])
    case = json.loads(header.pop("__metadata__")["gnomon.case"])
    return case, {name: np.frombuffer(data[end + t["data_offsets"][0]:end + t["data_offsets"][1]],
                                      DTYPES[t["dtype"]]).reshape(t["shape"]) for name, t in header.items()}


def write(name, dtype, array):
    """A safetensors file of one tensor."""
    data = array.astype(DTYPES[dtype]).tobytes()
    header = json.dumps({name: {"dtype": dtype, "shape": array.shape, "data_offsets": [0, len(data)]}}).encode()
    return struct.pack("<Q", len(header)) + header + data


def to_bf16(x):
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16  # to nearest, ties to even
    return np.where(np.isnan(x), bits >> 16 | 0x40, rounded).astype(np.uint16)


def rope(x, positions, theta):
    half = x.shape[-1] // 2
    theta = np.float32(theta)
    angle = positions.astype(np.float32)[..., None] / theta ** (np.arange(half, dtype=np.float32) / np.float32(half))
    cos, sin = np.cos(angle)[..., None, :], np.sin(angle)[..., None, :]  # [.., seq, heads, pair]
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def answer(data):
    case, tensors = read(data)
    if case["operation"] != "rope.apply" or case["format"] not in ("f32", "bf16"):
        return 1, b"only rope.apply in f32 and bf16"
    bf16 = case["format"] == "bf16"
    x = (tensors["x"].astype(np.uint32) << 16).view(np.float32) if bf16 else tensors["x"]
    y = rope(x, tensors["positions"], float(case["parameters"].get("rope_theta", 10000)))
    return 0, write("y", "BF16", to_bf16(y)) if bf16 else write("y", "F32", y)


def main():
    np.seterr(all="ignore")
    frames, out = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a print in somebody's library is no frame
    while header := frames.read(12):
        kind, payload = header[:4], frames.read(struct.unpack("<Q", header[4:])[0])
        if kind == b"BYE_":
            return
        if kind == b"HELO":
            reply = json.dumps(DESCRIPTION).encode()
        else:
            kind, reply, at = b"DONE", b"", 4
            for _ in range(struct.unpack_from("<I", payload)[0]):
                size = struct.unpack_from("<Q", payload, at)[0]
                status, body = answer(payload[at + 8:at + 8 + size])
                reply += struct.pack("<IQ", status, len(body)) + body
                at += 8 + size
        out.write(kind + struct.pack("<Q", len(reply)) + reply)
        out.flush()


main()
