#!/usr/bin/env python3
"""Case files of recorded timestep embeddings (sinusoidal.timestep), and their entries at the end of INDEX.json.

    convert_sinusoidal_real.py DUMPS --gnomon PROGRAM

convert.py has the layout of a dump and of a case file.
"""

import argparse
import json
import pathlib

from convert import HERE, measured, read_safetensors, write_safetensors

EXP = "frequencies by exp of a product and a quotient, times the timestep, in float32"
SD = {"downscale_freq_shift": 0, "flip_sin_to_cos": True}

# name: (parameters, profile that must be the first one met, the reason)
RECORDINGS = {
    "diffusers_timestep_default": ({}, "f32-angle", EXP + "; h - 1 pairs leave no exponent exact, which covers it"),
    "diffusers_timestep_scale1000": ({**SD, "scale": 1000}, "f32-exp", EXP + "; the scale multiplies the angle"),
    "diffusers_timestep_sd": (SD, "f32-exp", EXP),
    "ggml_timestep_128": (SD, "f32-exp", "frequencies by expf of -logf(max_period) i / h, in float32"),
    "wan21_sinusoidal_f64": (SD, "f32-angle", "frequency by pow, times the timestep, both in float64"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dumps", type=pathlib.Path)
    parser.add_argument("--gnomon", required=True)
    options = parser.parse_args()
    index = HERE / "INDEX.json"
    entries = [e for e in json.loads(index.read_text()) if e["recording"] not in RECORDINGS]
    for name, (parameters, profile, reason) in RECORDINGS.items():
        sidecar = json.loads((options.dumps / f"{name}.json").read_text())
        tensors = read_safetensors(options.dumps / f"{name}.safetensors")
        case = {
            "operation": "sinusoidal.timestep",
            "parameters": {"width": tensors["y"][1][1], **parameters},
            "format": sidecar["dtype"].lower(),
            "outputs": {"pe": "y"},
        }
        path = HERE / f"{name}.safetensors"
        write_safetensors(path, tensors, case)
        producer = sidecar["producer"]
        entries.append({
            "file": path.name,
            "recording": name,
            "producer": producer["name"],
            "version": producer.get("commit") or producer.get("version"),
            "profile": profile,
            "reason": reason,
            **measured(options.gnomon, path),
        })
    index.write_text(json.dumps(entries, indent=1) + "\n")


if __name__ == "__main__":
    main()
