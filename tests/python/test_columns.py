"""Parquet and Arrow columns against the arrays that were written into them."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

import atcav

DRAW = numpy.random.default_rng(8)
RANDOM = DRAW.normal(size=(90, 6)).astype(numpy.float32)
STRIPED = (DRAW.normal(size=(60, 6)) + [1, 0, 0, 0.5, 0, 0]).astype(numpy.float32)
ZEBRA = (DRAW.normal(size=(20, 6)) + [0.5, 0, 0, 0, 0, 0]).astype(numpy.float32)
OPTIONS = {"seed": 3, "permutations": 99, "bootstrap": 50}

# Reads a column of 400,000 × 64 floats, 102 MB, and prints how many bytes its process grew by.
READ_MUCH = """
import resource, sys
import atcav._columns, pyarrow.dataset, pyarrow.parquet
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rows = atcav._columns.read("much", sys.argv[1])
assert rows.shape == (400_000, 64) and rows[-1, -1] == 400_000 * 64  # as float32 has it
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@unittest.skipUnless(importlib.util.find_spec("pyarrow"), "pyarrow is not installed")
class Columns(unittest.TestCase):
    def setUp(self):
        import pyarrow
        import pyarrow.dataset
        import pyarrow.feather
        import pyarrow.parquet
        self.arrow = pyarrow
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def column(self, values):
        flat = self.arrow.array(values.reshape(-1))
        return self.arrow.FixedSizeListArray.from_arrays(flat, values.shape[1])

    def table(self, values):
        return self.arrow.table({"name": [f"row {k}" for k in range(len(values))], "embedding": self.column(values)})

    def file(self, name, values, **options):
        path = os.path.join(self.folder, name)
        self.arrow.parquet.write_table(self.table(values), path, **options)
        return path

    def found(self, striped, random=RANDOM):
        return atcav.score({"striped": striped}, random, {"zebra": ZEBRA}, **OPTIONS).to_json()

    def test_a_column_is_the_array_that_was_written(self):
        want = self.found(STRIPED)
        parquet = self.file("striped.parquet", STRIPED, row_group_size=17)
        arrow = os.path.join(self.folder, "striped.arrow")
        self.arrow.feather.write_feather(self.table(STRIPED), arrow)
        table = self.table(STRIPED)
        parts = self.arrow.concat_tables([table.slice(0, 13), table.slice(13)])
        lists = self.arrow.table({"embedding": self.arrow.array([list(map(float, row)) for row in STRIPED])})
        for given in (parquet, f"{parquet}:embedding", f"{arrow}:embedding", table, parts, parts["embedding"], lists,
                      self.column(STRIPED), table.to_batches()[0], self.arrow.dataset.dataset(parquet)):
            with self.subTest(given=type(given)):
                self.assertEqual(self.found(given), want)
        self.assertEqual(self.found(STRIPED, self.file("random.parquet", RANDOM)), want)

    def test_a_dataset_of_many_files_comes_in_the_order_of_their_names(self):
        for k in range(0, 60, 20):
            self.file(f"part-{k:02}.parquet", STRIPED[k:k + 20])
        self.assertEqual(self.found(self.arrow.dataset.dataset(self.folder)), self.found(STRIPED))

    def test_what_is_no_column_of_numbers_is_refused(self):
        path = self.file("striped.parquet", STRIPED)
        two = self.table(STRIPED).append_column("other", self.column(STRIPED))
        ragged = self.arrow.array([[1.0, 2.0], [3.0]])
        gaps = self.arrow.array([[1.0, 2.0], None])
        for given, message in ((f"{path}:other", "has no column 'other', must be one of name, embedding"),
                               (two, "has 2 columns with a list in each row"),
                               (f"{path}:name", "must be lists of numbers"), (ragged, "rows have 1 to 2 numbers"),
                               (gaps, "a value is null"), (self.table(STRIPED[:0]), "is empty")):
            with self.assertRaisesRegex(ValueError, f"concept 'striped'.*{message}"):
                self.found(given)
        with self.assertRaises(FileNotFoundError):
            self.found("nowhere.parquet")

    def test_a_large_file_is_never_held_whole(self):
        path = os.path.join(self.folder, "much.parquet")
        rows, columns = 50_000, 64
        schema = self.arrow.schema({"embedding": self.arrow.list_(self.arrow.float32(), columns)})
        with self.arrow.parquet.ParquetWriter(path, schema, use_dictionary=False, compression="none") as writer:
            for part in range(8):
                values = numpy.arange(rows * columns, dtype=numpy.float64) + part * rows * columns
                one = self.arrow.table({"embedding": self.column(values.astype(numpy.float32).reshape(rows, columns))})
                writer.write_table(one, row_group_size=5_000)
        grown = int(subprocess.run([sys.executable, "-c", READ_MUCH, path], check=True, capture_output=True, text=True).stdout)
        self.assertLess(grown, 60_000)  # kilobytes; the column has 102,400

    def test_results_as_parquet(self):
        run = atcav.score({"striped": STRIPED, "dotted": STRIPED[::-1] + 1}, RANDOM, {"zebra": ZEBRA}, **OPTIONS)
        path = os.path.join(self.folder, "results.parquet")
        run.to_parquet(path)
        rows = self.arrow.parquet.read_table(path).to_pylist()
        self.assertEqual([row["concept"] for row in rows], ["striped", "dotted"])
        for row, result in zip(rows, run):
            self.assertEqual(row["effect.d"], result.effect.d)
            self.assertEqual(row["significance.bonferroni"], result.significance.bonferroni)


if __name__ == "__main__":
    unittest.main()
