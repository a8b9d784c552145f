"""Bad input of `atcav run`: exit code 2 (argument) or 3 (file) and a message, or a warning; never half a result."""
import json
import os
import resource
import subprocess
import tempfile

from harness import PROGRAM, without_progress
from run_harness import MODEL, SIDE, TOTAL, RunTest, jpeg, main, np

LAYER = {"layers": ("pool",)}


class BadTest(RunTest):
    def assert_fails(self, code, message, *options, out="out", lines=1, **inputs):
        """The message alone on standard error, nothing on standard output, and no file in the output folder."""
        done = self.run_program("-o", out, *options, **{**LAYER, **inputs})
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertTrue(done.stderr.startswith("atcav: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), lines, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.names(out), [])
        self.stderr = done.stderr

    def notes(self, *options, **inputs):
        """Notes of a run that goes well: the same sentences under the table and in results.json."""
        results = json.loads(self.results(*options, **{**LAYER, **inputs}))
        notes = results.get("notes", [])
        self.assertEqual(self.stderr, "")
        shown = " ".join(self.stdout.split())  # lines are wrapped
        for note in notes:
            self.assertIn(note, shown)
        self.warnings = results["results"][0]["warnings"]
        return notes


class Sets(BadTest):
    def test_too_few(self):
        self.copy("random/00.png", "one/a.png")
        self.assert_fails(2, "examples of concept 'striped' is 1, must be at least 2", concepts=("striped=one",))
        self.assert_fails(2, "examples of random is 1, must be at least 2", random="one")
        self.copy("zebra/00.png", "lonely/a.png")
        self.assertEqual(self.notes(classes=("zebra:0=lonely",)), [])
        self.assertIn("one class input: the spread over inputs cannot be estimated", self.warnings)

    def test_a_direction_that_is_none_without_one_example(self):
        for name in ("same/a.png", "same/b.png", "shared/a.png"):
            self.copy("random/00.png", name)
        self.copy("striped/00.png", "shared/b.png")
        self.notes(random="same", concepts=("striped=shared",))
        erasure = json.loads(self.read("out/results.json"))["results"][0]["erasure"]
        self.assertEqual([erasure[key] for key in ("low", "high", "p")], [None, None, 1])

    def test_empty_and_missing(self):
        os.mkdir(self.path("empty"))
        self.write("hidden/.a.png", self.pictures["random"][0])
        self.assert_fails(3, "empty: has no files in it", concepts=("striped=empty",))
        self.assert_fails(3, "hidden: has no files in it", random="hidden")
        self.assert_fails(3, "nowhere: cannot open: No such file", concepts=("striped=nowhere",))

    def test_repeated_names(self):
        self.assert_fails(2, "the concept 'a' is given twice", concepts=("a=striped", "a=dotted"))
        self.assert_fails(2, "the class 'z' is given twice", classes=("z:0=zebra", "z:1=zebra"))

    def test_malformed(self):
        for concept in ("striped", "=striped"):
            self.assert_fails(2, f"concept is '{concept}', must be NAME=PATH", concepts=(concept,))
        self.assert_fails(2, "no concept 'spotted'", "--relative", "striped:spotted")

    def test_class_index(self):
        self.assert_fails(2, "index 3, must be below 3, the number of logits", classes=("zebra:3=zebra",))
        for index in ("-1", "zero", "99999999999999999999"):
            self.assert_fails(2, f"class index is '{index}', must be a whole number", classes=(f"zebra:{index}=zebra",))

    def test_unknown_layer_names_near_ones(self):
        self.assert_fails(2, "there is no layer 'blok4'; closest: 'block4'", layers=("blok4",))


class Duplicates(BadTest):
    def test_within_and_between_sets(self):
        for i in range(3):
            self.copy(f"random/0{i}.png", f"striped/other_name_{i}.png")  # content counts, not the name
        self.copy("dotted/05.png", "dotted/99.png")
        self.copy("zebra/02.png", "random/99.png")
        self.assertEqual(self.notes(), [
            "1 of the 13 examples of concept 'dotted' are exact copies of others: errors are understated",
            "3 of the 15 examples of concept 'striped' are also in random (e.g. other_name_0.png)",
            "1 of the 8 examples of class 'zebra' are also in random (e.g. 02.png)"])
        self.assertIn(b"also in random", self.read("out/report.html"))

    def test_between_concepts_and_with_the_class(self):
        self.copy("striped/00.png", "dotted/copy.png")
        self.copy("zebra/01.png", "striped/z.png")
        self.assertEqual(self.notes(), [
            "1 of the 13 examples of concept 'striped' are also in class 'zebra' (e.g. z.png)",
            "1 of the 13 examples of concept 'dotted' are also in concept 'striped' (e.g. copy.png)"])

    def test_quiet_leaves_them_to_the_file(self):
        self.copy("random/00.png", "striped/99.png")
        content = self.results("--quiet", **LAYER)
        self.assertEqual(self.stderr, "")
        self.assertEqual(self.stdout, "")
        self.assertEqual(len(json.loads(content)["notes"]), 1)


class Images(BadTest):
    def test_all_are_named_or_skipped(self):
        good = self.pictures["striped"][0]
        damaged = {"bits.png": good.replace(b"IDAT", b"IDAT\1", 1), "cut.jpg": jpeg()[:-8], "cut.png": good[:-40],
                   "header.jpg": jpeg()[:100], "text.png": b"not a picture"}
        self.write("striped/fine.jpg", jpeg())
        for name, content in damaged.items():
            self.write("striped/" + name, content)
        self.assert_fails(3, "striped: 5 of 18 files cannot be read:\n", lines=6)
        for name in damaged:
            self.assertIn(f"[decode_image] striped/{name}: ", self.stderr)
        self.write("striped/empty.png", b"")
        self.assert_fails(3, "[open_file] striped/empty.png: is empty\n", lines=7)
        self.assertEqual(self.notes("--skip-bad"),
                         ["6 unreadable files of concept 'striped' were left out (e.g. striped/bits.png)"])
        self.assertEqual(json.loads(self.read("out/results.json"))["results"][0]["n_concept"], 13)

    def test_no_image_at_all(self):
        self.write("texts/a.txt", b"hello")
        self.write("texts/b.txt", b"hello")
        self.assert_fails(3, "texts: 2 of 2 files cannot be read", concepts=("striped=texts",), lines=3)
        self.assert_fails(3, "texts: none of its 2 files can be read", "--skip-bad", concepts=("striped=texts",))


class Arrays(BadTest):
    def save(self, name, values):
        np.save(self.path(name), np.asarray(values, np.float32))

    def test_nan_and_infinity_are_located_in_every_set(self):
        values = np.random.default_rng(3).random((6, 3, SIDE, SIDE))
        for bad, inputs in ((np.nan, {"classes": ("zebra:0=bad.npy",)}), (np.nan, {"concepts": ("a=bad.npy",)}),
                            (np.inf, {"random": "bad.npy"})):
            values[3, 1, 2, 5] = bad
            self.save("bad.npy", values)
            self.assert_fails(2, f"bad.npy is {bad} at row 3, column {SIDE * (SIDE + 2) + 5}, must be finite", **inputs)
        values[3, 1, 2, 5] = 1
        self.save("good.npy", values)
        self.assertEqual(self.notes(concepts=("a=good.npy",)), [])

    def test_wrong_shape(self):
        for shape in ((5, 3, 32, 32), (5, 7)):
            self.save("bad.npy", np.zeros(shape))
            self.assert_fails(3, "input 'image' of the model takes (-1, 3, 48, 48)", concepts=("a=bad.npy",))


class Model(BadTest):
    def test_no_model(self):
        with open(MODEL, "rb") as file:
            whole = file.read()
        for content, message in ((whole[:len(whole) // 2], "cut short"), (b"not a model", "not an ONNX model"), (b"", "is empty")):
            self.write("bad.onnx", content)
            self.assert_fails(3, message, model="bad.onnx")
        self.assert_fails(3, "nowhere.onnx: cannot open", model="nowhere.onnx")
        self.assert_fails(3, "is a folder, must be a file", model="striped")


class Names(BadTest):
    def test_odd_names_stay_text(self):
        names = ['"quoted" & \'single\'', "</script><script>alert(1)</script>", "größe 縞 🦓", "two\nlines",
                 "\x1b[31mred\x1b[0m", "a\\b\t{{c}}"]
        done = self.run_program("-o", "out", **LAYER, concepts=[name + "=striped" for name in names])
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads(self.read("out/results.json"))
        self.assertEqual([result["concept"] for result in results["results"]], names)
        for bad in ("\x1b", "\t", "two\n"):
            self.assertNotIn(bad, done.stdout + done.stderr)
        html = self.read("out/report.html").decode()
        self.assertNotIn("<script>alert", html)
        self.assertIn("&lt;/script&gt;&lt;script&gt;alert(1)", html)
        # The configuration in results.json repeats the run, names and all.
        self.write("again.yaml", results["config"].encode())
        subprocess.run([PROGRAM, "run", "again.yaml", "-q", "-o", "again"], cwd=self.folder, check=True)
        self.assertEqual(self.read("again/results.json"), self.read("out/results.json"))


class Output(BadTest):
    def assert_fails_early(self, message, *options, out="out"):
        self.assert_fails(3, message, "--cache", "cache", *options, out=out)
        self.assertEqual(self.names("cache"), [], "the network ran first")

    def test_what_cannot_be_written_is_found_before_the_work(self):
        self.write("file", b"x")
        os.mkdir(self.path("folder"))
        self.assert_fails_early("nowhere/a: cannot create: No such file or directory", "--json", "nowhere/a")
        self.assert_fails_early("folder: is a folder, must be a file", "--json", "folder")
        self.assert_fails_early("file/a: cannot create: Not a directory", "--save-cavs", "file/a")
        self.assert_fails_early("file is not a folder", out="file/out")
        self.assert_fails_early("file: ", out="file")
        os.makedirs(self.path("taken/report.html"))
        done = self.run_program("-o", "taken", "--cache", "cache", **LAYER)
        self.assertEqual((done.returncode, self.names("taken"), self.names("cache")), (3, ["report.html"], []))
        self.assert_fails(3, "file/cache: Not a directory", "--cache", "file/cache")

    def test_standard_error_may_be_closed(self):
        with open("/dev/full", "w") as full:
            for options, code in ((["--layer", "none"], 2), (["--cache", "/dev/null/a"], 3)):
                done = subprocess.run(self.command(*options), cwd=self.folder, stdout=full, stderr=full)
                self.assertEqual(done.returncode, code)

    def test_full_devices(self):
        self.assert_fails(3, "/dev/full: cannot write: No space left on device", "--json", "/dev/full")
        self.assert_fails(3, "/dev/full: cannot write: No space left on device", "--save-cavs", "/dev/full")


class SmallDisk(BadTest):
    """A file system of so many kB: only root may mount one."""

    def mount(self, kilobytes):
        folder = tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "atcav-test", folder],
                              capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("no file system can be mounted here: " + done.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", folder], check=True)
        return folder

    def test_output(self):
        for kilobytes in (100, 8):  # too small for report.html, for results.json too
            disk = self.mount(kilobytes)
            done = self.run_program("-o", disk, **LAYER)
            self.assertEqual(done.returncode, 3)
            self.assertIn("No space left on device", done.stderr)
            self.assertEqual(os.listdir(disk), [])

    def test_an_earlier_result_stays(self):
        disk = self.mount(100)
        with open(os.path.join(disk, "results.json"), "w") as file:
            file.write('{"atcav": 1}')
        self.assertEqual(self.run_program("-o", disk, **LAYER).returncode, 3)
        self.assertEqual(os.listdir(disk), ["results.json"])
        with open(os.path.join(disk, "results.json")) as file:
            self.assertEqual(file.read(), '{"atcav": 1}')

    def test_cache(self):
        whole = self.results("--batch", "4", layers=("block4",))
        disk = self.mount(64)
        self.assertEqual(self.results("--batch", "4", "--cache", disk, layers=("block4",)), whole)
        self.assertRegex(self.stderr, r"note: \d+ blocks could not be kept .* No space left on device\n$")
        self.assertGreater(len(os.listdir(disk)), 0)
        self.assertTrue(all(name.endswith((".atcav", ".txt")) for name in os.listdir(disk)))
        self.assertEqual(self.results("--batch", "4", "--cache", disk, layers=("block4",)), whole)
        run = json.loads(self.read("out/timings.json"))["examples_run"]
        self.assertTrue(0 < run < TOTAL, run)

    def test_a_complete_cache_that_may_only_be_read(self):
        disk = self.mount(100)
        first = self.results("--cache", disk, **LAYER)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        self.assertEqual(self.results("--cache", disk, out="again", **LAYER), first)
        self.assertNotIn("could not be kept", self.stderr)
        self.assertEqual(self.timings("again")["examples_run"], 0)

    def test_read_only(self):
        disk = self.mount(100)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for options in (["-o", disk], ["-o", disk + "/new"], ["--json", disk + "/a.json"],
                        ["--save-cavs", disk + "/a.safetensors"]):
            done = self.run_program(*options, **LAYER)
            self.assertEqual(done.returncode, 3, options)
            self.assertRegex(done.stderr, "^atcav: .*(Read-only file system|cannot be written)\n$")
        # A cache only saves time: one that cannot be written is said to be so.
        self.results("--cache", disk, **LAYER)
        self.assertRegex(self.stderr, "note: .* could not be kept in the cache, the first because: .*\n$")
        self.assertEqual(os.listdir(disk), [])


class Limits(BadTest):
    """What LibTorch does not survive is said before it is loaded, within a moment."""

    def limited(self, message, limits, prepare=lambda: None):
        def apply():
            prepare()
            for kind, most in limits.items():
                resource.setrlimit(kind, (most, most))

        try:
            done = subprocess.run(self.command("-o", "out", "--threads", "4", **LAYER), cwd=self.folder, text=True,
                                  capture_output=True, preexec_fn=apply, timeout=20)
        except PermissionError:
            self.skipTest("the program lies where nobody may go")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(without_progress(done.stderr), message)

    def test_address_space(self):
        for gigabytes in (0.7, 0.9, 1.1, 1.4, 1.9):
            self.limited(r"^atcav: \[open_onnx\] LibTorch needs 2 GB of address space, the limit \(ulimit -v\) "
                         r"leaves [0-9.]+ GB\n$", {resource.RLIMIT_AS: int(gigabytes * 1e9)})

    def test_threads(self):
        def nobody():
            if os.getuid() == 0:  # whom this limit does not bind
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)

        os.chmod(self.folder, 0o777)
        for most in (1, 2, 3):
            self.limited(r"^atcav: \[open_onnx\] LibTorch needs \d+ threads more, the limit \(ulimit -u\) leaves fewer\n$",
                         {resource.RLIMIT_NPROC: most}, nobody)


if __name__ == "__main__":
    main()
