"""keep.py: writes the exports that stay in this folder (kept/), with what PyTorch says about them. Run by hand."""
import json
import pathlib

import numpy
import onnx

from architectures import zoo
from example_inputs import inputs_for
from exports import export, shapes_of
from zoo_test import EXAMPLES, Expected

KEPT = {"resnet": "new_dynamic", "vit": "new_dynamic", "bert": "new_dynamic", "gpt": "new_fixed", "unet": "old_fixed",
        "convnext": "old_dynamic"}
UNUSED = ("pkg.torch.onnx.stack_trace", "pkg.torch.onnx.fx_node", "namespace", "pkg.onnxscript.rewriter.rule_name")


def shortened(rows):
    """Enough of a tensor to know it by: its sum of squares and some numbers of the last example."""
    flat = numpy.asarray(rows, dtype=numpy.float64).reshape(EXAMPLES, -1)
    return {"columns": flat.shape[1], "squares": float((flat ** 2).sum()), "last": [float(v) for v in flat[-1, :5]]}


def main():
    folder = pathlib.Path(__file__).parent / "kept"
    folder.mkdir(exist_ok=True)
    for name, variant in KEPT.items():
        model, inputs = zoo()[name]
        path = folder / f"{name}_{variant}.onnx"
        export(name, model, inputs, path, variant)
        proto = onnx.load(path)
        for node in proto.graph.node:
            used = [entry for entry in node.metadata_props if entry.key not in UNUSED]
            del node.metadata_props[:]
            node.metadata_props.extend(used)
            node.doc_string = ""
        del proto.graph.value_info[:]
        del proto.graph.metadata_props[:]
        del proto.metadata_props[:]
        for tensor in proto.graph.initializer:
            del tensor.metadata_props[:]
        onnx.save(proto, path)
        shapes = shapes_of(name, inputs)
        truth = Expected(model, inputs_for(shapes, EXAMPLES))
        expected = {"inputs": shapes, "examples": EXAMPLES, "logits": truth.logits.tolist(),
                    "modules": {each: {"a": shortened(truth.outputs[each]), "g": shortened(truth.gradients[each])}
                                for each in truth.outputs}}
        path.with_suffix(".json").write_text(json.dumps(expected, indent=1) + "\n")
        print(path.name, path.stat().st_size, path.with_suffix(".json").stat().st_size)


if __name__ == "__main__":
    main()
