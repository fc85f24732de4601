#!/usr/bin/env python3
"""The certified numbers, against arithmetic that knows nothing of Coq; and every file's questions and widths.

    numbers_check.py VECTORS

Buckets by the integers of T5-2, slopes by Press's recursion and exact 16th powers, scaled frequencies by the
published code in decimals of 60 digits, and what others print. Every enclosure is as narrow as the precision with
which it was asked for guarantees. Exit 1 on a difference.
"""
import decimal
import hashlib
import json
import pathlib
import sys
from fractions import Fraction

import certified_numbers

DIGITS = 60
# Fewer than 1000 operations on numbers of at most 10^6, each within half a unit of the last of 60 digits.
SLACK = Fraction(1000 * 10**6, 10**DIGITS)
decimal.getcontext().prec = DIGITS
D = decimal.Decimal

# Hugging Face, tests/utils/test_modeling_rope_utils.py (rope_theta 10000); Meta's Llama 3.1; magnitudes, DeepSeek's factor
# on the scores and Llama 4's temperatures that binary64 printed, 15 digits of them: what is asked, index, digits.
PRINTED = [
    *[(("default", 10000, 1), i, text) for i, text in ((1, "8.6596e-01"), (63, "1.1548e-04"))],
    *[(("yarn", 10000, 10), i, text) for i, text in
      ((16, "1.0000e-01"), (17, "8.3479e-02"), (18, "6.9590e-02"), (19, "5.7925e-02"), (40, "4.3007e-04"),
       (41, "2.7384e-04"))],
    *[(("llama3", 10000, 10), i, text) for i, text in
      ((31, "1.0730e-02"), (32, "7.7785e-03"), (33, "5.6009e-03"), (34, "3.9991e-03"), (35, "2.8248e-03"),
       (36, "1.9675e-03"), (37, "1.3449e-03"), (38, "8.9549e-04"), (39, "5.7363e-04"), (40, "3.4539e-04"),
       (41, "2.7384e-04"))],
    *[(("dynamic", 10000, 10), i, text) for i, text in
      ((1, "8.0931e-01"), (2, "6.5498e-01"), (3, "5.3008e-01"), (63, "1.6265e-06"))],
    *[(("llama3", 500000, 8), i, text) for i, text in
      ((28, "3.211446e-03"), (29, "2.166571e-03"), (30, "1.371894e-03"), (31, "8.567514e-04"),
       (32, "5.248462e-04"), (33, "3.126938e-04"), (34, "1.785078e-04"), (35, "9.556212e-05"))],
    (("yarn", None, 2), None, "1.06931471805599"), (("yarn", None, 10), None, "1.23025850929940"),
    (("longrope", None, 2), None, "1.04446593573419"), (("longrope", None, 10), None, "1.14104928165771"),
    (("longrope", None, 20), None, "1.18021292743330"), (("longrope", None, 32), None, "1.19023807142381"),
    (("softmax", "1", 40), None, "1.87385420709263"), (("split", "1", 40), None, "1.87385420709263"),
    (("softmax", "0.707", 40), None, "1.58962616512087"), (("split", "0.707", 40), None, "1.58962616512087"),
    *[(("temperature",), p, text) for p, text in
      ((8190, "1.00000000000000"), (8191, "1.06931471805599"), (16383, "1.10986122886681"),
       (131071, "1.28332133440562"))],
]


def value(text):
    digits, exponent = text.split("p")
    return int(digits, 16) * Fraction(2) ** int(exponent)


def compute_pi():
    """Machin: 16 atan(1/5) - 4 atan(1/239)."""
    def atan_inverse(n):
        total, k, power = D(0), 0, D(1) / n
        while power:
            term = power / (2 * k + 1)
            if abs(term) < D(10) ** -(DIGITS + 5):
                return total
            total, k, power = total + (-term if k % 2 else term), k + 1, power / (n * n)
    return 16 * atan_inverse(5) - 4 * atan_inverse(239)


