#!/usr/bin/env python3
"""numbers_check.py and certified_numbers.py sample find planted faults, without Coq."""
import copy
import fractions
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import certified_numbers
import numbers_check

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "vectors"


def read(name):
    return json.loads((VECTORS / f"certified_{name}.json").read_text())["numbers"]


class Planted(unittest.TestCase):
    def faults(self, check, numbers, plant):
        numbers = copy.deepcopy(numbers)
        plant(numbers)
        return check(numbers)[0]

    def test_t5_bias(self):
        numbers = [entry for entry in read("t5_bias") if entry.get("num_buckets", 99) < 12 or
                   (entry.get("buckets_a_side"), entry.get("max_distance")) == (16, 128)]
        quiet = self.faults(numbers_check.check_t5_bias, numbers, lambda entries: None)
        self.assertEqual(quiet, ["T5-3: not every num_buckets up to 64 is there"])  # for this part of them

        def digest(entries):
            entries[0]["sha256"] = entries[1]["sha256"].replace("0", "1")

        def boundary(entries):
            entries[-1]["starts"][3] += 1

        for plant, words in ((digest, "another digest"), (boundary, "other boundaries")):
            self.assertIn(words, self.faults(numbers_check.check_t5_bias, numbers, plant)[0])

    def test_alibi(self):
        def slope(entries):
            entries[5]["sixteenths"][0] += 1

        def enclosure(entries):
            entries[-1]["low"] = entries[-1]["high"]

        for plant, words in ((slope, "other slopes"), (enclosure, "not enclosed"), (list.pop, "not every head count")):
            self.assertIn(words, self.faults(numbers_check.check_alibi, read("alibi"), plant)[0])

    def test_rope_scaling(self):
        def enclosure(entries):
            entries[200]["low"], entries[200]["high"] = entries[201]["low"], entries[201]["high"]

        def wide(entries):
            entries[200]["low"] = "0x0p-0"

        def gone(entries):
            entries[:] = [entry for entry in entries if entry.get("positions") != [131071]]

        def another(output):  # the last of its kind
            def plant(entries):
                entry = [entry for entry in entries if entry["output"] == output][-1]
                entry["low"] = entry["high"]
                entry["high"] = entries[0]["high"]
            return plant

        for plant, words in ((enclosure, "not enclosed"), (wide, "not enclosed"), (gone, "others print"),
                             *((another(output), "not enclosed")
                               for output in ("w", "magnitude", "softmax_factor", "temperature"))):
            self.assertIn(words, self.faults(numbers_check.check_rope_scaling, read("rope_scaling"), plant)[0])


    def test_widths(self):
        """Of every file any entry that is widened by a third of what the limit leaves, at both ends."""
        for name in numbers_check.NARROW:
            numbers = read(name)
            self.assertEqual(numbers_check.check_widths(name, numbers)[0], [])
            asked = [i for i, entry in enumerate(numbers) if "low" in entry and numbers_check.value(entry["low"])]
            for i in asked[::7] + asked[-1:]:
                wide = copy.deepcopy(numbers[i])
                high = numbers_check.value(wide["high"])
                more = high + abs(high) * fractions.Fraction(3, 2 ** (numbers_check.NARROW[name] + 1))
                wide["high"] = certified_numbers.hexadecimal(more)
                self.assertIn("is wider than", numbers_check.check_widths(name, [wide])[0][0], wide)
        self.assertIn("is wider than", numbers_check.check_widths(
            "rope", [{"clause": "ROPE-1", "low": "0x2p-1", "high": "0x1p-1"}])[0][0])

    def test_bounds(self):
        def gamma(entries):
            entry = [entry for entry in entries if entry["bound"] == "gamma"][-1]
            entry["low"] = entry["high"]

        numbers = read("bounds")
        self.assertEqual(numbers_check.check_bounds(numbers)[0], [])
        self.assertIn("not enclosed", self.faults(numbers_check.check_bounds, numbers, gamma)[0])

    def test_questions(self):
        self.assertEqual(certified_numbers.other_questions(VECTORS), [])
        with tempfile.TemporaryDirectory() as scratch:
            vectors = pathlib.Path(scratch)
            for name in certified_numbers.FILES:
                numbers = read(name)
                if name == "bounds":
                    numbers[-1]["format"] = "f32"
                if name == "alibi":
                    numbers.pop()
                (vectors / f"certified_{name}.json").write_text(json.dumps({"numbers": numbers}))
            said = certified_numbers.other_questions(vectors)
        self.assertEqual(len(said), 2, said)
        self.assertIn("certified_alibi.json has 255 entries, not 256", said[0])
        self.assertIn("certified_bounds.json, entry 269: asks", said[1])


