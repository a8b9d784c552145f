"""Ctrl-C and SIGTERM are answered within a second wherever the program is; what the system takes away is an error."""
import os
import resource
import signal
import subprocess
import time

import onnx_bytes as onnx
from harness import PROGRAM, ProgramTest, main, np
from run_harness import MODEL

LIMIT = 1.0  # seconds from the signal to the end


class Signals(ProgramTest):
    def start(self, *arguments):
        # A pipe that nobody reads must not hold the program up either.
        return subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder)

    def ends(self, arguments, moment, signals=(signal.SIGINT, signal.SIGTERM), more=()):
        for number in signals:
            process = self.start(*arguments)
            time.sleep(moment)
            self.assertIsNone(process.poll(), f"{arguments} was done before the signal")
            sent = time.monotonic()
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
            took = time.monotonic() - sent
            self.assertEqual(process.returncode, 130, errors)
            self.assertIn("interrupted, no results were written", errors)
            self.assertLess(took, LIMIT, arguments)
            self.assertEqual([name for name in os.listdir(self.folder) if name in ("out", *more)], [])

    def slow_model(self):
        """Constants that take many seconds to fold."""
        side = 2500
        parts = [onnx.floats("w", (side, side), bytes(4 * side * side)), onnx.floats("v", (side, 2), bytes(8 * side)),
                 onnx.node("MatMul", ["w", "w"], ["c0"])]
        parts += [onnx.node("MatMul", [f"c{i}", "w"], [f"c{i + 1}"]) for i in range(80)]
        parts += [onnx.node("MatMul", ["x", "c80"], ["h"]), onnx.node("MatMul", ["h", "v"], ["y"])]
        return self.write("slow.onnx", onnx.model(parts, [("x", (1, side))], [("y", (1, 2))]))

    def test_while_a_model_is_loaded(self):
        model = self.slow_model()
        self.ends(["layers", model], 1.5)
        self.save("inputs", np.zeros((4, 2500)))
        self.ends(["run", "--model", model, "--layer", "h", "--class", "a:0=inputs.npy", "--concept", "c=inputs.npy",
                   "--random", "inputs.npy", "-o", "out"], 1.5, [signal.SIGINT])

    def test_inside_one_analysis(self):
        generator = np.random.default_rng(3)
        self.save("many", generator.normal(size=(700, 300)))
        self.save("more", generator.normal(size=(700, 300)) + 0.1)
        self.save("slopes", generator.normal(size=(60, 300)))
        for method in ("pattern", "fast", "ridge", "logistic", "svm"):
            self.ends(["score", "--concept", "c=more.npy", "--random", "many.npy", "--gradients", "slopes.npy",
                       "--cav", method, "--bootstrap", "100000", "--permutations", "1000000", "-o", "out"],
                      1.0, [signal.SIGTERM if method == "svm" else signal.SIGINT])

    def test_paper(self):
        self.ends(["paper", "-o", "out"], 1.5)

    def test_demo(self):
        process = self.start("demo", "-o", "demo")
        time.sleep(0.4)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        _, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - sent, LIMIT)
        if process.returncode != 0:  # as fast as that: done before
            self.assertEqual(process.returncode, 130)
            self.assertIn("interrupted, no results were written", errors)  # but pictures were
            self.assertFalse(os.path.exists(self.path("demo/results.json")))
        self.assertFalse([name for _, _, names in os.walk(self.folder) for name in names if ".tmp-" in name])

    def test_a_file_that_shrinks_or_changes_in_place(self):
        for spoil, said in ((lambda path: os.truncate(path, 4096), "was shortened while it was in use"),
                            (self.overwrite, "changed between reads")):
            seen = []
            for moment in (0.02, 0.06, 0.1, 0.14, 0.18, 0.22, 0.26, 0.3):  # readers, then workers of several kinds
                path = self.save("large", np.ones((4000, 4000)))
                process = subprocess.Popen(self.command("--bootstrap", "20", "--json", "out.json", concept=path, random=path,
                                                        gradients=path), stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                                           text=True, cwd=self.folder)
                while not self.has_open(process, "large.npy"):
                    time.sleep(0.001)
                time.sleep(moment)
                spoil(path)
                _, errors = process.communicate(timeout=60)
                if process.returncode == 0:  # as fast as that: done before
                    os.remove(self.path("out.json"))
                    continue
                self.assertEqual(process.returncode, 3, errors)
                self.assertIn("large.npy", errors)
                self.assertFalse(os.path.exists(self.path("out.json")))
                seen.append(said in errors)
            self.assertIn(True, seen)

    def overwrite(self, path):
        with open(path, "r+b") as file:
            file.seek(4096)
            file.write(np.full(1000 * 4000, 2, np.float32).tobytes() * 15)

    def has_open(self, process, name):
        if process.poll() is not None:
            return True
        try:
            return any(os.readlink(f"/proc/{process.pid}/fd/{each}").endswith(name)
                       for each in os.listdir(f"/proc/{process.pid}/fd"))
        except OSError:
            return False

    def limited(self, what, size, *arguments):
        def limit():
            resource.setrlimit(what, (size, size))
        return subprocess.run([PROGRAM, *arguments], preexec_fn=limit, capture_output=True, text=True, cwd=self.folder)

    def test_a_file_beyond_the_systems_limit(self):
        arguments = self.command("--bootstrap", "20", "--permutations", "19", "-o", "out")[1:]
        done = self.limited(resource.RLIMIT_FSIZE, 4096, *arguments)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_threads(self):
        done = self.run_program("--threads", "1000000")
        self.assertEqual(done.returncode, 2)
        self.assertIn("threads is 1000000, must be at most 1024", done.stderr)
        self.assertEqual(self.run_program("--threads", "1000").returncode, 0)

    def test_fewer_threads_than_asked_for_do(self):
        arguments = self.command("--bootstrap", "20", "--permutations", "19", "--threads", "500", "--json", "-")[1:]
        expected = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder).stdout
        # A gigabyte of addresses holds about a hundred stacks of eight megabytes.
        done = self.limited(resource.RLIMIT_AS, 1 << 30, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, expected)


class Memory(ProgramTest):
    def test_score_says_what_it_needs(self):
        wide = [self.save(name, np.zeros((2, 50000))) for name in ("a", "b", "g")]
        done = self.run_program("--memory", "0.001", concept=wide[0], random=wide[1], gradients=wide[2])
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"scoring 4 examples of 50000 columns needs .* the memory budget is 0.001 GB")
        self.assertEqual(self.run_program("--memory", "-1").returncode, 2)

    def big_constant(self):
        parts = [onnx.longs("size", (12000, 12000)), onnx.node("ConstantOfShape", ["size"], ["c"]),
                 onnx.node("ReduceSum", ["c"], ["s"]), onnx.node("Mul", ["x", "s"], ["y"])]
        return self.write("big.onnx", onnx.model(parts, [("x", (1, 4))], [("y", (1, 4))]))

    def test_constants_of_a_model(self):
        done = subprocess.run([PROGRAM, "layers", "--memory", "0.3", self.big_constant()], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("needs 0.576 GB, the memory budget is 0.3 GB", done.stderr)

    def test_a_network_within_its_budget(self):
        done = subprocess.run([PROGRAM, "layers", "--memory", "2", MODEL], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
