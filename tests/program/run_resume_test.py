"""Cache and resume: whatever happens to a run or to its cache, the results are those of an undisturbed run."""
import os
import shutil
import signal
import time
import unittest.mock

from harness import without_progress
from run_harness import MODEL, TOTAL, RunTest, main

LAYERS = 2
BATCH = 4
BLOCKS = TOTAL // BATCH  # every set is a multiple of the batch
EACH = LAYERS + 1  # entries of a block: its layers, and its logits


def complete_blocks(entries):
    """Entries of a block are stored one after the other; stages that run the network again come after all blocks."""
    return min(BLOCKS, entries // EACH)


class CacheTest(RunTest):
    """Paths are relative, so that the bytes of the undisturbed run are the same for every test's folder."""
    shared = {}

    def setUp(self):
        super().setUp()
        if not self.shared:
            self.shared["results"] = self.results("--batch", str(BATCH))
            self.assertEqual(self.timings()["examples_run"], TOTAL)
            shutil.rmtree(self.path("out"))
            self.assert_fills_the_cache()
        self.undisturbed = self.shared["results"]

    def assert_fills_the_cache(self):
        self.assertEqual(self.with_cache(), self.shared["results"])
        self.assertEqual(self.timings()["examples_run"], TOTAL)
        self.shared["entries"] = len(self.entries())
        self.shared["times"] = {name: os.stat(self.path("cache/" + name)).st_mtime_ns for name in self.entries()}
        self.assertGreater(self.shared["entries"], EACH * BLOCKS)
        self.shared["cache"] = {name: self.read("cache/" + name) for name in self.names("cache")}
        shutil.rmtree(self.path("cache"))
        shutil.rmtree(self.path("out"))

    def fill_cache(self):
        """With the entries of an undisturbed run."""
        for name, content in self.shared["cache"].items():
            self.write("cache/" + name, content)

    def with_cache(self, *options, **inputs):
        return self.results("--batch", str(BATCH), "--cache", "cache", *options, **inputs)

    def entries(self):
        return [name for name in self.names("cache") if name.endswith(".atcav")]

    def assert_no_leftovers(self):
        """Entries, and what is known of the model."""
        self.assertEqual([name for name in self.names("cache") if not name.endswith((".atcav", ".txt"))], [])

    def assert_served(self, examples_run, **inputs):
        """The same bytes as without a cache, with only so many examples through the network."""
        self.assertEqual(self.with_cache(**inputs), self.undisturbed)
        self.assertEqual(self.timings()["examples_run"], examples_run)


class Same(CacheTest):
    def test_cache_and_threads_change_no_byte(self):
        self.fill_cache()
        self.assert_served(0)
        for threads in ("1", "2"):
            self.assertEqual(self.results("--batch", str(BATCH), "--threads", threads), self.undisturbed)
        shutil.rmtree(self.path("cache"))
        self.assertEqual(self.with_cache("--threads", "1"), self.undisturbed)
        self.assertEqual({name: self.read("cache/" + name) for name in self.names("cache")}, self.shared["cache"])

    def test_the_cache_needs_no_network(self):
        """Nobody opens the plugin, and so LibTorch, where the cache has everything."""
        self.fill_cache()
        with unittest.mock.patch.dict(os.environ, ATCAV_PLUGIN=self.path("nowhere.so")):
            self.assert_served(0)
            done = self.run_program("--batch", str(BATCH), "-o", "out2")
        self.assertEqual(done.returncode, 3)
        self.assertIn("nowhere.so", done.stderr)
        self.assertEqual(self.names("out2"), [])

    def test_two_runs_at_once(self):
        folders = ["a", "b", "c"]
        processes = [self.start("--batch", str(BATCH), "--cache", "cache", "-o", out) for out in folders]
        for process, out in zip(processes, folders):
            _, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, without_progress(errors)), (0, ""))
            self.assertEqual(self.read(out + "/results.json"), self.undisturbed)
        self.assert_served(0)
        self.assert_no_leftovers()


