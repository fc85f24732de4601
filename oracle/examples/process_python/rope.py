"""RoPE in NumPy as a process (spec/subject.md, SUBJ-5), in float32 and bf16:
    gnomon check --subject 'process:python3 oracle/examples/process_python/rope.py'
"""
import json
import struct
import sys

try:
    import numpy as np
except ImportError:
    sys.exit("rope.py needs NumPy: apt-get install python3-numpy, or pip install numpy")

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4"}  # bf16 as its bits
DESCRIPTION = {"name": "rope.py", "promise": "f32-angle", "operations": {"rope.apply": {
    "formats": ["f32", "bf16"], "parameters": {"layout": ["half_split"]}, "strides": False, "in_place": False,
    "without": ["frequencies", "rotary_dim", "rotary_offset", "output_layout", "direction", "cos", "sin"]}}}


def rope(x, positions, theta):
    half = x.shape[-1] // 2
    exponent = np.arange(half, dtype=np.float32) / np.float32(half)
    angle = positions.astype(np.float32)[..., None] / np.float32(theta) ** exponent
    cos, sin = np.cos(angle)[..., None, :], np.sin(angle)[..., None, :]  # [.., seq, heads, pair]
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def answer(data):
    """The status and the body of one answer to one case, which comes as a safetensors file."""
    start = 8 + struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:start])
    case = json.loads(header.pop("__metadata__")["gnomon.case"])
    if case["operation"] != "rope.apply" or case["format"] not in ("f32", "bf16"):
        return 1, b"only rope.apply in f32 and bf16"
    x, positions = (np.frombuffer(data, DTYPES[t["dtype"]], np.prod(t["shape"], dtype=int), start + t["data_offsets"][0])
                    .reshape(t["shape"]) for t in (header["x"], header["positions"]))
    dtype = header["x"]["dtype"]
    if dtype == "BF16":
        x = (x.astype(np.uint32) << 16).view(np.float32)
    y = rope(x, positions, case["parameters"].get("rope_theta", 10000))
    if dtype == "BF16":
        bits = y.view(np.uint32)  # to nearest, ties to even
        y = np.where(np.isnan(y), bits >> 16 | 0x40, bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)
    text = json.dumps({"y": {"dtype": dtype, "shape": y.shape, "data_offsets": [0, y.nbytes]}}).encode()
    return 0, struct.pack("<Q", len(text)) + text + y.tobytes()


np.seterr(all="ignore")
frames, out, sys.stdout = sys.stdin.buffer, sys.stdout.buffer, sys.stderr  # a print in somebody's library is no frame
while (head := frames.read(12))[:4] in (b"HELO", b"RUN_"):  # then comes BYE_, or the end
    payload = frames.read(struct.unpack("<Q", head[4:])[0])
    kind, reply, at = b"HELO", json.dumps(DESCRIPTION).encode(), 4
    if head[:4] == b"RUN_":
        kind, reply = b"DONE", b""
        while at < len(payload):
            begin, at = at + 8, at + 8 + struct.unpack_from("<Q", payload, at)[0]
            status, body = answer(payload[begin:at])
            reply += struct.pack("<IQ", status, len(body)) + body
    out.write(kind + struct.pack("<Q", len(reply)) + reply)
    out.flush()
