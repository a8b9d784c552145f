"""Bad input: exit code 2 (argument) or 3 (file), and a message that says where, what is there and what must be."""
import json
import os
import struct
import subprocess

from harness import QUICK, ProgramTest, main, np


class Values(ProgramTest):
    def test_nan_is_located(self):
        values = self.load()
        values[3, 2] = np.nan
        bad = self.save("bad", values)
        self.assert_fails(2, f"concept 'c' ({bad}) is nan at row 3, column 2, must be finite", concept=bad)

    def test_infinity_is_located_in_every_set(self):
        values = self.load()
        values[5, 1] = -np.inf
        bad = self.save("bad", values)
        self.assert_fails(2, f"random ({bad}) is -inf at row 5, column 1, must be finite", random=bad)
        self.assert_fails(2, f"gradients 'class' ({bad}) is -inf at row 5, column 1", gradients=bad)

    def test_a_double_too_large_for_float_is_located(self):
        values = self.load().astype(float)
        values[4, 0] = 1e300
        bad = self.save("bad", values, float)
        self.assert_fails(3, "is beyond float32 (1e+300) at row 4, column 0", concept=bad)

    def test_nan_is_found_by_every_method(self):
        values = self.load()
        values[19, 5] = np.nan
        bad = self.save("bad", values)
        for options in (["--cav", "ridge"], ["--cav", "logistic"], ["--cav", "svm"], ["--moments"]):
            self.assert_fails(2, "is nan at row 19, column 5", *options, concept=bad)


class Shapes(ProgramTest):
    def test_unequal_columns(self):
        five = self.save("five", self.load()[:, :5])
        random = self.path("random.npy")
        self.assert_fails(2, f"concept 'c' ({five}) has 5 columns but random ({random}) has 6", concept=five)
        self.assert_fails(2, f"gradients 'class' ({five}) has 5 columns but random ({random}) has 6", gradients=five)

    def test_too_few_rows(self):
        none = self.save("none", self.load()[:0])
        one = self.save("one", self.load()[:1])
        self.assert_fails(2, f"number of rows of concept 'c' ({none}) is 0, must be at least 2", concept=none)
        self.assert_fails(2, f"number of rows of concept 'c' ({one}) is 1, must be at least 2", concept=one)
        self.assert_fails(2, f"number of rows of random ({one}) is 1, must be at least 2", random=one)
        self.assert_fails(2, f"number of rows of gradients 'class' ({none}) is 0, must be at least 1", gradients=none)

    def test_no_columns_and_no_dimensions(self):
        self.assert_fails(2, "number of columns", concept=self.save("bad", self.load()[:, :0]))
        self.assert_fails(3, "is a single number (a 0-d array)", concept=self.save("bad", 3.0))


class Npy(ProgramTest):
    def good(self):
        with open(self.path("concept.npy"), "rb") as file:
            return file.read()

    def test_truncated(self):
        good = self.good()
        self.assert_fails(3, "needs 480 bytes of data, the file has 473", concept=self.write("t.npy", good[:-7]))
        self.assert_fails(3, "but the file ends after", concept=self.write("t.npy", good[:40]))
        self.assert_fails(3, "is empty", concept=self.write("t.npy", b""))

    def test_lying_header(self):
        for lie, message in ((b"(99, 6)", "needs 2376 bytes of data, the file has 480"), (b"(-2, 6)", "is negative")):
            self.assert_fails(3, message, concept=self.write("l.npy", self.good().replace(b"(20, 6)", lie)))
        huge = self.good().replace(b"(20, 6), }   ", b"(2**62,6), } ").replace(b"2**62", b"4611686018427387904"[:5])
        self.assert_fails(3, "[read_npy]", concept=self.write("l.npy", huge))

    def test_unknown_dtype(self):
        self.assert_fails(3, "dtype '<c8' is not supported, must be", concept=self.save("bad", self.load(), "c8"))
        strings = self.save("bad", [["a"], ["b"]], "U1")
        self.assert_fails(3, "is not supported, must be", concept=strings)

    def test_something_else(self):
        self.assert_fails(3, "text.npy", concept=self.write("text.npy", b"not an array at all"))

    def test_missing_file_and_folder(self):
        self.assert_fails(3, "nowhere.npy: cannot open: No such file or directory", concept="nowhere.npy")
        self.assert_fails(3, "is a folder, must be a file", concept=self.folder)


