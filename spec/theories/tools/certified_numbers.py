#!/usr/bin/env python3
"""Numbers of the definitions, computed by Coq: spec/vectors/certified_*.json.

    certified_numbers.py write   BUILD VECTORS   computes them all (minutes) and writes the files
    certified_numbers.py sample  BUILD VECTORS   computes a part of each file again and compares; --start N says which part

The sample has one entry of every kind (a bound and a format, a configuration, ..); which one of a kind moves with the
start: by default the days since the year 1, so that the days after one another go through all of a kind. The start is
printed; giving it repeats a sample. All questions, computed or not, are compared with those of the file.

BUILD holds the compiled theories (formal.py prove). Integers are computed by Coq's virtual machine. A real number
is an interval that Interval finds and whose proof Coq's kernel checks (certified/Numbers.v): two integers
times a power of two, written as hexadecimal floats. Exit 0 good, 1 a difference, 77 skipped: Coq is not there.
"""
import argparse
import datetime
import fractions
import hashlib
import json
import pathlib
import re
import sys

import formal

HEADER = """From Coq Require Import Reals ZArith List.
From Gnomon Require Import Sums Pairs Rope Sinusoidal T5Bias Alibi RopeScaling Magnitude Bounds.
From Gnomon.numeric Require Import Rounding RotationError NarrowArithmetic TableError AddError
  PairwiseError DistanceError.
From Gnomon.certified Require Import Numbers.
Set Printing Width 100000. Set Printing Depth 100000. Open Scope R_scope.
"""
POSITIONS = (1, 2, 3, 7, 100, 1000, 4095, 8191, 131071, 1048577, 16777216, 16777217, 715827883, 2147483647,
             -1, -131071, -2147483648)
ROPE = ((10000, 4, (0, 1)), (10000, 64, (1, 31)), (10000, 128, (1, 7, 63)), (500000, 128, (5, 40)),
        (150000, 64, (8,)), (100, 64, (31,)))
SINUSOIDAL = (("half", 10000, 512, (0, 1, 100, 255)), ("half", 100, 64, (3, 31)), ("half", 10000, 5, (2,)),
              ("half_minus_one", 10000, 512, (1, 254, 255)))
SLOPES = 128
BUCKETS, DISTANCE, REACH = 64, 512, 520
SHOWN = (16, 20, 32, 64, 81, 128, 160, 256, 512)
# max_distance of tables for which `bucket` itself is evaluated as well.
DIRECT = (20, 128, 512)
LAYOUT = (f"For max_distance = max_exact + 1 .. {DISTANCE} in turn, for rel = -{REACH} .. {REACH} in turn, one byte: "
          "the bucket.")

# The configurations of rope_scaling: clause, parameters, what Coq is asked for pair i, tactic, pairs.
YARN = "yarn_by_index 1 (correction_range {t} {b} {L} 32 1 {h}) {s} (frequency {b} {d}) {{i}}"
LONGROPE = {"rope_type": "longrope", "rope_theta": 10000, "head_dim": 96, "factor": 32,
            "original_max_position_embeddings": 4096, "short_factor": [1 + i / 64 for i in range(48)],
            "long_factor": [1 + 3 * i / 4 for i in range(48)]}  # list items are binary64, these exactly
LONGROPE_ASKED = "longrope 4096 (fun j => 1 + INR j / 64) (fun j => 1 + 3 * INR j / 4) (frequency 10000 96) {n} {{i}}"
DYNAMIC = {"rope_type": "dynamic", "rope_theta": 10000, "head_dim": 128, "factor": 2,
           "original_max_position_embeddings": 2048}


def given(kind, theta, width, factor, length=None, **more):
    """Parameters."""
    return ({"rope_type": kind, "rope_theta": theta, "head_dim": width, "factor": factor} |
            ({"original_max_position_embeddings": length} if length else {}) | more)


