#!/usr/bin/env python3
"""Compiles and audits the theories. Steps, each a test of its own:

    formal.py prove   SOURCE BUILD GROUP    compile a copy of SOURCE in BUILD, with ninja
    formal.py axioms  SOURCE BUILD GROUP    all theorems together rest on the axioms of the list alone
    formal.py holes   SOURCE                no Admitted, admit, Axiom, .. in any text
    formal.py kernel  BUILD GROUP           coqchk re-checks the compiled modules
    formal.py clauses SPEC BUILD [--out F]  every named theorem cites a clause that exists
    formal.py constants SOURCE ROOT         polynomials, radii and limits in ROOT/optimized, formats in ROOT/spec are
                                            those of the theorems

GROUP is a folder with its own axioms.txt: `theories` (SOURCE/*.v: Coq's standard library alone), `numeric`
(Flocq too), `certified` (Interval and Gappa too: they compute with machine integers and floats).

A theorem that carries a clause is named FAMILY_NUMBER_words: ROPE_14_composition is a theorem of ROPE-14.
Names are read from what Coq wrote (.glob), never from the text. Exit 0 good, 1 a fault, 77 skipped: Coq
or a library is not installed; with GNOMON_REQUIRE_FORMAL=1 that is a fault too.
"""
import argparse
import fractions
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
LIBRARIES = {"theories": [], "numeric": ["Flocq"], "certified": ["Flocq", "Interval", "Gappa"]}
FOLDER = {"theories": "", "numeric": "numeric", "certified": "certified"}
THEOREM = re.compile(r"^(?:prf|thm|lem|ex) \d+:\d+ (\S+) (\S+)$", re.M)  # the modules inside the file, or <>; the name
CLAUSE = re.compile(r"^([A-Z][A-Z0-9]*)_(\d+)_\w+$")
DEFINED = re.compile(r"^(?:#{2,4} (?:\*\*)?|\*\*)([A-Z][A-Z0-9]*)-(\d+)\.", re.M)
# What assumes something, or hides what does, wherever it stands: a module inside of a file gives a second theorem of a
# name that exists, and a functor's hypotheses are no axioms. Variables and hypotheses assume outside of a section alone.
HOLE = re.compile(r"\b(Admitted|[Aa]dmit|give_up|Axioms?|Parameters?|Conjectures?|Abort|bypass_check|Primitive|"
                  r"Module|Declare|Load|LoadPath|Include|(?:Set|Unset)\s+Warnings|warnings|"
                  r"(?:Unset|Set)\s+(?:Guard|Positivity|Universe)\s+Checking|Type\s+In\s+Type)\b")
LOCAL = re.compile(r"^\s*(Variables?|Hypothes[ie]s|Context)\b", re.M)


# What, the theory and where it is written there, the kernel and where it is written there: exponents of two, but
# for the slack.
LITERALS = [
    ("smallest product of sine and cosine (ROUND-4)",
     "numeric/RoundingTest.v", r"Theorem ROUND_4_large\b[^.]*?>= bpow radix2 \((-\d+)\)",
     "cos_sin-inl.h", r"small = hn::Lt\(size_, hn::Set\(F32\(\), 0x1p(-\d+)f\)\)"),
    ("smallest end of an exact rotation (ROUND-8)",
     "certified/ExactRotation.v", r"Theorem ROUND_8_rotation\b.*?bpow radix2 \((-\d+)\) <= Rabs \(low_end y r\)",
     "rope_tokens.cc", r"size >= 0x1p(-\d+)f && "),
    ("largest tiny angle (ROUND-6)",
     "certified/TinyAngles.v", r"Theorem ROUND_6_scaled\b.*?<= powerRZ 2 \((-\d+)\) ->",
     "turns.cc", r"BitLength\(high\) \+ scaled\.exponent <= (-\d+)\)"),
    ("what a tiny sine loses (ROUND-6)",
     "certified/TinyAngles.v", r"Theorem ROUND_6_scaled\b.*?\(1 - powerRZ 2 \(-(\d+)\)\) <= Rabs",
     "turns.cc", r"low -= \(low >> (\d+)\) \+ 1;"),
    ("slack of the scaled frequency (ROUND-6)",
     "certified/TinyAngles.v", r"Definition k_scaled_slack : R := (\d+)\.",
     "turns.cc", r"const uint128_t high = m \* \(scaled\.significand \+ (\d+)\);"),
    ("error of fixed point (ROUND-5)",
     "certified/FixedPoint.v",
     r"Theorem ROUND_5_fixed_point\b[^.]*?Rabs \(C - cos x\) <= \(2 \* Rabs m \+ 2 \^ (\d+)\) \* U",
     "turns.cc", r"2 \* m \+ \(static_cast<uint128_t>\(1\) << (\d+)\);"),
]


