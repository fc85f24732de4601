#!/usr/bin/env python3
"""Holds every .cc and .h against .clang-format, as clang-format 14 reads it (others differ).

Usage: formatted.py [ROOT]. Prints the files that differ; exit 1 if there is one, 77 without that program.
"""
import pathlib
import shutil
import subprocess
import sys

import rooms


def check(root):
    """Names of the files that clang-format would change, and how many were looked at."""
    files = sorted(file for room in [*rooms.ROOMS, "ci"] for suffix in ("cc", "h")
                   for file in (root / room).rglob(f"*.{suffix}"))
    said = subprocess.run(["clang-format-14", f"--style=file:{root}/.clang-format", "--dry-run", *files],
                          capture_output=True, text=True, check=True).stderr
    wrong = [str(file.relative_to(root)) for file in files if f"{file}:" in said]
    return wrong, len(files)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    if not shutil.which("clang-format-14"):
        print("skipped: no clang-format-14")
        return 77
    wrong, count = check(root)
    for file in wrong:
        print(f"{file}: clang-format-14 -i {file}")
    print(f"{count} files, {len(wrong)} formatted otherwise")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
