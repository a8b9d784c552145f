"""`atcav discover`: what it finds in the demo's network, its files, and what it refuses."""
import json
import os
import struct
import subprocess

from harness import PROGRAM, without_progress
from run_harness import MODEL, RunTest, main, np


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        values = np.ascontiguousarray(values, dtype="<f4")
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


class Discover(RunTest):
    def discover(self, *options, random="random", zebra="zebra", out="out"):
        options = options if "--concepts" in options else ("--concepts", "3", *options)
        command = [PROGRAM, "discover", "--model", MODEL, "--layer", "block4", "--class", f"zebra:0={zebra}", "--random",
                   random, "--preprocess", "none", "--scale", "0.00392", *options]
        if out:
            command += ["-o", out]
        done = subprocess.run(command, cwd=self.folder, text=True, capture_output=True)
        done.stderr = without_progress(done.stderr)
        return done

    def test_writes_candidates_with_their_tests(self):
        done = self.discover("--concept", "striped=striped", "--json", "again.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(self.read("out/results.json"))
        self.assertEqual(self.read("again.json"), self.read("out/results.json"))
        self.assertEqual(found["command"], "discover")
        self.assertEqual(found["discover"], {"concepts": 3, "merge": 0.95, "finder": "kmeans"})
        family = found["families"][0]
        self.assertEqual(family["tested"], len(found["candidates"]))
        for one in found["candidates"]:
            self.assertEqual(one["named"]["nearest"], "striped")
            self.assertEqual(one["result"]["n_class"], 4)  # half of eight
            self.assertEqual(one["result"]["n_random"], 10)
            self.assertLessEqual(one["held_out"]["inputs"], 4)
            self.assertIn("random", one["result"]["intervention"])
            self.assertIn("erasure", one["result"])
        self.assertIn("shuffled directions", done.stdout)
        self.assertIn(b"data:image/", self.read("out/report.html"))

    def test_same_bytes_for_any_number_of_threads(self):
        for threads in ("1", "2"):
            self.assertEqual(self.discover("--threads", threads, out="out" + threads).returncode, 0)
        self.assertEqual(self.read("out1/results.json"), self.read("out2/results.json"))

    def test_other_seeds_halve_otherwise(self):
        self.discover("--seed", "1")
        first = self.read("out/results.json")
        self.discover("--seed", "2")
        self.assertNotEqual(first, self.read("out/results.json"))

    def test_parts_of_nonnegative_rows(self):
        done = self.discover("--finder", "nmf")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.read("out/results.json"))["discover"]["finder"], "nmf")

    def test_a_dictionary_of_ones_own(self):
        np.save(os.path.join(self.folder, "ways.npy"), np.eye(5, 32, dtype=np.float32))
        done = self.discover("--dictionary", "ways.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(self.read("out/results.json"))
        self.assertEqual(found["discover"]["dictionary"], "ways.npy")
        self.assertLessEqual({one["name"] for one in found["candidates"]}, set("01234"))
        np.save(os.path.join(self.folder, "ways.npy"), np.eye(5, 31, dtype=np.float32))
        self.assert_refuses(2, "ways.npy has 31 columns but the layer (channels) has 32", "--dictionary", "ways.npy")

    def test_a_sparse_autoencoder(self):
        for threads in ("1", "2"):
            done = self.discover("--finder", "sae", "--threads", threads, out="out" + threads)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("out1/results.json"), self.read("out2/results.json"))
        self.assertEqual(json.loads(self.read("out1/results.json"))["discover"]["finder"], "sae")

    def test_as_many_positions_as_asked_for(self):
        self.assertEqual(self.discover("--positions", "8").returncode, 0)
        found = json.loads(self.read("out/results.json"))
        self.assertEqual(found["discover"]["positions"], 8)
        self.assertLessEqual(sum(one["found"]["positions"] for one in found["candidates"]), 8)

    # Of SAELens and sparsify, of overcomplete, and of a torch.nn.Linear.
    def test_decoders_of_sparse_autoencoders(self):
        ways = np.random.default_rng(1).normal(size=(6, 32)).astype(np.float32)
        ways[2] = 0  # a dead feature
        np.save(os.path.join(self.folder, "ways.npy"), np.delete(ways, 2, axis=0))
        self.discover("--dictionary", "ways.npy", out="plain")
        plain = json.loads(self.read("plain/results.json"))["candidates"]
        others = {"W_enc": ways.T, "b_dec": ways[0], "encoder.weight": ways, "b_enc": ways[:, 0]}
        for key, values in {"W_dec": ways, "dictionary._weights": ways, "decoder.weight": ways.T}.items():
            write_safetensors(self.path("sae.safetensors"), {**others, key: values})
            done = self.discover("--dictionary", "sae.safetensors")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(self.read("out/results.json"))["candidates"]
            self.assertLessEqual({one["name"] for one in found}, set("01345"))
            effects = [[one["result"]["effect"]["d"] for one in some] for some in (found, plain)]
            self.assertEqual(*effects)

    def test_a_large_dictionary(self):
        draw = np.random.default_rng(2)
        np.save(os.path.join(self.folder, "ways.npy"), draw.normal(size=(400, 32)).astype(np.float32))
        done = self.discover("--dictionary", "ways.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(self.read("out/results.json"))
        self.assertTrue(any("100 of 400 directions" in note for note in found["notes"]), found["notes"])
        self.assertLessEqual(len(found["candidates"]), 100)
        self.assertLessEqual({len(one["name"]) for one in found["candidates"]}, {3})

    def assert_refuses(self, code, message, *options, **sets):
        done = self.discover(*options, out="", **sets)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_refuses_what_cannot_be_halved_or_found(self):
        self.assert_refuses(2, "finder is 'ace', must be kmeans, nmf or sae", "--finder", "ace")
        self.assert_refuses(2, "number of candidates is 0, must be at least 1", "--concepts", "0")
        os.mkdir(self.path("few"))
        for name in sorted(os.listdir(self.path("zebra")))[:5]:
            os.link(self.path(f"zebra/{name}"), self.path(f"few/{name}"))
        self.assert_refuses(2, "number of inputs of class 'zebra' is 5, must be at least 8", zebra="few")


if __name__ == "__main__":
    main()
