"""Activations in other units, gradients and penalties with them: no answer changes, for any method and for labels."""
import json
import re
import subprocess

from harness import PROGRAM, QUICK, ProgramTest, main, np

METHODS = ("pattern", "fast", "ridge", "logistic", "svm")
# Per length of the direction, so in units of their own; γ's 1e-8 shows where those are large.
OF_THE_CAV = re.compile(r"/(held_out_scores|accuracy/(concept|random|threshold))|"
                        r"/(sensitivities|sensitivity_errors|magnitude|gamma|sigma_effective|tau_squared|step)\b|"
                        r"/(alpha|alpha_tcav|profile|interval|intervals|two_peaks)\b|/extrapolated$|/score$|/posterior/tau_squared")
ALWAYS_THE_SAME = re.compile(r"/intervals/(tcav|dagger|star)/(low|high)|/alpha_tcav/(dagger|star)$")


def numbers(value, path=""):
    if isinstance(value, dict):
        for key, one in value.items():
            yield from numbers(one, f"{path}/{key}")
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from numbers(one, f"{path}/{number}")
    else:
        yield path, value


class Units(ProgramTest):
    def setUp(self):
        super().setUp()
        generator = np.random.default_rng(5)
        mean = np.abs(generator.normal(size=30))
        self.arrays = {"random": generator.normal(size=(60, 30)) + mean, "gradients": generator.normal(size=(12, 30)) + 0.3,
                       "one": 1.2 * generator.normal(size=(25, 30)) + mean + 0.4 * generator.normal(size=30),
                       "two": generator.normal(size=(30, 30)) + mean}
        rows = [f"{i},{int(generator.random() < .4)},{int(generator.random() < .5)},{generator.normal():.4f}\n"
                for i in range(60)]
        self.write("labels.csv", ("row,red,old,size\n" + "".join(rows)).encode())

    def answers(self, unit, *options):
        """Numbers and texts of the results; those per length of the direction only where that is asked for."""
        for name, values in self.arrays.items():
            self.save(name, values / unit if name == "gradients" else values * unit)
        if "--labels" not in options:
            options += ("--random", "random.npy", "--concept", "one=one.npy", "--concept", "two=two.npy", "--relative", "one:two")
        done = subprocess.run([PROGRAM, "score", "--gradients", "gradients.npy", "--json", "-", *QUICK, *options],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads(done.stdout, parse_constant=lambda text: self.fail(f"results.json holds {text}"))["results"]
        return {path: value for path, value in numbers(results) if "/warnings/" not in path
                and (ALWAYS_THE_SAME.search(path) or not OF_THE_CAV.search(path))}

    def assert_same(self, *options, units, tolerance, penalty=lambda unit: ()):
        wanted = self.answers(1.0, *options, *penalty(1.0))
        self.assertTrue(any("/effect/d" in path for path in wanted))
        for unit in units:
            found = self.answers(unit, *options, *penalty(unit))
            self.assertEqual(found.keys(), wanted.keys())
            for path, value in wanted.items():
                if isinstance(value, float):
                    # A value that is a difference of larger ones has fewer digits.
                    self.assertAlmostEqual(found[path], value, delta=tolerance * max(abs(value), 1), msg=(options, unit, path))
                else:
                    self.assertEqual(found[path], value, (options, unit, path))

    def test_powers_of_two_change_no_answer(self):
        """They round nothing, so what is left is what the program does."""
        units = [2.0**k for k in (-40, -19, -10, 7, 27, 40)]
        for method in METHODS:
            penalty = {"ridge": lambda unit: ("--lambda", repr(unit**2)), "logistic": lambda unit: ("--cost", repr(unit**-2)),
                       "svm": lambda unit: ("--cost", repr(unit**-2))}.get(method, lambda unit: ())
            self.assert_same("--cav", method, units=units, tolerance=1e-9, penalty=penalty)
        for options in (["--moments"], ["--interval", "bootstrap"], ["--pool", "random.npy", "--labels", "labels.csv"]):
            self.assert_same(*options, units=units, tolerance=1e-9)

    def test_other_units_change_no_more_than_float32_does(self):
        for options in (["--cav", "pattern"], ["--cav", "svm"], ["--pool", "random.npy", "--labels", "labels.csv"]):
            penalty = (lambda unit: ("--cost", repr(unit**-2))) if "svm" in options else (lambda unit: ())
            self.assert_same(*options, units=(1e-12, 2e-6, 300.0, 1e12), tolerance=1e-4, penalty=penalty)


class HighCosts(ProgramTest):
    def test_have_a_direction(self):
        """Sets that overlap: a cost a million times larger changes next to nothing."""
        generator = np.random.default_rng(2)
        self.save("random", generator.normal(size=(300, 40)))
        self.save("concept", generator.normal(size=(100, 40)) + 0.3)
        self.save("gradients", generator.normal(size=(9, 40)))
        for method in ("logistic", "svm"):
            wanted = self.result("--cav", method, "--cost", "1e4")
            for cost in ("1e5", "1e8", "1e12", "1e300"):
                found = self.result("--cav", method, "--cost", cost)
                self.assertLess(np.abs(np.subtract(found["sensitivities"], wanted["sensitivities"])).max(), 1e-3, (method, cost))
                self.assertAlmostEqual(found["accuracy"]["held_out"], wanted["accuracy"]["held_out"], delta=0.03)
                self.assertAlmostEqual(found["effect"]["error"]["examples"], wanted["effect"]["error"]["examples"], delta=0.05)


if __name__ == "__main__":
    main()