SCALINGS = [
    ("SCALE-1", given("linear", 10000, 128, 4), "interpolated 4 (frequency 10000 128) {i}", None, range(64)),
    ("SCALE-2", given("ntk", 10000, 128, 4), "frequency (ntk_base 10000 4 64) 128 {i}", None, range(64)),
    ("SCALE-3", given("dynamic", 10000, 128, 10, 2048, seq_len=16384),
     "frequency (dynamic_ntk_base 10000 10 2048 16384 64) 128 {i}", None, range(64)),
    ("SCALE-6", given("yarn", 10000, 128, 10, 2048), YARN.format(t="true", b=10000, L=2048, h=64, s=10, d=128),
     "enclose_yarn {n} range_yarn", range(64)),
    ("SCALE-6", given("yarn", 150000, 64, 32, 4096, truncate=False),
     YARN.format(t="false", b=150000, L=4096, h=32, s=32, d=64), "enclose_yarn {n} range_gpt_oss", range(32)),
    ("SCALE-6", given("yarn", 10000, 64, 40, 4096), YARN.format(t="true", b=10000, L=4096, h=32, s=40, d=64),
     "enclose_yarn {n} range_deepseek", (0, 9, 10, 11, 14, 18, 22, 23, 31)),
    ("SCALE-8", given("llama3", 10000, 128, 10, 2048), "llama3 10 1 4 2048 (frequency 10000 128 {i})", None, range(64)),
    ("SCALE-8", given("llama3", 500000, 128, 8, 8192), "llama3 8 1 4 8192 (frequency 500000 128 {i})", None, range(64)),
    ("ROPE-1", {"rope_type": "default", "rope_theta": 10000, "head_dim": 128}, "frequency 10000 128 {i}", None,
     (1, 63)),
    ("SCALE-5", given("yarn", 10000, 128, 10, 2048, ramp="rotations"), "yarn 1 1 32 10 2048 (frequency 10000 128 {i})",
     "enclose_by_rotations {n}", (0, 15, 16, 17, 24, 32, 40, 41, 63)),
    ("SCALE-9", LONGROPE | {"seq_len": 4096}, LONGROPE_ASKED.format(n=4096), None, (0, 1, 23, 47)),
    ("SCALE-9", LONGROPE | {"seq_len": 4097}, LONGROPE_ASKED.format(n=4097), None, (0, 1, 23, 47)),
] + [  # the state: at L anew, at L after a longer call, a shorter call after it, below L
    ("SCALE-10", DYNAMIC | {"seq_len": n, "earlier_seq_lens": before},
     f"frequency (dynamic_call_base 10000 2 2048 64 [{'; '.join(map(str, before))}] {n}) 128 {{i}}", None, (1, 63))
    for n, before in ((2048, []), (2048, [4096]), (3000, [4096]), (2047, [4096]), (8192, [4096, 3000]))
] + [
    ("SCALE-11", given("ntk_by_parts", 10000, 128, 8, 2048),
     "ntk_by_parts 1 1 (correction_range true 10000 2048 (5 / 4) (3 / 4) 64) (correction_range true 10000 2048 16 2 64) "
     "10000 8 64 {i}", "enclose_by_parts {n} range_ntk range_parts", (0, 20, 28, 36, 37, 38, 40, 43, 63)),
    ("SCALE-12", {"rope_type": "proportional", "rope_theta": 1000000, "head_dim": 512, "partial_rotary_factor": 0.25},
     "proportional 64 1 (frequency 1000000 512) {i}", "enclose_proportional {n}", (1, 63, 64, 255)),
]
RANGES = """
Lemma range_yarn : correction_range true 10000 2048 32 1 64 = (16, 41).
Proof. apply range_truncated; [split; by_enclosure..|Lra.lra|by_enclosure]. Qed.
Lemma range_deepseek : correction_range true 10000 4096 32 1 32 = (10, 23).
Proof. apply range_truncated; [split; by_enclosure..|Lra.lra|by_enclosure]. Qed.
Lemma range_ntk : correction_range true 10000 2048 (5 / 4) (3 / 4) 64 = (38, 43).
Proof. apply range_truncated; [split; by_enclosure..|Lra.lra|by_enclosure]. Qed.
Lemma range_parts : correction_range true 10000 2048 16 2 64 = (20, 36).
Proof. apply range_truncated; [split; by_enclosure..|Lra.lra|by_enclosure]. Qed.
Lemma range_gpt_oss : correction_range false 150000 4096 32 1 32 =
  (correction_dim 150000 4096 32 32, correction_dim 150000 4096 32 1).
Proof. apply range_exact; [split; by_enclosure|by_enclosure]. Qed.
"""
YARN_40 = {"rope_type": "yarn", "factor": 40}


