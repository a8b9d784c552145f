"""Parts of a run, computed in any order, killed and started again, give the bytes of one run; others are refused.

    share_test.py PROGRAM        (with ATCAV_ALL_SHARES every method in 1, 3 and 8 parts)
"""
import json
import os
import random
import re
import signal
import subprocess
import time

from run_harness import MODEL, PROGRAM, SETS, RunTest, main, without_progress

EVERY = "ATCAV_ALL_SHARES" in os.environ
ONE_THREAD = ("--threads", "1")


class ShareTest(RunTest):
    def setUp(self):
        super().setUp()
        self.write_units()

    def arguments(self, *options, layers=("pool",)):
        return self.units(*options, layers=layers)[2:]

    def atcav(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, text=True, capture_output=True)
        done.stderr = without_progress(done.stderr)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def share(self, part, parts, arguments, out=None, code=0):
        return self.atcav("share", *arguments, "--part", f"{part}/{parts}", "-o", out or f"share-{part}", code=code)

    def shares(self, parts, arguments):
        """In any order."""
        order = list(range(1, parts + 1))
        random.Random(parts).shuffle(order)
        for part in order:
            self.share(part, parts, arguments)
        return [f"share-{part}" for part in order]

    def merge(self, files, *options, out="merged"):
        self.atcav("merge", *files, "-o", out, *ONE_THREAD, *options)
        return self.read(out + "/results.json")

    def alone(self, arguments, *options):
        self.atcav("run", *arguments, "-o", "alone", *options)
        return self.read("alone/results.json")

    def merge_refused(self, message, *files):
        error = self.atcav("merge", *files, "-o", "refused", code=3).stderr
        self.assertIn(message, error)
        self.assertEqual(error.count("\n"), 1, error)
        self.assertFalse(os.path.exists(self.path("refused")))


