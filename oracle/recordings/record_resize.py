#!/usr/bin/env python3
"""Records what PyTorch answers where vision models resize their tables of positions, and writes the lines of INDEX.json.

    record_resize.py --gnomon PROGRAM

Needs torch (on the CPU); the tables are drawn from a seed. Lines of other recordings stay as they are (convert.py).
Tensors stand in the file as torch has them, [width, row, column].
"""

import argparse
import json

import torch
import torch.nn.functional as functional

from convert import HERE, measured, write_safetensors

FLOAT = "coordinates, weights and sums in float32"

# name: (format, grid, new grid, filter, coordinates, antialias, the profile that must be the first one met; the reason)
RECORDINGS = {
    "torch_resize_bicubic_f32": (
        "f32", (7, 7), (12, 10), "bicubic", "half_pixel", False, "standard",
        FLOAT + "; a = -3/4, as DeiT and MAE call it",
    ),
    "torch_resize_bicubic_antialias_f32": (
        "f32", (14, 14), (7, 5), "bicubic", "half_pixel", True, "standard",
        FLOAT + "; a = -1/2, as timm calls it",
    ),
    "torch_resize_bicubic_aligned_f32": (
        "f32", (6, 5), (9, 11), "bicubic", "align_corners", False, "standard", FLOAT,
    ),
    "torch_resize_bilinear_f32": ("f32", (5, 7), (8, 3), "bilinear", "half_pixel", False, "standard", FLOAT),
    "torch_resize_bilinear_antialias_f32": (
        "f32", (9, 8), (3, 11), "bilinear", "half_pixel", True, "standard", FLOAT,
    ),
    "torch_resize_bilinear_aligned_f32": (
        "f32", (5, 7), (9, 8), "bilinear", "align_corners", False, "standard", FLOAT,
    ),
    "torch_resize_list_f32": (
        "f32", (1, 16), (1, 24), "bilinear", "align_corners", False, "standard",
        FLOAT + "; mode linear on one axis",
    ),
    "torch_resize_bicubic_bf16": (
        "bf16", (7, 7), (12, 10), "bicubic", "half_pixel", False, "f32-angle-16",
        "weights and sums are rounded to bfloat16 on the way",
    ),
    "torch_resize_bilinear_f16": (
        "f16", (7, 7), (10, 12), "bilinear", "half_pixel", False, "standard",
        FLOAT + "; one rounding to float16 at the end",
    ),
}
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
WIDTH = 4


def stored(fmt, tensor):
    bits = tensor.contiguous().view(torch.int32 if fmt == "f32" else torch.int16)
    return fmt.upper(), list(tensor.shape), bits.numpy().tobytes()


def record(fmt, grid, new, filter_name, coordinates, antialias, generator):
    """The case, and its tensors."""
    table = torch.randn(WIDTH, *grid, generator=generator).mul(0.02).to(TYPES[fmt])
    one_axis = grid[0] == new[0] == 1
    mode = {"bilinear": "linear" if one_axis else "bilinear", "bicubic": "bicubic"}[filter_name]
    options = {"mode": mode, "align_corners": coordinates == "align_corners"}
    if one_axis:
        resized = functional.interpolate(table[None, :, 0], size=new[1], **options)[0][:, None]
    else:
        resized = functional.interpolate(table[None], size=new, antialias=antialias, **options)[0]
    parameters = {"rows": new[0], "columns": new[1], "filter": filter_name, "coordinates": coordinates}
    if antialias:
        parameters["antialias"] = True
    if filter_name == "bicubic":
        parameters["cubic_a"] = -0.5 if antialias else -0.75
    axes = ["width", "row", "column"]
    case = {
        "operation": "learned.resize",
        "parameters": parameters,
        "format": fmt,
        "axes": {"table": axes, "resized": axes},
    }
    return case, {"table": stored(fmt, table), "resized": stored(fmt, resized)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--gnomon", required=True)
    options = parser.parse_args()
    generator = torch.Generator().manual_seed(2021)
    path = HERE / "INDEX.json"
    index = [entry for entry in json.loads(path.read_text()) if entry["recording"] not in RECORDINGS]
    for name, (*what, profile, reason) in RECORDINGS.items():
        file = HERE / f"{name}.safetensors"
        case, tensors = record(*what, generator)
        write_safetensors(file, tensors, case)
        entry = {
            "file": file.name,
            "recording": name,
            "producer": "pytorch",
            "version": torch.__version__,
            "profile": profile,
            "reason": reason,
        }
        entry.update(measured(options.gnomon, file))
        index.append(entry)
    path.write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
