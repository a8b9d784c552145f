"""Ctrl-C or SIGKILL at any moment: no scratch file, no half-written result, an earlier result untouched."""
import json
import os
import random
import signal
import subprocess
import time

from harness import ProgramTest, main, np

OLD = b'{"atcav": "old"}\n'


class Interrupts(ProgramTest):
    def setUp(self):
        super().setUp()
        # More than 16 MiB of rows are scored, so they go to a scratch file; ridge keeps all rows besides.
        generator = np.random.default_rng(5)
        columns = 30000
        self.arrays = {name: self.save("large_" + name, generator.normal(size=(n, columns)))
                       for name, n in (("random", 220), ("concept", 100), ("gradients", 20))}
        self.scratch = self.path("scratch")
        self.out = self.path("out")
        os.mkdir(self.scratch)
        os.mkdir(self.out)

    def start(self):
        for name in os.listdir(self.out):
            os.remove(os.path.join(self.out, name))
        with open(os.path.join(self.out, "results.json"), "wb") as file:
            file.write(OLD)
        command = self.command("--cav", "ridge", "--bootstrap", "60", "--permutations", "40", "-o", self.out, **self.arrays)
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "TMPDIR": self.scratch})

    def full_time(self):
        started = time.time()
        process = self.start()
        process.communicate()
        self.assertEqual(process.returncode, 0)
        return time.time() - started

    def check_folders(self, moment):
        self.assertEqual(os.listdir(self.scratch), [], moment)
        left = set(os.listdir(self.out))
        self.assertLessEqual(left, {"results.json", "timings.json", "report.html"}, moment)
        with open(os.path.join(self.out, "results.json"), "rb") as file:
            content = file.read()
        if content != OLD:
            self.assertEqual(len(json.loads(content)["results"]), 1, moment)
        return content != OLD

    def moments(self, seed, count):
        """Spread over the run, with some luck in each part; the last are close to the writing of results."""
        generator, whole = random.Random(seed), self.full_time()
        return [whole * (k + generator.random()) / (count - 2) for k in range(count)]

    def test_interrupt(self):
        codes = []
        for moment in self.moments(1, 10):
            process = self.start()
            time.sleep(moment)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            finished = self.check_folders(moment)
            codes.append(process.returncode)
            if process.returncode == 130:
                self.assertIn("interrupted", errors)
                self.assertFalse(finished)
            elif process.returncode == -signal.SIGINT:
                self.assertLess(moment, 0.1)  # before the program could ask for signals
            else:
                self.assertEqual(process.returncode, 0, errors)
                self.assertTrue(finished)
        self.assertIn(130, codes)

    def test_kill(self):
        for moment in self.moments(2, 12):
            process = self.start()
            time.sleep(moment)
            process.kill()
            process.communicate(timeout=60)
            self.check_folders(moment)


if __name__ == "__main__":
    main()
