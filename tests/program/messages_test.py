"""What is wrong is said where it is given, in one line, with the right exit code; bombs are refused in no time."""
import json
import struct
import subprocess
import time

import onnx_bytes as onnx
from run_harness import PROGRAM, RunTest, main, np


class Messages(RunTest):
    def refused(self, code, message, *options, **inputs):
        done = self.run_program("-o", "out", *options, **inputs)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(self.names("out"), [])

    def test_numbers_are_checked_where_they_are_given(self):
        for option, value, message in (
                ("--resize", "0", "resize is 0, must be at least 1"), ("--crop", "-1", "crop is -1, must be at least 1"),
                ("--std", "0", "std is 0, must be > 0"), ("--mean", "nan", "mean is 'nan', must be a number"),
                ("--seed", "-1", "seed is '-1', must be a whole number, 0 or more"),
                ("--shape", "3,999999999,999999999", "shape has 3e+18 values, must be at most 2147483647"),
                ("--shape", "0,3", "shape is 0, must be at least 1")):
            with self.subTest(option=option, value=value):
                self.refused(2, message, option, value)

    def test_a_scale(self):
        for value, message in (("inf", "scale is 'inf', must be a number"), ("0", "scale is 0, must be a number other than 0")):
            command = [value if word == "0.00392" else word for word in self.command()]
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)

    def test_a_missing_model(self):
        self.refused(3, "none.onnx: cannot open", model="none.onnx")

    def test_an_opset_that_does_not_exist_yet(self):
        parts = [onnx.node("Relu", ["x"], ["y"])]
        self.write("m/m.onnx", onnx.model(parts, [("x", (1, 4))], [("y", (1, 4))], opset=99))
        done = subprocess.run([PROGRAM, "layers", "m/m.onnx"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("opset", done.stderr)
        self.assertIn("99", done.stderr)

    def test_an_unknown_op_is_named_with_its_node_and_module(self):
        scopes = "['', 'encoder', 'encoder.layers.0', 'frob']"
        unknown = onnx.block(1, onnx.block(1, "x") + onnx.block(2, "y") + onnx.block(3, "node_7") + onnx.block(4, "Frobnicate") +
                             onnx.block(9, onnx.block(1, "pkg.torch.onnx.name_scopes") + onnx.block(2, scopes)))
        self.write("m/m.onnx", onnx.model([unknown], [("x", (1, 4))], [("y", (1, 4))], opset=18))
        done = subprocess.run([PROGRAM, "layers", "m/m.onnx"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr, "atcav: m/m.onnx: [onnx] not supported: node 'node_7' (Frobnicate) in module 'encoder.layers.0'\n")

    def test_names_in_a_model_do_not_move_the_cursor(self):
        parts = [onnx.node("Relu", ["x"], ["\x1b[31mred"]), onnx.node("Relu", ["\x1b[31mred"], ["y"])]
        self.write("m/m.onnx", onnx.model(parts, [("x", (1, 4))], [("y", (1, 4))]))
        done = subprocess.run([PROGRAM, "layers", "m/m.onnx", "--all"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("red", done.stdout)
        self.assertNotIn("\x1b", done.stdout + done.stderr)


class Bombs(RunTest):
    def test_a_header_of_many_tensors(self):
        """Quadratic before: minutes."""
        header = {f"t{i}": {"dtype": "F32", "shape": [1, 1], "data_offsets": [4 * i, 4 * i + 4]} for i in range(30000)}
        text = json.dumps(header).encode()
        self.write("many.safetensors", struct.pack("<Q", len(text)) + text + bytes(4 * 30000))
        started = time.time()
        done = subprocess.run([PROGRAM, "score", "--concept", "c=many.safetensors:t7", "--random", "many.safetensors:t8",
                               "--gradients", "many.safetensors:t9"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)  # one row is too few
        self.assertLess(time.time() - started, 20)

    def test_two_thousand_concepts_fit_a_page(self):
        """214 MB before; results.json holds everything."""
        generator = np.random.default_rng(1)
        for name, rows in (("c", 20), ("r", 30), ("g", 20)):
            np.save(self.path(name + ".npy"), generator.normal(size=(rows, 4)).astype(np.float32))
        concepts = [word for i in range(2000) for word in ("--concept", f"c{i}=c.npy")]
        done = subprocess.run([PROGRAM, "score", *concepts, "--random", "r.npy", "--gradients", "g.npy", "-o", "out",
                               "--bootstrap", "2", "--permutations", "1", "--runs", "2", "--quiet"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(len(self.read("out/report.html")), 12e6)
        self.assertEqual(len(json.loads(self.read("out/results.json"))["results"]), 2000)


if __name__ == "__main__":
    main()
