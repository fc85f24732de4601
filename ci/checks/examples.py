#!/usr/bin/env python3
"""Runs the ```console blocks of a page and compares what they print.

Usage: examples.py PAGE BIN_DIR [ROOT]. In a block, "$ " opens a command (a trailing backslash goes on
with the next line) and what follows is its expected output, both streams. A line "..." stands for any
lines, "..." within a line for any text. A command must succeed, unless "$ echo $?" follows. Commands run
from a scratch folder that shows the tree's entries, with BIN_DIR first on PATH; those of one page share
the folder, those of one block the shell.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "\x1e"


def console_blocks(page):
    """[(line number, [(command, expected lines)])]"""
    blocks = []
    lines = iter(enumerate(page.splitlines(), 1))
    for number, line in lines:
        if line != "```console":
            continue
        commands = []
        for _, line in lines:
            if line == "```":
                break
            if line.startswith("$ "):
                commands.append((line[2:], []))
            elif commands and not commands[-1][1] and commands[-1][0].endswith("\\"):
                commands[-1] = (commands[-1][0] + "\n" + line, [])
            elif commands:
                commands[-1][1].append(line)
            else:
                raise ValueError(f"line {number}: output before the first command")
        blocks.append((number, commands))
    return blocks


def matches(expected, printed):
    """Whether the printed lines are the expected ones, with "..." as said above."""
    pattern = ""
    for line in expected:
        text = ".*".join(re.escape(part) for part in line.rstrip().split("..."))
        pattern += "(?:[^\n]*\n)*" if line.strip() == "..." else text + "[ ]*\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def run_block(commands, folder, bin_dir):
    """[(printed lines, exit code)]"""
    script = "".join(f"{{ {command}\n}} 2>&1; __code=$?; printf '{MARK}%s{MARK}' $__code; (exit $__code)\n"
                     for command, _ in commands)
    environment = {**os.environ, "PATH": f"{bin_dir}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    fields = done.stdout.split(MARK)
    results = [(fields[i].splitlines(), int(fields[i + 1])) for i in range(0, len(fields) - 1, 2)]
    return results + [(["(not run)"], -1)] * (len(commands) - len(results))


def with_numpy(folder):
    """A folder for PATH in which python3 has NumPy; the distribution's Python has it where the first one has not."""
    has = [p for p in ("python3", "/usr/bin/python3") if subprocess.run([p, "-c", "import numpy"],
                                                                       stderr=subprocess.DEVNULL).returncode == 0]
    if has and has[0] != "python3":
        pathlib.Path(folder, "python3").symlink_to(has[0])
    return folder


def check(page, bin_dir, root):
    """What differs, and how many commands ran."""
    problems, ran = [], 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as python:
        bin_dir = f"{bin_dir}{os.pathsep}{with_numpy(python)}"
        for entry in root.iterdir():
            pathlib.Path(folder, entry.name).symlink_to(entry)
        for number, commands in console_blocks(page):
            results = run_block(commands, folder, bin_dir)
            for i, ((command, expected), (printed, code)) in enumerate(zip(commands, results)):
                ran += 1
                asked = i + 1 < len(commands) and commands[i + 1][0] == "echo $?"
                if not matches(expected, printed):
                    problems.append(f"line {number}: $ {command}\nexpected:\n  " + "\n  ".join(expected) +
                                    "\nprinted:\n  " + "\n  ".join(printed))
                if code != 0 and not asked:
                    problems.append(f"line {number}: $ {command}\nfailed with {code}")
    if ran == 0:
        problems.append("no example was run")
    return problems, ran


def main():
    page, bin_dir = map(pathlib.Path, sys.argv[1:3])
    root = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else page.parent
    problems, ran = check(page.read_text(), bin_dir.resolve(), root.resolve())
    print("\n".join(problems) or f"{ran} commands print what {page.name} says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
