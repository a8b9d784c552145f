"""Captum's interface for concepts: `from captum.concept import …` becomes `from atcav.captum import …`, nothing else.

    from atcav.captum import TCAV, Concept

    stripes, random = Concept(0, "stripes", striped_loader), Concept(1, "random", random_loader)
    tcav = TCAV(model, ["layer3", "layer4"])
    scores = tcav.interpret(zebras, [[stripes, random]], target=340)
    scores["0-1"]["layer4"]["sign_count"]

Names, arguments, defaults, returned structures and files of CAVs are those of Captum 0.9. What differs: the default
classifier solves exactly what Captum's approximates (a linear SVM with the same penalty), so the same data give the
same CAV, also with activations on a GPU; all layers come out of one pass; activations stay in memory instead of files.
`processes` is accepted and not needed. For intervals, tests and reports see atcav.run.
"""
import abc
import collections
import os
import warnings
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy
import torch

from ._run import fit_cav

__all__ = ["CAV", "Classifier", "Concept", "ConceptInterpreter", "DefaultClassifier", "TCAV"]


class Concept:
    """Examples of a concept. id: unique; data_iter: an iterable of input batches, or None for a loaded CAV."""

    def __init__(self, id: int, name: str, data_iter) -> None:
        self.id = id
        self.name = name
        self.data_iter = data_iter

    @property
    def identifier(self) -> str:
        return f"{self.name}-{self.id}"

    def __repr__(self) -> str:
        return f"Concept({self.id!r}, {self.name!r})"


def _key(concepts) -> str:
    return "-".join(str(concept.id) for concept in concepts)


class CAV:
    """What a classifier found between concepts at a layer: stats has "weights" (classes × features), "classes" (ids of
    concepts) and what the classifier measured ("accs")."""

    def __init__(self, concepts: List[Concept], layer: str, stats: Optional[Dict[str, Any]] = None,
                 save_path: str = "./cav/", model_id: str = "default_model_id") -> None:
        self.concepts = concepts
        self.layer = layer
        self.stats = stats
        self.save_path = save_path
        self.model_id = model_id

    @staticmethod
    def assemble_save_path(path: str, model_id: str, concepts: List[Concept], layer: str) -> str:
        """path/model_id/0-1-layer.pkl"""
        return os.path.join(path, model_id, f"{_key(concepts)}-{layer}.pkl")

    def save(self) -> None:
        """Write concept ids and names, layer and stats to assemble_save_path(...)."""
        torch.save({"concept_ids": [concept.id for concept in self.concepts],
                    "concept_names": [concept.name for concept in self.concepts],
                    "layer": self.layer, "stats": self.stats},
                   CAV.assemble_save_path(self.save_path, self.model_id, self.concepts, self.layer))

    @staticmethod
    def create_cav_dir_if_missing(save_path: str, model_id: str) -> None:
        os.makedirs(os.path.join(save_path, model_id), exist_ok=True)

    @staticmethod
    def load(cavs_path: str, model_id: str, concepts: List[Concept], layer: str) -> Optional["CAV"]:
        """The saved CAV, also one that Captum saved; None where there is none."""
        path = CAV.assemble_save_path(cavs_path, model_id, concepts, layer)
        if not os.path.exists(path):
            return None
        saved = _load(path)
        named = [Concept(one, name, None) for one, name in zip(saved["concept_ids"], saved["concept_names"])]
        return CAV(named, saved["layer"], saved["stats"])


def _load(path):
    if not hasattr(torch.serialization, "safe_globals"):
        return torch.load(path)
    core = getattr(numpy, "_core", None) or numpy.core
    kinds = [getattr(numpy.dtypes, name) for name in ("Int32DType", "Int64DType", "UInt32DType")] \
        if hasattr(numpy, "dtypes") else []
    with torch.serialization.safe_globals([core.multiarray._reconstruct, numpy.ndarray, numpy.dtype, *kinds]):
        return torch.load(path)


