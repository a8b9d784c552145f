"""mpirun with any number of ranks gives the bytes of one process; a lost rank ends the job and loses nothing.

    ranks_test.py PROGRAM PROGRAM_WITH_MPI PLUGIN        (with ATCAV_ALL_RANKS every method with 1, 2, 3 and 4)
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../program"))
MPI_PROGRAM, PLUGIN = os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
del sys.argv[2:4]
import run_harness  # noqa: E402  (reads the program's name from the command line)
from run_harness import RunTest  # noqa: E402

ENVIRONMENT = {**os.environ, "ATCAV_PLUGIN": PLUGIN, "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def mpirun(ranks):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), MPI_PROGRAM]


class Ranks(RunTest):
    def setUp(self):
        super().setUp()
        self.write_units()

    def arguments(self, *options, layers=("block4", "pool")):
        return self.units(*options, layers=layers)[1:]

    def with_ranks(self, ranks, *arguments):
        done = subprocess.run([*mpirun(ranks), *arguments], cwd=self.folder, env=ENVIRONMENT, text=True,
                              capture_output=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)

    def alone(self, *arguments):
        done = subprocess.run([run_harness.PROGRAM, *arguments], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_all_methods_with_any_number_of_ranks(self):
        for method in ("pattern", "fast", "ridge", "logistic", "svm"):
            # block1 has more columns than there are examples: K; pool fewer: the rows themselves.
            every = "ATCAV_ALL_RANKS" in os.environ
            layers = ("block1", "pool") if every or method in ("pattern", "ridge") else ("pool",)
            options = ["--cav", method, "--relative", "a:b", "--threads", "1", "--save-cavs"]
            self.alone(*self.arguments(*options, "alone.safetensors", "-o", "alone", layers=layers))
            for ranks in (1, 2, 3, 4) if every else (2, 4) if method in ("pattern", "ridge") else (3,):
                out = f"{method}{ranks}"
                self.with_ranks(ranks, *self.arguments(*options, out + ".safetensors", "-o", out, layers=layers))
                with self.subTest(method=method, ranks=ranks):
                    self.assertTrue(self.read(out + "/results.json") == self.read("alone/results.json"))
                    self.assertTrue(self.read(out + ".safetensors") == self.read("alone.safetensors"))

    def test_ranks_of_several_threads_and_little_travels(self):
        """For pattern: gradients, sums by group and projections, and of rows those of 200 random inputs."""
        arguments = self.arguments("--cav", "pattern", layers=("block1",))
        self.alone(*arguments, "--threads", "1", "-o", "alone")
        self.with_ranks(2, *arguments, "--threads", "2", "-o", "two")
        self.assertTrue(self.read("two/results.json") == self.read("alone/results.json"))
        timings = json.loads(self.read("two/timings.json"))
        self.assertEqual(timings["examples_run"], 420 + 170 + 90 + 40 + 170)
        columns = json.loads(self.read("two/results.json"))["results"][0]["d"]
        groups, inputs, examples = 20, 40 + 170, 420 + 170 + 90
        gradients, sums, projections = inputs * columns * 4, groups * columns * 8, inputs * examples * 8
        kept = 200 * columns * 4  # for what concepts explain of the logit
        for sent in timings["bytes_sent"]:  # half of the gradients; a rank has rows of one or three sets
            self.assertGreater(sent, 0.4 * gradients + sums)
            self.assertLess(sent, 0.6 * gradients + 3.1 * sums + projections + kept + 300_000)

    def test_pictures_are_hashed_once_and_copies_found(self):
        arguments = self.command("--threads", "1", concepts=("striped=striped", "again=striped"))[1:]
        self.alone(*arguments, "-o", "alone")
        self.with_ranks(3, *arguments, "-o", "three")
        self.assertIn(b"are also in", self.read("three/results.json"))
        self.assertTrue(self.read("three/results.json") == self.read("alone/results.json"))

    def test_moments(self):
        options = ["--moments", "--threads", "1"]
        self.alone(*self.arguments(*options, "-o", "alone"))
        self.with_ranks(3, *self.arguments(*options, "-o", "three"))
        self.assertTrue(self.read("three/results.json") == self.read("alone/results.json"))

    def test_more_ranks_than_work(self):
        arguments = self.command("--threads", "1")[1:]
        self.alone(*arguments, "-o", "alone")
        self.with_ranks(5, *arguments, "-o", "five")
        self.assertTrue(self.read("five/results.json") == self.read("alone/results.json"))

    def start_and_find_ranks(self, arguments, ranks):
        process = subprocess.Popen([*mpirun(ranks), *arguments], cwd=self.folder, env=ENVIRONMENT, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until = time.time() + 30
        while time.time() < until and process.poll() is None:
            found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
            if len(found) == ranks:
                return process, [int(pid) for pid in found]
            time.sleep(0.01)
        self.fail("the ranks did not start")

    def wait_for_an_entry(self, process):
        """Until the cache has its first entry: work is done, and more is left to do."""
        while process.poll() is None and not (os.path.isdir(self.path("cache")) and any(
                ".tmp-" not in name for _, _, names in os.walk(self.path("cache")) for name in names)):
            time.sleep(0.002)

    def test_a_lost_rank_ends_the_job_and_the_next_run_goes_on(self):
        self.alone(*self.arguments("--threads", "1", "-o", "alone"))
        whole = self.read("alone/results.json")
        arguments = self.arguments("--threads", "1", "--cache", "cache", "-o", "out")
        for which in (0, 1):
            for folder in ("cache", "out"):
                shutil.rmtree(self.path(folder), ignore_errors=True)
            process, ranks = self.start_and_find_ranks(arguments, 2)
            self.wait_for_an_entry(process)
            os.kill(ranks[which], signal.SIGKILL)
            killed = time.time()
            _, errors = process.communicate(timeout=60)
            self.assertLess(time.time() - killed, 10)
            if process.returncode != 0:
                self.assertIn("exited on signal 9", errors)
            # A fast machine may have reached the end before the rank was lost: then the result is whole.
            if os.path.exists(self.path("out/results.json")):
                self.assertTrue(self.read("out/results.json") == whole)
            for place, _, names in os.walk(self.folder):
                self.assertFalse([name for name in names if ".tmp-" in name], place)
            self.with_ranks(2, *arguments)
            self.assertTrue(self.read("out/results.json") == whole)

    def test_only_run_is_shared(self):
        done = subprocess.run([*mpirun(2), "demo", "-o", "demo"], cwd=self.folder, env=ENVIRONMENT, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("only `atcav run` can be shared between ranks", done.stderr)
        self.assertFalse(os.path.exists(self.path("demo")))

    def test_a_rank_that_fails_says_why(self):
        for name in ("a", "b"):
            self.write(f"broken/{name}.png", b"no picture")
        done = subprocess.run([*mpirun(2), *self.command("-o", "out", concepts=("c=broken",))[1:]], cwd=self.folder,
                              env=ENVIRONMENT, text=True, capture_output=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a.png", done.stderr)
        self.assertFalse(os.path.exists(self.path("out")))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
