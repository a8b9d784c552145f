"""`atcav run --cavs`: directions saved by one run, or made by hand, scored on class inputs alone."""
import json
import os
import struct
import subprocess

from harness import PROGRAM
from run_harness import MODEL, SETS, RunTest, main, np

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/results.schema.json")
GIVEN = {"concepts": (), "random": None, "layers": ()}
KINDS = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64"}


def safetensors(tensors, **metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, values in tensors.items():
        content = np.ascontiguousarray(values).tobytes()
        header[name] = {"dtype": KINDS[str(values.dtype)], "shape": list(values.shape),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class CavsTest(RunTest):
    def command(self, *options, random="random", **inputs):
        command = super().command(*options, random=random or "", **inputs)
        if random is None:
            at = command.index("--random")
            del command[at:at + 2]
        return command

    def given(self, *options, out="given", **inputs):
        return json.loads(self.results("--cavs", "cavs.safetensors", *options, out=out, **{**GIVEN, **inputs}))

    def validate(self, results):
        if jsonschema is None:
            self.skipTest("no jsonschema here")
        with open(SCHEMA) as file:
            jsonschema.Draft202012Validator(json.load(file)).validate(results)

    def columns(self, layer):
        """How many values a direction at the layer has."""
        results = json.loads(self.results(layers=(layer,), out="columns"))
        return results["results"][0]["d"]


class RoundTrip(CavsTest):
    def setUp(self):
        super().setUp()
        self.whole = json.loads(self.results("--save-cavs", "cavs.safetensors"))

    def test_the_same_sensitivities_as_the_run_that_saved_them(self):
        given = self.given("--alpha", "2.5")
        self.assertEqual(len(given["results"]), len(self.whole["results"]))
        self.assertEqual({entry["cav"] for entry in given["results"]}, {"given"})
        found = {(entry["concept"], entry["layer"]): entry for entry in given["results"]}
        for result in self.whole["results"]:
            entry = found[result["concept"], result["layer"]]
            np.testing.assert_allclose(entry["sensitivities"], result["sensitivities"], rtol=1e-5,
                                       atol=1e-5 * result["gamma"])
            self.assertEqual(entry["tcav"], result["tcav"])
            self.assertAlmostEqual(entry["alpha_tcav"]["3"], result["alpha_tcav"]["3"], delta=1e-5)
            # The error from these inputs, with NumPy.
            terms = 1 / (1 + np.exp(-2.5 * np.array(entry["sensitivities"]) / entry["gamma"]))
            error = terms.std(ddof=1) / np.sqrt(len(terms))
            self.assertAlmostEqual(entry["alpha_tcav"]["2.5"], terms.mean(), delta=1e-12)
            self.assertAlmostEqual(entry["intervals"]["2.5"]["standard_error"], error, delta=1e-12)
            self.assertAlmostEqual(entry["intervals"]["2.5"]["low"], max(0, terms.mean() - 1.959964 * error), delta=1e-6)
        for mine, theirs in zip(given["entanglement"], self.whole["entanglement"]):
            self.assertEqual(mine["layer"], theirs["layer"])
            self.assertAlmostEqual(mine["cosines"][0][1], theirs["cosines"][0][1], delta=1e-5)
        self.assertEqual(self.timings("given")["examples_run"], SETS["zebra"])
        self.validate(given)
        self.validate(self.whole)

    def test_fitted_directions_where_columns_outnumber_examples(self):
        whole = json.loads(self.results("--cav", "ridge", "--save-cavs", "cavs.safetensors", layers=("block4",)))
        self.assertGreater(whole["results"][0]["d"], sum(SETS.values()))
        given = {entry["concept"]: entry for entry in self.given()["results"]}
        for result in whole["results"]:
            np.testing.assert_allclose(given[result["concept"]]["sensitivities"], result["sensitivities"], rtol=1e-4,
                                       atol=1e-4 * result["gamma"])  # solved in other coordinates

    def test_note_table_and_page(self):
        done = self.run_program("--cavs", "cavs.safetensors", "-o", "out2", **GIVEN)
        self.assertEqual(done.returncode, 0, done.stderr)
        note = json.loads(self.read("out2/results.json"))["notes"][0]
        self.assertIn("the noise of a CAV, Multi-TCAV and accuracy need its examples", note)
        self.assertIn(note, " ".join(done.stdout.split()))
        self.assertRegex(done.stdout, r"logits \[95 %\] +p corr\. +α-TCAV")
        self.assertNotRegex(done.stdout, r"acc\.")
        self.assertTrue(all(len(line) <= 100 for line in done.stdout.splitlines()))
        page = self.read("out2/report.html").decode()
        for part, there in (("accuracy need its examples", True), ("data:image/", True), ("<script", True)):
            self.assertEqual(part in page, there, part)

    def test_same_bytes_again_with_any_threads_and_from_the_cache(self):
        first = self.results("--cavs", "cavs.safetensors", "--threads", "1", **GIVEN)
        page = self.read("out/report.html")
        for options in (["--threads", "2"], ["--cache", "cache"], ["--cache", "cache"]):
            self.assertEqual(self.results("--cavs", "cavs.safetensors", *options, **GIVEN), first)
        self.assertEqual(self.timings()["examples_run"], 0)
        self.write("again.yaml", json.loads(first)["config"].encode())
        subprocess.run([PROGRAM, "run", "again.yaml", "-q", "-o", "again"], cwd=self.folder, check=True)
        self.assertEqual(self.read("again/results.json"), first)
        self.assertEqual(self.results("--cavs", "cavs.safetensors", "--threads", "1", **GIVEN), first)
        self.assertEqual(self.read("out/report.html"), page)

    def test_layers_are_chosen_and_new_classes_scored(self):
        given = self.given(layers=("pool",), classes=("zebra:0=zebra", "other:2=dotted"))
        self.assertEqual([(e["layer"], e["class"], e["concept"]) for e in given["results"]],
                         [("pool", c, k) for c in ("zebra", "other") for k in ("dotted", "striped")])
        self.validate(given)

    def test_another_model_is_noted(self):
        with open(MODEL, "rb") as file:
            self.write("model.onnx", file.read() + b"\xf2\x3f\x01x")
        notes = self.given(model="model.onnx")["notes"]
        self.assertEqual(len(notes), 2)
        self.assertIn("found in another model", notes[1])

    def test_print_config_has_the_key(self):
        done = self.run_program("--cavs", "cavs.safetensors", "--print-config", **GIVEN)
        self.assertIn("\ncavs: cavs.safetensors\n", done.stdout)


class ByHand(CavsTest):
    def test_float16_and_float64_and_any_shape(self):
        columns = self.columns("pool")
        generator = np.random.default_rng(4)
        half = generator.normal(size=columns).astype(np.float16)
        self.write("cavs.safetensors", safetensors({"pool/half": half, "pool/double": half.astype(np.float64)[None]}))
        given = self.given()["results"]
        self.assertEqual([entry["concept"] for entry in given], ["double", "half"])
        self.assertEqual(given[0]["sensitivities"], given[1]["sensitivities"])
        self.assertEqual(given[0]["layer"], "pool")

    def assert_fails(self, code, message, *options, tensors=None, **inputs):
        if tensors is not None:
            self.write("cavs.safetensors", safetensors(tensors))
        done = self.run_program("--cavs", "cavs.safetensors", "-o", "bad", *options, **{**GIVEN, **inputs})
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(self.names("bad"), [])

    def test_bad_files(self):
        columns = self.columns("pool")
        good = np.ones(columns, np.float32)
        self.assert_fails(3, f"tensor 'pool/a' has {columns + 1} values, the layer has {columns} columns",
                          tensors={"pool/a": np.ones(columns + 1, np.float32)})
        self.assert_fails(3, f"tensor 'pool/a' is zero in all {columns} values", tensors={"pool/a": 0 * good})
        for bad in (np.nan, np.inf):
            values = good.copy()
            values[3] = bad
            self.assert_fails(3, f"tensor 'pool/a' is {bad} at value 3, must be finite", tensors={"pool/a": values})
        self.assert_fails(3, "tensor 'pool/a' is I64, must be floats", tensors={"pool/a": good.astype(np.int64)})
        self.assert_fails(3, "has no tensor 'block4/…'; it has 'pool/a'", tensors={"pool/a": good}, layers=("block4",))
        self.assert_fails(2, "pol", tensors={"pol/a": good})
        self.assert_fails(3, "must be LAYER/CONCEPT", tensors={"a": good})
        self.write("cavs.safetensors", b"nothing")
        self.assert_fails(3, "cavs.safetensors: ")

    def test_what_cannot_be_asked_beside_it(self):
        tensors = {"pool/a": np.ones(self.columns("pool"), np.float32)}
        self.assert_fails(2, "--concept cannot be combined with --cavs", tensors=tensors, concepts=("a=striped",))
        self.assert_fails(2, "--random cannot be combined with --cavs", random="random")
        self.assert_fails(2, "--relative cannot be combined with --cavs", "--relative", "a:b")
        self.assert_fails(2, "--save-cavs cannot be combined with --cavs", "--save-cavs", "more.safetensors")
        for alpha in ("star", "dagger"):
            self.assert_fails(2, f"alpha is {alpha}, must be a number", "--alpha", alpha)
        self.assert_fails(2, "number of classes", classes=())
        self.assert_fails(2, "index 3, must be below 3", classes=("zebra:3=zebra",))


if __name__ == "__main__":
    main()
