#!/usr/bin/env python3
"""Makes case files out of the recorded dumps over more than one axis, and their lines of INDEX.json.

    convert_multi_axis.py DUMPS --gnomon PROGRAM

Lines of other recordings stay as they are (convert.py).
"""

import argparse
import json
import pathlib
import struct

from convert import CHAINED, FLOAT_ANGLE, HERE, measured, read_safetensors, write_safetensors

FLOAT64 = "angles in float64; cosines and sines, and the arithmetic, in float32"

# name: (profile that must be the first one met; the reason)
EXPECTED = {
    "flux_axial3_f32": ("standard", FLOAT64),
    "ggml_imrope_24_20_20_et": (
        "f32-exp",
        CHAINED + "; its fourth axis owns the pairs 61 and 62, section_order interleaved_extra; the error stays within "
        "what frequencies by exp may have",
    ),
    "ggml_mrope_16_24_24": ("f32-chained", CHAINED),
    "ggml_vision_rope": (
        "f32-angle",
        CHAINED + ", anew on each axis; with 16 pairs an axis the error stays within what float32 angles may have",
    ),
    "lucid_axial2d_lang_f32": ("f32-angle", FLOAT_ANGLE),
    "mae_2d_sincos_f32": ("rounded", "angles, sines and cosines in float64, rounded once at the end"),
    "ropevit_axial_f32": ("f32-angle", FLOAT_ANGLE),
    "ropevit_mixed_f32": ("f32-angle", "products of positions and learned frequencies, and their sum, in float32"),
    "swin_relpos_7x7": ("rounded", "integers, and copies of table rows"),
}

ROTATIONS = {
    "flux_axial3_f32": ("axial", {"head_dim": 128, "axes_dims": [16, 56, 56], "layout": "interleaved"}),
    "ggml_imrope_24_20_20_et": (
        "mrope",
        {
            "head_dim": 128,
            "mrope_section": [24, 20, 20, 0],
            "section_order": "interleaved_extra",
            "rope_theta": 5000000,
            "layout": "half_split",
        },
    ),
    "ggml_mrope_16_24_24": (
        "mrope",
        {"head_dim": 128, "mrope_section": [16, 24, 24, 0], "rope_theta": 1000000, "layout": "half_split"},
    ),
    "ggml_vision_rope": ("axial", {"head_dim": 64, "axes_dims": [32, 32], "layout": "half_split"}),
    "lucid_axial2d_lang_f32": ("axial", {"head_dim": 64, "axes_dims": [32, 32], "layout": "interleaved"}),
    "ropevit_axial_f32": (
        "axial",
        {"head_dim": 64, "axes_dims": [32, 32], "rope_theta": 100, "layout": "interleaved"},
    ),
    "ropevit_mixed_f32": ("mixed", {"head_dim": 64, "layout": "interleaved"}),
}


def cases_of(name, tensors):
    """Triples (suffix, case, tensors)."""
    if name in ROTATIONS:
        verb, parameters = ROTATIONS[name]
        axes = ["seq", "heads", "head_dim"]
        if verb == "mixed":
            tensors["frequencies"] = tensors.pop("freqs")
        else:
            count = len(parameters.get("axes_dims") or parameters["mrope_section"])
            dtype, (rows, seq), data = tensors["positions"]
            # ggml hands its vision tower four rows; two are read.
            tensors["positions"] = (dtype, [count, seq], data[: len(data) // rows * count])
        yield "", {
            "operation": f"multi_axis.{verb}",
            "parameters": parameters,
            "format": "f32",
            "axes": {"x": axes, "y": axes, "positions": ["axis", "seq"]},
        }, tensors
    elif name == "mae_2d_sincos_f32":
        rows = [i // 7 for i in range(49)] + [i % 7 for i in range(49)]
        yield "", {
            "operation": "multi_axis.sincos_2d",
            "parameters": {"width": 64, "first_half": "column", "zero_rows": 1},
            "format": "f32",
            "outputs": {"pe": "y"},
        }, {"y": tensors["y"], "positions": ("I64", [2, 49], struct.pack("<98q", *rows))}
    else:
        window = {"window_height": 7, "window_width": 7}
        yield "_index", {
            "operation": "multi_axis.window_index",
            "parameters": window,
            "format": "f32",
            "outputs": {"index": "y"},
        }, {"y": tensors["y"]}
        yield "_bias", {
            "operation": "multi_axis.window_bias",
            "parameters": window,
            "format": "f32",
            "outputs": {"bias": "y_bias"},
        }, {"table": tensors["table"], "y_bias": tensors["y_bias"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dumps", type=pathlib.Path)
    parser.add_argument("--gnomon", required=True)
    options = parser.parse_args()
    path = HERE / "INDEX.json"
    index = [entry for entry in json.loads(path.read_text()) if entry["recording"] not in EXPECTED]
    for name, (profile, reason) in EXPECTED.items():
        producer = json.loads((options.dumps / f"{name}.json").read_text())["producer"]
        tensors = read_safetensors(options.dumps / f"{name}.safetensors")
        for suffix, case, parts in cases_of(name, tensors):
            file = HERE / f"{name}{suffix}.safetensors"
            write_safetensors(file, parts, case)
            entry = {
                "file": file.name,
                "recording": name,
                "producer": producer["name"],
                "version": producer["commit"],
                "profile": profile,
                "reason": reason,
            }
            entry.update(measured(options.gnomon, file))
            index.append(entry)
    path.write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
