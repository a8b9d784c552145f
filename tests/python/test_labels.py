"""Labels of a pool: DataFrames, dicts, arrays and files give the same results; what is wrong is said."""
import os
import tempfile
import unittest

import numpy

import atcav

RNG = numpy.random.default_rng(1)
STRIPED = RNG.normal(size=300)
LABELS = {"striped": (STRIPED < -.5) * 1.0, "red": (.7 * STRIPED + .7 * RNG.normal(size=300) < -.5) * 1.0}
POOL = RNG.normal(size=(300, 20)).astype(numpy.float32)
POOL[:, 0] += 3 * LABELS["striped"]
POOL[:, 1] += 3 * LABELS["red"]
GRADIENTS = (.2 * RNG.normal(size=(9, 20))).astype(numpy.float32)
GRADIENTS[:, 0] = 1
GRADIENTS[:, 1] = 0


class Labels(unittest.TestCase):
    def score(self, labels, **options):
        return atcav.score(pool=POOL, labels=labels, gradients={"zebra": GRADIENTS}, **options)

    def test_holds_the_others_fixed(self):
        red = self.score(LABELS)["red"][0]
        self.assertLess(red.significance.bonferroni, .001)
        self.assertGreater(red.joint.bonferroni, .05)

    def test_every_kind_gives_the_same(self):
        wanted = [one.joint.logits for one in self.score(LABELS)]
        table = numpy.stack(list(LABELS.values()), axis=1)
        self.assertEqual([one.joint.logits for one in self.score(table)], wanted)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "labels.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("row,striped,red\n" + "".join(f"{i},{a},{b}\n" for i, (a, b) in enumerate(table)))
            self.assertEqual([one.joint.logits for one in self.score(path)], wanted)
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        self.assertEqual([one.joint.logits for one in self.score(pandas.DataFrame(LABELS))], wanted)

    def test_groups(self):
        source = [f"s{i // 3}" for i in range(300)]
        found = self.score({**LABELS, "source": source}, group_column="source")
        self.assertEqual(found[0].groups.examples, 100)

    def test_summary_is_a_new_run_with_these_groups(self):
        source = [f"s{i // 3}" for i in range(300)]
        videos = [f"v{i // 3}" for i in range(9)]
        run = self.score(LABELS, influences=True)
        found = run.summary(groups=source, class_groups={"zebra": videos}, negligible=.3)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "videos.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(videos))
            wanted = self.score({**LABELS, "source": source}, group_column="source", class_groups=f"zebra={path}",
                                negligible=.3)
        self.assertEqual(found[0].groups.inputs, 3)
        for one, other in zip(found, wanted):
            self.assertAlmostEqual(one.effect.d_low, other.effect.d_low, delta=1e-10)
            self.assertAlmostEqual(one.joint.d_high, other.joint.d_high, delta=1e-10)
            self.assertAlmostEqual(one.equivalence.p, other.equivalence.p, delta=1e-10)
            self.assertEqual(one.verdict.text, other.verdict.text)
        with self.assertRaisesRegex(ValueError, "kept no influences"):
            self.score(LABELS).summary(groups=source)

    def test_equal_runs_do_not_differ(self):
        run = self.score(LABELS, influences=True)
        for one in run.compare(run)["differences"]:
            self.assertEqual([one["logits"][key] for key in ("difference", "low", "high", "p")], [0, 0, 0, 1])

    def test_says_what_is_wrong(self):
        with self.assertRaisesRegex(TypeError, "pool and labels come together"):
            atcav.score(pool=POOL, gradients=GRADIENTS)
        with self.assertRaisesRegex(ValueError, "label 'a' has values that are not numbers"):
            self.score({"a": ["x"] * 300})
        with self.assertRaisesRegex(ValueError, "'b' is determined by 'a'"):
            self.score({"a": LABELS["red"], "b": 1 - LABELS["red"]})
        with self.assertRaisesRegex(ValueError, "groups has 10 rows but labels has 300"):
            self.score({**LABELS, "source": ["a"] * 10}, group_column="source")
        with self.assertRaisesRegex(ValueError, "group_column is empty at row 299, must name the row's group"):
            self.score({**LABELS, "source": ["a", "b", "c"] * 99 + ["a", "b", float("nan")]}, group_column="source")

    def test_an_index_of_another_order_is_an_error(self):
        wanted = [one.joint.logits for one in self.score(LABELS)]
        self.assertEqual([one.joint.logits for one in self.score(Frame(LABELS, range(300)))], wanted)
        for index, place in ((range(299, -1, -1), "299 at place 0"), (range(1, 301), "1 at place 0"),
                             (list(range(299)) + ["z.png"], "'z.png' at place 299")):
            with self.assertRaisesRegex(ValueError, f"labels has {place} of its index"):
                self.score(Frame(LABELS, index))
        series = Frame(LABELS, range(299, -1, -1))["red"]
        with self.assertRaisesRegex(ValueError, "label 'red' has 299 at place 0 of its index"):
            self.score({"red": series})
        with self.assertRaisesRegex(ValueError, "two columns of one name"):
            self.score(Frame({1: LABELS["red"], "1": LABELS["striped"]}, range(300)))


class Frame:
    """What is asked of a DataFrame or a Series: pandas may be missing."""

    def __init__(self, values, index):
        self.values, self.index, self.iloc = values, index, None
        if isinstance(values, dict):
            self.columns = list(values)

    def __getitem__(self, name):
        return Frame(self.values[name], self.index)

    def __array__(self, dtype=None):
        return numpy.asarray(self.values, dtype)


if __name__ == "__main__":
    unittest.main()
