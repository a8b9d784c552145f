"""Concepts, and what a classifier found between them, in files as Captum writes them."""
import contextlib
import os
from typing import Any, Dict, Iterable, List, Optional

import numpy
import torch


class Concept:
    """Examples of a concept. id: unique; data_iter: an iterable of input batches, or None for a loaded CAV."""

    data_iter: Iterable[Any]  # None for a loaded CAV alone

    def __init__(self, id: int, name: str, data_iter: Optional[Iterable[Any]]) -> None:
        self.id = id
        self.name = name
        self.data_iter = data_iter  # type: ignore[assignment]

    @property
    def identifier(self) -> str:
        return f"{self.name}-{self.id}"

    def __repr__(self) -> str:
        return f"Concept({self.id!r}, {self.name!r})"


def key(concepts) -> str:
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
        return os.path.join(path, model_id, f"{key(concepts)}-{layer}.pkl")

    def save(self) -> None:
        """Write concept ids and names, layer and stats to assemble_save_path(...)."""
        stats = {name: value.tolist() if isinstance(value, numpy.ndarray) else value
                 for name, value in (self.stats or {}).items()}  # what every torch.load(weights_only=True) reads
        torch.save({"concept_ids": [concept.id for concept in self.concepts],
                    "concept_names": [concept.name for concept in self.concepts],
                    "layer": self.layer, "stats": stats},
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
    """Numbers and names alone: a file in a folder that others may write to must not run code."""
    kinds = [getattr(numpy.dtypes, name) for name in ("Int32DType", "Int64DType", "UInt32DType")] \
        if hasattr(numpy, "dtypes") else []
    allowed = [numpy.zeros(1).__reduce__()[0], numpy.ndarray, numpy.dtype, *kinds]
    safe = getattr(torch.serialization, "safe_globals", None)  # from PyTorch 2.5 on
    with safe(allowed) if safe else contextlib.nullcontext():
        return torch.load(path, weights_only=True)
