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


class Sample(unittest.TestCase):
    def differences(self, computed, written):
        with tempfile.TemporaryDirectory() as scratch, \
                mock.patch.object(certified_numbers, "FILES", {"x": lambda build, step: computed}), \
                mock.patch.object(certified_numbers, "STEP", {"x": 2}), \
                mock.patch.object(certified_numbers.formal, "need"):
            vectors = pathlib.Path(scratch)
            (vectors / "certified_x.json").write_text(json.dumps({"numbers": written}))
            return certified_numbers.sample(vectors, vectors)

    def test_another_number(self):
        one, two = {"power": 1, "low": "0x1p-1"}, {"power": 2, "low": "0x1p-2"}
        self.assertEqual(self.differences([two], [one, two]), [])
        self.assertIn("but Coq computes", self.differences([one | {"low": "0x1p-2"}], [one, two])[0])
        self.assertIn("nothing was computed", self.differences([], [one])[0])

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