class Safetensors(ProgramTest):
    def tensors(self, header, data=bytes(480)):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        return self.write("a.safetensors", struct.pack("<Q", len(text)) + text + data) + ":a"

    @staticmethod
    def entry(dtype="F32", shape=(20, 6), offsets=(0, 480)):
        return {"a": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}

    def test_a_good_one_works(self):
        self.result(concept=self.tensors(self.entry(), self.load().tobytes()))

    def test_truncated(self):
        self.assert_fails(3, "tensors end at 480 but the file has 471 bytes", concept=self.tensors(self.entry(), bytes(471)))
        self.assert_fails(3, "is cut short after 3 bytes", concept=self.write("a.safetensors", b"abc") + ":a")

    def test_lying_header(self):
        self.assert_fails(3, "data_offsets span 480 bytes but shape (21, 6) of F32 needs 504",
                          concept=self.tensors(self.entry(shape=(21, 6))))
        self.assert_fails(3, "a.safetensors", concept=self.tensors(self.entry(offsets=(480, 0))))
        self.assert_fails(3, "a.safetensors", concept=self.tensors(self.entry(shape=(2**62, 2**62))))
        self.assert_fails(3, "header is not valid JSON", concept=self.tensors(b"{nonsense"))
        liar = self.write("a.safetensors", struct.pack("<Q", 1 << 60) + b"{}")
        self.assert_fails(3, "header should have 1152921504606846976 bytes", concept=liar + ":a")

    def test_unknown_dtype(self):
        self.assert_fails(3, "dtype 'Q7' is not supported, must be F16, BF16, F32", concept=self.tensors(self.entry("Q7")))

    def test_unknown_tensor(self):
        self.assert_fails(3, "has no tensor 'b'; it has 'a'", concept=self.tensors(self.entry())[:-1] + "b")


class Options(ProgramTest):
    def test_numbers_out_of_range(self):
        for options, message in ((["--cav", "ridge", "--lambda", "0"], "lambda is 0, must be > 0"),
                                 (["--cav", "ridge", "--lambda", "-1"], "lambda is -1, must be > 0"),
                                 (["--cav", "svm", "--cost", "0"], "cost is 0, must be > 0"),
                                 (["--cav", "logistic", "--cost", "nan"], "cost is 'nan', must be a number"),
                                 (["--runs", "1"], "runs is 1, must be at least 2"),
                                 (["--alpha", "0"], "alpha is '0', must be star, dagger or a number > 0"),
                                 (["--level", "1"], "level is 1, must be between 0 and 1"),
                                 (["--threads", "-1"], "threads is -1, must be at least 0")):
            self.assert_fails(2, message, *options)

    def test_unknown_words(self):
        for option, message in (("--cav", "must be pattern, fast, ridge, logistic or svm"),
                                ("--sigma", "must be effective or analytic"), ("--split", "must be random or both"),
                                ("--interval", "must be delta or bootstrap")):
            self.assert_fails(2, message, option, "other")
        self.assert_fails(2, "--unknown", "--unknown")

    def test_moments_need_a_difference_of_means(self):
        self.assert_fails(2, "moments needs cav pattern or fast, not ridge", "--moments", "--cav", "ridge")


class Output(ProgramTest):
    def test_unwritable(self):
        self.assert_fails(3, "nowhere/results.json", "--json", self.path("nowhere/results.json"))
        blocker = self.write("blocker", b"a file")
        self.assert_fails(3, "blocker", "-o", blocker)
        self.assert_fails(3, "blocker/out", "-o", os.path.join(blocker, "out"))

    def test_a_full_disk_is_noticed(self):
        for options in ([], ["--json", "-"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run(self.command(*QUICK, *options), stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, "No space left|cannot be written")


if __name__ == "__main__":
    main()
