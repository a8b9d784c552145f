"""Run and Result: the same content as results.json, as objects, a table, a frame, pictures and files."""
import importlib.util
import json
import pathlib
import tempfile
import unittest

import numpy

import atcav

DRAW = numpy.random.default_rng(3)
CONCEPTS = {"striped": DRAW.normal(size=(30, 5)) + [1, 0, 0, 0, 0], "a/b": DRAW.normal(size=(20, 5))}
RANDOM = DRAW.normal(size=(40, 5))
GRADIENTS = {"zebra": DRAW.normal(size=(15, 5)) + [0.5, 0, 0, 0, 0], "horse": DRAW.normal(size=(12, 5))}


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = atcav.score(CONCEPTS, RANDOM, GRADIENTS, layer="layer3", seed=1)

    def test_fields_are_those_of_results_json(self):
        for result, want in zip(self.found, json.loads(self.found.to_json())["results"]):
            self.assertEqual(result.to_dict(), want)
            self.same(result, want)

    def same(self, record, want):
        for key, value in want.items():
            found = getattr(record, key + "_" if key == "class" else key)
            if hasattr(found, "to_dict"):
                self.same(found, value)
            else:
                self.assertEqual(found, value, key)

    def test_headline_score_and_names(self):
        result = self.found["striped", "zebra", "layer3"]
        self.assertEqual(result.score, result.alpha_tcav["dagger"])
        self.assertEqual((result.concept, result.class_), ("striped", "zebra"))
        self.assertEqual(len(self.found["striped"]), 2)
        self.assertIn(f"{result.score:.3f}", repr(result))
        self.assertEqual((len(self.found), len(list(self.found))), (4, 4))
        with self.assertRaises(KeyError):
            self.found["dotted"]

    def test_keys_have_their_places(self):
        sets = {"y": CONCEPTS["striped"], "x": CONCEPTS["a/b"]}
        found = atcav.score(sets, RANDOM, {"x": GRADIENTS["zebra"], "y": GRADIENTS["horse"]}, layer="y", permutations=99)
        one = found["y", "x", "y"]
        self.assertEqual((one.concept, one.class_, one.layer), ("y", "x", "y"))
        self.assertEqual({one.concept for one in found["x"]}, {"x"})
        self.assertEqual([one.concept for one in found[:, "x"]], ["y", "x"])
        self.assertEqual(len(found[:, :, "y"]), 4)
        for wrong in ("zebra", ("zebra", "striped"), ("y", "x", "y", "y")):
            with self.assertRaises(KeyError):
                found[wrong]

    def test_a_field_that_the_schema_does_not_know_appears(self):
        result = atcav.Result._from({**self.found[0].to_dict(), "brand_new": 7})
        self.assertEqual(result.brand_new, 7)

    def test_table_and_html(self):
        self.assertIn("striped", str(self.found))
        page = self.found._repr_html_()
        self.assertEqual(page.count("<tr>"), 5)
        self.assertIn(f"{self.found[0].score:.3f}", page)

    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            page = self.found.report(pathlib.Path(folder) / "out")
            self.assertIn("<html", pathlib.Path(page).read_text(encoding="utf-8"))
            written = (pathlib.Path(folder) / "out" / "results.json").read_text(encoding="utf-8")
            self.assertEqual(written, self.found.to_json())
        with self.assertRaises(RuntimeError):
            self.found.report("/proc/nowhere")

    def test_cavs_of_the_run_and_of_a_file(self):
        want = CONCEPTS["striped"].mean(0) - RANDOM.mean(0)
        numpy.testing.assert_allclose(self.found.cavs["layer3"]["striped"], want, rtol=1e-4, atol=1e-6)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cavs.safetensors"
            self.found.save_cavs(path)
            loaded = atcav.load_cavs(path)
        self.assertEqual(list(loaded["layer3"]), sorted(CONCEPTS))
        for concept, direction in loaded["layer3"].items():
            numpy.testing.assert_array_equal(direction, self.found.cavs["layer3"][concept])

    def test_load_cavs_refuses_other_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x"
            for content in (b"", b"123", b"\x10" + 7 * b"\0" + b"no json at all..", 20 * b"\xff"):
                path.write_bytes(content)
                with self.assertRaisesRegex(RuntimeError, f"{path}: "):
                    atcav.load_cavs(path)
            for entry, why in ({}, ""), ({"dtype": "I8", "shape": [4], "data_offsets": [0, 4]}, "must be floats"), \
                    ({"dtype": "F32", "shape": [9], "data_offsets": [0, 4]}, "9"):
                self.write_tensors(path, {"l/c": entry}, b"1234")
                with self.assertRaisesRegex(RuntimeError, f"'l/c'.*{why}"):
                    atcav.load_cavs(path)
            with self.assertRaisesRegex(RuntimeError, "nowhere"):
                atcav.load_cavs(pathlib.Path(folder) / "nowhere")

    def test_load_cavs_reads_every_float(self):
        values = numpy.array([1.5, -2, 0.25, 96])  # exact in all of them
        for dtype, data in {"F64": values.astype("<f8"), "F32": values.astype("<f4"), "F16": values.astype("<f2"),
                            "BF16": (values.astype("<f4").view("<u4") >> 16).astype("<u2")}.items():
            with self.subTest(dtype), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "x"
                self.write_tensors(path, {"a/b/c": {"dtype": dtype, "shape": [4], "data_offsets": [0, data.nbytes]}},
                                   data.tobytes())
                numpy.testing.assert_array_equal(atcav.load_cavs(path)["a/b"]["c"], values)

    @staticmethod
    def write_tensors(path, header, body):
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + body)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_frame(self):
        frame = self.found.to_frame()
        self.assertEqual(len(frame), 4)
        self.assertEqual(frame["alpha_tcav.dagger"][0], self.found[0].score)
        self.assertEqual(frame["class"].tolist(), ["zebra", "zebra", "horse", "horse"])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_plots(self):
        import matplotlib
        matplotlib.use("Agg")
        for kind in ("scores", "profile", "histogram"):
            axes = self.found.plot(kind=kind)
            self.assertEqual(len(axes.get_legend().get_texts()), 4, kind)
        drawn = self.found.plot().containers[0].lines[0].get_ydata()
        self.assertEqual(drawn[0], self.found[0].score)
        with self.assertRaisesRegex(ValueError, "kind is 'pie'"):
            self.found.plot(kind="pie")

    def test_progress_is_told(self):
        told = []
        atcav.score(CONCEPTS, RANDOM, GRADIENTS, progress=lambda *what: told.append(what))
        self.assertIn(("analyse", 4, 4), told)
        with self.assertRaisesRegex(ZeroDivisionError, "own"):
            atcav.score(CONCEPTS, RANDOM, GRADIENTS, progress=self.fail_now)

    @staticmethod
    def fail_now(*_):
        raise ZeroDivisionError("own")


if __name__ == "__main__":
    unittest.main()
