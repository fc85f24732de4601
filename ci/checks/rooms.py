#!/usr/bin/env python3
"""Enforces who may include whom, how an include is written, and how long a file may be.

Usage: rooms.py [ROOT]. Prints one line for every violation; exit 1 if there is one.
"""
import pathlib
import re
import sys

# The independence of reference/ and optimized/ is what makes their agreement worth something.
ROOMS = ["spec", "reference", "optimized", "properties", "oracle", "fuzz"]
MAY_INCLUDE = {
    "spec": set(),
    "reference": {"spec"},
    "optimized": {"spec"},
    "properties": {"spec", "reference"},
    "oracle": {"spec", "reference", "optimized", "properties"},
    "fuzz": {"spec", "reference", "optimized", "properties", "oracle"},
}
INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+HWY_TARGET_INCLUDE)\s*([<"])([^>"]+)[>"]')
USES = re.compile(r"gnomon_room\((\w+)(?:\s+USES((?:\s+[a-z]+)+))?")


def line_limit(path):
    """The number of lines a file must stay below."""
    if path.name.endswith("_test.cc"):
        return 300
    return 150 if path.parts[0] == "reference" and path.suffix == ".h" else 600


def check_include(root, path, bracket, name):
    """What is wrong with one include of a file, or None."""
    ours = name.startswith("gnomon/")
    if not ours:
        if bracket == '"' and ((root / path).parent.joinpath(name).exists() or (root / name).exists()):
            return f'"{name}" must be written "gnomon/<room>/<name>"'
        return None
    parts = name.split("/")
    if bracket != '"' or ".." in parts or len(parts) < 3 or parts[1] not in ROOMS:
        return f'{name} must be written "gnomon/<room>/<name>"'
    room = path.parts[0]
    if path.name.endswith("_test.cc") or parts[1] == room or parts[1] in MAY_INCLUDE[room]:
        return None
    return f"{room}/ must not include {parts[1]}/ ({name})"


def check_links(root):
    """CMakeLists.txt must link every room with no more than it may include."""
    found = {room: set((uses or "").split()) for room, uses in
             USES.findall((root / "CMakeLists.txt").read_text())}
    for room in ROOMS:
        if room not in found:
            yield f"CMakeLists.txt: no gnomon_room({room})"
        for used in sorted(found.get(room, set()) - MAY_INCLUDE[room]):
            yield f"CMakeLists.txt: {room}/ must not link {used}/"


def check(root):
    """All violations of a tree, and how many includes between rooms were looked at."""
    violations = list(check_links(root))
    seen = 0
    sources = [f for room in ROOMS for f in (root / room).rglob("*") if f.suffix in (".h", ".cc", ".v")]
    scripts = [f for f in (root / "ci").rglob("*") if f.suffix in (".py", ".cmake", ".cc")]
    for file in sorted(sources + scripts):
        path = file.relative_to(root)
        lines = file.read_text().splitlines()
        if len(lines) >= line_limit(path):
            violations.append(f"{path}: {len(lines)} lines, must stay below {line_limit(path)}")
        if path.parts[0] not in ROOMS or "examples" in path.parts:  # they stand for other people's projects
            continue
        for number, line in enumerate(lines, 1):
            if match := INCLUDE.match(line):
                seen += match[2].startswith("gnomon/")
                if problem := check_include(root, path, *match.groups()):
                    violations.append(f"{path}:{number}: {problem}")
    if seen == 0:
        violations.append("no include between rooms was seen: nothing was checked")
    return violations, seen


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    violations, seen = check(root)
    print("\n".join(violations) or f"{seen} includes between rooms keep the rules")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