class Skipped(Exception):
    pass


def skipped(reason):
    """The exit code where something is not installed. With GNOMON_REQUIRE_FORMAL=1, as .ci/run sets it, a failure."""
    if os.environ.get("GNOMON_REQUIRE_FORMAL") == "1":
        print(f"required (GNOMON_REQUIRE_FORMAL=1), but {reason}")
        return 1
    print(f"skipped: {reason}")
    return SKIPPED


def need(group):
    """Raises Skipped where Coq or a library of the group is not installed."""
    for program in ("coqc", "coqdep", "coqchk") + (("gappa",) if "Gappa" in LIBRARIES[group] else ()):
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed (ci/setup --formal)")
    where = pathlib.Path(run(["coqc", "-where"]).stdout.strip())
    for library in LIBRARIES[group]:
        if not (where / "user-contrib" / library).is_dir():
            raise Skipped(f"Coq's library {library} is not installed (ci/setup --formal)")


def run(command, **options):
    return subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)


def texts(root, group):
    return sorted((root / FOLDER[group]).glob("*.v"))


def module(root, file):
    return ".".join(["Gnomon", *file.relative_to(root).with_suffix("").parts])


def synchronise(source, build):
    """Make build's .v files those of source; a file that is unchanged keeps its time."""
    wanted = {file.relative_to(source): file for group in FOLDER for file in texts(source, group)}
    for stale in [file for group in FOLDER for file in texts(build, group)]:
        if stale.relative_to(build) not in wanted:
            for product in stale.parent.glob(stale.stem + ".*"):
                product.unlink()
    for name, file in wanted.items():
        copy = build / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_bytes() != file.read_bytes():
            copy.write_bytes(file.read_bytes())


def prove(source, build, group):
    need(group)
    synchronise(source, build)
    if not texts(build, group):
        return ["no theory was found: nothing was proved"]
    files = [file.relative_to(build) for any_group in FOLDER for file in texts(build, any_group)]
    depends = run(["coqdep", "-Q", ".", "Gnomon", *files], cwd=build)
    rules = ["rule coqc", "  command = coqc -q -w +default -Q . Gnomon $in", "  description = $in"]
    for targets, needed in re.findall(r"^(\S+\.vo) [^:\n]*: (.*)$", depends.stdout, re.M):
        first, *rest = needed.split()
        glob = targets.removesuffix("vo") + "glob"
        rules.append(f"build {targets} | {glob}: coqc {first} | {' '.join(rest)}")
    (build / "build.ninja").write_text("\n".join(rules) + "\n")
    goals = [file.relative_to(build).with_suffix(".vo") for file in texts(build, group)]
    done = run(["ninja", "-j", os.cpu_count() or 1, "-C", build, *goals])
    if done.returncode:
        return [done.stdout + "does not compile"]
    print(f"{len(goals)} theories of {group} compile")
    return []


def written(build, group):
    """[(module, what is inside of it, name)], lemmas included, in the order of the files."""
    found = []
    for file in texts(build, group):
        glob = file.with_suffix(".glob")
        text = glob.read_text() if glob.exists() else ""
        found += [(module(build, file), inside, name) for inside, name in THEOREM.findall(text)]
    return found


def theorems(build, group):
    """[(module, name)], as `written`."""
    return [(m, name) for m, _, name in written(build, group)]