class SameBytes(ShareTest):
    def test_every_method_in_any_number_of_parts(self):
        for method in ("pattern", "fast", "ridge", "logistic", "svm"):
            # block1 has more columns than there are examples: K; pool fewer: the rows themselves.
            layers = ("block1", "pool") if EVERY or method == "ridge" else ("block4",) if method == "pattern" else ("pool",)
            arguments = self.arguments("--cav", method, "--relative", "a:b", *ONE_THREAD, layers=layers)
            whole = self.alone(arguments, "--save-cavs", "alone.safetensors")
            for parts in (1, 3, 8) if EVERY or method == "pattern" else (2,):
                files = self.shares(parts, arguments)
                with self.subTest(method=method, parts=parts):
                    self.assertTrue(self.merge(files, "--save-cavs", "merged.safetensors") == whole)
                    self.assertTrue(self.read("merged.safetensors") == self.read("alone.safetensors"))
                for file in files:
                    os.remove(self.path(file))

    def test_killed_at_random_and_started_again(self):
        arguments = self.arguments(*ONE_THREAD)
        whole = self.alone(arguments)
        dice = random.Random(4)
        left = [1, 2, 3, 4]
        killed = 0
        while left:
            part = dice.choice(left)
            process = subprocess.Popen([PROGRAM, "share", *arguments, "--part", f"{part}/4", "-o", f"share-{part}"],
                                       cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if killed < 8:
                time.sleep(dice.uniform(0, 1.5))
                process.send_signal(signal.SIGKILL)
            if process.wait() == 0:
                left.remove(part)
            else:
                killed += 1
            names = [name for name in self.names(".") if name.startswith(("share-", "."))]
            self.assertLessEqual(set(names), {f"share-{i}" for i in range(1, 5)})
        self.assertGreater(killed, 0)
        self.assertTrue(self.merge([f"share-{part}" for part in (3, 1, 4, 2)]) == whole)

    def assert_gradients_shared(self, done, total):
        """About half of them in each of two parts, and no examples."""
        counts = [int(re.search(r"of 2: (\d+) gradients, 0 examples", one.stdout)[1]) for one in done]
        self.assertEqual(sum(counts), total)
        self.assertLess(max(counts) - min(counts), 32)

    def test_gradients_in_a_round_of_their_own(self):
        arguments = self.arguments(*ONE_THREAD)
        self.assert_gradients_shared([self.share(part, 2, [*arguments, "--gradients-only"], out=f"first-{part}")
                                      for part in (2, 1)], 40 + 170)
        self.merge_refused("has gradients alone", "first-1", "first-2")
        for part in (1, 2, 3):
            done = self.share(part, 3, [*arguments, "--gradients", "first-1", "first-2"])
            self.assertIn(": 0 gradients", done.stdout)
            self.share(part, 3, arguments, out="by-itself")
            self.assertTrue(self.read("by-itself") == self.read(f"share-{part}"))
            os.remove(self.path("by-itself"))
        self.assertTrue(self.merge(["share-1", "share-2", "share-3"]) == self.alone(arguments))

    def test_pictures_a_pool_and_moments(self):
        """Also copies in other parts, found by their content, and thumbnails."""
        labels = "file,bright\n" + "".join(f"{i:02}.png,{i % 2}\n" for i in range(20))
        self.write("labels.csv", labels.encode())
        for options in (("--pool", "random", "--labels", "labels.csv"), ("--moments",)):
            arguments = self.command(*options, *ONE_THREAD, concepts=("striped=striped", "again=striped"))[2:]
            files = self.shares(3, arguments)
            self.assertTrue(self.merge(files) == self.alone(arguments))
            self.assertIn(b"are also in", self.read("merged/results.json"))
            for name in files:
                os.remove(self.path(name))

    def test_given_directions_need_no_examples(self):
        self.alone(self.command("--save-cavs", "cavs.safetensors", *ONE_THREAD)[2:])
        arguments = ["--model", MODEL, "--class", "zebra:0=zebra", "--class", "dotted:1=dotted", "--cavs",
                     "cavs.safetensors", "--preprocess", "none", "--scale", "0.00392", "--batch", "3", *ONE_THREAD]
        self.assert_gradients_shared([self.share(part, 2, arguments) for part in (1, 2)],
                                     SETS["zebra"] + SETS["dotted"])
        self.assertTrue(self.merge(["share-1", "share-2"]) == self.alone(arguments))

    def test_what_is_there_is_not_computed_again(self):
        arguments = self.command(*ONE_THREAD)[2:]
        self.share(1, 2, arguments)
        before = self.read("share-1")
        self.assertIn("was there already", self.share(1, 2, arguments).stdout)
        self.write("share-1", before[: len(before) // 2])
        self.assertNotIn("already", self.share(1, 2, arguments).stdout)
        self.assertTrue(self.read("share-1") == before)
        self.copy("random/01.png", "random/00.png")
        self.assertNotIn("already", self.share(1, 2, arguments).stdout)
        self.assertFalse(self.read("share-1") == before)

    def rows_sent(self, files, kind):
        """By the names of their tensors, of all files together: how many rows of d floats."""
        total = 0
        for name in files:
            content = self.read(name)
            header = json.loads(content[8:8 + int.from_bytes(content[:8], "little")])
            total += sum(about["shape"][0] for tensor, about in header.items() if re.fullmatch(kind, tensor))
        return total

    def test_little_travels(self):
        """For pattern gradients, sums and at most 200 rows of a set; for ridge all rows."""
        # Every third group of five of 420 rows.
        for method, scored, rows in (("pattern", 420 // 3 + 170 + 90, 0), ("ridge", 0, 680)):
            files = self.shares(2, self.arguments("--cav", method, *ONE_THREAD, layers=("block1",)))
            self.assertEqual(self.rows_sent(files, "examples/0/./rows"), rows)
            self.assertEqual(self.rows_sent(files, "gradients/0"), 40 + 170)
            self.assertEqual(self.rows_sent(files, "examples/0/./scored"), scored)
            for name in files:
                os.remove(self.path(name))


class Refused(ShareTest):
    def setUp(self):
        super().setUp()
        self.plain = self.command(*ONE_THREAD)[2:]
        for part in (1, 2, 3):
            self.share(part, 3, self.plain)

    def test_missing_double_and_damaged_parts(self):
        self.merge_refused("part 2 of 3 is missing", "share-1", "share-3")
        self.merge_refused("parts 1, 3 of 3 are missing", "share-2")
        self.copy("share-2", "copy")
        self.merge(["share-1", "copy", "share-2", "share-3"])
        content = bytearray(self.read("share-2"))
        for place in (20, len(content) // 2, len(content) - 1):
            broken = bytearray(content)
            broken[place] ^= 1
            self.write("broken", bytes(broken))
            error = self.atcav("merge", "share-1", "broken", "share-3", "-o", "refused", code=3).stderr
            self.assertRegex(error, r"^atcav: \[merge\] broken: .*\n$")
        self.write("broken", bytes(content[:-100]))
        self.merge_refused("broken: is not a share, or is damaged", "share-1", "broken", "share-3")
        self.merge_refused("was not written by `atcav share`", "share-1", self.other_tensors(), "share-3")

    def other_tensors(self):
        self.write("other", b"\x02\0\0\0\0\0\0\0{}")
        return "other"

    def test_another_configuration_number_network_or_example(self):
        self.share(2, 3, [*self.plain, "--cav", "ridge"], out="ridge")
        self.merge_refused("ridge: the configuration differs: 'cav: ridge' here, 'cav: pattern' in share-1",
                           "share-1", "ridge", "share-3")
        self.share(2, 4, self.plain, out="four")
        self.merge_refused("four: the number of parts differs: '4' here, '3' in share-1", "share-1", "four", "share-3")
        self.copy("random/01.png", "random/19.png")
        self.merge_refused("share-1: 19.png of random had another content there", "share-1", "share-2", "share-3")
        self.share(1, 3, self.plain, out="changed")
        self.merge_refused("is part 1 of 3 as", "share-1", "changed", "share-2", "share-3")

    def test_parts_that_there_are_not(self):
        for part in ("0/3", "4/3", "1/0", "3", "a/b", "1/3/5", "-1/3"):
            error = self.atcav("share", *self.plain, f"--part={part}", "-o", "none", code=2).stderr
            self.assertIn("part", error)
            self.assertEqual(error.count("\n"), 1, error)
        self.assertFalse(os.path.exists(self.path("none")))


if __name__ == "__main__":
    main()