class Classifier(abc.ABC):
    """What tells concepts apart. Subclasses say how; a new CAV is trained with the same object again."""

    @abc.abstractmethod
    def __init__(self) -> None:
        pass

    @abc.abstractmethod
    def train_and_eval(self, dataloader, **kwargs: Any) -> Optional[Dict]:
        """Train on batches (activations, concept ids); may return measures such as {"accs": ...}."""

    @abc.abstractmethod
    def weights(self) -> torch.Tensor:
        """Classes × features."""

    @abc.abstractmethod
    def classes(self) -> List[int]:
        """Concept ids in the order of the weights."""


class DefaultClassifier(Classifier):
    """A linear SVM, one concept against the others: the minimum of Captum's objective (hinge loss, penalty 0.01), found
    exactly. The split into training and test rows is the same for the same rows."""

    ALPHA = 0.01

    def __init__(self) -> None:
        self._weights = None
        self._classes = None

    def train_and_eval(self, dataloader, test_split_ratio: float = 0.33, **kwargs: Any) -> Optional[Dict]:
        parts = [(inputs.detach().cpu().float(), labels.cpu()) for inputs, labels in dataloader]
        rows = torch.cat([inputs for inputs, _ in parts])
        labels = torch.cat([labels for _, labels in parts]).numpy()
        rows -= rows.mean(0)
        return self._fit(_products(rows, rows), labels, lambda mix: rows.T @ mix, test_split_ratio)

    def _fit(self, gram, labels, mixed, test_split_ratio: float, **_) -> Dict:
        """From the inner products of all rows alone; mixed(coefficients) gives the combination of rows."""
        order = numpy.random.default_rng(0).permutation(len(labels))
        test, train = numpy.split(order, [int(test_split_ratio * len(labels))])
        self._classes = numpy.unique(labels[train])
        if len(self._classes) < 2:
            raise ValueError("The number of classes has to be greater than one; got 1 class")
        to_mean = gram[:, train].mean(1)
        gram = gram[:, train] - to_mean[:, None] - to_mean[train] + to_mean[train].mean()  # of rows less their mean
        features, back = _in_their_span(gram[train])
        mixes, intercepts = [], []
        for one in self._classes[-1:] if len(self._classes) == 2 else self._classes:
            own = labels[train] == one
            cost = 1 / (self.ALPHA * len(train))
            direction, intercept, _ = fit_cav(features[~own], features[own], "svm", cost=cost)
            mixes.append(back(direction))
            intercepts.append(intercept)
        found = gram[test] @ numpy.stack(mixes, 1) + numpy.array(intercepts)
        weights = []
        for mix in mixes:
            spread = numpy.zeros(len(labels), numpy.float32)
            spread[train] = mix - mix.mean()
            weights.append(mixed(torch.from_numpy(spread)))
        if len(mixes) == 1:
            weights, found = [-weights[0], weights[0]], numpy.concatenate([-found, found], axis=1)
        self._weights = torch.stack(weights)
        right = self._classes[found.argmax(1)] == labels[test]
        return {"accs": torch.tensor(right.mean() if len(test) else float("nan"), dtype=torch.float32)}

    def weights(self) -> torch.Tensor:
        assert self._weights is not None, ("The weights cannot be obtained because no model was trained."
                                           "In order to train the model call `train_and_eval` method first.")
        return self._weights

    def classes(self) -> List[int]:
        return self._classes


def _products(a, b):
    return (a @ b.T).double().numpy()


def _in_their_span(gram):
    """(features, function back): rows in coordinates of their own span, of which there are as many as rows. A direction
    fitted there and taken back, as coefficients of the rows, is the one that the rows themselves would give."""
    values, vectors = numpy.linalg.eigh(gram)
    kept = values > max(values[-1], 0) * 1e-6  # products of float32 know no smaller ones
    if not kept.any():  # all rows are the same
        return numpy.zeros((len(gram), 1)), lambda direction: numpy.zeros(len(gram))
    roots, vectors = numpy.sqrt(values[kept]), vectors[:, kept]
    return vectors * roots, lambda direction: vectors @ (direction / roots)


