"""Influences kept by a run: groups and comparisons afterwards are what a new run gives, and equal runs do not differ."""
import json
import os
import subprocess

from harness import PROGRAM, QUICK, ProgramTest, main, np

# Responses are kept in double; what is left is the order of sums.
ROUNDING = 1e-10


def numbers(value, path=""):
    """Every number and word of a JSON document by its place."""
    if isinstance(value, dict):
        return {place: number for key, part in value.items() for place, number in numbers(part, f"{path}.{key}").items()}
    if isinstance(value, list):
        return {place: number for i, part in enumerate(value) for place, number in numbers(part, f"{path}[{i}]").items()}
    return {path: value}


class Reanalyse(ProgramTest):
    def setUp(self):
        super().setUp()
        generator = np.random.default_rng(5)
        self.save("concept", np.repeat(generator.normal(size=(15, 6)), 2, axis=0) + 0.4)
        self.save("pool", generator.normal(size=(60, 6)))
        self.save("gradients", generator.normal(size=(8, 6)) + 0.3)
        rows = "".join(f"{i},{int(generator.uniform() < .4)},{generator.normal():.3f}\n" for i in range(60))
        self.write("labels.csv", ("row,odd,size\n" + rows).encode())
        grouped = "".join(f"{line},s{i // 3}\n" for i, line in enumerate(rows.splitlines()))
        self.write("grouped.csv", ("row,odd,size,source\n" + grouped).encode())
        self.write("videos.txt", "".join(f"v{i // 2}\n" for i in range(8)).encode())

    def command(self, *options, **arrays):
        return super().command("--layer", "l", "--pool", self.path("pool.npy"), *options, **arrays)

    def made(self, folder, *options, **arrays):
        done = self.run_program("-o", folder, *options, **arrays)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.results(folder)

    def results(self, folder):
        with open(self.path(folder + "/results.json"), encoding="utf-8") as file:
            return json.load(file)

    def again(self, folder, *options):
        return subprocess.run([PROGRAM, "reanalyse", folder, *options], cwd=self.folder, capture_output=True, text=True)

    def assert_same(self, found, wanted):
        found, wanted = numbers(found["results"]), numbers(wanted["results"])
        self.assertEqual(found.keys(), wanted.keys())
        for place, value in wanted.items():
            if isinstance(value, float):
                self.assertAlmostEqual(found[place], value, delta=ROUNDING * max(1, abs(value)), msg=place)
            elif "warnings" not in place:
                self.assertEqual(found[place], value, place)
        said = lambda document: sorted(text for place, text in document.items() if "warnings" in place)  # noqa: E731
        self.assertEqual(said(found), said(wanted))

    def test_nothing_chosen_changes_nothing(self):
        for folder, *options in (("run",), ("until", "--until", "5")):  # which intervals depend on
            run = self.made(folder, "--labels", "labels.csv", "--influences", *options)
            self.assertEqual(sorted(os.listdir(self.path(folder))),
                             ["influences.safetensors", "report.html", "results.json", "timings.json"])
            done = self.again(folder, "-o", "again")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_same(self.results("again"), run)

    def test_groups_afterwards_are_those_of_a_new_run(self):
        self.made("run", "--labels", "labels.csv", "--influences")
        wanted = self.made("fresh", "--labels", "grouped.csv", "--group-column", "source", "--class-groups",
                           "videos.txt", "--negligible", "0.4")
        self.assertEqual(wanted["results"][-1]["groups"], {"examples": 20, "inputs": 4})
        done = self.again("run", "--labels", "grouped.csv", "--group-column", "source", "--class-groups",
                          "videos.txt", "--negligible", "0.4", "-o", "again")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same(self.results("again"), wanted)

    def test_another_level(self):
        self.made("run", "--labels", "labels.csv", "--influences")
        wanted = self.made("fresh", "--labels", "labels.csv", "--level", "0.8")
        done = self.again("run", "--level", "0.8", "-o", "again")
        self.assertEqual(done.returncode, 0, done.stderr)
        for found, fresh in zip(self.results("again")["results"], wanted["results"]):
            for field in ("effect", "significance", "equivalence", "negatives"):
                for place, value in numbers(fresh.get(field)).items():
                    self.assertAlmostEqual(numbers(found[field])[place] or 0, value or 0, delta=ROUNDING * 100, msg=place) \
                        if isinstance(value, float) else None
            if "label" not in found:  # its scores keep the run's level
                self.assertEqual(found["interval"]["level"], 0.95)

    def test_equal_runs_differ_by_exactly_nothing(self):
        self.made("one", "--labels", "labels.csv", "--influences")
        self.made("two", "--labels", "labels.csv", "--influences")
        done = subprocess.run([PROGRAM, "compare", "one", "two", "--fail-on-change", "--json", "-"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        differences = json.loads(done.stdout)["differences"]
        self.assertEqual(len(differences), 5)  # a concept, two labels alone, two jointly
        for one in differences:
            for part in (one["logits"], one["d"]):
                self.assertEqual((part["difference"], part["low"], part["high"], part["p"]), (0, 0, 0, 1))

    def test_a_change_is_found_and_ends_with_1(self):
        self.made("one", "--labels", "labels.csv", "--influences")
        changed = self.load("gradients")
        changed[:, 0] += 3
        gradients = self.save("changed", changed)
        run = self.made("two", "--labels", "labels.csv", "--influences", gradients=gradients)
        command = [PROGRAM, "compare", "one", "two", "--fail-on-change", "-o", "difference", "--json", "difference.json"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(sorted(os.listdir(self.path("difference"))), ["report.html", "results.json"])
        with open(self.path("difference.json"), encoding="utf-8") as file:
            found = json.load(file)
        self.assertGreater(found["changed"], 0)
        first = found["differences"][0]
        self.assertAlmostEqual(first["d"]["second"], run["results"][0]["effect"]["d"], delta=1e-9)
        self.assertAlmostEqual(first["d"]["second"] - first["d"]["first"], first["d"]["difference"], delta=1e-9)

    def test_what_is_wrong_is_said(self):
        self.made("plain", "--labels", "labels.csv")
        self.made("run", "--labels", "labels.csv", "--influences")
        for options, code, message in (
                (["plain"], 2, "the run kept no influences"),
                (["nothing"], 3, "nothing/results.json"),
                (["run", "--group-column", "size", "--labels", "gone.csv"], 2, "'gone.csv', is not there"),
                (["run", "--group-by", "(.*)_"], 2, "needs file names, which random does not have"),
                (["run", "-o", "run"], 2, "holds the run, choose another folder")):
            done = self.again(*options)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)
        with open(self.path("run/results.json"), "a", encoding="utf-8") as file:
            file.write("\n")
        done = self.again("run")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("belongs to other results", done.stderr)
        done = self.run_program("--labels", "labels.csv", "--influences", "-o", "x", "--cav", "ridge")
        self.assertEqual(done.returncode, 2, done.stderr)
        done = self.run_program("--labels", "labels.csv", "--influences")
        self.assertIn("--influences needs -o DIR", done.stderr)
        self.assertEqual(done.returncode, 2)

    def test_a_run_may_be_repeated_into_its_folder(self):
        for _ in range(2):
            self.made("run", "--labels", "labels.csv", "--influences")


if __name__ == "__main__":
    main()
