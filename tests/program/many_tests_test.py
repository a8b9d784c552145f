"""Many concepts and classes: a result does not depend on how many others there are, nor on whether concepts came in parts;
results.jsonl has the lines of results.json; fewer resamples are said."""
import json
import subprocess

import numpy as np

from harness import PROGRAM, QUICK, ProgramTest, main

# What is corrected for the number of tests.
CORRECTED = ("significance", "some_inputs", "equivalence", "verdict", "warnings", "effect")


class ManyTests(ProgramTest):
    def score(self, concepts, classes, *options):
        command = [PROGRAM, "score", "--random", self.path("random.npy"), "-o", "out", "-q", *options]
        for name in concepts:
            command += ["--concept", f"{name}={self.path(name)}.npy"]
        for name in classes:
            command += ["--gradients", f"{name}={self.path(name)}.npy"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out/results.json")) as file:
            return json.load(file)

    def alone(self, result):
        """What stays as it is beside other tests."""
        kept = {key: value for key, value in result.items() if key not in CORRECTED}
        effect = {key: value for key, value in result["effect"].items() if key != "simultaneous"}
        return {**kept, "effect": effect, "differs_p": result["significance"]["differs_p"]}

    def test_results_of_parts_are_those_of_few(self):
        # 18 million responses, 144 MB, for each concept: two concepts would be one part.
        generator = np.random.default_rng(2)
        names = ["a", "b", "c"]
        for name in names:
            self.save(name, generator.normal(size=(6000, 20)) + 0.1)
        self.save("random", generator.normal(size=(50, 20)))
        self.save("k", generator.normal(size=(3000, 20)))
        options = ["--bootstrap", "3", "--permutations", "2", "--runs", "2"]
        together = self.score(names, ["k"], *options)
        self.assertEqual([one["concept"] for one in together["results"]], names)
        self.assertEqual(len(together["entanglement"][0]["cosines"]), 3)
        for result in together["results"]:
            few, = self.score([result["concept"]], ["k"], *options)["results"]
            self.assertEqual(self.alone(few), self.alone(result))

    def test_classes_share_resamples_and_nothing_else(self):
        generator = np.random.default_rng(3)
        classes = [f"k{k}" for k in range(7)]
        for k, name in enumerate(classes):
            self.save(name, generator.normal(size=(3 + 5 * k, 6)))
        together = self.score(["concept"], classes, *QUICK)["results"]
        for name, result in zip(classes, together):
            few, = self.score(["concept"], [name], *QUICK)["results"]
            self.assertEqual(self.alone(few), self.alone(result))

    def test_lines_are_the_results(self):
        results = self.score(["concept"], ["gradients"], "--jsonl", *QUICK)["results"]
        with open(self.path("out/results.jsonl")) as file:
            self.assertEqual([json.loads(line) for line in file], results)
        self.score(["concept"], ["gradients"], "--jsonl", *QUICK)  # its own file is replaced
        self.write("out/results.jsonl", b"mine\n")
        self.assert_fails(3, "was not written by atcav", "--jsonl", "-o", "out")
        self.assert_fails(2, "--jsonl needs -o DIR", "--jsonl")

    def test_two_thousand_tests_say_that_resamples_are_fewer(self):
        generator = np.random.default_rng(4)
        concepts = [f"c{c}" for c in range(40)]
        classes = [f"k{k}" for k in range(50)]
        for name in concepts + classes:
            self.save(name, generator.normal(size=(5 if name[0] == "c" else 2, 6)))
        run = self.score(concepts, classes, "--permutations", "9")
        self.assertEqual(run["options"]["bootstrap"], 200)
        self.assertIn("rest on 200 resamples each, not on 1000", run["notes"][0])
        run = self.score(concepts[:39], classes, "--permutations", "9", "--bootstrap", "300")
        self.assertEqual(run["options"]["bootstrap"], 300)


if __name__ == "__main__":
    main()
