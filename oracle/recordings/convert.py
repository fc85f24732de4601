#!/usr/bin/env python3
"""Makes case files (spec/case.md, CASE-7) and INDEX.json out of recorded dumps.

A dump is NAME.safetensors with NAME.json beside it, which says who produced it and how. Those whose
operation is RoPE without scaling or axes, a sinusoidal table at integer positions, or a move by relative position, are taken.

    convert.py DUMPS [--gnomon PROGRAM]

With --gnomon the index also gets what the judge measures: the case's id, and how many elements lie
outside the profile `standard`, from which position on.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

EXACT_TABLES = "tables are inputs of the case, so that its arithmetic alone is judged: float32 throughout"
EXACT_TABLES_16 = "tables are inputs of the case; products and sums are rounded to float16 one by one"
FLOAT_ANGLE = "frequency by pow, times the position, both in float32"
ONE_ROUNDING = "float32 angles, tables and arithmetic; one rounding to the output format at the end"
THREE_ROUNDINGS = "float32 angles; tables, products and sum each rounded to the output format"
BY_EXP = "frequencies by exp of a rounded multiple of ln(base), in float32"
CHAINED = "the angle is multiplied up from pair to pair in float32"
BY_EXP_AS_POW = (
    "frequencies by exp, in float32; their exponents are no binary fractions, and what f32-angle allows a "
    "frequency by pow for that covers the exp"
)
FEW_PAIRS = CHAINED + "; with few pairs the error stays within what frequencies by exp may have"

# name: (profile that must be the first one met, or None; the reason)
EXPECTED = {
    "diffusers_rope1d_f32": ("f32-angle", FLOAT_ANGLE),
    "diffusers_rope1d_f64freq": ("standard", "angles in float64, tables and arithmetic in float32"),
    "fairseq_rope_f32": ("f32-angle", FLOAT_ANGLE),
    "fairseq_rope_offset4091_f32": ("f32-angle", FLOAT_ANGLE),
    "fairseq_sinusoidal_d64": ("f32-angle", BY_EXP_AS_POW),
    "fairseq_sinusoidal_d65": ("f32-angle", BY_EXP_AS_POW),
    "faulty_1": (None, "emulates a published fault"),
    "faulty_2": (None, "emulates a published fault"),
    "flashattn_torch_rope_half_f32": ("f32-angle", FLOAT_ANGLE),
    "ggml_rope_back_neox": ("f32-chained", CHAINED),
    "ggml_rope_neox_f16": ("f32-chained", CHAINED),
    "ggml_rope_neox_f32": ("f32-chained", CHAINED),
    "ggml_rope_neox_negpos": ("f32-exp", FEW_PAIRS),
    "ggml_rope_neox_partial32of80": ("f32-exp", FEW_PAIRS),
    "ggml_rope_norm_f16_d64": ("f32-angle", CHAINED + "; 32 pairs and a float16 output hide it"),
    "ggml_rope_norm_f32": ("f32-chained", CHAINED),
    "ggml_rope_norm_partial64of96": ("f32-exp", FEW_PAIRS),
    "gptneox_rope_f32": ("f32-angle", FLOAT_ANGLE),
    "lucid_rope_cached_keys_f32": ("f32-angle", FLOAT_ANGLE),
    "lucid_rope_f32": ("f32-angle", FLOAT_ANGLE),
    "lucid_rope_ntk4_f32": ("f32-angle", FLOAT_ANGLE + "; NTK rescaling is another rope_theta"),
    "lucid_rope_partial32of64_f32": ("f32-angle", FLOAT_ANGLE),
    "mistral_rope_1e6_bf16": ("f32-angle", ONE_ROUNDING),
    "onnx_ref_rotary_3d_partial": ("standard", EXACT_TABLES),
    "onnx_ref_rotary_4d_half_f16": ("f32-angle-16", EXACT_TABLES_16),
    "onnx_ref_rotary_4d_inter_f32": ("standard", EXACT_TABLES),
    "onnxruntime_opset23_half_f32": ("standard", EXACT_TABLES),
    "onnxruntime_opset23_inter_f32_partial": ("standard", EXACT_TABLES),
    "torch_hf_llama_bf16_1e4_d128": ("f32-angle-16", THREE_ROUNDINGS),
    "torch_hf_llama_f16_1e4_d64": ("f32-angle-16", THREE_ROUNDINGS),
    "torch_hf_llama_f32_1e4_d128": ("f32-angle", FLOAT_ANGLE),
    "torch_hf_llama_f32_5e5_d128": ("f32-angle", FLOAT_ANGLE),
    "torch_polar_bf16": ("f32-angle", ONE_ROUNDING),
    "torch_polar_f32": ("f32-angle", FLOAT_ANGLE),
    "torch_sinusoidal_f32_d64": ("f32-exp", BY_EXP),
    "torch_sinusoidal_f32_d65": ("f32-angle", BY_EXP_AS_POW),
    "torchtune_rope_f32": ("f32-angle", FLOAT_ANGLE),
    "txl_sinusoidal_f32": ("f32-angle", FLOAT_ANGLE),
    "whisper_sinusoids_f32": ("f32-angle", BY_EXP_AS_POW),
    "xtransformers_rope_f32": ("f32-angle", FLOAT_ANGLE),
    "xtransformers_rope_modulebf16": (
        None,
        "the frequencies themselves were rounded to bfloat16, by casting the whole module",
    ),
    "xtransformers_scaled_sinusoidal_f32": ("f32-angle", FLOAT_ANGLE),
    "yarn_repo_ntk_f32": ("f32-angle", FLOAT_ANGLE + "; NTK rescaling is another rope_theta"),
}

# Relative positions: elements that are moved, each with its bits.
MOVED = "elements are moved, none is computed; bits are kept"
RELATIVE = {
    "ggml_get_rel_pos_7": ("rounded", MOVED + "; query minus key"),
    "txl_rel_shift_6x6": ("rounded", MOVED + "; with leftovers after the query, and with zeros there"),
}

# Conventions of the sinusoidal producers that the sidecars state in words.
SINUSOIDAL = {
    "fairseq_sinusoidal_d64": {"divisor": "half_minus_one"},
    "fairseq_sinusoidal_d65": {"divisor": "half_minus_one", "odd_width": "zero"},
    "whisper_sinusoids_f32": {"divisor": "half_minus_one"},
    "xtransformers_scaled_sinusoidal_f32": {"scale": 0.125},
}
AXIS_NAMES = {"tokens": "seq", "d": "width"}


def read_safetensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    body = data[8 + length :]
    return {
        name: (entry["dtype"], entry["shape"], body[slice(*entry["data_offsets"])])
        for name, entry in header.items()
    }


def write_safetensors(path, tensors, case):
    header = {"__metadata__": {"gnomon.case": json.dumps(case, sort_keys=True)}}
    body = b""
    for name in sorted(tensors):
        dtype, shape, data = tensors[name]
        header[name] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def axes_of(sidecar, name):
    """The axes of a tensor; "as x" refers to another one."""
    text = sidecar["tensors"][name]["axes"]
    if text.startswith("as "):
        return axes_of(sidecar, text[3:])
    text = text[: text.index("]")].strip("[]")
    return [AXIS_NAMES.get(axis.strip(), axis.strip()) for axis in text.split(",")]


def gather(table, ids):
    """The rows of a [position, pair] table that [batch, seq] ids name."""
    dtype, shape, data = table
    width = len(data) // shape[0]
    rows = struct.unpack(f"<{len(ids[2]) // 8}q", ids[2])
    return (
        dtype,
        ids[1] + [shape[1]],
        b"".join(data[row * width : (row + 1) * width] for row in rows),
    )


def rope_parameters(sidecar):
    hf = sidecar["hf_equivalent"] or {}
    arguments = sidecar["arguments"]
    head_dim = hf.get("head_dim", arguments.get("n_dims"))
    parameters = {
        "head_dim": head_dim,
        "rope_theta": hf.get("rope_theta", arguments.get("freq_base")),
        "layout": sidecar["layout"].replace("-", "_"),
    }
    if "partial_rotary_factor" in hf:
        parameters["rotary_dim"] = int(head_dim * hf["partial_rotary_factor"])
    if "rotary_dim" in hf:
        parameters["rotary_dim"] = hf["rotary_dim"]
    if arguments.get("function") == "ggml_rope_ext_back":
        parameters["direction"] = "transpose"
    return parameters


def cases_of(name, sidecar, tensors):
    """Pairs (suffix, case, tensors); all but one dump make one case."""
    fmt = sidecar["dtype"].lower()
    if "sinusoidal" in sidecar["operation"]:
        layout = "interleaved" if sidecar["layout"].startswith("interleaved") else "sin_cos"
        parameters = {"width": tensors["y"][1][1], "layout": layout, **SINUSOIDAL.get(name, {})}
        case = {
            "operation": "sinusoidal.table",
            "parameters": parameters,
            "format": fmt,
            "outputs": {"pe": "y"},
        }
        yield "", case, tensors
        return
    case = {"operation": "rope.apply", "parameters": rope_parameters(sidecar), "format": fmt}
    if "q" in tensors:
        for which in "qk":
            axes = axes_of(sidecar, which)
            yield f"_{which}", {
                **case,
                "inputs": {"x": which, "positions": f"{which}_positions"},
                "outputs": {"y": f"y_{which}"},
                "axes": {"x": axes, "y": axes},
            }, {t: tensors[t] for t in (which, f"{which}_positions", f"y_{which}")}
        return
    axes = axes_of(sidecar, "x")
    case["axes"] = {"x": axes, "y": axes}
    if "cos_cache" in tensors:
        case["inputs"] = {"x": "x", "cos": "cos", "sin": "sin"}
        for role in ("cos", "sin"):
            table = tensors[role + "_cache"]
            tensors[role] = gather(table, tensors["position_ids"]) if len(table[1]) == 2 else table
        tensors = {t: tensors[t] for t in ("x", "cos", "sin", "y")}
    yield "", case, tensors


def relative_cases_of(name, sidecar, tensors):
    """The same for relative positions."""
    case = {"format": sidecar["dtype"].lower()}
    if name.startswith("ggml_get_rel_pos"):
        size = sidecar["arguments"]["qh"]
        tokens = ("I64", [size], struct.pack(f"<{size}q", *range(size)))
        yield "", {
            **case,
            "operation": "relative.vectors",
            "parameters": {"max_relative_position": size - 1, "difference": "query_minus_key"},
            "inputs": {"table": "x", "m": "m", "n": "n"},
            "outputs": {"vectors": "y"},
        }, {**tensors, "m": tokens, "n": tokens}
        return
    for suffix, after, output in (("", "leftover", "y"), ("_zero_triu", "zero", "y_zero_triu")):
        yield suffix, {
            **case,
            "operation": "relative.xl_shift",
            "parameters": {"after": after},
            "inputs": {"a": "x"},
            "outputs": {"b": output},
            "axes": {
                "a": ["query", "column", "batch", "heads"],
                "b": ["query", "key", "batch", "heads"],
            },
        }, {t: tensors[t] for t in ("x", output)}


def measured(gnomon, path):
    """What the judge says about a case file, as far as the index shows it."""
    run = subprocess.run([gnomon, "check", str(path), "--json"], capture_output=True, text=True)
    report = json.loads(run.stdout)
    standard = report["profiles"]["standard"]
    return {
        "case": report["case"],
        "elements": report["elements"],
        "outside_standard": standard["outside"],
        "departs_at_position": standard["outside_from"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dumps", type=pathlib.Path)
    parser.add_argument("--gnomon")
    options = parser.parse_args()
    index = []
    for name, (profile, reason) in sorted(EXPECTED.items()) + sorted(RELATIVE.items()):
        sidecar = json.loads((options.dumps / f"{name}.json").read_text())
        tensors = read_safetensors(options.dumps / f"{name}.safetensors")
        producer = sidecar["producer"]
        cases = relative_cases_of if name in RELATIVE else cases_of
        for suffix, case, parts in cases(name, sidecar, tensors):
            path = HERE / f"{name}{suffix}.safetensors"
            write_safetensors(path, parts, case)
            entry = {
                "file": path.name,
                "recording": name,
                "producer": producer["name"],
                "version": producer.get("commit") or producer.get("version"),
                "profile": profile,
                "reason": reason,
            }
            if options.gnomon:
                entry.update(measured(options.gnomon, path))
            index.append(entry)
    (HERE / "INDEX.json").write_text(json.dumps(index, indent=1) + "\n")
    print(f"{len(EXPECTED) + len(RELATIVE)} recordings, {len(index)} case files", file=sys.stderr)


if __name__ == "__main__":
    main()
