#!/usr/bin/env python3
"""The tables that are generated: schemes x rooms in README.md, from the tree, and the operations in spec/operations.md.

Usage: schemes.py [ROOT] [--gnomon PROGRAM] [--write]. Compares what stands between the two marks in README.md with what
the tree gives and, with a program, spec/operations.md with what `gnomon operations --markdown` prints; or writes them.
Exit 1 where they differ.
"""
import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys

FIRST, LAST = "<!-- schemes: ci/checks/schemes.py --write -->\n", "<!-- end of schemes -->\n"
CLAUSE = re.compile(r"^(?:#+ |\*\*)([A-Z0-9]+-\d+)\.", re.M)
PAGE = re.compile(r"\(spec/(\w+)\.md\b")
THEOREM = re.compile(r"^\s*(?:Theorem|Lemma|Corollary)\s+[A-Z0-9]+_\d+_\w+", re.M)


def stems(root):
    return re.findall(r"^\s+apply\((\w+)\)", (root / "spec/stems.h").read_text(), re.M)


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


def theories_of(root, stem):
    """The theories whose first line names a page of the stem: its own, or a further one such as rope_xpos.md."""
    def owner(page):
        return max((s for s in stems(root) if page == s or page.startswith(s + "_")), key=len, default=None)
    found = []
    for file in sorted((root / "spec/theories").rglob("*.v")):
        named = PAGE.search(file.read_text().split("\n\n")[0])
        if named and owner(named[1]) == stem:
            found.append(file)
    return found


def row(root, stem):
    page = root / f"spec/{stem}.md"
    theory = "".join(word.capitalize() for word in stem.split("_"))
    theorems = sum(len(THEOREM.findall(f.read_text())) for f in theories_of(root, stem))
    clauses = len(CLAUSE.findall(page.read_text())) if page.exists() else 0
    score = root / f"properties/{stem}_score.md"
    wrong = re.search(r"survives: \*\*\d+\*\* of (\d+)", score.read_text()) if score.exists() else None
    folder = root / "oracle/recordings"
    recordings = {e["recording"] for e in json.loads((folder / "INDEX.json").read_text())
                  if operation_of(folder / e["file"]).split(".")[0] == stem}
    return (f"`{stem}`", linked(root, f"{clauses} clauses", f"spec/{stem}.md"),
            linked(root, f"{theorems} theorems", f"spec/theories/{theory}.v"),
            linked(root, "reference", f"reference/{stem}.h"), linked(root, "kernel", f"optimized/{stem}.cc"),
            linked(root, "properties", f"properties/{stem}.cc"),
            linked(root, f"{wrong.group(1)} wrong subjects" if wrong else "score", f"properties/{stem}_score.md"),
            linked(root, "target", f"fuzz/{stem}_fuzz.cc"), str(len(recordings)))


def table(root):
    head = ("scheme", "contract", "proved", "truth", "SIMD", "must hold", "killed", "fuzz", "recordings")
    rows = [head, ("---",) * len(head)] + [row(root, stem) for stem in stems(root)]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in rows)


def readme_table(root, write):
    """What is wrong with the README's table, or None."""
    readme = root / "README.md"
    text = readme.read_text()
    if text.count(FIRST) != 1 or text.count(LAST) != 1:
        return f"README.md: the marks of the table are not there once each: {FIRST.strip()} {LAST.strip()}"
    before, rest = text.split(FIRST)
    stands, after = rest.split(LAST)
    made = table(root)
    if write:
        readme.write_text(before + FIRST + made + LAST + after)
    elif stands != made:
        return "README.md: the table of schemes is not what the tree gives; ci/checks/schemes.py --write"
    return None


def operations_page(root, program, write):
    """The same for spec/operations.md."""
    page = root / "spec/operations.md"
    made = subprocess.run([program, "operations", "--markdown"], capture_output=True, text=True, check=True).stdout
    if write:
        page.write_text(made)
    elif not page.exists() or page.read_text() != made:
        return "spec/operations.md: not what gnomon operations --markdown prints; ci/checks/schemes.py --gnomon .. --write"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--gnomon")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    problems = [readme_table(arguments.root, arguments.write)]
    if arguments.gnomon:
        problems.append(operations_page(arguments.root, arguments.gnomon, arguments.write))
    problems = [problem for problem in problems if problem]
    print("\n".join(problems) or "the generated tables stand")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
