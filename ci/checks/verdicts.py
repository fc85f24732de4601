#!/usr/bin/env python3
"""Judges the kernels and every recording with the program `gnomon`, and prints one table.

Usage: verdicts.py GNOMON INDEX [--cases N]. INDEX lists the recordings and the profile each must meet (null:
none). Exit 1 if a kernel breaks a property or a recording is judged otherwise than the index says.
"""
import argparse
import json
import pathlib
import subprocess
import sys


def gnomon(program, *arguments):
    """The JSON report of one run of `gnomon check`."""
    done = subprocess.run([program, "check", *arguments, "--json"], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"gnomon check {' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def row(what, operation, verdict, count, worst, holds):
    print(f"{what:40} {operation:18} {verdict:16} {count:>9}  {worst:24} {'' if holds else '<- FAILS'}".rstrip(),
          flush=True)
    return holds


def worst_error(report):
    worst = report["worst"]
    if worst is None:
        return "-"
    if not isinstance(worst["error_units"], (int, float)):
        return "not finite"
    within = "" if worst["bound"] == 0 else f", {worst['error'] / worst['bound']:.2g} of bound"
    return f"{worst['error_units']:.3g} {report['histogram']['unit']}{within}"


def check_kernels(program, cases):
    for subject in gnomon(program, "--subject", "builtin", "--cases", str(cases))["subjects"]:
        asked = [p for p in subject["properties"] if p["status"] != "not applicable"]
        broken = [p for p in asked if p["status"] != "holds"]
        yield row(subject["subject"], "every operation", subject["verdict"], sum(p["cases"] for p in asked),
                  f"{len(asked) - len(broken)} of {len(asked)} properties", not broken)
        for p in broken:
            print(f"  {p['clause']} {p['name']} {p['status']}: {p.get('finding', '')}\n  repeat: {p.get('repeat', '')}")


def check_recordings(program, index):
    for entry in json.loads(index.read_text()):
        report = gnomon(program, str(index.parent / entry["file"]))
        holds = report["profile"] == entry["profile"]
        yield row(entry["file"].removesuffix(".safetensors"), report["operation"],
                  report["profile"] or report["verdict"], report["elements"], worst_error(report), holds)
        if not holds:
            print(f"  expected: {entry['profile'] or 'nonconforming'} ({entry['reason']})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("index", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=100)
    arguments = parser.parse_args()
    row("kernel", "operation", "verdict", "cases", "properties", True)
    kernels = list(check_kernels(arguments.program, arguments.cases))
    print()
    row("recording", "operation", "profile met", "elements", "worst error", True)
    recordings = list(check_recordings(arguments.program, arguments.index))
    print(f"\n{sum(kernels)} of {len(kernels)} kernels keep every property, "
          f"{sum(recordings)} of {len(recordings)} recordings are judged as the index says")
    return 0 if kernels and recordings and all(kernels + recordings) else 1


if __name__ == "__main__":
    sys.exit(main())
