"""Writes the zoo's models as ONNX files, with PyTorch's default exporter and the old one, batch dynamic and fixed."""
import logging
import warnings

import torch

from example_inputs import inputs_for

INPUT_NAMES = {"bert": ["input_ids", "attention_mask"], "diffusion": ["image", "time"]}
VARIANTS = {"new_dynamic": (True, True), "new_fixed": (True, False), "old_dynamic": (False, True),
            "old_fixed": (False, False)}


def input_names(name):
    return INPUT_NAMES.get(name, ["input"])


def shapes_of(name, inputs):
    shapes = {}
    for key, value in zip(input_names(name), inputs(1)):
        kind = "real" if value.dtype == torch.float32 else "mask" if "mask" in key else "ids"
        shapes[key] = (kind, tuple(value.shape[1:]))
    return shapes


def export(name, model, inputs, path, variant):
    dynamo, dynamic = VARIANTS[variant]
    names = input_names(name)
    arguments = tuple(torch.from_numpy(a) for a in inputs_for(shapes_of(name, inputs), 2 if dynamic else 1).values())
    options = {"input_names": names, "output_names": ["logits"], "dynamo": dynamo}
    open_sizes = {0: "batch", 1: "length"} if arguments[0].dtype == torch.int64 else {0: "batch"}
    if dynamo:
        options["external_data"] = False
        options["verbose"] = False
        if dynamic:
            options["dynamic_shapes"] = tuple(dict.fromkeys(open_sizes, torch.export.Dim.DYNAMIC) for _ in names)
    elif dynamic:
        options["dynamic_axes"] = {each: open_sizes for each in names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        torch.onnx.export(model, arguments, str(path), **options)
        logging.disable(logging.NOTSET)

