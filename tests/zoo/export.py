"""export.py FOLDER: writes every model of the zoo as ONNX files, new and old exporter, batch dynamic and fixed."""
import pathlib
import sys
import warnings

import torch

from architectures import zoo

INPUT_NAMES = {"bert": ["input_ids", "attention_mask"], "diffusion": ["image", "time"]}


def export(name, model, inputs, path, dynamo, dynamic):
    torch.manual_seed(1)
    arguments = inputs(2 if dynamic else 1)
    names = INPUT_NAMES.get(name, ["input"])
    options = {"input_names": names, "output_names": ["logits"], "dynamo": dynamo}
    is_text = arguments[0].dtype == torch.int64
    if dynamo:
        options["verbose"] = False
        options["external_data"] = False
        if dynamic:
            sizes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC} if is_text else {0: torch.export.Dim.DYNAMIC}
            options["dynamic_shapes"] = tuple(sizes for _ in arguments)
    elif dynamic:
        sizes = {0: "batch", 1: "length"} if is_text else {0: "batch"}
        options["dynamic_axes"] = {each: sizes for each in names}
    torch.onnx.export(model, arguments, str(path), **options)


def variants():
    return [(f"{'new' if dynamo else 'old'}_{'dynamic' if dynamic else 'fixed'}", dynamo, dynamic)
            for dynamo in (True, False) for dynamic in (True, False)]


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (model, inputs) in zoo().items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]: continue
        for variant, dynamo, dynamic in variants():
            try:
                export(name, model, inputs, folder / f"{name}_{variant}.onnx", dynamo, dynamic)
            except Exception as error:
                print("FAILED", name, variant, type(error).__name__, str(error)[-1500:].replace("\n", " "))
    print("done")
