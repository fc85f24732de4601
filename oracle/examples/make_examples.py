#!/usr/bin/env python3
"""Makes the files that the manual's examples judge: RoPE as most float32 code computes it.

  llama_query.safetensors  states its own case (metadata gnomon.case)
  plain.safetensors        the same tensors, heads packed, and no case
  y.npy, x.npy, positions.npy  the same again, as NumPy saves them
  config.json              the configuration of the model that the recordings are of
"""

import json
import math
import pathlib
import random
import struct

HERE = pathlib.Path(__file__).resolve().parent
POSITIONS = [0, 1, 7, 4095, 131071]
HEADS, HEAD_DIM, THETA = 2, 16, 500000.0
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_act": "silu",
    "hidden_size": HEADS * HEAD_DIM,
    "max_position_embeddings": 131072,
    "model_type": "llama",
    "num_attention_heads": HEADS,
    "num_hidden_layers": 2,
    "num_key_value_heads": HEADS,
    "rms_norm_eps": 1e-05,
    "rope_scaling": None,
    "rope_theta": THETA,
    "torch_dtype": "float32",
    "vocab_size": 128,
}


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def rotate(row, position):
    half = HEAD_DIM // 2
    out = [0.0] * HEAD_DIM
    for i in range(half):
        frequency = f32(1 / f32(THETA ** f32(2 * i / HEAD_DIM)))
        angle = f32(position * frequency)
        c, s = f32(math.cos(angle)), f32(math.sin(angle))
        a, b = row[i], row[half + i]
        out[i] = f32(f32(a * c) - f32(b * s))
        out[half + i] = f32(f32(a * s) + f32(b * c))
    return out


def write_safetensors(name, tensors, metadata):
    header, body = ({"__metadata__": metadata} if metadata else {}), b""
    for tensor, (dtype, shape, data) in tensors.items():
        offsets = [len(body), len(body) + len(data)]
        header[tensor] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (HERE / name).write_bytes(struct.pack("<Q", len(text)) + text + body)


def write_npy(name, descr, shape, data):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    (HERE / name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data)


def main():
    draw = random.Random(1)
    x, y = [], []
    for position in POSITIONS:
        for _ in range(HEADS):
            row = [f32(draw.gauss(0, 1)) for _ in range(HEAD_DIM)]
            x += row
            y += rotate(row, position)
    floats = [struct.pack(f"<{len(v)}f", *v) for v in (x, y)]
    positions = struct.pack(f"<{len(POSITIONS)}q", *POSITIONS)
    seq = len(POSITIONS)

    def tensors(shape):
        return {
            "x": ("F32", shape, floats[0]),
            "positions": ("I64", [seq], positions),
            "y": ("F32", shape, floats[1]),
        }

    case = {
        "operation": "rope.apply",
        "parameters": {"head_dim": HEAD_DIM, "rope_theta": THETA, "layout": "half_split"},
    }
    write_safetensors(
        "llama_query.safetensors",
        tensors([1, seq, HEADS, HEAD_DIM]),
        {"gnomon.case": json.dumps(case)},
    )
    write_safetensors("plain.safetensors", tensors([seq, HEADS * HEAD_DIM]), None)
    for name, data in (("x.npy", floats[0]), ("y.npy", floats[1])):
        write_npy(name, "<f4", [seq, HEADS, HEAD_DIM], data)
    write_npy("positions.npy", "<i8", [seq], positions)
    (HERE / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")


if __name__ == "__main__":
    main()
