#!/usr/bin/env python3
"""Builds and runs the examples that need another compiler or NumPy, as their users would.

Usage: other_languages.py EXAMPLE SOURCE_DIR BIN_DIR. EXAMPLE is one of the functions below. Exit 77: not run, for want of what it
names.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*command, codes=(0,), **options):
    """Its output; exits unless the command ends with one of the codes."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=500, **options)
    print("$", *command, done.stdout, sep=" ")
    if done.returncode not in codes:
        sys.exit(f"ended with {done.returncode}")
    return done.stdout


def numpy_python():
    """A Python that has NumPy: the distribution's, where the first one on PATH has not."""
    for python in ("python3", "/usr/bin/python3"):
        found = shutil.which(python)
        if found and subprocess.run([found, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0:
            return found
    return skip("no python3 with numpy: ci/setup installs it")


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"does not say: {part}")


def at_most_sixty_lines(*scripts):
    for script in scripts:
        if (count := len(script.read_text().splitlines())) > 60:
            sys.exit(f"{script} has {count} lines")


def without_numpy(python, script, folder):
    """One clear line where NumPy is missing: here a module that cannot be imported is in its place."""
    (folder / "numpy.py").write_text("raise ImportError\n")
    said = run(python, script, folder, codes=(1,), env={**os.environ, "PYTHONPATH": str(folder)})
    expect(said, "needs NumPy: apt-get install python3-numpy")
    if said.count("\n") != 1:
        sys.exit("says more than one line")


def process_python(source, gnomon, folder):
    at_most_sixty_lines(source / "oracle/examples/process_python/rope.py")
    without_numpy(numpy_python(), source / "oracle/examples/process_python/rope.py", folder)
    subject = f"process:{numpy_python()} {source}/oracle/examples/process_python/rope.py"
    expect(run(gnomon, "check", "--subject", subject), "conforms: ", " of 1 subject conforms")


def files_python(source, gnomon, folder):
    python, answer = numpy_python(), source / "oracle/examples/files_python/answer.py"
    judge = answer.parent / "judge.py"
    at_most_sixty_lines(answer, judge)
    (folder / "missing").mkdir()
    without_numpy(python, answer, folder / "missing")
    run(gnomon, "emit", "--operation", "rope.apply", "--description", answer.parent / "description.json", "--cases", 40,
        "--truth", "--out", folder / "cases")
    expect(run(python, answer, folder / "cases"), "120 of 120 cases answered")
    expect(run(python, judge, folder / "cases"), "120 of 120 answers within f32-angle")
    report = run(gnomon, "check", folder / "cases", "--floor", "f32-angle", codes=(0, 4))
    if "nonconforming" in report:
        sys.exit("gnomon and the rule of SUBJ-8 differ")
    # The committed cases need no build of ours; and a wrong sign is refused.
    for sign, codes in (("-", (0,)), ("+", (1,))):
        shutil.copytree(source / "oracle/cases", folder / sign)
        (folder / "kernel.py").write_text(answer.read_text().replace("a * cos - b * sin", f"a * cos {sign} b * sin"))
        run(python, folder / "kernel.py", folder / sign)
        expect(run(python, judge, folder / sign, codes=codes), "answers within f32-angle")


def safetensors_c(source, gnomon, folder):
    run("cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", source / "oracle/examples/safetensors_c/recording.c", "-o",
        folder / "recording", "-lm")
    run(folder / "recording", folder / "mine.safetensors")
    expect(run(gnomon, "check", folder / "mine.safetensors"), "conforms: rope.apply on 160 f32 elements", "meets f32-angle")


def plugin_rust(source, gnomon, folder):
    cargo = shutil.which("cargo") or skip("no cargo")
    project = folder / "plugin_rust"
    shutil.copytree(source / "oracle/examples/plugin_rust", project)
    run(cargo, "build", "--release", "--offline", cwd=project, env={**os.environ, "CARGO_TARGET_DIR": str(folder / "target")})
    library = folder / "target/release/libgnomon_rope.so"
    expect(run(gnomon, "check", "--subject", library), "conforms: ", "1 of 1 subject conforms")


def plugin_cuda(source, _, folder):
    nvcc = shutil.which("nvcc") or skip("no nvcc")
    run(nvcc, "-O2", "-c", "-Xcompiler", "-fPIC,-Wall", "-I", source / "oracle", source / "oracle/examples/plugin_cuda.cu",
        "-o", folder / "cuda.o")


def main():
    example, source, bin_dir = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        globals()[example](pathlib.Path(source), pathlib.Path(bin_dir) / "gnomon", pathlib.Path(folder))


main()