class Sample(unittest.TestCase):
    def differences(self, computed, written, start=0):
        """Of two questions of one kind."""
        questions = [{"power": 1}, {"power": 2}][:len(computed)]
        with tempfile.TemporaryDirectory() as scratch, \
                mock.patch.object(certified_numbers, "FILES", {
                    "x": lambda: (questions, lambda build, chosen: [computed[i] for i in chosen])}), \
                mock.patch.object(certified_numbers, "KIND", {"x": ()}), \
                mock.patch.object(certified_numbers.formal, "need"):
            vectors = pathlib.Path(scratch)
            (vectors / "certified_x.json").write_text(json.dumps({"numbers": written}))
            return certified_numbers.sample(vectors, vectors, start)

    def test_another_number(self):
        written = [{"power": 1, "low": "0x1p-1"}, {"power": 2, "low": "0x1p-2"}]
        right, wrong = [{"low": "0x1p-1"}, {"low": "0x1p-2"}], [{"low": "0x1p-1"}, {"low": "0x1p-3"}]
        for start in range(4):
            self.assertEqual(self.differences(right, written, start), [])
            found = self.differences(wrong, written, start)  # the second is computed where the start is odd
            self.assertEqual(["but Coq computes" in problem for problem in found], [True] * (start % 2))
        self.assertIn("nothing was computed", self.differences([], [])[0])

    def test_one_of_every_kind_and_in_turn_all(self):
        for name, questions in certified_numbers.FILES.items():
            asked, _ = questions()
            kinds = {certified_numbers.kind(name, question) for question in asked}
            first, second = (certified_numbers.chosen(name, asked, start) for start in (5, 6))
            self.assertEqual({certified_numbers.kind(name, asked[i]) for i in first}, kinds)
            self.assertNotEqual(first, second)
        bounds = certified_numbers.bounds()[0]
        chosen = [certified_numbers.chosen("bounds", bounds, start) for start in range(30)]
        self.assertEqual({i for indices in chosen for i in indices}, set(range(len(bounds))))
        self.assertEqual({(bounds[i]["bound"], bounds[i].get("format")) for i in chosen[0]},
                         {(bound["bound"], bound.get("format")) for bound in bounds})

    def test_bucket_tables(self):
        rows = [[distance, 2] for distance in range(3, 513)]
        by_definition = [[20, 2], [128, 2], [512, 2]]
        for tables, direct in ((rows, by_definition), (rows[1:], by_definition), (rows, by_definition[1:])):
            with mock.patch.object(certified_numbers, "coq", return_value=f"= {tables} :\n= {direct} :"):
                if tables == rows and direct == by_definition:
                    self.assertEqual(certified_numbers.bucket_tables(None, False, 4), rows)
                else:
                    self.assertRaises(RuntimeError, certified_numbers.bucket_tables, None, False, 4)
        self.assertRaises(RuntimeError, certified_numbers.digest_of, [[1040]])

    def test_numbers_as_coq_prints_them(self):
        for text, number in (("3", 3), ("(-3)", -3), ("(5 / 8)", fractions.Fraction(5, 8)),
                             ("(-5 / 8)%R", fractions.Fraction(-5, 8)), ("(- (5) / 8)", fractions.Fraction(-5, 8))):
            self.assertEqual(certified_numbers.rational(text), number)
        self.assertEqual(certified_numbers.hexadecimal(fractions.Fraction(-5, 8)), "-0x5p-3")
        self.assertEqual(certified_numbers.lists("= [[0x10%uint63; 0x2%uint63]; []]\n : list"), [[[16, 2], []]])


if __name__ == "__main__":
    unittest.main()