def deepseek(placement, mscale, mscale_all_dim, rule="Both"):
    """(output, parameters, expression) of both outputs; mscales are exact decimals (CASE-3), or None."""
    first, second = (f"(Some ({fractions.Fraction(k)}))" if k else "None" for k in (mscale, mscale_all_dim))
    parameters = YARN_40 | {key: k for key, k in (("mscale", mscale), ("mscale_all_dim", mscale_all_dim)) if k}
    parameters |= {"magnitude_placement": placement} | ({"mscale_rule": "each"} if rule == "Each" else {})
    return [("magnitude", parameters, f"on_vectors {placement.title()} (magnitude {rule} 1 40 {first} {second})"),
            ("softmax_factor", parameters, f"on_scores {placement.title()} (softmax_magnitude 1 40 {first}) "
                                           f"(split_magnitude 40 {second})")]


MAGNITUDES = (
    [("magnitude", {"rope_type": "yarn", "factor": s}, f"yarn_magnitude {s}") for s in (1, 2, 10, 20)] +
    [("magnitude", {"rope_type": "longrope", "factor": s, "original_max_position_embeddings": L},
      f"longrope_magnitude {s} {L}") for s, L in ((2, 2048), (10, 2048), (20, 2048), (32, 4096))] +
    deepseek("tables", None, None) + deepseek("tables", "0.707", None, "Each") + deepseek("tables", "1", "0.707") +
    [found for k in ("1", "0.707") for placement in ("softmax", "split") for found in deepseek(placement, k, k)])
# p, the floor
TEMPERATURES = ((0, 0), (8190, 0), (8191, 1), (16382, 1), (16383, 2), (131071, 16), (2**31 - 1, 2**18))


def rational(text):
    """A number as Coq prints it: 3, -3, 3 / 4, - (3) / 4."""
    words = re.fullmatch(r"\(?\s*(-?)\s*\(?(-?\d+)\)?(?:\s*/\s*(\d+))?\s*\)?", text.replace("%R", "").replace("%Z", ""))
    return fractions.Fraction((-1 if words[1] else 1) * int(words[2]), int(words[3] or 1))


def hexadecimal(number):
    """A dyadic number as an integer times a power of two."""
    exponent = number.denominator.bit_length() - 1
    assert number.denominator == 1 << exponent, "not dyadic"
    return f"{number.numerator:#x}p-{exponent}"


def coq(build, name, text):
    """What Coq prints about `text`."""
    file = build / "numbers" / f"{name}.v"
    file.parent.mkdir(exist_ok=True)
    file.write_text(HEADER + text)
    done = formal.run(["coqc", "-q", "-Q", build, "Gnomon", file])
    if done.returncode:
        raise RuntimeError(done.stdout)
    return done.stdout


def audited(printed, name):
    """What was printed before the axioms of all enclosures together; these must stand in certified/axioms.txt."""
    printed, _, assumed = printed.partition("Axioms:\n")
    used = set(re.findall(r"^([^\s:]+)", assumed, re.M))
    if not used:
        raise RuntimeError(f"{name}: the axioms of the enclosures were not printed")
    if wrong := sorted(used - formal.allowed(pathlib.Path(__file__).parent.parent, "certified")):
        raise RuntimeError(f"{name}: the enclosures rest on {', '.join(wrong)}, which axioms.txt does not allow")
    return printed


def enclose(build, name, asked, before=""):
    """asked: [(expression, tactic or None)]. [{"low", "high"}] in that order."""
    text = before + "".join(
        f"Definition e{n} : enclosed ({expression}).\nProof. {(tactic or 'enclose {n}').format(n=n)}. Qed.\n"
        for n, (expression, tactic) in enumerate(asked))
    text += "Definition all := (" + ", ".join(f"e{n}" for n in range(len(asked))) + ").\nPrint Assumptions all.\n"
    found, printed = {}, audited(coq(build, name, text), name)
    number = r"(\([^()]*(?:\([^()]*\)[^()]*)*\)|-?\d+)(?:%R)?"
    for n, low, high in re.findall(rf"^(\d+)(?:%\w+)? {number} {number}$", printed, re.M):
        found[int(n)] = {"low": hexadecimal(rational(low)), "high": hexadecimal(rational(high))}
    if sorted(found) != list(range(len(asked))):
        raise RuntimeError(f"{name}: {len(found)} of {len(asked)} enclosures were printed")
    return [found[n] for n in range(len(asked))]


