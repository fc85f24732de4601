#!/usr/bin/env python3
"""The README's table of schemes x rooms, made from the tree.

Usage: schemes.py [ROOT] [--write]. Compares what stands between the two marks in README.md with what the tree
gives, or writes it there; exit 1 where they differ.
"""
import json
import pathlib
import re
import struct
import sys

FIRST, LAST = "<!-- schemes: ci/checks/schemes.py --write -->\n", "<!-- end of schemes -->\n"
CLAUSE = re.compile(r"^(?:#+ |\*\*)([A-Z0-9]+-\d+)\.", re.M)
THEOREM = re.compile(r"^\s*(?:Theorem|Lemma|Corollary)\s+[A-Z0-9]+_\d+_\w+", re.M)


def stems(root):
    return re.findall(r"^\s+apply\((\w+)\)", (root / "spec/stems.h").read_text(), re.M)


def properties(root, stem):
    """How many the suite's sources name."""
    files = [f for f in (root / "properties").glob("*.cc") if not f.name.endswith("_test.cc")]
    name = re.compile(rf'\{{"{stem}\.\w+",\s*"[A-Z0-9]+-\d+"')
    return sum(len(name.findall(f.read_text())) for f in files)


def operation_of(path):
    """Of a case file: safetensors, whose header's metadata holds the case."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    return json.loads(header["__metadata__"]["gnomon.case"])["operation"]


def linked(root, text, *paths):
    """The text with a link to the first path that exists."""
    for path in paths:
        if (root / path).exists():
            return f"[{text}]({path})"
    return "-"


def row(root, stem):
    page = root / f"spec/{stem}.md"
    theory = "".join(word.capitalize() for word in stem.split("_"))
    theories = sorted((root / "spec/theories").glob(f"{theory}*.v"))
    theorems = sum(len(THEOREM.findall(f.read_text())) for f in theories)
    clauses = len(CLAUSE.findall(page.read_text())) if page.exists() else 0
    score = root / f"properties/{stem}_score.md"
    wrong = re.search(r"survives: \*\*\d+\*\* of (\d+)", score.read_text()) if score.exists() else None
    folder = root / "oracle/recordings"
    recordings = {e["recording"] for e in json.loads((folder / "INDEX.json").read_text())
                  if operation_of(folder / e["file"]).split(".")[0] == stem}
    return (f"`{stem}`", linked(root, f"{clauses} clauses", f"spec/{stem}.md"),
            linked(root, f"{theorems} theorems", f"spec/theories/{theory}.v"),
            linked(root, "reference", f"reference/{stem}.h"), linked(root, "kernel", f"optimized/{stem}.cc"),
            linked(root, f"{properties(root, stem)} properties", f"properties/{stem}.cc"),
            linked(root, f"{wrong.group(1)} wrong subjects" if wrong else "score", f"properties/{stem}_score.md"),
            linked(root, "target", f"fuzz/{stem}_fuzz.cc"), str(len(recordings)))


def table(root):
    head = ("scheme", "contract", "proved", "truth", "SIMD", "must hold", "killed", "fuzz", "recordings")
    rows = [head, ("---",) * len(head)] + [row(root, stem) for stem in stems(root)]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in rows)


def main(arguments):
    root = pathlib.Path(next((a for a in arguments if not a.startswith("--")), "."))
    readme = root / "README.md"
    text = readme.read_text()
    if text.count(FIRST) != 1 or text.count(LAST) != 1:
        print(f"README.md: the marks of the table are not there once each: {FIRST.strip()} {LAST.strip()}")
        return 1
    before, rest = text.split(FIRST)
    stands, after = rest.split(LAST)
    made = table(root)
    if "--write" in arguments:
        readme.write_text(before + FIRST + made + LAST + after)
    elif stands != made:
        print("README.md: the table of schemes is not what the tree gives; ci/checks/schemes.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
