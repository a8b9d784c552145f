"""Exit codes, where output goes, and that the examples of the help work."""
import json
import os
import re
import shlex
import struct
import subprocess

from harness import PROGRAM, QUICK, ProgramTest, main, without_progress


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, **options)


class Manners(ProgramTest):
    def test_help_and_version_succeed(self):
        for arguments in (["--help"], ["score", "--help"], ["theory", "--help"], ["--version"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertTrue(done.stdout)
            self.assertEqual(done.stderr, "")

    def test_no_command_and_missing_options_are_bad_usage(self):
        for arguments in ([], ["score"], ["score", "--random", "x"], ["nothing"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr)

    def test_an_unknown_command_names_those_there_are(self):
        done = run("foo")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no command 'foo'; there are run, score, share, merge, discover, reanalyse, compare, repair, layers, theory, demo and paper", done.stderr)

    def test_the_table_goes_to_standard_output(self):
        done = self.run_program()
        self.assertEqual(done.returncode, 0)
        self.assertEqual(without_progress(done.stderr), "")
        self.assertRegex(done.stdout, r"concept +class +effect d")
        self.assertNotIn("\x1b", done.stdout)

    def test_json_dash_is_json_alone(self):
        done = self.run_program("--json", "-")
        self.assertEqual(list(json.loads(done.stdout))[:2], ["atcav", "command"])
        self.assertEqual(without_progress(done.stderr), "")

    def test_progress_is_plain_lines_without_a_terminal(self):
        self.assertRegex(self.run_program().stderr, r"\Aread: 50 in [0-9.]+ s\nanalyse: 1 in [0-9.]+ s\n\Z")

    def test_json_file_folder_and_dash_hold_the_same(self):
        printed = self.run_program("--json", "-").stdout
        self.run_program("--json", "named.json", "-o", "deep/out")
        for name in ("named.json", "deep/out/results.json"):
            with open(self.path(name)) as file:
                self.assertEqual(file.read(), printed)
        self.assertLessEqual({"results.json", "timings.json"}, set(os.listdir(self.path("deep/out"))))
        with open(self.path("deep/out/timings.json")) as file:
            self.assertIn("pass", json.load(file)["seconds"])

    def test_quiet_is_silent(self):
        done = self.run_program("--quiet", "-o", "out")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertTrue(os.path.exists(self.path("out/results.json")))

    def test_an_existing_result_is_replaced_whole(self):
        self.write("old.json", b'{"atcav": "' + b"x" * 1_000_000)
        self.run_program("--json", "old.json")
        with open(self.path("old.json")) as file:
            json.load(file)

    def test_a_failed_run_leaves_the_old_result(self):
        self.write("old.json", b'{"atcav": 1}')
        self.assert_fails(2, "lambda", "--json", "old.json", "--cav", "ridge", "--lambda", "-1")
        with open(self.path("old.json")) as file:
            self.assertEqual(file.read(), '{"atcav": 1}')

    def test_names_may_be_anything(self):
        for name in ("zebra stripes", "größe", 'quo"te', "a=b"):
            done = run("score", "--concept", f"{name}={self.path('concept.npy')}", "--random", self.path("random.npy"),
                       "--gradients", self.path("gradients.npy"), "--json", "-", *QUICK)
            if name == "a=b":  # the first = ends the name
                self.assertEqual(done.returncode, 3)
            else:
                self.assertEqual(json.loads(done.stdout)["results"][0]["concept"], name)

    def test_examples_of_the_help_work(self):
        for name, source in (("striped", "concept"), ("random", "random"), ("zebra", "gradients")):
            self.save(name, self.load(source))
        entries, data = {}, b""
        for name, source in (("a", "concept"), ("b", "concept"), ("random", "random"), ("gradients", "gradients")):
            values = self.load(source)
            entries[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(data), len(data) + values.nbytes]}
            data += values.tobytes()
        header = json.dumps(entries).encode()
        self.write("acts.safetensors", struct.pack("<Q", len(header)) + header + data)
        text = run("score", "--help").stdout.replace("\\\n", " ")
        examples = re.findall(r"^ +atcav (score .*)$", text[text.index("Examples:"):], re.M)
        self.assertGreaterEqual(len(examples), 2)
        for example in examples:
            done = run(*shlex.split(example), cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