def ambiguous(build, groups):
    """What is wrong with names: those inside of a module, and those of clauses that stand twice, are not one theorem."""
    found = [entry for group in groups for entry in written(build, group)]
    problems = [f"{m}.{name}: inside of {inside}; no check sees what that assumes"
                for m, inside, name in found if inside != "<>"]
    places = {}
    for m, _, name in found:
        places.setdefault(name if CLAUSE.match(name) else f"{m}.{name}", []).append(m)
    return problems + [f"{name}: stands {len(where)} times: {', '.join(where)}"
                       for name, where in places.items() if len(where) > 1]


def allowed(source, group):
    """The names in the group's axioms.txt."""
    listed = (source / FOLDER[group] / "axioms.txt").read_text().splitlines()
    return {line.split()[0] for line in listed if line.strip() and not line.startswith("#")}


def axioms(source, build, group):
    need(group)
    names = theorems(build, group)
    if not names:
        return ["no theorem was found: nothing was audited"]
    if unclear := ambiguous(build, [group]):
        return unclear
    permitted = allowed(source, group)
    audit = build / "audit" / f"audit_{group}.v"  # no theory: outside of the folders that hold them
    audit.parent.mkdir(exist_ok=True)
    requires = dict.fromkeys(f"Require {m}.\n" for m, _ in names)
    together = ",\n".join(f"@{m}.{name}" for m, name in names)
    audit.write_text("".join(requires) + f"Definition all := (\n{together}).\nPrint Assumptions all.\n")
    done = run(["coqc", "-q", "-Q", build, "Gnomon", audit])
    if done.returncode:
        return [done.stdout]
    # One a line, its type behind a colon or indented below.
    found = set(re.findall(r"^([^\s:]+)", done.stdout, re.M)) - {"Axioms", "Closed"}
    for axiom in sorted(found & permitted):
        print("rests on", axiom)
    named = sum(bool(CLAUSE.match(name)) for _, name in names)
    print(f"{len(names)} theorems and lemmas of {group}, {named} of them named by a clause")
    return ([f"rests on {axiom}, which axioms.txt does not allow" for axiom in sorted(found - permitted)] +
            [f"axioms.txt allows {axiom}, on which nothing rests" for axiom in sorted(permitted - found)])


def without_comments(text):
    """The same text with comments and strings blanked, lines kept. A string may hold what opens or closes a comment, and
    a comment a string that does, as Coq reads them."""
    kept, depth, i = [], 0, 0
    while i < len(text):
        two = text[i:i + 2]
        if text[i] == '"':
            end = text.find('"', i + 1)
            end = len(text) if end < 0 else end + 1
            kept.append(re.sub(r"[^\n]", " ", text[i:end]))
            i = end
        elif two == "(*":
            depth, i = depth + 1, i + 2
        elif two == "*)" and depth:
            depth, i = depth - 1, i + 2
        else:
            kept.append(text[i] if not depth or text[i] == "\n" else " ")
            i += 1
    return "".join(kept)


def elsewhere(source):
    """Theories in a folder that no group names: nothing would compile or read them."""
    known = {file for group in FOLDER for file in texts(source, group)}
    return [f"{file.relative_to(source)}: in a folder that no group names, so nothing checks it"
            for file in sorted(source.rglob("*.v")) if file not in known]


def holes(source):
    problems, count = elsewhere(source), 0
    for file in [file for group in FOLDER for file in texts(source, group)]:
        count += 1
        text = without_comments(file.read_text())
        outside = text  # blank what lies between Section .. and its End
        while True:
            shorter = re.sub(r"\bSection\s+(\w+)\s*\.((?!\bSection\b).)*?\bEnd\s+\1\s*\.",
                             lambda match: re.sub(r"[^\n]", " ", match[0]), outside, flags=re.S)
            if shorter == outside:
                break
            outside = shorter
        for where, pattern in ((text, HOLE), (outside, LOCAL)):
            for match in pattern.finditer(where):
                line = where.count("\n", 0, match.start(1)) + 1
                problems.append(f"{file.relative_to(source)}:{line}: {match[1]}")
    if not count:
        problems.append("no theory was found: nothing was checked")
    else:
        print(f"{count} theories read")
    return problems