class _Layer:
    """Activations of the concepts at a layer, and their inner products, each computed once."""

    def __init__(self):
        self.batches = {}  # by concept
        self._rows = {}
        self._products = {}
        self._origin = None  # close to all rows, so that products keep their digits

    def set(self, concept, batches) -> None:
        self.batches[concept] = batches
        self._rows.pop(concept, None)
        self._products = {pair: block for pair, block in self._products.items() if concept not in pair}

    def rows(self, concept):
        if concept not in self._rows:
            rows = torch.cat(self.batches[concept]).cpu().float()
            if self._origin is None:
                self._origin = rows.mean(0)
            self._rows[concept] = rows - self._origin
        return self._rows[concept]

    def gram(self, concepts):
        def block(a, b):
            if (a, b) not in self._products:
                self._products[a, b] = _products(self.rows(a), self.rows(b))
                self._products[b, a] = self._products[a, b].T
            return self._products[a, b]
        return numpy.block([[block(a, b) for b in concepts] for a in concepts])

    def mixed(self, concepts, coefficients):
        parts = coefficients.split([len(self.rows(concept)) for concept in concepts])
        return sum(self.rows(concept).T @ part for concept, part in zip(concepts, parts))


class ConceptInterpreter:
    """Something with interpret() for a model."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model

    interpret = None


def _module(model, name: str):
    for part in name.split("."):
        model = getattr(model, part)
    return model


def _tuple(values) -> tuple:
    return values if isinstance(values, tuple) else (values,)


class _Recorder:
    """Runs of the model inside leave each layer's output, or input, in `found`."""

    def __init__(self, model, layers, of_input: bool, gradients: bool):
        self._modules = {layer: _module(model, layer) for layer in layers}
        self._of_input = of_input
        self._gradients = gradients
        self.found = {}

    def __enter__(self):
        self._hooks = []
        for layer, module in self._modules.items():
            if self._of_input:
                hook = module.register_forward_pre_hook(lambda _, given, layer=layer: self._note(layer, given))
            else:
                hook = module.register_forward_hook(lambda _, __, given, layer=layer: self._note(layer, given))
            self._hooks.append(hook)
        return self.found

    def __exit__(self, *_):
        for hook in self._hooks:
            hook.remove()

    def _note(self, layer, given):
        tensor = given[0] if isinstance(given, tuple) else given
        if self._gradients and not tensor.requires_grad:
            tensor = tensor.detach().requires_grad_()
        self.found[layer] = tensor
        # The rest goes on with a copy: an in-place operation behind would overwrite the layer's output.
        copy = tensor.clone()
        return (copy, *given[1:]) if isinstance(given, tuple) else copy


