"""atcav.captum: what it returns, its files, its errors, custom classifiers; against Captum in captum_side_by_side.py."""
import importlib.util
import inspect
import os
import pathlib
import pickle
import tempfile
import unittest

import numpy

import atcav

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("PyTorch is not installed")
import torch  # noqa: E402

from atcav import captum  # noqa: E402

SEEDED = torch.Generator().manual_seed(6)


def loader(rows, shift):
    return torch.utils.data.DataLoader(torch.randn(rows, 6, generator=SEEDED) + shift, batch_size=8)


class Means(captum.Classifier):
    """Differences of means: a classifier whose answer is known."""

    def __init__(self):
        self.trained = 0

    def train_and_eval(self, dataloader, **kwargs):
        self.trained += 1
        rows, labels = map(torch.cat, zip(*dataloader))
        self._classes = labels.unique().tolist()
        self._weights = torch.stack([rows[labels == one].mean(0) - rows[labels != one].mean(0)
                                     for one in self._classes])
        return kwargs

    def weights(self):
        return self._weights

    def classes(self):
        return self._classes


class Captum(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.model = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(inplace=True), torch.nn.Linear(5, 3)).eval()
        self.stripes = captum.Concept(7, "stripes", loader(30, 0.6))
        self.random = [captum.Concept(k, f"random_{k}", loader(24, 0)) for k in range(2)]
        self.inputs = torch.randn(20, 6, generator=SEEDED)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def tcav(self, **options):
        return captum.TCAV(self.model, ["0", "2"], save_path=self.folder.name, **options)

    def gradient(self, target):
        before = self.model[0](self.inputs)
        return ((before > 0) * self.model[2].weight[target]).detach()

    def test_scores_of_a_known_classifier(self):
        sets = [[self.stripes, self.random[0]], [self.random[1], self.stripes, self.random[0]]]
        scores = self.tcav(classifier=Means()).interpret(self.inputs, sets, target=1)
        self.assertEqual(list(scores), ["7-0", "1-7-0"])
        self.assertEqual({key: list(found) for key, found in scores.items()}, {"7-0": ["0", "2"], "1-7-0": ["0", "2"]})
        rows = {one: torch.cat([self.model[0](x) for x in one.data_iter]).detach() for one in sets[1]}
        for concepts in sets:
            for k, concept in enumerate(concepts):
                others = torch.cat([rows[one] for one in concepts if one is not concept])
                s = self.gradient(1) @ (rows[concept].mean(0) - others.mean(0))
                found = scores["-".join(str(one.id) for one in concepts)]["0"]
                self.assertAlmostEqual(float(found["sign_count"][k]), float((s > 0).float().mean()), places=6)
                self.assertAlmostEqual(float(found["magnitude"][k]), float(s.mean()), places=5)

    def test_the_default_classifier_is_exact_and_the_same_again(self):
        first = self.tcav().compute_cavs([[self.stripes, self.random[0]]], force_train=True)["7-0"]["0"]
        again = self.tcav().compute_cavs([[self.stripes, self.random[0]]], force_train=True)["7-0"]["0"]
        torch.testing.assert_close(first.stats["weights"], again.stats["weights"], rtol=0, atol=0)
        torch.testing.assert_close(first.stats["weights"][0], -first.stats["weights"][1])
        self.assertEqual(list(first.stats["classes"]), [0, 7])
        self.assertTrue(0 <= float(first.stats["accs"]) <= 1)
        classifier = captum.DefaultClassifier()
        rows = {one: torch.cat([self.model[0](x) for x in one.data_iter]).detach() for one in (self.stripes, self.random[0])}
        batches = [(batch, torch.full((len(batch),), one.id)) for one, batch in rows.items()]
        classifier.train_and_eval(batches, test_split_ratio=0)
        want, _, _ = atcav.fit_cav(rows[self.random[0]], rows[self.stripes], "svm", cost=1 / (0.01 * 54))
        numpy.testing.assert_allclose(classifier.weights()[1], want, rtol=1e-3, atol=1e-4 * numpy.abs(want).max())

    def test_files_are_found_again(self):
        classifier = Means()
        sets = [[self.stripes, self.random[0]]]
        self.tcav(classifier=classifier, extra=5).compute_cavs(sets)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "default_model_id", "7-0-0.pkl")))
        self.assertEqual(classifier.trained, 2)
        loaded = self.tcav(classifier=classifier).compute_cavs(sets)
        self.assertEqual(classifier.trained, 2)
        self.assertEqual(loaded["7-0"]["2"].stats["extra"], 5)
        self.assertEqual([one.name for one in loaded["7-0"]["2"].concepts], ["stripes", "random_0"])
        self.assertEqual(self.tcav().load_cavs([self.stripes, self.random[1]])[0], ["0", "2"])
        self.tcav(classifier=classifier).compute_cavs(sets, force_train=True)
        self.assertEqual(classifier.trained, 4)

    def test_activations_lie_where_captum_has_them(self):
        tcav = self.tcav(model_id="mine")
        tcav.concepts = {self.stripes}
        tcav.generate_all_activations()
        folder = pathlib.Path(self.folder.name, "av", "mine", "stripes-7", "0")
        self.assertEqual(sorted(one.name for one in folder.iterdir()), ["0.pt", "1.pt", "2.pt", "3.pt"])
        rows = torch.cat([torch.load(folder / f"{k}.pt", weights_only=True) for k in range(4)])
        torch.testing.assert_close(rows, torch.cat([self.model[0](x) for x in self.stripes.data_iter]).detach())

    def test_files_run_no_code(self):
        class Evil:
            def __reduce__(self):
                return os.mkdir, (ran,)
        sets = [[self.stripes, self.random[0]]]
        ran, path = os.path.join(self.folder.name, "ran"), os.path.join(self.folder.name, "default_model_id", "7-0-0.pkl")
        for write in (lambda: torch.save({"stats": Evil()}, path), lambda: pathlib.Path(path).write_bytes(pickle.dumps(Evil()))):
            tcav = self.tcav()
            write()
            with self.assertRaises(pickle.UnpicklingError):
                tcav.compute_cavs(sets)
            self.assertFalse(os.path.exists(ran))

    def test_the_default_classifiers_file_is_read(self):
        sets = [[self.stripes, self.random[0]]]
        want = self.tcav().compute_cavs(sets)["7-0"]["0"].stats
        found = self.tcav().compute_cavs(sets)["7-0"]["0"].stats
        torch.testing.assert_close(found["weights"], want["weights"])
        self.assertEqual(list(found["classes"]), list(want["classes"]))

    def test_targets(self):
        sets = [[self.stripes, self.random[0]]]
        tcav = self.tcav(classifier=Means())
        want = tcav.interpret(self.inputs, sets, target=1)["7-0"]["0"]["magnitude"]
        for target in (torch.tensor(1), [1] * 20, torch.ones(20, dtype=torch.long), (1,), [(1,)] * 20):
            torch.testing.assert_close(tcav.interpret(self.inputs, sets, target=target)["7-0"]["0"]["magnitude"], want)
        with self.assertRaisesRegex(AssertionError, "Target not provided when necessary"):
            tcav.interpret(self.inputs, sets)
        with self.assertRaisesRegex(AssertionError, "does not match output length"):
            tcav.interpret(self.inputs, sets, target=[1, 2])

    def test_a_layer_attribution_method_and_further_inputs(self):
        class Method:
            def attribute(self, inputs, target=None, additional_forward_args=None, attribute_to_layer_input=False,
                          steps=1):
                assert (target, additional_forward_args, attribute_to_layer_input, steps) == (1, None, False, 3)
                return torch.ones(len(inputs), self.layer.out_features)
        tcav = self.tcav(classifier=Means(), layer_attr_method=Method())
        scores = tcav.interpret(self.inputs, [[self.stripes, self.random[0]]], target=1, steps=3)
        weights = tcav.cavs["7-0"]["0"].stats["weights"]
        torch.testing.assert_close(scores["7-0"]["0"]["magnitude"][0], weights[1].sum())

        class Two(torch.nn.Module):
            def __init__(self, body):
                super().__init__()
                self.body = body

            def forward(self, x, scale=1.0):
                return self.body(x) * scale
        with tempfile.TemporaryDirectory() as folder:
            tcav = captum.TCAV(Two(self.model), "body.0", save_path=folder, classifier=Means())
            sets = [[self.stripes, self.random[0]]]
            one = tcav.interpret(self.inputs, sets, 1)["7-0"]["body.0"]["magnitude"]
            two = tcav.interpret(self.inputs, sets, 1, additional_forward_args=2.0)["7-0"]["body.0"]["magnitude"]
            torch.testing.assert_close(two, 2 * one)

    def test_layer_inputs(self):
        tcav = self.tcav(classifier=Means(), attribute_to_layer_input=True)
        tcav.compute_cavs([[self.stripes, self.random[0]]])
        rows = [torch.cat(list(one.data_iter)).mean(0) for one in (self.stripes, self.random[0])]
        torch.testing.assert_close(tcav.cavs["7-0"]["0"].stats["weights"][1], rows[0] - rows[1])

    def test_errors(self):
        twin = captum.Concept(7, "twin", loader(10, 0))
        with self.assertRaisesRegex(AssertionError, "more than one instance of a concept with id 7"):
            self.tcav().compute_cavs([[self.stripes, self.random[0]], [twin, self.random[0]]])
        with self.assertRaisesRegex(AssertionError, "`model_id` cannot be None or empty"):
            self.tcav(model_id="")
        with self.assertRaisesRegex(AssertionError, "Data iterator"):
            self.tcav().compute_cavs([[captum.Concept(9, "none", None), self.random[0]]])
        with self.assertRaisesRegex(AssertionError, "attribute_to_layer_input"):
            self.tcav().interpret(self.inputs, [[self.stripes, self.random[0]]], 1, attribute_to_layer_input=True)
        with self.assertRaises(AttributeError):
            captum.TCAV(self.model, "nowhere", save_path=self.folder.name).compute_cavs([[self.stripes, self.random[0]]])
        self.assertEqual((repr(self.stripes), self.stripes.identifier), ("Concept(7, 'stripes')", "stripes-7"))