def lists(printed):
    """Every list of numbers that Coq printed, nested ones too."""
    text = re.sub(r"0x([0-9a-f]+)%uint63", lambda word: str(int(word[1], 16)), printed).replace(";", ",")
    return [json.loads(found) for found in re.findall(r"=\s*(\[.*?\])\s*:", text, re.S)]


# The files. Each function gives the questions of one, in their order, and what computes the answers of chosen ones:
# (build, indices) -> as many dictionaries.
ANSWERS = ("low", "high", "sixteenths", "sha256", "starts")


def enclosing(name, asked, before=""):
    return lambda build, chosen: enclose(build, name, [asked[i] for i in chosen], before)


def rope():
    entries, asked = [], []
    for theta, width, pairs in ROPE:
        parameters = {"head_dim": width, "rope_theta": theta}
        for i in pairs:
            frequency = f"frequency {theta} {width} {i}"
            entries.append({"clause": "ROPE-1", "operation": "rope.frequencies", "parameters": parameters,
                            "output": "w", "index": [i]})
            asked.append((frequency, None))
            for m in POSITIONS:
                for output, member in (("cos", "first"), ("sin", "second")):
                    entries.append({"clause": "ROPE-4", "operation": "rope.table", "parameters": parameters,
                                    "positions": [m], "output": output, "index": [0, i]})
                    # What the rotation makes of the unit vector of the pair's first dim.
                    asked.append((f"rope interleaved {width // 2} 0 (frequency {theta} {width}) ({m}) "
                                  f"(unit (first interleaved {width // 2} {i})) "
                                  f"({member} interleaved {width // 2} {i})",
                                  "enclose_rope_cosine {n}" if output == "cos" else "enclose_rope_sine {n}"))
    return entries, enclosing("rope", asked)


def sinusoidal():
    entries, asked = [], []
    for divisor, base, width, pairs in SINUSOIDAL:
        parameters = {"width": width, "base": base, "divisor": divisor, "layout": "interleaved"}
        for i in pairs:
            schedule = (f"(frequency {base} {width})" if divisor == "half"
                        else f"(frequency_half_minus_one {base} {width // 2})")
            sine = f"enclose_pe_sine {{n}} {i}%nat" if 2 * i + 1 < width else "enclose_pe_odd {n}"
            for m in POSITIONS:
                for column, tactic in ((2 * i, sine), (2 * i + 1, f"enclose_pe_cosine {{n}} {i}%nat")):
                    if column < width:
                        entries.append({"clause": "SIN-4" if 2 * i + 1 < width else "SIN-3",
                                        "operation": "sinusoidal.table", "parameters": parameters,
                                        "positions": [m], "output": "pe", "index": [0, column]})
                        asked.append((f"pe Interleaved {width // 2} Sine 1 {schedule} ({m}) "
                                      + (f"{column}%nat" if 2 * i + 1 < width else f"(2 * {width // 2})%nat"), tactic))
    return entries, enclosing("sinusoidal", asked)


def alibi():
    heads = [{"clause": "ALIBI-1", "num_heads": H} for H in range(1, SLOPES + 1)]
    powers = [{"clause": "ALIBI-1", "power": j} for j in range(1, SLOPES + 1)]

    def compute(build, chosen):
        counts = [i + 1 for i in chosen if i < SLOPES]
        asked = "; ".join(map(str, counts))
        text = f"Eval vm_compute in map (fun H => printed (all_sixteenths H)) [{asked}]%nat."
        (rows,) = lists(coq(build, "alibi_heads", text)) if counts else [[]]
        found = enclose(build, "alibi", [(f"slope 8 {SLOPES} {i - SLOPES + 1}", "enclose_slope {n}")
                                         for i in chosen if i >= SLOPES])
        return [{"sixteenths": row} for row in rows] + found  # chosen is sorted
    return heads + powers, compute


