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

    def test_says_what_is_wrong(self):
        with self.assertRaisesRegex(TypeError, "pool and labels come together"):
            atcav.score(pool=POOL, gradients=GRADIENTS)
        with self.assertRaisesRegex(ValueError, "label 'a' has values that are no numbers"):
            self.score({"a": ["x"] * 300})
        with self.assertRaisesRegex(ValueError, "'b' is determined by 'a'"):
            self.score({"a": LABELS["red"], "b": 1 - LABELS["red"]})


if __name__ == "__main__":
    unittest.main()