class TCAV(ConceptInterpreter):
    """Testing with concept activation vectors (Kim et al. 2018), as Captum has it.

    model: used as it is, also in its mode. layers: names with dots. model_id, save_path: CAVs are written to
    save_path/model_id and found there again. classifier: tells concepts apart; classifier_kwargs go to its
    train_and_eval. layer_attr_method: an object with Captum's LayerAttribution.attribute instead of gradients.
    attribute_to_layer_input: of the layer's input instead of its output.
    """

    def __init__(self, model: torch.nn.Module, layers: Union[str, List[str]], model_id: str = "default_model_id",
                 classifier: Optional[Classifier] = None, layer_attr_method=None,
                 attribute_to_layer_input: bool = False, save_path: str = "./cav/", **classifier_kwargs: Any) -> None:
        super().__init__(model)
        self.layers = [layers] if isinstance(layers, str) else layers
        self.model_id = model_id
        self.concepts = set()
        self.classifier = DefaultClassifier() if classifier is None else classifier
        self.classifier_kwargs = classifier_kwargs
        self.cavs: Dict[str, Dict[str, CAV]] = collections.defaultdict(lambda: collections.defaultdict())
        self.layer_attr_method = layer_attr_method
        assert model_id, ("`model_id` cannot be None or empty. Consider giving `model_id` "
                          "a meaningful name or leave it unspecified. If model_id is unspecified we "
                          "will use `default_model_id` as its default value.")
        self.attribute_to_layer_input = attribute_to_layer_input
        self.save_path = save_path
        self._activations: Dict[str, _Layer] = collections.defaultdict(_Layer)
        CAV.create_cav_dir_if_missing(save_path, model_id)

    def generate_all_activations(self) -> None:
        """Of all concepts at all layers."""
        for concept in self.concepts:
            self.generate_activation(self.layers, concept)

    def generate_activation(self, layers: Union[str, List[str]], concept: Concept) -> None:
        """Run the concept's examples; the activations stay in memory."""
        layers = [layers] if isinstance(layers, str) else layers
        assert concept.data_iter is not None, ("Data iterator for concept id:",
                                               f"{concept.id} must be specified")
        kept = {layer: [] for layer in layers}
        for examples in concept.data_iter:
            with torch.no_grad(), _Recorder(self.model, layers, self.attribute_to_layer_input, False) as found:
                self.model(*_tuple(examples))
            for layer in layers:
                kept[layer].append(found[layer].reshape(len(found[layer]), -1))
        for layer, batches in kept.items():
            self._activations[layer].set(concept, batches)

    def generate_activations(self, concept_layers: Dict[Concept, List[str]]) -> None:
        for concept, layers in concept_layers.items():
            self.generate_activation(layers, concept)

    def load_cavs(self, concepts: List[Concept]) -> Tuple[List[str], Dict[Concept, List[str]]]:
        """Load what is saved for this set. Gives the layers whose CAV is missing, and {concept: layers} whose
        activations are missing for that."""
        key = _key(concepts)
        layers, concept_layers = [], collections.defaultdict(list)
        for layer in self.layers:
            saved = CAV.load(self.save_path, self.model_id, concepts, layer)
            if saved is not None:
                self.cavs[key][layer] = saved
            if key in self.cavs and self.cavs[key].get(layer):
                continue
            layers.append(layer)
            for concept in concepts:
                if concept not in self._activations[layer].batches:
                    concept_layers[concept].append(layer)
        return layers, concept_layers

    def compute_cavs(self, experimental_sets: List[List[Concept]], force_train: bool = False,
                     processes: Optional[int] = None) -> Dict[str, Dict[str, CAV]]:
        """{concept ids: {layer: CAV}} for each set. CAVs that are saved are loaded unless force_train."""
        for concepts in experimental_sets:
            self.concepts.update(concepts)
        ids = [concept.id for concept in self.concepts]
        for one in ids:
            assert ids.count(one) == 1, ("There is more than one instance "
                                         f"of a concept with id {one} defined in experimental sets. Please, "
                                         "make sure to reuse the same instance of concept")
        if force_train:
            self.generate_all_activations()
        for concepts in experimental_sets:
            layers = self.layers
            if not force_train:
                layers, missing = self.load_cavs(concepts)
                self.generate_activations(missing)
            for layer in layers:
                self.cavs[_key(concepts)][layer] = self._train(concepts, layer)
        return self.cavs

    def _train(self, concepts, layer) -> CAV:
        at_layer = self._activations[layer]
        if type(self.classifier) is DefaultClassifier:
            labels = numpy.concatenate([numpy.full(len(at_layer.rows(one)), one.id) for one in concepts])
            stats = self.classifier._fit(at_layer.gram(concepts), labels, lambda mix: at_layer.mixed(concepts, mix),
                                         **{"test_split_ratio": 0.33, **self.classifier_kwargs})
        else:
            labelled = [(batch, torch.full((len(batch),), concept.id, device=batch.device))
                        for concept in concepts for batch in at_layer.batches[concept]]
            loader = torch.utils.data.DataLoader(
                labelled, collate_fn=lambda batch: tuple(torch.cat(parts) for parts in zip(*batch)))
            stats = self.classifier.train_and_eval(loader, **self.classifier_kwargs) or {}
        weights = self.classifier.weights()
        assert weights is not None and len(weights) > 0, "Model weights connot be None or empty"
        classes = self.classifier.classes()
        assert classes is not None and len(classes) > 0, "Classes cannot be None or empty"
        if torch.is_tensor(classes):
            classes = classes.detach().numpy()
        cav = CAV(concepts, layer, {"weights": weights, "classes": classes, **stats}, self.save_path, self.model_id)
        cav.save()
        return cav

    def interpret(self, inputs, experimental_sets: List[List[Concept]], target=None, additional_forward_args=None,
                  processes: Optional[int] = None, **kwargs: Any) -> Dict[str, Dict[str, Dict[str, torch.Tensor]]]:
        """{concept ids: {layer: {"sign_count": one per concept, "magnitude": one per concept}}}.

        inputs: a tensor, or a tuple of tensors for models with several inputs. target: an index, a tuple of indices
        for outputs of more dimensions, or a list or tensor with one for each input; None for one output.
        kwargs go to layer_attr_method.attribute.
        """
        assert "attribute_to_layer_input" not in kwargs, (
            "Please, set `attribute_to_layer_input` flag as a constructor "
            "argument to TCAV class. In that case it will be applied "
            "consistently to both layer activation and layer attribution methods.")
        self.compute_cavs(experimental_sets, processes=processes)
        scores = collections.defaultdict(lambda: collections.defaultdict())
        for layer, attributions in self._attributions(inputs, target, additional_forward_args, kwargs):
            for concepts in experimental_sets:
                stats = self.cavs[_key(concepts)][layer].stats
                weights = stats["weights"].detach().float().to(attributions.device)
                found = attributions.float() @ weights.T
                place = {one: i for i, one in enumerate(numpy.asarray(stats["classes"]).tolist())}
                order = torch.tensor([place[concept.id] for concept in concepts], device=found.device)
                scores[_key(concepts)][layer] = {"sign_count": (found > 0).float().mean(0)[order],
                                                 "magnitude": found.mean(0)[order]}
        return scores

    def _attributions(self, inputs, target, additional_forward_args, kwargs):
        """(layer, inputs × features) for each layer."""
        if self.layer_attr_method is None:
            if kwargs:
                warnings.warn(f"{', '.join(kwargs)}: without layer_attr_method nothing takes these", stacklevel=3)
            found = self._gradients(inputs, target, additional_forward_args)
        else:
            found = ((layer, self._attribute(layer, inputs, target, additional_forward_args, kwargs))
                     for layer in self.layers)
        for layer, parts in found:
            yield layer, torch.cat([part.detach().reshape(len(part), -1) for part in _tuple(parts)], dim=1)

    def _attribute(self, layer, inputs, target, additional_forward_args, kwargs):
        method = self.layer_attr_method
        method.layer = _module(self.model, layer)
        # Captum's methods are wrapped for its log; theirs inside is what its TCAV calls.
        attribute = getattr(type(method).attribute, "__wrapped__", type(method).attribute)
        return attribute(method, inputs, target=target, additional_forward_args=additional_forward_args,
                         attribute_to_layer_input=self.attribute_to_layer_input, **kwargs)

    def _gradients(self, inputs, target, additional_forward_args):
        further = () if additional_forward_args is None else _tuple(additional_forward_args)
        with torch.enable_grad():
            with _Recorder(self.model, self.layers, self.attribute_to_layer_input, True) as found:
                output = self.model(*_tuple(inputs), *further)
            chosen = _selected(output, target)
            assert chosen[0].numel() == 1, ("Target not provided when necessary, cannot"
                                            " take gradient with respect to multiple outputs.")
            tensors = [found[layer] for layer in self.layers]
            slopes = torch.autograd.grad(chosen.sum(), tensors, allow_unused=True)
        return [(layer, torch.zeros_like(tensor) if slope is None else slope)
                for layer, tensor, slope in zip(self.layers, tensors, slopes)]


def _selected(output, target):
    """The output's target for each example."""
    if target is None:
        return output
    rows = output.shape[0]
    if torch.is_tensor(target) and (target.numel() == 1 or target.ndim == 1):
        target = target.tolist() if target.numel() > 1 else int(target)
    if isinstance(target, int):
        return output[:, target]
    if isinstance(target, tuple):
        assert len(target) == output.ndim - 1, (
            f"Cannot choose target column with output shape {output.shape!r}.")
        return output[(slice(None), *target)]
    if isinstance(target, list):
        assert len(target) == rows, f"Target list length {len(target)!r} does not match output length {rows!r}!"
        if isinstance(target[0], int):
            assert output.ndim == 2, "Output must be 2D to select tensor of targets."
            return output[torch.arange(rows, device=output.device), torch.tensor(target, device=output.device)]
        return torch.stack([output[(row, *one)] for row, one in enumerate(target)])
    raise AssertionError(f"Target type {type(target)!r} is not valid.")