class Interrupted(CacheTest):
    def stop_at(self, entries, how):
        """Starts a run, sends the signal once the cache has that many entries, and says how it ended."""
        process = self.start("--batch", str(BATCH), "--cache", "cache", "-o", "out")
        while len(self.entries()) < entries and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(how)
        _, errors = process.communicate(timeout=60)
        return process.returncode, without_progress(errors)

    def test_killed_again_and_again(self):
        for share in (0.2, 0.4, 0.6):
            code, _ = self.stop_at(int(share * EACH * BLOCKS), signal.SIGKILL)
            self.assertEqual(code, -signal.SIGKILL)
            self.assertLess(len(self.entries()), self.shared["entries"])
            self.assertEqual(self.names("out"), [])
            self.assert_no_leftovers()
        complete = complete_blocks(len(self.entries()))
        self.assertGreaterEqual(complete, BLOCKS // 2)
        self.assert_served(TOTAL - BATCH * complete)
        self.assert_no_leftovers()
        self.assert_served(0)

    def test_asked_to_stop(self):
        old = b'{"atcav": "old"}\n'
        for how in (signal.SIGINT, signal.SIGTERM):
            self.write("out/results.json", old)
            before = len(self.entries())
            code, errors = self.stop_at(before + 4, how)
            self.assertEqual((code, errors), (130, "atcav: interrupted, no results were written\n"))
            self.assertEqual(self.names("out"), ["results.json"])
            self.assertEqual(self.read("out/results.json"), old)
            self.assert_no_leftovers()
        self.assert_served(TOTAL - BATCH * complete_blocks(len(self.entries())))


class Damage(CacheTest):
    def damaged(self, content):
        def flipped(place):
            return content[:place] + bytes([content[place] ^ 1]) + content[place + 1:]
        header = 8 + int.from_bytes(content[:8], "little")
        return {"header's length": flipped(0), "name of the tensor": flipped(content.index(b"rows")),
                "checksum": flipped(content.index(b"checksum") + 15), "shape": flipped(content.index(b"shape") + 8),
                "first value": flipped(header), "middle value": flipped((header + len(content)) // 2),
                "last byte": flipped(len(content) - 1), "cut in the data": content[:-10],
                "cut in the header": content[:header // 2], "empty": b"", "longer": content + b"\0" * 8}

    def test_every_damage_is_noticed_and_mended(self):
        self.fill_cache()
        kinds = list(self.damaged(self.read("cache/" + self.entries()[0])))
        self.assertLess(len(kinds), len(self.entries()))
        whole = {}
        for name, kind in zip(self.entries(), kinds):
            whole[name] = self.read("cache/" + name)
            self.write("cache/" + name, self.damaged(whole[name])[kind])
        self.assertEqual(self.with_cache(), self.undisturbed)
        remark = f"{len(kinds)} cache entries were damaged or another user's and were computed again"
        self.assertEqual(self.stderr, f"atcav: note: {remark}\n")
        self.assertEqual(self.timings()["remarks"], [remark])
        self.assertGreaterEqual(self.timings()["examples_run"], BATCH * len(kinds) // LAYERS)
        for name, kind in zip(whole, kinds):
            self.assertEqual(self.read("cache/" + name), whole[name], kind)
        self.assert_served(0)
        self.assertEqual(self.stderr, "")

    def test_one_flipped_bit(self):
        self.fill_cache()
        # A block of gradients: class inputs come first, and the largest of its entries is no list of logits.
        entries = [name for name, _ in sorted(self.shared["times"].items(), key=lambda entry: entry[1])][:EACH]
        name = "cache/" + max(entries, key=lambda entry: os.path.getsize(self.path("cache/" + entry)))
        self.write(name, self.damaged(self.read(name))["middle value"])
        self.assert_served(BATCH)
        self.assertIn("1 cache entries were damaged", self.stderr)


    def test_what_is_known_of_the_model(self):
        self.fill_cache()
        (name,) = [name for name in self.names("cache") if name.endswith(".txt")]
        whole = self.read("cache/" + name)
        for damage in (b"", whole[:-1], whole.replace(b"block4", b"block5")):
            self.write("cache/" + name, damage)
            self.assert_served(0)
            self.assertIn("1 cache entries were damaged", self.stderr)
            self.assertEqual(self.read("cache/" + name), whole)


class Changes(CacheTest):
    def setUp(self):
        super().setUp()
        self.fill_cache()

    def test_another_picture_under_the_same_name_and_time(self):
        for victim, other in (("random/05.png", "zebra"), ("striped/03.png", "dotted"), ("zebra/00.png", "dotted")):
            status = os.stat(self.path(victim))
            self.write(victim, self.pictures[other][1])
            os.utime(self.path(victim), ns=(status.st_atime_ns, status.st_mtime_ns))
        fresh = self.results("--batch", str(BATCH), out="fresh")
        self.assertNotEqual(fresh, self.undisturbed)
        self.undisturbed = fresh
        self.assert_served(3 * BATCH)

    def test_another_model_is_another_key(self):
        with open(MODEL, "rb") as file:
            # A field that ONNX does not know changes the bytes and nothing else.
            self.write("model.onnx", file.read() + b"\xf2\x3f\x01x")
        self.with_cache(model="model.onnx")
        self.assertEqual(self.timings()["examples_run"], TOTAL)

    def start_and_replace_the_model(self):
        """With another one, when LibTorch is there: after the model's hash was taken, before the network is opened."""
        with open(MODEL, "rb") as file:
            model = file.read()
        middle = len(model) // 2
        other = model[:middle] + bytes(400) + model[middle + 400:]  # weights
        self.write("model.onnx", model)
        self.write("other.onnx", other)
        process = self.start("--batch", str(BATCH), "--cache", "cache", "-o", "out", model="model.onnx")
        while process.poll() is None:
            with open(f"/proc/{process.pid}/maps") as maps:
                if "libtorch" in maps.read():
                    break
        os.rename(self.path("other.onnx"), self.path("model.onnx"))
        _, errors = process.communicate(timeout=60)
        results = self.read("out/results.json") if process.returncode == 0 else b""
        shutil.rmtree(self.path("out"), ignore_errors=True)
        self.write("other.onnx", other)
        self.write("model.onnx", model)
        return process.returncode, errors, results

    def test_a_model_that_is_replaced_during_a_run(self):
        shutil.copy(MODEL, self.path("model.onnx"))
        fresh = self.results("--batch", str(BATCH), model="model.onnx", out="fresh")
        shutil.rmtree(self.path("cache"))
        _, _, results = self.start_and_replace_the_model()  # nothing known: whatever was opened is what is reported
        shutil.copy(self.path("other.onnx"), self.path("model.onnx"))
        self.assertEqual(results, self.results("--batch", str(BATCH), model="model.onnx", out="fresh"))
        shutil.copy(MODEL, self.path("model.onnx"))
        self.assertEqual(self.with_cache(model="model.onnx"), fresh)
        for name in self.entries():  # what is known of the model stays
            os.remove(self.path("cache/" + name))
        code, errors, _ = self.start_and_replace_the_model()
        self.assertEqual(code, 3, errors)
        self.assertIn("model.onnx: changed between reads", errors)
        self.assertEqual(self.with_cache(model="model.onnx"), fresh)

    def test_another_batch_is_another_key(self):
        of_three = 7 + 4 + 4 + 3  # blocks of the four sets
        self.results("--batch", "3", "--cache", "cache")
        entries = self.shared["entries"]
        stages = entries - EACH * BLOCKS
        self.assertEqual(len(self.entries()), entries + EACH * of_three + stages)

    def test_another_order_is_another_key(self):
        os.rename(self.path("striped/00.png"), self.path("striped/99.png"))
        fresh = self.results("--batch", str(BATCH), out="fresh")
        self.assertEqual(self.with_cache(), fresh)
        self.assertEqual(self.timings()["examples_run"], 12)


class Limit(CacheTest):
    def size(self):
        return sum(os.path.getsize(self.path("cache/" + name)) for name in self.entries())

    def test_the_longest_unused_go_and_the_result_stays(self):
        new = {name for name in self.shared["cache"] if name.endswith(".atcav")}
        size = sum(len(content) for content in self.shared["cache"].values())
        old = {f"{i:064}.atcav" for i in range(10)}  # of other runs, long ago
        for name in old:
            self.write("cache/" + name, bytes(size // 10))
            os.utime(self.path("cache/" + name), (0, 0))
        # Room for this run's entries, with the tenth that is cleared beyond need, and not for all the others.
        self.assertEqual(self.with_cache("--cache-gb", str(1.3 * size / 1e9)), self.undisturbed)
        self.assertLessEqual(self.size(), 1.3 * size)
        self.assertLessEqual(new, set(self.entries()))
        self.assertFalse(old <= set(self.entries()))
        self.assert_served(0)

    def test_a_limit_below_one_entry(self):
        self.assertEqual(self.with_cache("--cache-gb", "1e-9"), self.undisturbed)
        self.assertEqual(self.entries(), [])
        self.assert_served(TOTAL)


if __name__ == "__main__":
    main()
