"""Nothing lost, nothing silently wrong: files that are not atcav's stay, and what is asked for is what is computed."""
import json
import os
import shutil
import subprocess

from harness import PROGRAM
from run_harness import MODEL, RunTest, main, np
from run_cavs_test import safetensors


class OthersFiles(RunTest):
    def refused(self, code, message, *options, **inputs):
        before = self.snapshot()
        done = self.run_program(*options, **inputs)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(self.snapshot(), before)

    def snapshot(self):
        return {os.path.join(place, name): self.read(os.path.join(place, name))
                for place, _, names in os.walk(self.folder) for name in names
                if os.path.exists(os.path.join(place, name))}

    def test_outputs_are_not_inputs(self):
        shutil.copy(MODEL, self.path("model.onnx"))
        self.refused(2, "model.onnx is an input", "--save-cavs", "model.onnx", model="model.onnx")
        self.refused(2, "would lie among the examples", "--json", "striped/results.json")

    def test_outputs_are_not_each_other(self):
        self.refused(2, "would be written twice", "--json", "out/report.html", "-o", "out")

    def test_files_of_others_are_not_replaced(self):
        self.write("notes.txt", b"my notes")
        self.refused(3, "notes.txt: exists and was not written by atcav", "--json", "notes.txt")
        self.write("out/report.html", b"<html>my own report</html>")
        self.refused(3, "out/report.html: exists", "-o", "out")

    def test_an_empty_name_is_no_output(self):
        for option in ("-o", "--json", "--figures", "--save-cavs", "--cache", "--class-names"):
            self.refused(2, "is '', must be left out or a name", option, "")

    def test_links_that_lead_nowhere(self):
        os.symlink("round", self.path("round"))
        os.symlink("nowhere", self.path("link"))
        self.refused(3, "link is not a folder", "-o", "link")
        self.refused(3, "link is not a folder", "-o", "link/out")
        self.refused(3, "round is not a folder", "-o", "round")
        self.refused(3, "round: Too many levels of symbolic links", concepts=["striped=round"])
        done = self.run_program("--json", "link")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(json.loads(self.read("nowhere"))["command"], "run")

    def test_standard_output_by_its_name(self):
        done = self.run_program("--json", "/dev/stdout", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["command"], "run")

    def test_own_files_are_replaced(self):
        first = self.results("--json", "again.json", "--save-cavs", "cavs.safetensors")
        self.assertEqual(self.results("--json", "again.json", "--save-cavs", "cavs.safetensors"), first)

    def test_a_failed_run_leaves_nothing(self):
        self.write("striped/03.png", b"not a picture")
        self.refused(3, "03.png", "-o", "out", "--save-cavs", "cavs.safetensors")

    def test_the_cache_evicts_its_own_entries_alone(self):
        self.write("cache/mine.safetensors", b"weights of years")
        self.write("cache/notes.txt", b"mine too")
        self.results("--cache", "cache", "--cache-gb", "1e-9")
        self.assertEqual(self.names("cache")[-2:], ["mine.safetensors", "notes.txt"])
        self.assertEqual(self.read("cache/mine.safetensors"), b"weights of years")

    def test_a_huge_limit_is_no_small_one(self):
        self.results("--cache", "cache", "--cache-gb", "1e12")
        self.assertTrue([name for name in self.names("cache") if name.endswith(".atcav")])
        self.results("--cache", "cache", "--cache-gb", "1e12")
        self.assertEqual(self.timings()["examples_run"], 0)

    def test_the_demo_keeps_pictures_of_others(self):
        self.write("demo/images/zebra/holiday.jpg", b"mine")
        before = self.snapshot()
        done = subprocess.run([PROGRAM, "demo", "-o", "demo"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("holiday.jpg", done.stderr)
        self.assertEqual(self.snapshot(), before)


class WhatIsAskedFor(RunTest):
    def fails(self, message, *options, code=2, **inputs):
        done = self.run_program(*options, **inputs)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)

    def test_two_tensors_of_one_file_are_two_sets(self):
        generator = np.random.default_rng(3)
        tensors = {name: generator.normal(shift, 0.2, (12, 3, 48, 48)).astype("float32")
                   for name, shift in (("a", 0.3), ("b", 0.5), ("random", 0.4))}
        self.write("sets.safetensors", safetensors(tensors))
        inputs = {"concepts": ("a=sets.safetensors:a", "b=sets.safetensors:b"), "random": "sets.safetensors:random"}
        plain = self.results(**inputs)
        for _ in range(2):
            self.assertEqual(self.results("--cache", "cache", out="cached", **inputs), plain)
        self.assertNotIn("also in", plain.decode())

    def test_labels_are_as_many_as_logits(self):
        for names in (b"zebra\nhorse\n", b"none\nzebra\nhorse\nleopard\n", b"\0" * 100):
            self.write("names.txt", names)
            done = self.run_program("--class-names", "names.txt")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("the network (logits) has 3", done.stderr)
        self.write("names.txt", b"zebra\r\nhorse\r\nleopard\r\n\r\n")
        self.assertEqual(self.run_program("--class-names", "names.txt").returncode, 0)

    def test_nothing_is_tested_twice(self):
        self.fails("are the same tensor", layers=("block4", "block4"))
        self.fails("the relative test 'striped:dotted' is given twice", "--relative", "striped:dotted",
                   "--relative", "striped:dotted")
        self.fails("must be two different concepts", "--relative", "striped:striped")

    def test_every_key_of_a_file_is_used_or_an_error(self):
        good = "alpha: 3\nrelative: striped:dotted\n"
        self.write("good.yaml", good.encode())
        done = subprocess.run([PROGRAM, "run", "good.yaml", "--print-config"], cwd=self.folder, capture_output=True,
                              text=True)
        self.assertIn("alpha:\n  - 3\n", done.stdout)
        self.assertIn("relative:\n  - striped:dotted\n", done.stdout)
        for line, message in (("runs: 010", "line 3: runs is '010'"), ("cache:", "line 3: cache has no value"),
                              ("alpha: 4", "line 3: the key 'alpha' is in line 1 already"),
                              ("---\nruns: 4", "expected one YAML document"), ("layres: a", "line 3: there is no option 'layres'")):
            self.write("bad.yaml", (good + line + "\n").encode())
            done = subprocess.run([PROGRAM, "run", "bad.yaml"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, line)
            self.assertIn(message, done.stderr)

    def test_nothing_in_a_folder_is_skipped_silently(self):
        os.symlink("nowhere.png", self.path("striped/90.png"))
        self.fails("90.png", code=3)
        os.mkfifo(self.path("dotted/91.png"))
        os.mkdir(self.path("zebra/more"))
        results = json.loads(self.results("--skip-bad"))
        self.assertEqual(sum("unreadable files of concept" in note for note in results["notes"]), 2)
        self.assertIn("1 folder beside the files of class 'zebra' was left out", results["notes"])

    def test_slashes_in_names_come_back(self):
        concepts = ("a/b=striped", "b=dotted")
        whole = json.loads(self.results("--save-cavs", "cavs.safetensors", concepts=concepts, layers=("block4", "pool")))
        command = [PROGRAM, "run", "--model", MODEL, "--class", "zebra:0=zebra", "--preprocess", "none", "--scale",
                   "0.00392", "--cavs", "cavs.safetensors", "-q", "--json", "-"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {(entry["layer"], entry["concept"]) for entry in json.loads(done.stdout)["results"]}
        self.assertEqual(names, {(entry["layer"], entry["concept"]) for entry in whole["results"]})

    def test_escape_sequences_do_not_reach_the_terminal(self):
        done = self.run_program(layers=("\x1b[31mred",))
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("\x1b", done.stderr)


if __name__ == "__main__":
    main()
