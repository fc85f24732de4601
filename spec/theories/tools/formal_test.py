#!/usr/bin/env python3
"""formal.py finds every planted fault, and is quiet without it. Exit 77 where Coq is not installed."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import certified_numbers  # noqa: E402
import formal  # noqa: E402

TOOLS = pathlib.Path(formal.__file__).parent

GOOD = """(** Text may speak of Admitted proofs and of an Axiom. *)
From Coq Require Import Arith.
Section S.
Variable n : nat.
Hypothesis Hn : n = 0.
Theorem ROPE_1_zero : n + 0 = n.
Proof. now rewrite Hn. Qed.
End S.
Lemma helper : 1 + 1 = 2.
Proof. reflexivity. Qed.
"""
REALS = """From Coq Require Import Reals.
Theorem ROPE_2_reals (x : R) : (x + 0 = x)%R.
Proof. ring. Qed.
"""
HOLES = {  # what is planted: the word that the check on the text must name
    "Lemma hole : 0 = 1. Proof. Admitted.": "Admitted",
    "Lemma hole : 0 = 1. Proof. admit. Admitted.": "admit",
    "Axiom hole : 0 = 1.": "Axiom",
    "Parameter hole : 0 = 1.": "Parameter",
    "Conjecture hole : 0 = 1.": "Conjecture",
    "Hypothesis hole : 0 = 1.": "Hypothesis",
    "Variable hole : 0 = 1.": "Variable",
    "Unset Guard Checking.": "Unset Guard Checking",
    "Module Type T.": "Module",
    "Include T.": "Include",
    "Declare Module M : T.": "Declare",
    "Load Other.": "Load",
    "Set Warnings \"-all\".": "Set Warnings",
    "Admit Obligations.": "Admit",
    'Definition s := "(*". Axiom hole : 0 = 1. Definition t := "*)".': "Axiom",
    '(* "*)" *) Axiom hole : 0 = 1. (* *)': "Axiom",
}
FUNCTOR = """Theorem ROPE_3_all : 0 = 0. Proof. reflexivity. Qed.
Module Type Assumes. Parameter hole : 0 = 1. End Assumes.
Module Hidden (A : Assumes). Theorem ROPE_3_all : 0 = 1. Proof. exact A.hole. Qed. End Hidden.
"""


class Theories(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.source = pathlib.Path(scratch.name, "spec", "theories")
        self.build = pathlib.Path(scratch.name, "build")
        self.source.mkdir(parents=True)
        self.build.mkdir()
        self.write("axioms.txt", "# none\n")
        self.write("Good.v", GOOD)

    def write(self, name, text):
        (self.source / name).write_text(text)

    def assert_one(self, problems, *words):
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def proved(self):
        self.assertEqual(formal.prove(self.source, self.build, "theories"), [])


class Holes(Theories):
    def test_quiet(self):
        self.assertEqual(formal.holes(self.source), [])

    def test_every_hole_in_the_text(self):
        for text, word in HOLES.items():
            self.write("Bad.v", "Section T.\nVariable k : nat.\nEnd T.\n" + text + "\n")
            problems = formal.holes(self.source)
            self.assertTrue(problems and all("Bad.v:4" in p for p in problems), (text, problems))
            self.assertIn("Bad.v:4: " + word, problems)

    def test_what_only_looks_like_a_hole(self):
        for text in ('Definition s := "Axiom hole".', '(* "(*" Axiom *) *)', '(* (* Axiom *) "Axiom *)" *)'):
            self.write("Quiet.v", text + "\n")
            self.assertEqual(formal.holes(self.source), [], text)

    def test_a_folder_that_nothing_checks(self):
        (self.source / "more").mkdir()
        self.write("more/Good.v", GOOD)
        self.assert_one(formal.holes(self.source), "more/Good.v", "no group")

    def test_nothing_read(self):
        (self.source / "Good.v").unlink()
        self.assert_one(formal.holes(self.source), "nothing was checked")


class Proofs(Theories):
    def test_quiet(self):
        self.proved()
        self.assertEqual(formal.axioms(self.source, self.build, "theories"), [])
        self.assertEqual(formal.kernel(self.build, "theories"), [])

    def test_wrong_proof(self):
        self.write("Bad.v", "Lemma wrong : 0 = 1. Proof. reflexivity. Qed.\n")
        self.assertIn("Bad.v", formal.prove(self.source, self.build, "theories")[0])

    def test_admitted_where_nothing_uses_it(self):
        self.write("Bad.v", "Lemma hole : 0 = 1. Proof. Admitted.\n")
        self.proved()
        self.assert_one(formal.axioms(self.source, self.build, "theories"), "hole", "does not allow")
        self.assert_one(formal.kernel(self.build, "theories"), "Gnomon.Bad.hole")

    def test_axiom_behind_a_theorem(self):
        self.write("Bad.v", "Axiom hole : 0 = 1.\n"
                            "Theorem ROPE_3_all : 1 = 0. Proof. symmetry; exact hole. Qed.\n")
        self.proved()
        self.assert_one(formal.axioms(self.source, self.build, "theories"), "hole", "does not allow")
        self.assert_one(formal.kernel(self.build, "theories"), "Gnomon.Bad.hole")

    def test_a_functor_beside_a_theorem_of_the_same_name(self):
        self.write("Bad.v", FUNCTOR)
        self.proved()
        self.assertNotEqual(formal.holes(self.source), [])
        (self.source.parent / "rope.md").write_text("**ROPE-1. One.** **Two.**\n**ROPE-3. Three.**\n")
        for found in (formal.axioms(self.source, self.build, "theories"),
                      formal.clauses(self.source.parent, self.build)):
            self.assertEqual(found, ["Gnomon.Bad.ROPE_3_all: inside of Hidden; no check sees what that assumes",
                                     "ROPE_3_all: stands 2 times: Gnomon.Bad, Gnomon.Bad"])

    def test_a_theorem_that_stands_twice(self):
        self.write("Bad.v", "Theorem ROPE_1_zero : 0 = 0. Proof. reflexivity. Qed.\n")
        self.proved()
        self.assert_one(formal.axioms(self.source, self.build, "theories"), "ROPE_1_zero: stands 2 times")

    def test_checks_that_were_switched_off(self):
        self.write("Bad.v", "Unset Guard Checking.\nFixpoint f (n : nat) : 0 = 1 := f n.\n"
                            "Theorem ROPE_3_all : 0 = 1. Proof. exact (f 0). Qed.\n")
        self.proved()
        self.assertIn("rests on Bad.f, which axioms.txt does not allow",
                      formal.axioms(self.source, self.build, "theories"))
        self.assertNotEqual(formal.kernel(self.build, "theories"), [])

    def test_axioms_off_the_list_and_on_it_for_nothing(self):
        self.write("Reals.v", REALS)
        self.proved()
        found = formal.axioms(self.source, self.build, "theories")
        self.assertTrue(found and all("does not allow" in problem for problem in found))
        self.write("axioms.txt", "".join(problem.split()[2].rstrip(",") + " reals\n" for problem in found))
        self.assertEqual(formal.axioms(self.source, self.build, "theories"), [])
        (self.source / "Reals.v").unlink()
        self.proved()
        self.assertEqual(len(formal.axioms(self.source, self.build, "theories")), len(found))

    def test_a_theory_that_is_gone_leaves_nothing(self):
        self.write("More.v", REALS)
        self.proved()
        (self.source / "More.v").unlink()
        self.proved()
        self.assertEqual(formal.theorems(self.build, "theories"),
                         [("Gnomon.Good", "ROPE_1_zero"), ("Gnomon.Good", "helper")])

    def test_clauses(self):
        self.proved()
        page = self.source.parent / "rope.md"
        page.write_text("**ROPE-1. Frequencies.** Text.\n")
        self.assertEqual(formal.clauses(self.source.parent, self.build), [])
        page.write_text("text of **ROPE-1. Frequencies.**\n")
        self.assert_one(formal.clauses(self.source.parent, self.build), "no clause ROPE-1")

    def test_nothing_to_do_is_a_fault(self):
        (self.source / "Good.v").unlink()
        self.assert_one(formal.prove(self.source, self.build, "theories"), "nothing was proved")
        self.assert_one(formal.axioms(self.source, self.build, "theories"), "nothing was audited")
        self.assert_one(formal.kernel(self.build, "theories"), "nothing was checked")
        self.assert_one(formal.clauses(self.source.parent, self.build), "nothing was compared")


class Constants(unittest.TestCase):
    SOURCE = pathlib.Path(formal.__file__).parent.parent
    ROOT = SOURCE.parent.parent
    FILES = ("optimized/tables.cc", "optimized/tables.h", "optimized/cos_sin-inl.h", "optimized/rotate_exact.cc",
             "optimized/rope_tokens.cc", "optimized/turns.cc", "spec/format.h")

    def problems(self, old="", new=""):
        """With `old` replaced in whichever of the files has it."""
        with tempfile.TemporaryDirectory() as scratch:
            root, found = pathlib.Path(scratch), 0
            for name in self.FILES:
                text = (self.ROOT / name).read_text()
                found += old in text
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text.replace(old, new) if old else text)
            self.assertGreater(found, 0, old)
            return formal.constants(self.SOURCE, root)

    def test_quiet(self):
        self.assertEqual(self.problems(), [])

    def test_another_number_and_another_count(self):
        for old, new, count in (("0x1.466bc6775aae2p-4", "0x1.466bc6775aae3p-4", 1),
                                ("0x1.aaec32af93359p-38", "0x1.aaec32af93359p-38, 0x1p-50", 2),
                                ("kSine[]", "kOther[]", 1), ("kDirectRelative = 8", "kDirectRelative = 7", 1),
                                ("kDirectAbsolute = 0x1p-60", "kDirectAbsolute = 0x1p-61", 1),
                                ("kAnchoredAbsolute = 10", "kAnchoredAbsolute = 9", 1),
                                ("kReach = uint32_t{1} << 15", "kReach = uint32_t{1} << 14", 1),
                                ("kRotationRelative = 12", "kRotationRelative = 11", 1),
                                ("hn::Set(F32(), 0x1p-11f)", "hn::Set(F32(), 0x1p-12f)", 1),
                                ("size >= 0x1p-126f", "size >= 0x1p-127f", 1),
                                ("scaled.exponent <= -27", "scaled.exponent <= -26", 1),
                                ("(low >> 56) + 1", "(low >> 57) + 1", 1),
                                ("scaled.significand + 4", "scaled.significand + 3", 1),
                                ("kTerms = 14;", "kTerms = 13;", 2),
                                ("static_cast<uint128_t>(1) << 21", "static_cast<uint128_t>(1) << 20", 1),
                                ("scaled.exponent <= -27", "scaled.exponent < -26", 1),
                                ('"bf16", 16, 8, 127, -133', '"bf16", 16, 8, 127, -134', 1),
                                ('"f32", 32, 24', '"f32", 32, 23', 1)):
            self.assertEqual(len(self.problems(old, new)), count, new)


class WithoutCoq(unittest.TestCase):
    def ended(self, tool, *words, **variables):
        """How a tool of this folder ends where nothing is installed."""
        kept = {name: value for name, value in os.environ.items() if name != "GNOMON_REQUIRE_FORMAL"}
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([sys.executable, TOOLS / tool, words[0], empty, empty, *words[1:]],
                                  env={**kept, "PATH": empty, **variables}, text=True, stdout=subprocess.PIPE)
        return done.returncode, done.stdout

    def test_skips_and_says_why(self):
        for words in (("formal.py", "prove", "theories"), ("certified_numbers.py", "sample")):
            self.assertEqual(self.ended(*words),
                             (formal.SKIPPED, "skipped: coqc is not installed (ci/setup --formal)\n"), words)

    def test_fails_where_it_is_required(self):
        said = "required (GNOMON_REQUIRE_FORMAL=1), but coqc is not installed (ci/setup --formal)\n"
        for words in (("formal.py", "prove", "theories"), ("formal.py", "axioms", "theories"),
                      ("certified_numbers.py", "sample")):
            self.assertEqual(self.ended(*words, GNOMON_REQUIRE_FORMAL="1"), (1, said), words)
        self.assertIn("export GNOMON_REQUIRE_FORMAL=1", (TOOLS.parents[2] / ".ci" / "run").read_text())


class Enclosures(unittest.TestCase):
    GOOD = "0 1 2\nAxioms:\nClassicalDedekindReals.sig_forall_dec\n  : forall P : nat -> Prop, P\n"

    def test_quiet(self):
        self.assertEqual(certified_numbers.audited(self.GOOD, "rope"), "0 1 2\n")

    def test_another_axiom_and_none(self):
        for printed, said in ((self.GOOD + "hole : 0 = 1\n", "rope: the enclosures rest on hole,"),
                              ("0 1 2\n", "were not printed")):
            with self.assertRaisesRegex(RuntimeError, said):
                certified_numbers.audited(printed, "rope")


class Limits(unittest.TestCase):
    def test_they_add_up_to_what_is_said(self):
        text = (TOOLS.parent / "formal.cmake").read_text()
        numbers = re.findall(r"^gnomon_formal\(\w+ (\d+) ", text, re.M)
        numbers += " ".join(re.findall(r"^set\(limits_\w+ ([\d ]+)\)", text, re.M)).split()
        self.assertEqual(len(numbers), 6 + 9)
        self.assertIn(f"together {sum(map(int, numbers))}, that is 5 minutes of two", text)

    def test_a_step_above_its_share_fails(self):
        def ended(share, code):
            return subprocess.run([sys.executable, TOOLS / "budget.py", share, "-c", code], text=True,
                                  stdout=subprocess.PIPE)
        self.assertEqual([ended("60", f"raise SystemExit({code})").returncode for code in (0, 1, 77)], [0, 1, 77])
        done = ended("0.05", "import time\nwhile time.process_time() < 0.4: pass")
        self.assertEqual(done.returncode, 1)
        self.assertIn("times the share", done.stdout)


if __name__ == "__main__":
    try:
        formal.need("theories")
    except formal.Skipped as reason:
        sys.exit(formal.skipped(reason))
    unittest.main()
