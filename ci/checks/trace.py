#!/usr/bin/env python3
"""Builds the table clause x {reference, kernel, property, vector} from the sources, and the column theorem.

Usage: trace.py [ROOT] [--theorems FILE] [--out FILE]. A clause is a paragraph or heading of spec/*.md that opens with a
bold id: "**ROPE-4. Title.**", "## **BOUND-1. Title.**" or "## BOUND-1. Title". A column holds the files that cite the id. What
nothing cites must be waived in spec/waivers.txt:

    # clause(s)     column(s)       reason
    ROPE-13..20     kernel,vector   an identity between several runs: it has no output of its own
    ALIBI-1..3      all             contract only: the scheme is not built yet   (all but theorem)

The column theorem holds the theorems named by the clause, from FILE: what Coq compiled, as formal.py clauses
wrote it. Without FILE it is left out, and that is said. Where FILE is given and missing, exit 77: skipped
(1 with GNOMON_REQUIRE_FORMAL=1).
A source file named in a reason must exist and cite the clause. Exit 1 on a gap, on a waiver that is not
needed or names what does not exist, and on a citation of a clause that does not exist.
"""
import argparse
import json
import os
import pathlib
import re
import sys

COLUMNS = {  # column: where it is cited
    "reference": ("reference", (".h", ".cc")),
    "kernel": ("optimized", (".h", ".cc")),
    "property": ("properties", (".h", ".cc")),
    "vector": ("spec/vectors", (".json",)),
}
THEOREM = "theorem"  # what Coq wrote; no file cites it
NOT_EVIDENCE = ("_bench.cc", "_test.cc")
ROOMS = ("spec", "reference", "optimized", "properties", "oracle", "fuzz")
CITING = ROOMS + ("README.md", "CONTRIBUTING.md")
DEFINITION = re.compile(r"^(?:#{2,4} )?(?:(?<= )|\*\*)([A-Z][A-Z0-9]*)-(\d+)\.\s*([^*\n]*?)\.?(?:\*\*|$)", re.M)
LOOKS_LIKE_CLAUSE = re.compile(r"\b([A-Z]{3,})-\d+\b")
NO_FAMILY = {"SHA", "UTF", "AVX", "GPT"}  # SHA-256 is no clause
EVIDENCE = re.compile(r"\b(?:[\w-]+/)+[\w.-]+\.(?:cc|h|py)\b")  # a file named in a reason
SKIPPED = 77
TEXT_SUFFIXES = (".h", ".cc", ".md", ".json", ".py", ".txt", ".cmake")


def find_clauses(root):
    """{(family, number): (title, file)} in the order of the pages; and what is wrong with them."""
    clauses, problems = {}, []
    for page in sorted((root / "spec").glob("*.md")):
        for family, number, title in DEFINITION.findall(page.read_text()):
            key = (family, int(number))
            if key in clauses:
                problems.append(f"{name(key)} is defined twice: {clauses[key][1]}, spec/{page.name}")
            clauses[key] = (title, f"spec/{page.name}")
    for family in {family for family, _ in clauses}:
        numbers = sorted(n for f, n in clauses if f == family)
        if numbers != list(range(1, len(numbers) + 1)):
            problems.append(f"{family}: numbers have a hole: {numbers}")
    if not clauses:
        problems.append("no clause was found: nothing was traced")
    return clauses, problems


def name(clause):
    return f"{clause[0]}-{clause[1]}"


def cited(text, families):
    """Clauses that a text cites; "ROPE-3 to ROPE-6" and "ROPE-3 to 6" cite all four."""
    if not families:
        return set()
    family = "|".join(sorted(families))
    pattern = re.compile(rf"\b({family})-(\d+)(?:(?: to |\.\.)(?:(?:{family})-)?(\d+))?\b")
    return {(f, n) for f, low, high in pattern.findall(text)
            for n in range(int(low), int(high or low) + 1)}


