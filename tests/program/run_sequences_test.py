"""`atcav run` on a BERT that PyTorch's exporter wrote: several inputs, lengths, pools, targets, and what is refused."""
import json
import os
import subprocess
import tempfile
import unittest

from harness import PROGRAM, QUICK, without_progress
from run_cavs_test import safetensors
from run_harness import main, np

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../zoo/kept/bert_new_dynamic.onnx")
LAYER = "bert.encoder.layer.0"
ROWS = {"positive": 12, "praise": 20, "random": 30}


class SequencesTest(unittest.TestCase):
    """Every test has token ids of length 9 with their masks: NAME_ids.npy, NAME_mask.npy."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.random = np.random.default_rng(1)
        for name, rows in ROWS.items():
            self.save(name, rows, 9)

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, rows, length):
        ids = self.random.integers(1, 20, (rows, length))
        ids[:, 0] = list(name.encode())[1] % 20
        lengths = self.random.integers(4, length + 1, (rows, 1))
        np.save(self.path(name + "_ids.npy"), ids)
        np.save(self.path(name + "_mask.npy"), (np.arange(length) < lengths).astype(np.int64))
        return f"{name}_ids.npy,{name}_mask.npy"

    def program(self, *options, layer=LAYER, target="1", of_class=None, concept=None, random=None):
        both = lambda name: f"{name}_ids.npy,{name}_mask.npy"
        return subprocess.run(
            [PROGRAM, "run", "--model", MODEL, "--layer", layer, "--class", f"k:{target}={of_class or both('positive')}",
             "--concept", "praise=" + (concept or both("praise")), "--random", random or both("random"), "-o", "out",
             *QUICK, *options], capture_output=True, text=True, cwd=self.folder)

    def results(self, *options, **inputs):
        done = self.program(*options, **inputs)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out/results.json"), encoding="utf-8") as file:
            return json.load(file)["results"]

    def refused(self, words, *options, **inputs):
        done = self.program(*options, **inputs)
        self.assertIn(done.returncode, (2, 3), done.stderr)
        message = without_progress(done.stderr)
        self.assertEqual(message.count("\n"), 1, message)
        for word in words:
            self.assertIn(word, message)

    def test_one_file_may_hold_all_inputs(self):
        lists = self.results("--pool", "cls")
        for name in ROWS:
            with open(self.path(name + ".safetensors"), "wb") as file:
                file.write(safetensors({"attention_mask": np.load(self.path(name + "_mask.npy")),
                                        "input_ids": np.load(self.path(name + "_ids.npy"))}))
        files = self.results("--pool", "cls", of_class="positive.safetensors", concept="praise.safetensors",
                             random="random.safetensors")
        self.assertEqual(lists[0]["sensitivities"], files[0]["sensitivities"])
        self.assertEqual(lists[0]["tensor"], files[0]["tensor"])

    def test_the_gradient_tells_what_adding_a_direction_does(self):
        """Where the pool looks: a step of a tenth moves the logit by a tenth of the first order."""
        for pool in ("none", "mean", "max", "cls", "last", "2"):
            with self.subTest(pool=pool):
                found = self.results("--pool", pool, "--intervene", "12")[0]
                self.assertEqual(found["intervention"]["class"]["inputs"], 12)
                self.assertAlmostEqual(found["intervention"]["ratio"], 1, delta=0.1)

    def test_sets_may_differ_in_length_where_the_layer_is_pooled(self):
        longer = self.save("longer", 15, 12)
        for inputs in ({"of_class": longer}, {"concept": longer}, {"random": longer}):
            for pool in ("mean", "last"):
                with self.subTest(inputs=inputs, pool=pool):
                    self.assertTrue("intervention" in self.results("--pool", pool, **inputs)[0])
        self.refused(["--pool"], concept=longer)

    def test_a_folder_may_hold_examples_of_different_lengths(self):
        os.mkdir(self.path("ragged"))
        for i in range(10):
            np.save(self.path(f"ragged/{i}.npy"), self.random.integers(1, 20, 4 + i % 3))
        alone = self.results("--pool", "last", of_class="ragged")[0]["sensitivities"]
        os.mkdir(self.path("few"))
        for i in range(1, 10, 3):
            os.rename(self.path(f"ragged/{i}.npy"), self.path(f"few/{i}.npy"))
        few = self.results("--pool", "last", of_class="few")[0]["sensitivities"]
        np.testing.assert_allclose(few, alone[1::3], rtol=1e-4)

    def test_a_difference_is_what_its_logits_make_it(self):
        first, second = (np.array(self.results("--pool", "cls", target=target)[0]["sensitivities"]) for target in "10")
        found = self.results("--pool", "cls", target="1-0")[0]
        np.testing.assert_allclose(found["sensitivities"], first - second, atol=1e-6)
        self.assertEqual(found["intervention"]["classes"], 1)
        self.assertAlmostEqual(found["intervention"]["ratio"], 1, delta=0.1)

    def test_each_input_may_have_its_own_target(self):
        labels = np.arange(ROWS["positive"]) % 3
        np.save(self.path("labels.npy"), labels)
        found = self.results("--pool", "cls", target="@labels.npy")[0]
        each = [self.results("--pool", "cls", target=str(k))[0]["sensitivities"] for k in range(3)]
        np.testing.assert_allclose(found["sensitivities"], [each[k][i] for i, k in enumerate(labels)], atol=1e-6)
        self.assertNotIn("random", found["intervention"])

    def test_patterns_test_every_layer_in_order(self):
        found = self.results("--pool", "cls", layer="bert.encoder.layer.*")
        self.assertEqual([one["layer"] for one in found], ["bert.encoder.layer.0", "bert.encoder.layer.1"])

    def test_texts_are_on_the_page(self):
        with open(self.path("positive.txt"), "w", encoding="utf-8") as file:
            file.write("".join(f"sentence <{i}>\n" for i in range(ROWS["positive"])))
        self.results("--pool", "cls", "--texts", "k=positive.txt")
        with open(self.path("out/report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("sentence", page)
        self.assertNotIn("sentence <0>", page, "escaped")

    def test_what_does_not_fit_is_one_line(self):
        self.refused(["'attention_mask'", "1 array"], of_class="positive_ids.npy")
        self.refused(["praise_mask.npy", "20", "12"], of_class="positive_ids.npy,praise_mask.npy")
        self.refused(["bert.encoder.layer.0.intermediate", "bert.encoder.layer.1.intermediate"], layer="intermediate")
        self.refused(["index 7", "below 3"], target="7")
        self.refused(["pool", "first"], "--pool", "first")
        longer = self.save("longer", ROWS["positive"], 12)
        self.refused(["length"], of_class="positive_ids.npy," + longer.split(",")[1])


if __name__ == "__main__":
    main()