def kernel(build, group):
    need(group)
    modules = [module(build, file) for file in texts(build, group)]
    if not modules:
        return ["no theory was found: nothing was checked"]
    ours = [word for m in modules for word in ("-norec", m)]
    done = run(["coqchk", "-silent", "-o", "-Q", build, "Gnomon", *ours])
    if done.returncode or "CONTEXT SUMMARY" not in done.stdout:
        return [done.stdout, "coqchk refuses"]
    summary = done.stdout[done.stdout.index("CONTEXT SUMMARY"):]
    parts = dict(re.findall(r"^\* ([^:\n]+):\s*(.*?)(?=^\* |\Z)", summary, re.M | re.S))
    print(f"coqchk re-checked {len(modules)} modules: {', '.join(modules)}")
    problems = [f"assumed by our own modules: {name}"
                for name in re.findall(r"\S*\bGnomon\.\S+", parts.pop("Axioms", ""))]
    problems += [f"{part}: {text.strip()}" for part, text in parts.items()
                 if "Gnomon." in text]
    return problems


def clauses(spec, build, out=None):
    """Every theorem named by a clause names one that a page of spec/ defines."""
    if out:
        out.unlink(missing_ok=True)  # whoever reads it must not take an older one
    for group in FOLDER:
        need(group)
    defined = {f"{family}-{number}" for page in spec.glob("*.md")
               for family, number in DEFINED.findall(page.read_text())}
    table, problems = {}, ambiguous(build, FOLDER)
    for group in FOLDER:
        for m, name in theorems(build, group):
            if match := CLAUSE.match(name):
                clause = f"{match[1]}-{match[2]}"
                table.setdefault(clause, []).append(f"{m}.{name}")
                if clause not in defined:
                    problems.append(f"{m}.{name}: there is no clause {clause}")
    if not table:
        problems.append("no theorem was found: nothing was compared")
    if out:
        out.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n")
    print(f"{sum(map(len, table.values()))} theorems of {len(table)} clauses")
    return problems