@unittest.skipIf(importlib.util.find_spec("captum") is None, "Captum is not installed")
class Signatures(unittest.TestCase):
    """Every public class and method of captum.concept is there, with its arguments, their order, kinds and defaults."""

    @staticmethod
    def arguments(method):
        return [(one.name, one.kind, one.default) for one in inspect.signature(method).parameters.values()]

    def test_are_those_of_captum(self):
        import captum.concept as theirs
        compared = 0
        self.assertEqual(sorted(captum.__all__), sorted(theirs.__all__))
        for name in theirs.__all__:
            ours, original = getattr(captum, name), getattr(theirs, name)
            for method in ["__init__"] + [one for one in dir(original) if not one.startswith("_")]:
                with self.subTest(f"{name}.{method}"):
                    mine, other = (inspect.getattr_static(kind, method) for kind in (ours, original))
                    self.assertEqual(type(mine), type(other))
                    self.assertEqual(getattr(mine, "__isabstractmethod__", False),
                                     getattr(other, "__isabstractmethod__", False))
                    if not isinstance(other, property):
                        self.assertEqual(self.arguments(getattr(ours, method)), self.arguments(getattr(original, method)))
                    compared += 1
        self.assertGreater(compared, 20)


if __name__ == "__main__":
    unittest.main()