PI = compute_pi()


# T5

def one_side(side, distance, reach):
    """Buckets of the distances 0 .. reach, by T5-2."""
    exact = side // 2
    count = side - exact
    buckets, k = list(range(exact)), 0
    for x in range(exact, reach + 1):
        power = x**count
        while k + 1 < count and exact ** (count - k - 1) * distance ** (k + 1) <= power:
            k += 1
        buckets.append(exact + k)
    return buckets


def check_t5_bias(numbers):
    problems, tables, compared = [], {}, 0
    for entry in numbers:
        if "sha256" not in entry:
            side, exact = entry["buckets_a_side"], entry["buckets_a_side"] // 2
            one = one_side(side, entry["max_distance"], 520)  # where a bucket is empty, two begin together
            if entry["starts"] != [next(x for x, found in enumerate(one) if found >= bucket)
                                   for bucket in range(exact + 1, side)]:
                problems.append(f"T5-2: {side} buckets a side, {entry['max_distance']}: other boundaries")
            compared += 1
            continue
        both, count = entry["bidirectional"], entry["num_buckets"]
        side = count // 2 if both else count
        digest = hashlib.sha256()
        for distance in range(side // 2 + 1, 513):
            if (side, distance) not in tables:
                tables[side, distance] = one_side(side, distance, 520)
            one = tables[side, distance]
            digest.update(bytes((side + one[rel] if rel > 0 else one[-rel]) if both else one[max(-rel, 0)]
                                for rel in range(-520, 521)))
        if digest.hexdigest() != entry["sha256"]:
            problems.append(f"T5-3: {count} buckets, bidirectional {both}: another digest")
        compared += 1
    asked = {(e["bidirectional"], e["num_buckets"]) for e in numbers if "sha256" in e}
    if asked != {(both, n) for both in (True, False) for n in range(4 if both else 2, 65)}:
        problems.append("T5-3: not every num_buckets up to 64 is there")
    return problems, compared


# ALiBi

def press(heads):
    """Exponents of 1/2, as Press's code takes them."""
    def of_power(n):
        return [Fraction(8 * h, n) for h in range(1, n + 1)]
    below = 1 << (heads.bit_length() - 1)
    return of_power(below) + of_power(2 * below)[0::2][:heads - below]


def check_alibi(numbers):
    problems, heads, powers = [], set(), set()
    for entry in numbers:
        if "num_heads" in entry:
            heads.add(entry["num_heads"])
            if [Fraction(j, 16) for j in entry["sixteenths"]] != press(entry["num_heads"]):
                problems.append(f"ALIBI-1: {entry['num_heads']} heads: other slopes")
        else:
            powers.add(entry["power"])
            if not value(entry["low"]) ** 16 <= Fraction(1, 2 ** entry["power"]) <= value(entry["high"]) ** 16:
                problems.append(f"ALIBI-1: 2^(-{entry['power']}/16) is not enclosed")
    if heads != set(range(1, 129)) or powers != set(range(1, 129)):
        problems.append("ALIBI-1: not every head count up to 128 is there")
    return problems, len(numbers)


# Context extension, after the published code

def kept_by_index(width, base, length, fast, slow, truncate=True):
    """1 - ramp of every pair."""
    low, high = (width * (length / (D(turns) * 2 * PI)).ln() / (2 * base.ln()) for turns in (fast, slow))
    if truncate:
        low, high = low.to_integral_value(decimal.ROUND_FLOOR), high.to_integral_value(decimal.ROUND_CEILING)
    low, high = max(low, D(0)), min(high, D(width - 1))
    return [1 - min(max((i - low) / (high - low), D(0)), D(1)) for i in range(width // 2)]


def dynamic_length(length, calls):
    """As transformers' update, call by call."""
    cached = length
    for n in calls:
        if n > cached:
            cached = n
        elif n < length < cached:
            cached = length
    return cached


def frequencies(p):
    """Every pair's frequency."""
    kind, factor, base, width = p["rope_type"], D(p.get("factor", 1)), D(p["rope_theta"]), p["head_dim"]
    length = D(p.get("original_max_position_embeddings", 0))
    plain = [1 / base ** (D(2 * i) / width) for i in range(width // 2)]
    if kind == "default":
        return plain
    if kind == "linear":
        return [w / factor for w in plain]
    if kind == "proportional":
        rotated = int(width * p["partial_rotary_factor"]) // 2
        return [w / factor if i < rotated else D(0) for i, w in enumerate(plain)]
    if kind == "longrope":
        return [w / D(f) for w, f in zip(plain, p["long_factor" if p["seq_len"] > length else "short_factor"])]
    if kind == "yarn" and p.get("ramp") != "rotations":
        kept = kept_by_index(width, base, length, 32, 1, p.get("truncate", True))
    elif kind == "yarn":
        kept = [min(max((length * w / (2 * PI) - 1) / (32 - 1), D(0)), D(1)) for w in plain]
    if kind == "yarn":
        return [w / factor * (1 - keep) + w * keep for w, keep in zip(plain, kept)]
    if kind == "llama3":
        return [llama3(w, length, factor) for w in plain]
    if kind == "dynamic":
        n = dynamic_length(length, [*p.get("earlier_seq_lens", []), p["seq_len"]])
        factor = factor * D(n) / length - (factor - 1)
    raised = base * factor ** (D(width) / (width - 2))
    raised = [1 / raised ** (D(2 * i) / width) for i in range(width // 2)]
    if kind != "ntk_by_parts":
        return raised
    first, second = (kept_by_index(width, base, length, *turns) for turns in (("1.25", "0.75"), (16, 2)))
    return [(w / factor * (1 - a) + x * a) * (1 - b) + w * b for w, x, a, b in zip(plain, raised, first, second)]


def llama3(w, length, factor):
    """Factors 1 and 4."""
    wavelength = 2 * PI / w
    smooth = (length / wavelength - 1) / (4 - 1)
    return (w / factor if wavelength > length else w if wavelength < length / 4
            else (1 - smooth) * w / factor + smooth * w)


def magnitudes(p):
    """What multiplies the tables, and the scores."""
    factor = D(p["factor"])
    if p["rope_type"] == "longrope":
        return {"magnitude": (1 + factor.ln() / D(p["original_max_position_embeddings"]).ln()).sqrt()}

    def part(mscale):
        return D("0.1") * D(mscale) * factor.ln() + 1 if factor > 1 else D(1)
    mscale, all_dim = p.get("mscale"), p.get("mscale_all_dim")
    if p.get("mscale_rule") == "each":
        table = part(mscale or 1) / part(all_dim or 0)
    else:
        table = part(mscale) / part(all_dim) if mscale and all_dim else part(1)
    placement = p.get("magnitude_placement")
    return {"magnitude": D(1) if placement == "softmax" else table,
            "softmax_factor": part(mscale or 1) ** 2 if placement == "softmax" else
                              part(all_dim or 0) ** 2 if placement == "split" else D(1)}


def check_rope_scaling(numbers):
    problems, known, found = [], {}, {}
    for entry in numbers:
        p, low, high = entry["parameters"], value(entry["low"]), value(entry["high"])
        key = json.dumps(p, sort_keys=True)
        index = (entry["index"] or [None])[0]
        if entry["output"] == "w":
            known[key] = known.get(key) or frequencies(p)
            ours, name = known[key][index], (p["rope_type"], p.get("rope_theta"), p.get("factor", 1))
        elif entry["output"] == "temperature":
            index = entry["positions"][0]
            ours, name = 1 + D(p["attn_scale"]) * D(1 + (index + 1) // 8192).ln(), ("temperature",)
        else:
            ours = magnitudes(p)[entry["output"]]
            name = ((p["magnitude_placement"], p.get("mscale"), p["factor"]) if entry["output"] == "softmax_factor"
                    else (p["rope_type"], None, p["factor"]) if "magnitude_placement" not in p else None)
        ours = Fraction(ours)
        if not low - SLACK <= ours <= high + SLACK or high - low > Fraction(1, 2**100):
            problems.append(f"{entry['clause']}: {p} {index}: {float(ours)} is not enclosed")
        if not {"ramp", "earlier_seq_lens"} & p.keys():
            found.setdefault(name, {})[index] = low
    for name, index, text in PRINTED:
        half = Fraction(10) ** D(text).as_tuple().exponent / 2  # of the last printed place
        if abs(found.get(name, {}).get(index, Fraction(-1)) - Fraction(text)) > half + Fraction(1, 2**100):
            problems.append(f"SCALE: {name} {index}: others print {text}")
    return problems, len(numbers) + len(PRINTED)


# Enclosures are asked for with 140 bits (certified/Numbers.v). A cosine at position 2^31 loses 31 of them to the size of
# its angle and few to its operations; a bound or a frequency, of fewer than 1000 operations on numbers of one sign or
# of at most 10^6, loses less than 2^20.
NARROW = {"rope": 100, "sinusoidal": 100, "alibi": 120, "rope_scaling": 120, "bounds": 120}


def check_widths(name, numbers):
    """Every enclosure holds at least one number, and relative to its size is narrower than 2^-NARROW."""
    problems, compared = [], 0
    for i, entry in enumerate(numbers):
        if "low" not in entry:
            continue
        compared += 1
        low, high = value(entry["low"]), value(entry["high"])
        if low > high or high - low > max(abs(low), abs(high)) / 2 ** NARROW[name]:
            problems.append(f"{entry['clause']}: entry {i} of certified_{name}.json is wider than 2^-{NARROW[name]} of "
                            f"its size: {entry['low']}, {entry['high']}")
    return problems, compared


# Bounds: what the formats and BOUND-2 alone decide; the others are compared with spec/*.h (certified_bounds_test.cc).
FORMATS = {"f64": (53, -1074), "f32": (24, -149), "bf16": (8, -133), "f16": (11, -24)}


def check_bounds(numbers):
    problems, compared = [], 0
    for entry in numbers:
        if entry["bound"] not in ("u", "eta", "gamma"):
            continue
        precision, smallest = FORMATS[entry["format"]]
        u = Fraction(1, 2**precision)
        n = Fraction(entry.get("n", 0))
        ours = {"u": u, "eta": Fraction(2) ** smallest / 2, "gamma": n * u / (1 - n * u)}[entry["bound"]]
        compared += 1
        if not value(entry["low"]) <= ours <= value(entry["high"]):
            problems.append(f"{entry['clause']}: {entry['bound']} of {entry['format']}, {entry.get('n')}: not enclosed")
    return problems, compared


def check(vectors):
    problems = certified_numbers.other_questions(vectors)
    for name in NARROW:
        found, compared = check_widths(name, json.loads((vectors / f"certified_{name}.json").read_text())["numbers"])
        problems += found if compared else [f"{name}: no enclosure was found"]
    for name, compare in (("t5_bias", check_t5_bias), ("alibi", check_alibi), ("rope_scaling", check_rope_scaling),
                          ("bounds", check_bounds)):
        numbers = json.loads((vectors / f"certified_{name}.json").read_text())["numbers"]
        found, compared = compare(numbers)
        problems += found if compared else [f"{name}: nothing was compared"]
        print(f"{compared} entries of certified_{name}.json compared")
    return problems


if __name__ == "__main__":
    faults = check(pathlib.Path(sys.argv[1]))
    print("\n".join(faults) or "no difference")
    sys.exit(1 if faults else 0)