def constants(source, root):
    """Numbers that C++ and Coq both write down, one by one: polynomials, the test's radii, the formats."""
    problems, compared = [], 0

    def theory(name):
        return without_comments((source / name).read_text())

    # s0 .. and c1 .. of certified/Polynomials.v are kSine and kCosine.
    tables = (root / "optimized" / "cos_sin-inl.h").read_text()
    proved = {name: (-1 if sign else 1) * fractions.Fraction(int(significand), 2 ** int(exponent))
              for name, sign, significand, exponent in re.findall(
                  r"Definition ([sc]\d+) := \((- )?\(?(\d+)\)? \* powerRZ 2 \(-(\d+)\)\)\.",
                  theory("certified/Polynomials.v"))}
    for array, letter, first in (("kSine", "s", 0), ("kCosine", "c", 1)):
        text = re.search(rf"\b{array}\[\]\s*=\s*\{{([^}}]*)\}}", tables)
        words = re.findall(r"[^\s,]+", text[1]) if text else []
        numbers = [fractions.Fraction(float.fromhex(word)) for word in words]
        names = [f"{letter}{k}" for k in range(first, first + len(numbers))]
        compared += len(numbers)
        problems += [f"{array}: {name} is another number than in Polynomials.v"
                     for name, number in zip(names, numbers) if proved.get(name) != number]
        if not numbers or len(numbers) != sum(name[0] == letter for name in proved):
            problems.append(f"{array} has {len(numbers)} coefficients, not those of Polynomials.v")

    # The kernels' constants that the theorems name: k_direct_relative is kDirectRelative.
    named = {}
    for name in ("certified/TableValues.v", "certified/ExactRotation.v", "numeric/RoundingTest.v"):
        named |= {word: int(factor) * fractions.Fraction(2) ** int(exponent) for word, factor, exponent in re.findall(
            r"Definition (k_\w+) : R := (\d+) \* powerRZ 2 \((-\d+)\)\.", theory(name))}
        named |= {word: fractions.Fraction(2 ** int(exponent)) for word, exponent in re.findall(
            r"Definition (k_\w+) : Z := 2 \^ (\d+)\.", theory(name))}
    code = "".join((root / "optimized" / name).read_text()
                   for name in ("tables.h", "tables.cc", "cos_sin-inl.h", "rotate_exact.cc"))
    for name, number in named.items():
        camel = "k" + "".join(word.capitalize() for word in name.split("_")[1:])
        found = re.search(rf"\b{camel} = (?:(?:(\d+) \* )?(0x1p-\d+)|uint32_t\{{1\}} << (\d+))(?![\w.])", code)
        if not found:
            ours = None
        elif found[3]:
            ours = fractions.Fraction(2 ** int(found[3]))
        else:
            ours = int(found[1] or 1) * fractions.Fraction(float.fromhex(found[2]))
        compared += 1
        if ours != number:
            problems.append(f"{camel} is {ours}, and {name} of the theorems {number}")
    if len(named) != 6:
        problems.append(f"the theories name {len(named)} constants of the kernels, not 6")

    # Numbers that stand in a line of a kernel and in the statement of a theorem.
    for what, file, written, kernel, coded in LITERALS:
        ours = re.findall(coded, (root / "optimized" / kernel).read_text())
        theirs = re.findall(written, theory(file), re.S)
        compared += 1
        if len(ours) != 1 or len(theirs) != 1:
            problems.append(f"{what}: stands {len(ours)} times in {kernel}, {len(theirs)} times in {file}, not once")
        elif ours != theirs:
            problems.append(f"{what}: {kernel} has {ours[0]}, {file} {theirs[0]}")

    # The terms of the two series, and their coefficients 1 / (2k)! and 1 / (2k + 1)!.
    terms = re.findall(r"\bkTerms = (\d+);", (root / "optimized" / "turns.cc").read_text())
    compared += 1
    for name, first in (("cosines", 0), ("sines", 1)):
        found = re.findall(rf"Definition {name} : list R :=\s*\[([^\]]*)\]\.", theory("certified/FixedPoint.v"))
        numbers = [word.strip().removeprefix("/").strip() for word in found[0].split(";")] if found else []
        if numbers != [str(math.factorial(2 * k + first)) for k in range(len(numbers))] or [str(len(numbers))] != terms:
            problems.append(f"kTerms {terms}: {name} of FixedPoint.v has {len(numbers)} terms, or others")

    # The formats of numeric/Rounding.v are kFormats: precision and smallest exponent.
    formats = {name: (int(p), int(q)) for name, p, q in re.findall(
        r"Definition (\w+) := Format (\d+) \((-\d+)\) eq_refl\.", theory("numeric/Rounding.v"))}
    traits = {name: (int(p), int(q)) for name, p, q in re.findall(
        r'\{"(\w+)", \d+, (\d+), \d+, (-\d+)\}', (root / "spec" / "format.h").read_text())}
    compared += len(formats)
    if formats != traits or len(formats) != 4:
        problems.append(f"kFormats {traits} are not the formats of Rounding.v {formats}")
    print(f"{compared} constants compared")
    return problems


def main(words):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    takes = {prove: "source build group", axioms: "source build group", holes: "source",
             kernel: "build group", clauses: "spec build", constants: "source root"}
    for step, arguments in takes.items():
        sub = steps.add_parser(step.__name__)
        for name in arguments.split():
            if name == "group":
                sub.add_argument(name, choices=list(FOLDER))
            else:
                sub.add_argument(name, type=pathlib.Path)
        if step is clauses:
            sub.add_argument("--out", type=pathlib.Path)
        sub.set_defaults(run=step)
    given = vars(parser.parse_args(words))
    step = given.pop("run")
    given.pop("step")
    try:
        problems = step(**{name: value.resolve() if isinstance(value, pathlib.Path) else value
                           for name, value in given.items()})
    except Skipped as reason:
        return skipped(reason)
    print("\n".join(problems) or "no fault")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
