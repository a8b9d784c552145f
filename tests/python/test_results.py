"""Run and Result: the same content as results.json, as objects, a table, a frame, pictures and files."""
import copy
import html
import importlib.util
import io
import json
import pathlib
import pickle
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

    def test_what_is_shown_is_the_answer(self):
        result = self.found["striped", "zebra", "layer3"]
        d, p = f"{result.effect.d:+.2f}", result.significance.bonferroni
        self.assertIn(f"d {d} [{result.effect.d_low:+.2f}, {result.effect.d_high:+.2f}]", repr(result))
        self.assertIn("used" if result.verdict.use == "for" else "no evidence", repr(result))
        self.assertIn("corrected p", repr(result))
        self.assertIn("striped", str(self.found))
        for page in (self.found._repr_html_(), result._repr_html_()):
            self.assertIn(d.replace("-", "−"), page)
            self.assertIn("< 0.001" if p < 0.001 else f"{p:.3f}", page)
            self.assertIn(html.escape(result.verdict.text), page)
        self.assertEqual(self.found._repr_html_().count("<tr>"), 5)
        few = atcav.score({"<b>": CONCEPTS["a/b"][:5]}, RANDOM, {"c": GRADIENTS["horse"], "d": GRADIENTS["zebra"]},
                          permutations=99)
        self.assertIn("&lt;b&gt;", few._repr_html_())
        self.assertEqual(sum("few examples" in text for text, _, _ in few.warnings), 1, "said once for both classes")
        self.assertGreaterEqual(sum("few examples" in text for one in few for text in one.warnings), 2)

    def test_very_many_results_are_folded(self):
        sets = {f"c{k}": CONCEPTS["striped"] + 0.01 * k for k in range(30)}
        page = atcav.score(sets, RANDOM, GRADIENTS, permutations=99)._repr_html_()
        self.assertIn("36 more results", page)

    def test_copies_and_pickles_are_the_same(self):
        def same(other):
            self.assertEqual(other, self.found)
            self.assertEqual(str(other), str(self.found))
            self.assertEqual(other.seconds, self.found.seconds)
            self.assertEqual(other.figures(), self.found.figures())
            self.assertEqual(other.warnings, self.found.warnings)
            numpy.testing.assert_array_equal(other.cavs["layer3"]["a/b"], self.found.cavs["layer3"]["a/b"])
            with tempfile.TemporaryDirectory() as folder:
                pages = [pathlib.Path(one.report(pathlib.Path(folder) / str(k))).read_bytes()
                         for k, one in enumerate((self.found, other))]
                self.assertEqual(pages[0], pages[1])
                other.save_cavs(pathlib.Path(folder) / "cavs.safetensors")
                self.assertEqual(sorted(atcav.load_cavs(pathlib.Path(folder) / "cavs.safetensors")["layer3"]), sorted(CONCEPTS))
        same(copy.deepcopy(self.found))
        kept = pickle.loads(pickle.dumps(self.found))
        same(kept)
        same(pickle.loads(pickle.dumps(copy.copy(kept))))
        result = self.found[0]
        for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            self.assertEqual(other, result)
            self.assertEqual(repr(other), repr(result))
        if importlib.util.find_spec("torch") is not None:
            import torch
            stream = io.BytesIO()
            torch.save({"run": self.found}, stream)
            stream.seek(0)
            loaded = torch.load(stream, **({"weights_only": False} if torch.__version__ >= "1.13" else {}))["run"]
            same(loaded)
            eraser = loaded.eraser("striped", "layer3")
            torch.testing.assert_close(eraser.directions, self.found.eraser("striped", "layer3").directions)

    def test_figures_are_those_of_the_program(self):
        figures = self.found.figures()
        self.assertEqual(list(figures)[:2], ["effects-zebra.svg", "effects-horse.svg"])
        self.assertEqual(sum(name.startswith("sensitivity-") for name in figures), 4)
        with tempfile.TemporaryDirectory() as folder:
            self.found.figures(folder)
            for name, svg in figures.items():
                self.assertTrue(svg.startswith("<svg"), name)
                self.assertEqual((pathlib.Path(folder) / name).read_text(encoding="utf-8"), svg)

    def test_pairs(self):
        both = {"striped": RANDOM + [0.3, 0, 0, 0, 0] + 0.1 * DRAW.normal(size=RANDOM.shape)}
        paired, single = (atcav.score(both, RANDOM, GRADIENTS, pairs=pairs, permutations=99)[0] for pairs in (True, False))
        self.assertEqual(paired.effect.logits, single.effect.logits)
        self.assertLess(paired.effect.error.examples, 0.3 * single.effect.error.examples)
        self.assertIsNone(paired.effect.error.concept)

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
        import matplotlib.pyplot
        matplotlib.use("Agg")
        for kind in ("profile", "histogram"):
            axes = self.found.plot(kind=kind)
            self.assertEqual(len(axes.get_legend().get_texts()), 4, kind)
        for kind in ("effects", "scores"):
            self.assertEqual(len(self.found.plot(kind=kind).get_yticklabels()), 4)
        dots = [line for line in self.found.plot().lines if line.get_marker() == "o"]
        self.assertEqual([line.get_xdata()[0] for line in dots], [one.effect.d for one in self.found])
        dots = [line for line in self.found.plot(kind="scores").lines if line.get_marker() == "o"]
        self.assertEqual(dots[0].get_xdata()[0], self.found[0].score)
        image = self.found.plot(kind="heat").images[0].get_array()
        self.assertEqual(image.shape, (4, 1))
        self.assertIn(f"{self.found[0].effect.d:+.2f}".replace("-", "−"), self.found[0].plot().get_title(loc="left"))
        many = atcav.score({f"c{k}": CONCEPTS["striped"] + 0.01 * k for k in range(60)}, RANDOM, GRADIENTS, permutations=99)
        for kind in ("effects", "heat", "scores", "profile", "histogram"):
            axes = many.plot(kind=kind)
            self.assertLessEqual(len(axes.get_yticklabels()), 42, kind)
            matplotlib.pyplot.close(axes.figure)
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
