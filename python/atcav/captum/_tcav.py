"""TCAV itself: CAVs of sets of concepts, and scores of inputs along them."""
import collections
import os
import warnings
from typing import Any, Callable, Dict, List, Optional, Set, Tuple, Union

import numpy
import torch

from ._activations import LayerActivations, Recorder
from ._cav import CAV, Concept, key
from ._classifier import Classifier, DefaultClassifier


class ConceptInterpreter:
    """Something with interpret() for a model."""

    interpret: Callable[..., Any]

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model


def _tuple(values) -> tuple:
    return values if isinstance(values, tuple) else (values,)


class TCAV(ConceptInterpreter):
    """Testing with concept activation vectors (Kim et al. 2018), as Captum has it.

    model: used as it is, also in its mode. layers: names with dots. model_id, save_path: CAVs are written to
    save_path/model_id and found there again. classifier: tells concepts apart; classifier_kwargs go to its
    train_and_eval. layer_attr_method: an object with Captum's LayerAttribution.attribute instead of gradients.
    attribute_to_layer_input: of the layer's input instead of its output.
    """

    def __init__(self, model: torch.nn.Module, layers: Union[str, List[str]], model_id: str = "default_model_id",
                 classifier: Optional[Classifier] = None, layer_attr_method: Any = None,
                 attribute_to_layer_input: bool = False, save_path: str = "./cav/", **classifier_kwargs: Any) -> None:
        super().__init__(model)
        self.layers = [layers] if isinstance(layers, str) else layers
        self.model_id = model_id
        self.concepts: Set[Concept] = set()
        self.classifier = DefaultClassifier() if classifier is None else classifier
        self.classifier_kwargs = classifier_kwargs
        self.cavs: Dict[str, Dict[str, CAV]] = collections.defaultdict(lambda: collections.defaultdict())
        self.layer_attr_method = layer_attr_method
        assert model_id, ("`model_id` cannot be None or empty. Consider giving `model_id` "
                          "a meaningful name or leave it unspecified. If model_id is unspecified we "
                          "will use `default_model_id` as its default value.")
        self.attribute_to_layer_input = attribute_to_layer_input
        self.save_path = save_path
        self._activations: Dict[str, LayerActivations] = collections.defaultdict(LayerActivations)
        CAV.create_cav_dir_if_missing(save_path, model_id)

    def generate_all_activations(self) -> None:
        """Of all concepts at all layers."""
        for concept in self.concepts:
            self.generate_activation(self.layers, concept)

    def generate_activation(self, layers: Union[str, List[str]], concept: Concept) -> None:
        """Run the concept's examples; the activations stay in memory, and are written where Captum has them:
        save_path/av/model_id/name-id/layer/0.pt, 1.pt, …"""
        layers = [layers] if isinstance(layers, str) else layers
        assert concept.data_iter is not None, ("Data iterator for concept id:",
                                               f"{concept.id} must be specified")
        kept = {layer: [] for layer in layers}
        for number, examples in enumerate(concept.data_iter):
            with torch.no_grad(), Recorder(self.model, layers, self.attribute_to_layer_input, False) as found:
                self.model(*_tuple(examples))
            for layer in layers:
                kept[layer].append(found[layer].reshape(len(found[layer]), -1).detach())
                self._save_activation(concept, layer, number, kept[layer][-1])
        for layer, batches in kept.items():
            self._activations[layer].set(concept, batches)

    def _save_activation(self, concept, layer, number, rows) -> None:
        folder = os.path.join(self.save_path, "av", self.model_id, concept.identifier, layer)
        os.makedirs(folder, exist_ok=True)
        torch.save(rows.clone(), os.path.join(folder, f"{number}.pt"))  # a view would be written with all that it is of

    def generate_activations(self, concept_layers: Dict[Concept, List[str]]) -> None:
        for concept, layers in concept_layers.items():
            self.generate_activation(layers, concept)

    def load_cavs(self, concepts: List[Concept]) -> Tuple[List[str], Dict[Concept, List[str]]]:
        """Load what is saved for this set. Gives the layers whose CAV is missing, and {concept: layers} whose
        activations are missing for that."""
        ids = key(concepts)
        layers, concept_layers = [], collections.defaultdict(list)
        for layer in self.layers:
            saved = CAV.load(self.save_path, self.model_id, concepts, layer)
            if saved is not None:
                self.cavs[ids][layer] = saved
            if ids in self.cavs and self.cavs[ids].get(layer):
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
                self.cavs[key(concepts)][layer] = self._train(concepts, layer)
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

    def interpret(self, inputs: Any, experimental_sets: List[List[Concept]], target: Any = None,
                  additional_forward_args: Any = None, processes: Optional[int] = None, **kwargs: Any) -> Dict[str, Dict[str, Dict[str, torch.Tensor]]]:
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
                stats = self.cavs[key(concepts)][layer].stats
                weights = stats["weights"].detach().float().to(attributions.device)
                found = attributions.float() @ weights.T
                place = {one: i for i, one in enumerate(numpy.asarray(stats["classes"]).tolist())}
                order = torch.tensor([place[concept.id] for concept in concepts], device=found.device)
                scores[key(concepts)][layer] = {"sign_count": (found > 0).float().mean(0)[order],
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
        method.layer = self.model.get_submodule(layer)
        # Captum's methods are wrapped for its log; theirs inside is what its TCAV calls.
        attribute = getattr(type(method).attribute, "__wrapped__", type(method).attribute)
        return attribute(method, inputs, target=target, additional_forward_args=additional_forward_args,
                         attribute_to_layer_input=self.attribute_to_layer_input, **kwargs)

    def _gradients(self, inputs, target, additional_forward_args):
        further = () if additional_forward_args is None else _tuple(additional_forward_args)
        with torch.enable_grad():
            with Recorder(self.model, self.layers, self.attribute_to_layer_input, True) as found:
                output = self.model(*_tuple(inputs), *further)
            chosen = _selected(output, target)
            assert chosen[0].numel() == 1, ("Target not provided when necessary, cannot"
                                            " take gradient with respect to multiple outputs.")
            tensors = [found[layer] for layer in self.layers]
            slopes = torch.autograd.grad(chosen.sum(), tensors)
        return list(zip(self.layers, slopes))


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
