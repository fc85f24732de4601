#!/usr/bin/env python3
"""Every check of this folder finds a planted fault, and is quiet without it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import examples
import formatted
import rooms
import trace

CMAKE = "".join(f"gnomon_room({room} USES {' '.join(sorted(uses))})\n" if uses else f"gnomon_room({room})\n"
                for room, uses in rooms.MAY_INCLUDE.items())


class TreeTest(unittest.TestCase):
    """Works on a small tree of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def assert_one(self, problems, *words):
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])


@unittest.skipUnless(shutil.which("clang-format-14"), "no clang-format-14")
class FormattedTest(TreeTest):
    def test_one_file_of_two_differs(self):
        shutil.copy(pathlib.Path(__file__).parents[2] / ".clang-format", self.root)
        self.write("spec/a.h", "int a;\n")
        self.write("spec/b.h", "int  b;\n")
        self.assertEqual(formatted.check(self.root), (["spec/b.h"], 2))


class RoomsTest(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", CMAKE)
        self.write("spec/a.h", "#include <vector>\n")
        self.write("reference/a.h", '#include "gnomon/spec/a.h"\n#include "hwy/highway.h"\n')
        self.write("optimized/a_test.cc", '#include "gnomon/reference/a.h"\n')

    def violations(self):
        return rooms.check(self.root)[0]

    def test_clean_tree(self):
        self.assertEqual(self.violations(), [])

    def test_every_forbidden_pair_is_found(self):
        for room, allowed in rooms.MAY_INCLUDE.items():
            for other in rooms.ROOMS:
                self.write(f"{room}/b.cc", f'#include "gnomon/{other}/a.h"\n')
                expected = 0 if other in allowed or other == room else 1
                self.assertEqual(len(self.violations()), expected, (room, other))
            (self.root / room / "b.cc").unlink()

    def test_two_readings_stay_independent(self):
        self.write("optimized/a.cc", '#include "gnomon/reference/a.h"\n')
        self.assert_one(self.violations(), "optimized/a.cc:1", "must not include reference/")

    def test_an_example_includes_what_lies_beside_it(self):
        self.write("oracle/mine.h", "")
        self.write("oracle/a.cc", '#include "mine.h"\n')
        self.assert_one(self.violations(), "oracle/a.cc:1", "must be written")
        (self.root / "oracle/a.cc").unlink()
        self.write("oracle/examples/mine.h", "")
        self.write("oracle/examples/a.cc", '#include "mine.h"\n')
        self.assertEqual([v for v in self.violations() if "examples" in v], [])

    def test_benchmark_is_no_test(self):
        self.write("optimized/a_bench.cc", '#include "gnomon/reference/a.h"\n')
        self.assert_one(self.violations(), "optimized/a_bench.cc:1")

    def test_forms_of_include(self):
        for line in ('#include "a.h"', '#include "../spec/a.h"', '#include <gnomon/spec/a.h>',
                     '#include "gnomon/a.h"', '#include "gnomon/spec/../spec/a.h"',
                     '#  include "spec/a.h"', '#define HWY_TARGET_INCLUDE "spec/a.h"'):
            self.write("reference/b.h", line + "\n")
            self.assert_one(self.violations(), "reference/b.h:1", "must be written")

    def test_link_table(self):
        self.write("CMakeLists.txt", CMAKE.replace("optimized USES spec", "optimized USES spec reference"))
        self.assert_one(self.violations(), "optimized/ must not link reference/")

    def test_lengths(self):
        for path, limit in (("reference/b.h", 150), ("spec/b_test.cc", 300), ("spec/b.h", 600),
                            ("reference/b.cc", 600), ("spec/theories/B.v", 600), ("ci/b.py", 600)):
            self.write(path, "\n" * (limit - 1))
            self.assertEqual(self.violations(), [])
            self.write(path, "\n" * limit)
            self.assert_one(self.violations(), path, str(limit))
            (self.root / path).unlink()

    def test_nothing_checked_is_a_failure(self):
        (self.root / "reference/a.h").unlink()
        (self.root / "optimized/a_test.cc").unlink()
        self.assert_one(self.violations(), "nothing was checked")


class TraceTest(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("spec/rope.md", "**ROPE-1. Frequencies.** Text.\n\n## ROPE-2. Layout\n")
        self.write("reference/rope.h", "// ROPE-1 to ROPE-2.\n")
        self.write("optimized/rope.cc", "// ROPE-1, ROPE-2.\n")
        self.write("properties/rope.cc", 'Fails("ROPE-1"); // ROPE-2\n')
        self.write("spec/vectors/rope.json", '{"clauses": ["ROPE-1"]}\n')
        self.write("spec/waivers.txt", "ROPE-2 vector seen in spec/rope_test.cc\n")
        self.write("spec/rope_test.cc", "// ROPE-2\n")

    def problems(self):
        return trace.trace(self.root)[1]

    def test_clean_tree(self):
        table, problems = trace.trace(self.root)
        self.assertEqual(problems, [])
        self.assertIn("| ROPE-1 Frequencies | rope.h | rope.cc | rope.cc | rope.json |", table)
        self.assertIn("| ROPE-2 Layout | rope.h | rope.cc | rope.cc | *seen in", table)

    def test_gap_in_every_column(self):
        for path, column in (("reference/rope.h", "reference"), ("optimized/rope.cc", "kernel"),
                             ("properties/rope.cc", "property"), ("spec/vectors/rope.json", "vector")):
            before = (self.root / path).read_text()
            self.write(path, before.replace("ROPE-1", "").replace(" to ", ""))
            self.assert_one(self.problems(), f"ROPE-1 (Frequencies): no {column} cites it")
            self.write(path, before)

    def test_benchmarks_and_tests_are_no_kernels(self):
        self.write("optimized/rope.cc", "// ROPE-1\n")
        self.write("optimized/rope_bench.cc", "// ROPE-2\n")
        self.write("optimized/rope_test.cc", "// ROPE-2\n")
        self.assert_one(self.problems(), "ROPE-2 (Layout): no kernel")

    def test_stale_waiver(self):
        self.write("spec/vectors/more.json", '"ROPE-2"')
        self.assert_one(self.problems(), "spec/waivers.txt:1", "stale", "more.json")

    def test_clause_that_does_not_exist(self):
        self.write("fuzz/rope_fuzz.cc", "// ROPE-3\n")
        self.assert_one(self.problems(), "fuzz/rope_fuzz.cc cites ROPE-3")

    def test_waivers_that_say_nothing(self):
        good = (self.root / "spec/waivers.txt").read_text()
        for line, words in (("ROPE-2 vector", "not 'clause column reason'"),
                            ("ROPE-2 colour why", "not 'clause column reason'"),
                            ("ROPE-2 vector again", "waived twice"),
                            ("ROPE-1 reference why", "stale")):
            self.write("spec/waivers.txt", good + line + "\n")
            self.assert_one(self.problems(), "spec/waivers.txt:2", words)

    def test_waiver_of_all_columns(self):
        self.write("spec/t5_bias.md", "**T5-1. Buckets.**\n**T5-2. Bias.**\n")
        self.assertEqual(len(self.problems()), 8)
        self.write("spec/waivers.txt", "ROPE-2 vector none\nT5-1..2 all not built yet\n")
        self.assertEqual(self.problems(), [])
        self.write("reference/t5_bias.h", "// T5-2\n")
        self.assert_one(self.problems(), "spec/waivers.txt:2", "T5-2 reference", "stale")

    def test_waiver_must_name_a_test_that_cites(self):
        self.write("spec/rope_test.cc", "// ROPE-1\n")
        self.assert_one(self.problems(), "spec/rope_test.cc does not cite it")
        (self.root / "spec/rope_test.cc").unlink()
        self.assert_one(self.problems(), "spec/rope_test.cc does not exist")
        self.write("spec/waivers.txt", "ROPE-2 vector judged by properties/other.cc\n")
        self.assert_one(self.problems(), "properties/other.cc does not exist")

    def test_definitions(self):
        self.write("spec/zrope.md", "**ROPE-2. Again.**\n")
        self.assert_one(self.problems(), "ROPE-2 is defined twice")
        for text in ("text of **ROPE-4. No definition.**", "### A section on ROPE-4. Its text."):
            self.write("spec/zrope.md", text + "\n")
            self.assert_one(self.problems(), "spec/zrope.md cites ROPE-4, which does not exist")
            (self.root / "spec/zrope.md").unlink()
        for citing in ("reference/alibi.h", "spec/README.md"):
            self.write(citing, "ALIBI-4, SHA-256")
            self.assert_one(self.problems(), f"{citing} cites ALIBI-4, which does not exist")
            (self.root / citing).unlink()
        self.write("spec/zrope.md", "## **ROPE-2. Again.**\n")
        self.assert_one(self.problems(), "ROPE-2 is defined twice")

    def test_theorems(self):
        proved = {"ROPE-1": ["Gnomon.Rope.ROPE_1_falls"], "ROPE-2": ["Gnomon.Rope.ROPE_2_partition"]}
        table, problems = trace.trace(self.root, proved)
        self.assertEqual(problems, [])
        self.assertIn("| rope.cc | rope.json | Rope.ROPE_1_falls |", table)
        del proved["ROPE-2"]
        self.assert_one(trace.trace(self.root, proved)[1], "ROPE-2 (Layout): no theorem")
        waivers = (self.root / "spec/waivers.txt").read_text()
        self.write("spec/waivers.txt", waivers + "ROPE-2 theorem a definition\n")
        self.assertEqual(trace.trace(self.root, proved)[1], [])
        self.assertEqual(self.problems(), [])  # without Coq
        self.write("spec/waivers.txt", waivers + "ROPE-1..2 theorem a definition\n")
        self.assert_one(trace.trace(self.root, proved)[1], "spec/waivers.txt:2: ROPE-1 theorem: stale")
        self.assertIn("no theorem was found", trace.trace(self.root, {})[1][0])

    def test_without_coq_the_column_is_skipped_and_said(self):
        command = [sys.executable, trace.__file__, self.root]
        said = subprocess.run(command, text=True, stdout=subprocess.PIPE)
        self.assertEqual((said.returncode, "theorem skipped for 2 clauses" in said.stdout), (0, True))
        kept = {name: value for name, value in os.environ.items() if name != "GNOMON_REQUIRE_FORMAL"}
        for required, expected in (({}, (trace.SKIPPED, "skipped")), ({"GNOMON_REQUIRE_FORMAL": "1"}, (1, "required"))):
            said = subprocess.run([*command, "--theorems", self.root / "none"], text=True, stdout=subprocess.PIPE,
                                  env={**kept, **required})
            self.assertEqual((said.returncode, said.stdout.split(":")[0]), expected)

    def test_nothing_traced_is_a_failure(self):
        self.write("spec/rope.md", "")
        self.assertIn("nothing was traced", self.problems()[0])


class ExamplesTest(TreeTest):
    def problems(self, text):
        self.write("bin/say", "#!/bin/sh\necho said $*\n")
        (self.root / "bin/say").chmod(0o755)
        self.write("data.txt", "one\ntwo\nthree\n")
        return examples.check(f"text\n```console\n{text}\n```\n", self.root / "bin", self.root)[0]

    def test_what_passes(self):
        for text in ("$ say hello\nsaid hello", "$ cat data.txt\none\n...", "$ cat data.txt\n...\nthree",
                     "$ cat data.txt\no...\n...", "$ say a \\\n    b\nsaid a b", "$ false\n$ echo $?\n1",
                     "$ say x > new.txt\n$ cat new.txt\nsaid x", "$ say x >&2\nsaid x"):
            self.assertEqual(self.problems(text), [], text)
        self.assertFalse((self.root / "new.txt").exists())

    def test_what_fails(self):
        for text in ("$ say hello\nsaid bye", "$ say hello", "$ cat data.txt\none\ntwo", "$ false",
                     "$ cat data.txt\n...\none", "$ exit 0\n$ say x\nsaid x", "$ true\n$ echo $?\n1"):
            self.assertNotEqual(self.problems(text), [], text)

    def test_nothing_run_is_a_failure(self):
        self.assert_one(examples.check("no block", self.root, self.root)[0], "no example was run")


class SetupTest(TreeTest):
    """ci/setup on a machine of a few fake commands."""

    def setUp(self):
        super().setUp()
        (self.root / "bin").mkdir()
        for tool in ("bash", "cat", "env", "grep"):
            (self.root / "bin" / tool).symlink_to(shutil.which(tool))
        self.fake("id", "echo 0")
        self.fake("apt-cache", "true")

    def fake(self, name, script):
        self.write(f"bin/{name}", f"#!{shutil.which('bash')}\n{script}\n")
        (self.root / "bin" / name).chmod(0o755)

    def fake_apt(self, plan):
        self.fake("apt-get", f'echo "$*" >>{self.root}/log\n[[ $* != *" -s "* ]] || echo "{plan}"')

    def run_setup(self):
        setup = pathlib.Path(__file__).parent.parent / "setup"
        done = subprocess.run([shutil.which("bash"), setup], env={"PATH": str(self.root / "bin")}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        log = self.root / "log"
        return done.returncode, done.stdout, log.read_text() if log.exists() else ""

    def test_refuses_to_remove_a_package(self):
        self.fake_apt("Remv libboost1.81-dev [1.81]")
        code, said, log = self.run_setup()
        self.assertEqual(code, 1)
        self.assertIn("refused", said)
        self.assertNotIn("install -y", log)

    def test_installs_what_is_missing_and_removes_nothing(self):
        self.fake_apt("Inst cmake")
        self.fake("cmake", "true")
        code, said, log = self.run_setup()
        self.assertIn("still missing: g++ ninja-build", said)  # a fake installs nothing
        self.assertEqual(code, 1)
        self.assertRegex(log, r"install -y --no-remove --no-install-recommends g\+\+ ninja-build.*clang-14")

    def test_says_what_to_install_without_apt(self):
        code, said, _ = self.run_setup()
        self.assertEqual(code, 1)
        self.assertIn("Please install", said)
        self.assertIn("libmpfi-dev", said)

    def test_does_nothing_where_all_is_there(self):
        self.fake_apt("")
        for tool in ("g++", "cmake", "ninja", "pkg-config", "git", "python3"):
            self.fake(tool, "true")
        self.fake("clang++-14", f"echo {self.root}")
        self.fake("clang-format-14", "")
        self.write("lib/linux/libclang_rt.fuzzer-x86_64.a", "")
        code, said, log = self.run_setup()
        self.assertEqual((code, said, log), (0, "ci/setup: nothing to do\n", ""))


if __name__ == "__main__":
    unittest.main()