def rope_scaling():
    entries, asked = [], []
    for clause, parameters, expression, tactic, pairs in SCALINGS:
        for i in pairs:
            entries.append({"clause": clause, "operation": "rope_scaling.frequencies", "parameters": parameters,
                            "output": "w", "index": [i]})
            asked.append((expression.format(i=i), tactic))
    for output, parameters, expression in MAGNITUDES:
        clause = ("SCALE-9" if parameters["rope_type"] == "longrope" else
                  "SCALE-13" if "magnitude_placement" in parameters else "SCALE-7")
        entries.append({"clause": clause, "operation": "rope_scaling.magnitude", "parameters": parameters,
                        "output": output, "index": []})
        asked.append((expression, None))
    for p, floor in TEMPERATURES:
        entries.append({"clause": "SCALE-15", "operation": "rope_scaling.temperature",
                        "parameters": {"attn_scale": "0.1"}, "positions": [p], "output": "temperature", "index": [0]})
        asked.append((f"temperature (1 / 10) 8192 {p}", f"enclose_temperature {{n}} {floor}%Z"))
    return entries, enclosing("rope_scaling", asked, RANGES)


def t5_bias():
    counts = [(both, count) for both in (True, False) for count in range(4 if both else 2, BUCKETS + 1)]
    shown = [(side, distance) for side in range(2, BUCKETS + 1) for distance in SHOWN if distance > side // 2]

    def compute(build, chosen):
        digests = [{"sha256": digest_of(bucket_tables(build, *counts[i]))} for i in chosen if i < len(counts)]
        asked = [shown[i - len(counts)] for i in chosen if i >= len(counts)]
        text = "".join(f"Eval vm_compute in map (fun D => printed (starts_of {DISTANCE} {side} D)) "
                       f"[{'; '.join(str(distance) for s, distance in asked if s == side)}]%nat.\n"
                       for side in dict(asked))
        rows = [row for rows in (lists(coq(build, "t5_bias_starts", text)) if asked else []) for row in rows]
        return digests + [{"starts": row} for row in rows]
    return ([{"clause": "T5-3", "bidirectional": both, "num_buckets": count} for both, count in counts] +
            [{"clause": "T5-2", "buckets_a_side": side, "max_distance": distance} for side, distance in shown], compute)


def bucket_tables(build, both, count):
    """For max_distance = max_exact + 1 .. DISTANCE, as Coq prints them. Those of DIRECT also without the theorem."""
    first = (count // 2 if both else count) // 2 + 1
    arguments = f"{str(both).lower()} {count} {REACH}"
    direct = [distance for distance in DIRECT if distance >= first]
    text = (f"Eval vm_compute in map printed_runs (tables {arguments} (seq {first} {DISTANCE + 1 - first}))%nat.\n"
            f"Eval vm_compute in map printed_runs (map (buckets {arguments}) [{'; '.join(map(str, direct))}])%nat.\n")
    tables, by_definition = lists(coq(build, "t5_bias", text))
    if len(tables) != DISTANCE + 1 - first or by_definition != [tables[distance - first] for distance in direct]:
        raise RuntimeError(f"{count} buckets: Coq printed {len(tables)} tables, or the definition gives others")
    return tables


def digest_of(tables):
    """Of tables that Coq printed as runs: bucket times 2^16 plus how often it stands there."""
    digest = hashlib.sha256()
    for runs in tables:
        table = b"".join(bytes([run >> 16]) * (run & 0xffff) for run in runs)
        if len(table) != 2 * REACH + 1:
            raise RuntimeError(f"Coq printed a table of {len(table)} buckets")
        digest.update(table)
    return digest.hexdigest()


# Bounds (BOUND-2 to BOUND-5, SIN-11, SIN-12): the definitions of the theorems at points of every shape.
UNITS = ("f64", "f32", "bf16", "f16")
# base, and the exponent 2 i / d of pair i: none is a binary fraction.
COUNTS = ((10000, 1, 80), (10000, 31, 80), (10000, 63, 160), (500000, 1, 96), (500000, 47, 96), (100, 1, 12))
POINTS = ((1.5, 2.5, 0.75, 3.25, 0.0), (0.0, 1.0, 1.0, 2.0, 2.0**-12), (-0.625, 4096.0, 17.0, 5000.0, 0.25),
          (2.0**-130, 2.0**-129, 2.0**-128, 2.0**-127, 2.0**-20))


def exact(number):
    """A binary64 number, exactly, as Coq reads it."""
    found = fractions.Fraction(number)
    return f"({found.numerator} / {found.denominator})" if found.denominator > 1 else f"({found.numerator})"


def bounds():
    entries, asked = [], []

    def add(expression, **entry):
        entries.append(entry)
        asked.append((expression, "enclose_bound {n}"))

    def finished(output, arithmetic, y, error):
        return error if output == arithmetic else f"output_bound {output} {exact(y)} ({error})"

    for f in UNITS:
        add(f"u {f}", clause="FORMAT-2", bound="u", format=f)
        add(f"eta {f}", clause="FORMAT-2", bound="eta", format=f)
        for n in (1, 2, 4, 7.5, 60):
            add(f"gamma {exact(n)} (u {f})", clause="BOUND-2", bound="gamma", format=f, n=n)
    for base, pair, width in COUNTS:
        origin = {"base": base, "pair": pair, "width": width}
        e = f"({2 * pair} / {width})"
        counts = {"working": f"working_count {base} {e}", "exp": f"exp_count {base} {e}",
                  "chained": f"chained_count {base} (2 / {width}) {pair}"}
        for form, count in counts.items():
            add(count, clause="BOUND-3", bound="count", form=form, **origin)
            for m in (1, 4097, 2**24 + 1):
                rounded = 1 if m > 2**24 else 0
                add(f"angle_error ({count} + 1 + {rounded}) (u f32) (eta f32) {m} (3 / 2)", clause="BOUND-3",
                    bound="angle", form=form, position=m, a=1.5, **origin)
    added = []  # after the others

    def later(expression, **entry):
        added.append((expression, entry))

    # half_minus_one of 48 pairs; given frequencies: no value of f32, one with a rounded product, a power of two.
    for pair in (1, 23):
        origin = {"base": 10000, "pair": pair, "width": 96, "divisor": "half_minus_one"}
        count = f"working_count 10000 ({pair} / 47)"
        later(count, clause="BOUND-3", bound="count", form="working", **origin)
        later(f"angle_error ({count} + 1) (u f32) (eta f32) 4097 (3 / 2)", clause="BOUND-3", bound="angle",
              form="working", position=4097, a=1.5, **origin)
    for given, count, product in ((0.1, 1, 1), (0.3125, 0, 1), (0.25, 0, 0)):
        for m in (4097, 2**24 + 1):
            later(f"angle_error {count + product + (m > 2**24)} (u f32) (eta f32) {m} (3 / 2)", clause="BOUND-3",
                  bound="angle", form="working", position=m, a=1.5, given=given)
    for output in ("f64", "f32", "bf16", "f16"):
        working = "f64" if output == "f64" else "f32"
        for origin, count in (({"given": 0.1}, "1"), ({"given": 0.3125}, "0"),
                              ({"base": 10000, "pair": 31, "width": 80}, "working_count 10000 (62 / 80)")):
            for w in (0.1, 2.0**-126):
                later(finished(output, working, w,
                               f"frequency_bound ({count}) (u {working}) (eta {working}) {exact(w)}"),
                      clause="BOUND-3", bound="frequency", profile="f32-angle", format=output, w=w, **origin)
    for y, S, turned, size, D in POINTS:
        numbers = " ".join(exact(number) for number in (S, turned, size, D))
        for f in ("bf16", "f16"):
            later(f"rotation_bound (u {f}) (u {f}) (eta {f}) (eta {f}) {numbers}", clause="BOUND-5",
                  bound="rotation_wide", profile="f32-angle-16", format=f, y=y, S=S, S_turned=turned, size=size, D=D)
    for y, S, turned, size, D in POINTS:
        point = {"y": y, "S": S, "S_turned": turned, "size": size, "D": D}
        numbers = " ".join(exact(number) for number in (S, turned, size, D))
        for output, profile, arithmetic, d, eta in (
                ("f64", "standard", "f64", "(2 * u f64)", "(eta f64)"),
                ("f32", "standard", "f32", "(2 * u f32)", "(eta f32)"),
                ("bf16", "f32-angle", "f32", "(2 * u f32)", "(eta f32)"),
                ("f16", "f32-angle", "f32", "(2 * u f32)", "(eta f32)"),
                ("bf16", "f32-angle-16", "bf16", "(narrow_table_error bf16)", "(eta bf16)"),
                ("f16", "f32-angle-16", "f16", "(narrow_table_error f16)", "(eta f16)")):
            add(finished(output, arithmetic, y,
                         f"rotation_bound (u {arithmetic}) {d} (eta {arithmetic}) {eta} {numbers}"),
                clause="BOUND-5", bound="rotation", profile=profile, format=output, **point)
            add(finished(output, arithmetic, y, f"rotation_bound (u {arithmetic}) 0 (eta {arithmetic}) 0 {numbers}"),
                clause="BOUND-5", bound="rotation_given", profile=profile, format=output, **point)
        for output, working in (("f64", "f64"), ("f32", "f32"), ("bf16", "f32"), ("f16", "f32")):
            for scalings, scale in ((0, 1), (2, 1.5)):
                underflow = f"(({exact(scale)} + 1) * eta {working})" if scalings else f"(eta {working})"
                values = f"{exact(S)} {exact(turned)} {exact(D)}"
                add(finished(output, working, S, f"table_bound {working} {scalings} {underflow} {values}"),
                    clause="BOUND-4", bound="table", format=output, scalings=scalings, scale=scale, **point)
            for scaled in (False, True):
                q, lost = (f"(gamma 2 (u {working}))", f"(eta {working})") if scaled else ("0", "0")
                add(finished(output, working, y, f"add_bound (u {working}) {q} {lost} {values}"),
                    clause="SIN-11", bound="add", format=output, scaled=scaled, **point)
    # SIN-12: two pairs, cosine and sine of their offset, the errors of both rows' angles.
    pairs = ((0.6, 0.8, 2.0**-20, 2.0**-21), (-0.28125, 0.9375, 2.0**-11, 0.0))
    offset = " + ".join(f"moved ({exact(Dm)} + {exact(Dn)}) {exact(c)} {exact(s)}" for c, s, Dm, Dn in pairs)
    for output, profile, arithmetic, working, d, eta in (
            ("f64", "f32-angle", "f64", "f64", "2 * u f64", "eta f64"),
            ("f32", "f32-angle", "f32", "f32", "2 * u f32", "eta f32"),
            ("bf16", "f32-angle-16", "bf16", "f32", "narrow_table_error bf16", "eta bf16"),
            ("f16", "f32-angle-16", "f16", "f32", "narrow_table_error f16", "eta f16")):
        for K in (1, 1.5):
            entry = f"({d})" if K == 1 else f"({d} + gamma 3 (u {working}))"
            em, en = (f"(fun i => if (i =? 0)%nat then pair_error {entry} {exact(pairs[0][k])} "
                      f"else pair_error {entry} {exact(pairs[1][k])})" for k in (2, 3))
            g = f"((1 + gamma 4 (u {arithmetic})) * (1 + gamma 2 (u {working})) - 1)"
            rows = f"(rows_bound {exact(K)} 2 {em} {en} ({eta}))"
            arguments = {"clause": "SIN-12", "profile": profile, "format": output, "scale": K, "value": 0.75,
                         "pairs": [list(pair) for pair in pairs]}
            add(finished(output, arithmetic if output == working else "", 0.75,
                         f"similarity_bound {exact(K)} 2 {entry} (u {arithmetic}) (gamma 3 (u {working})) ({offset}) "
                         f"({eta})"),
                bound="similarity", **arguments)
            add(finished(output, arithmetic if output == working else "", 0.75,
                         f"distance_bound {rows} {exact(0.75)} {g} 2 (eta {arithmetic})"), bound="distance", **arguments)
    for expression, entry in added:
        add(expression, **entry)
    return entries, enclosing("bounds", asked)


FILES = {"rope": rope, "sinusoidal": sinusoidal, "alibi": alibi, "rope_scaling": rope_scaling, "t5_bias": t5_bias,
         "bounds": bounds}
# What an entry's kind is: the sample has one of each.
KIND = {
    "rope": ("operation", "parameters", "output"),
    "sinusoidal": ("clause", "parameters"),
    "alibi": (),
    "rope_scaling": ("parameters", "output"),
    "t5_bias": (),
    "bounds": ("bound", "format", "form"),
}


def path(vectors, name):
    return vectors / f"certified_{name}.json"


def write(build, vectors):
    formal.need("certified")
    for name, questions in FILES.items():
        note = {"source": "computed by Coq from spec/theories; spec/theories/tools/certified_numbers.py write"}
        if name == "t5_bias":
            note["layout"] = LAYOUT
        asked, compute = questions()
        entries = [question | answer for question, answer in
                   zip(asked, compute(build, range(len(asked))), strict=True)]
        lines = ",\n".join("  " + json.dumps(entry) for entry in entries)
        path(vectors, name).write_text(f'{json.dumps(note)[:-1]}, "numbers": [\n{lines}\n]}}\n')
        print(path(vectors, name).name, flush=True)
    return []


def read(vectors, name):
    return json.loads(path(vectors, name).read_text())


def plain(entry):
    """As it is read from a file."""
    return json.loads(json.dumps(entry))


def other_questions(vectors):
    """Where a file asks something else than this program would; needs no Coq."""
    problems = []
    for name, questions in FILES.items():
        ours = [plain(question) for question in questions()[0]]
        theirs = [{key: value for key, value in entry.items() if key not in ANSWERS}
                  for entry in read(vectors, name)["numbers"]]
        if len(ours) != len(theirs):
            problems.append(f"{path(vectors, name).name} has {len(theirs)} entries, not {len(ours)}")
        problems += [f"{path(vectors, name).name}, entry {i}: asks {their}, not {our}"
                     for i, (our, their) in enumerate(zip(ours, theirs)) if our != their]
    return problems


def kind(name, question):
    words = {key: question.get(key) for key in KIND[name]}
    # What a file mixes that no parameter tells apart.
    if name != "bounds":
        words["asks"] = sorted(question)
    if name == "sinusoidal":
        words["cosine"] = question["index"][1] % 2
    return json.dumps(words, sort_keys=True)


def chosen(name, questions, start):
    """The indices of the sample: of every kind the one at `start`, around again behind the last."""
    kinds = {}
    for i, question in enumerate(questions):
        kinds.setdefault(kind(name, question), []).append(i)
    return sorted(group[start % len(group)] for group in kinds.values())


def sample(build, vectors, start):
    formal.need("certified")
    print(f"start {start}: --start {start} repeats this sample")
    problems = other_questions(vectors)
    for name, questions in FILES.items():
        written = read(vectors, name)["numbers"]
        asked, compute = questions()
        indices = chosen(name, asked, start)
        again = [plain(asked[i] | answer) for i, answer in zip(indices, compute(build, indices), strict=True)]
        print(f"{len(again)} of the {len(written)} entries of {path(vectors, name).name} computed again, one of every kind")
        problems += [f"{path(vectors, name).name}, entry {i}, has not, but Coq computes: {json.dumps(entry)}"
                     for i, entry in zip(indices, again) if i >= len(written) or written[i] != entry]
        if not again:
            problems.append(f"{name}: nothing was computed")
    return problems


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    for step in (write, sample):
        sub = steps.add_parser(step.__name__)
        sub.add_argument("build", type=pathlib.Path)
        sub.add_argument("vectors", type=pathlib.Path)
        if step is sample:
            sub.add_argument("--start", type=int, default=datetime.date.today().toordinal())
        sub.set_defaults(run=step)
    given = vars(parser.parse_args(words))
    step = given.pop("run")
    given.pop("step")
    try:
        problems = step(**{name: value.resolve() if isinstance(value, pathlib.Path) else value
                           for name, value in given.items()})
    except formal.Skipped as reason:
        return formal.skipped(reason)
    print("\n".join(problems) or "no difference")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
