#!/usr/bin/env python3
"""The recordings of context extension: as convert.py, for producers that scale their frequencies.

    convert_rope_scaling.py DUMPS [--gnomon PROGRAM]

Replaces their entries in INDEX.json, or appends them.
"""

import argparse
import json
import pathlib
import struct

import convert
from convert import CHAINED, FLOAT_ANGLE, HERE

SCALED_CHAINED = CHAINED + "; scaled after that, pair by pair"
BASE_5E5 = SCALED_CHAINED + " by float32 factors; what a frequency by exp may err at base 500000 covers it"
FEW = SCALED_CHAINED + "; with 32 pairs the error stays within what frequencies by exp may have"
SCALED_ANGLE = FLOAT_ANGLE + "; scaled in between"

# name: (profile that must be the first one met, or None; the reason; parameters beside the sidecar's)
EXPECTED = {
    "deepseek_v3_yarn40_f32": (
        "f32-angle",
        SCALED_ANGLE + "; the magnitude goes into the softmax scale, so tables are not multiplied",
        {"magnitude_placement": "softmax"},
    ),
    "faulty_3": (None, "emulates a published fault", {}),
    "faulty_4": (None, "emulates a published fault", {}),
    "ggml_rope_linear8_neox": ("f32-chained", SCALED_CHAINED, {}),
    "ggml_rope_llama31_neox": ("f32-exp", BASE_5E5, {}),
    "ggml_rope_llama31_norm": ("f32-exp", BASE_5E5, {}),
    "ggml_rope_yarn4_neox": ("f32-chained", SCALED_CHAINED, {}),
    "ggml_rope_yarn4_norm_d64": ("f32-exp", FEW, {}),
    "ggml_rope_yarn_attn0p5": (
        "f32-chained",
        SCALED_CHAINED,
        {
            "rope_type": "yarn",
            "factor": 4.0,
            "original_max_position_embeddings": 4096,
            "attn_factor": 0.5,
        },
    ),
    "llama_models_llama31_f32": ("f32-angle", SCALED_ANGLE, {}),
    "longrope_su_f32": (
        "f32-angle",
        SCALED_ANGLE + "; always the long factors, which seq_len says",
        {
            "rope_type": "longrope",
            "max_position_embeddings": 131072,
            "original_max_position_embeddings": 4096,
            "seq_len": 131072,
        },
    ),
    "torchtune_llama31_f32": ("f32-angle", SCALED_ANGLE, {}),
    "yarn_ref_s16_f32": ("f32-angle", SCALED_ANGLE, {}),
    "yarn_repo_dynamic_ntk2_L8192_f32": (
        "f32-angle",
        SCALED_ANGLE,
        {
            "rope_type": "dynamic",
            "factor": 2.0,
            "original_max_position_embeddings": 2048,
            "seq_len": 8192,
            "update": "grow",
        },
    ),
    "yarn_repo_linear_f32": ("f32-angle", SCALED_ANGLE, {}),
}


def parameters_of(sidecar, tensors, more):
    """Those of the sidecar's configuration, flattened, and the ones stated above."""
    parameters = convert.rope_parameters(sidecar)
    scaling = (sidecar["hf_equivalent"] or {}).get("rope_scaling", {})
    if "rope_type" not in more:
        parameters.update({key: value for key, value in scaling.items() if value is not None})
    parameters.update(more)
    if "rescale_factors" in tensors:
        _, (count,), data = tensors["rescale_factors"]
        parameters["long_factor"] = list(struct.unpack(f"<{count}f", data))
        parameters["short_factor"] = parameters["long_factor"]
    return parameters


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("dumps", type=pathlib.Path)
    parser.add_argument("--gnomon")
    options = parser.parse_args()
    index_file = HERE / "INDEX.json"
    index = [e for e in json.loads(index_file.read_text()) if e["recording"] not in EXPECTED]
    for name, (profile, reason, more) in sorted(EXPECTED.items()):
        sidecar = json.loads((options.dumps / f"{name}.json").read_text())
        tensors = convert.read_safetensors(options.dumps / f"{name}.safetensors")
        axes = convert.axes_of(sidecar, "x")
        case = {
            "operation": "rope.apply",
            "parameters": parameters_of(sidecar, tensors, more),
            "format": sidecar["dtype"].lower(),
            "axes": {"x": axes, "y": axes},
        }
        path = HERE / f"{name}.safetensors"
        kept = {role: tensors[role] for role in ("x", "positions", "y")}
        convert.write_safetensors(path, kept, case)
        producer = sidecar["producer"]
        entry = {
            "file": path.name,
            "recording": name,
            "producer": producer["name"],
            "version": producer.get("commit") or producer.get("version"),
            "profile": profile,
            "reason": reason,
        }
        if options.gnomon:
            entry.update(convert.measured(options.gnomon, path))
        index.append(entry)
    index_file.write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