def read_waivers(root, families):
    """[(clause, column, reason, line number)]"""
    file = root / "spec" / "waivers.txt"
    waivers, problems = [], []
    for number, line in enumerate(file.read_text().splitlines() if file.exists() else [], 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = line.split(None, 2)
        columns = words[1].split(",") if len(words) == 3 else []
        columns = list(COLUMNS) if columns == ["all"] else columns
        clauses = cited(words[0], families)
        if not clauses or not columns or not set(columns) <= {*COLUMNS, THEOREM}:
            problems.append(f"spec/waivers.txt:{number}: not 'clause column reason': {line.strip()}")
            continue
        waivers += [(clause, column, words[2], number)
                    for clause in sorted(clauses) for column in columns]
    return waivers, problems


def files_of(root, folder, suffixes):
    path = root / folder
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    return [f for f in files if f.name.endswith(suffixes) and f.is_file()]


def trace(root, theorems=None):
    """The table as markdown, and all problems. `theorems`: clause -> full names, or None: not asked."""
    clauses, problems = find_clauses(root)
    families = {family for family, _ in clauses}
    speaking = [f for top in ROOMS for f in files_of(root, top, (".h", ".cc"))]
    speaking = [f for f in speaking if not f.name.endswith("_test.cc")]  # a test may plant an id
    for file in speaking + files_of(root, "spec", ("README.md",)):  # families that are defined nowhere
        families |= set(LOOKS_LIKE_CLAUSE.findall(file.read_text())) - NO_FAMILY
    table = {clause: {column: [] for column in COLUMNS} for clause in clauses}
    for column, (folder, suffixes) in COLUMNS.items():
        for file in files_of(root, folder, suffixes):
            if not file.name.endswith(NOT_EVIDENCE):
                for clause in cited(file.read_text(), families) & set(clauses):
                    table[clause][column].append(file.relative_to(root / folder).as_posix())

    for file in [f for top in CITING for f in files_of(root, top, TEXT_SUFFIXES)]:
        for clause in sorted(cited(file.read_text(), families) - set(clauses)):
            problems.append(f"{file.relative_to(root)} cites {name(clause)}, which does not exist")

    columns = [*COLUMNS] if theorems is None else [*COLUMNS, THEOREM]
    if theorems is not None:
        if not theorems:
            problems.append("no theorem was found: nothing was traced")
        for clause in clauses:
            table[clause][THEOREM] = [full.removeprefix("Gnomon.") for full in theorems.get(name(clause), [])]

    waivers, bad = read_waivers(root, families)
    problems += bad
    reasons = {}
    for clause, column, reason, number in waivers:
        at = f"spec/waivers.txt:{number}: {name(clause)} {column}"
        if (clause, column) in reasons:
            problems.append(f"{at}: waived twice")
        reasons[clause, column] = reason
        if clause in table and table[clause].get(column):
            problems.append(f"{at}: stale, for {table[clause][column][0]} cites it")
        for named in EVIDENCE.findall(reason):
            if not (root / named).is_file():
                problems.append(f"{at}: {named} does not exist")
            elif clause not in cited((root / named).read_text(), families):
                problems.append(f"{at}: {named} does not cite it")

    lines = [f"| clause | {' | '.join(columns)} |", "| --- " * (1 + len(columns)) + "|"]
    for clause, (title, _) in clauses.items():
        cells = []
        for column in columns:
            reason = reasons.get((clause, column))
            if not table[clause][column] and reason is None:
                problems.append(f"{name(clause)} ({title}): no {column} cites it, and it is not waived")
            cells.append(", ".join(table[clause][column]) or f"*{reason or '**GAP**'}*")
        lines.append(f"| {name(clause)} {title} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n", problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--theorems", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    theorems = None
    if arguments.theorems:
        if not arguments.theorems.is_file():
            required = os.environ.get("GNOMON_REQUIRE_FORMAL") == "1"  # .ci/run sets it
            print(f"{'required' if required else 'skipped'}: {arguments.theorems} is not there, for Coq is not "
                  "(ci/setup --formal)")
            return 1 if required else SKIPPED
        theorems = json.loads(arguments.theorems.read_text())
    table, problems = trace(arguments.root.resolve(), theorems)
    if arguments.out:
        arguments.out.write_text("Built from the sources by ci/checks/trace.py.\n\n" + table)
    elif not problems:
        print(table)
    print("\n".join(problems) or f"{table.count(chr(10)) - 2} clauses, no gap")
    if theorems is None:
        print(f"column {THEOREM} skipped for {table.count(chr(10)) - 2} clauses: the test formal.trace fills it")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
