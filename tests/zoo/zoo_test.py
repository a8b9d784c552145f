"""zoo_test.py PROBE PLUGIN FOLDER [MODEL...]: exports the zoo and compares what atcav finds in each file with PyTorch.

For every model and exporter: logits (also ONNX Runtime's), the output of every named module and the gradient of a logit
there, to 1e-4 of the largest number. Prints the share of modules that can be named and give the module's output.
"""
import os
import pathlib
import subprocess
import sys

import numpy
import onnxruntime
import torch

import safetensors_file
from architectures import zoo
from example_inputs import inputs_for
from exports import VARIANTS, export, shapes_of

EXAMPLES = 3
TOLERANCE = 1e-4


def first_tensor(output):
    while isinstance(output, (tuple, list)) and output:
        output = output[0]
    return output if isinstance(output, torch.Tensor) and output.is_floating_point() else None


class Expected:
    """Logits, outputs of the modules (the last call counts) and gradients of logit 1 there."""
    def __init__(self, model, arrays):
        outputs = {}
        for module in model.modules():
            if hasattr(module, "inplace"):
                module.inplace = False

        def keep(name):
            def hook(_, __, output):
                tensor = first_tensor(output)
                if tensor is not None:
                    if tensor.requires_grad:
                        tensor.retain_grad()
                    outputs[name] = tensor
            return hook

        handles = [module.register_forward_hook(keep(name)) for name, module in model.named_modules() if name]
        with torch.no_grad():
            model(*[torch.from_numpy(array[::-1].copy()) for array in arrays.values()])
        other = dict(outputs)
        logits = model(*[torch.from_numpy(array) for array in arrays.values()])
        logits[:, 1].sum().backward()
        for handle in handles:
            handle.remove()
        self.logits = logits.detach().numpy()
        # What does not depend on the input (position embeddings) is no layer: no row belongs to an example.
        self.outputs = {name: t.detach() for name, t in outputs.items() if not torch.equal(t, other[name])}
        self.gradients = {name: outputs[name].grad for name in self.outputs}
        # At inference these leave nothing in a file.
        self.silent = {name for name, module in model.named_modules()
                       if isinstance(module, (torch.nn.Dropout, torch.nn.Identity))}


def differs(found, expected):
    expected = numpy.asarray(expected, dtype=numpy.float64)
    found = found.reshape(found.shape[0], -1)
    if found.size != expected.size:
        return f"{found.shape[1]} columns for {expected.shape}"
    error = numpy.abs(found - expected.reshape(found.shape[0], -1)).max() / max(1e-6, numpy.abs(expected).max())
    return f"off by {error:.1e}" if not error <= TOLERANCE else ""


def runtime_logits(path, arrays, dynamic):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    step = EXAMPLES if dynamic else 1
    parts = [session.run(["logits"], {key: array[i:i + step] for key, array in arrays.items()})[0]
             for i in range(0, EXAMPLES, step)]
    return numpy.concatenate(parts)


def check_modules(expected, found, notes):
    """What is wrong, and how many modules give their output, lead to what was folded into them, are not there."""
    problems, good, folded, missing = [], 0, 0, []
    for name, output in expected.outputs.items():
        if "a/" + name not in found:
            missing.append(name)
            continue
        wrong = differs(found["a/" + name], output) or differs(found["g/" + name], expected.gradients[name])
        if not wrong:
            good += 1
        elif "folded" in notes.get(name, ""):
            folded += 1
        else:
            problems.append(f"{name}: {wrong} {notes.get(name, '')}")
    return problems, good, folded, missing


def main():
    probe, plugin, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    expected, failed = {}, 0
    for name, (model, inputs) in zoo().items():
        if len(sys.argv) > 4 and name not in sys.argv[4:]:
            continue
        arrays = inputs_for(shapes_of(name, inputs), EXAMPLES)
        for variant in VARIANTS:
            path = folder / f"{name}_{variant}.onnx"
            export(name, model, inputs, path, variant)
            safetensors_file.write(path.with_suffix(".inputs.safetensors"), arrays)
        expected[name] = (Expected(model, arrays), arrays)
    subprocess.run([probe, str(folder)], check=True, env={**os.environ, "ATCAV_PLUGIN": plugin})
    for name, (truth, arrays) in expected.items():
        for variant, (_, dynamic) in VARIANTS.items():
            path = folder / f"{name}_{variant}.onnx"
            error = path.with_suffix(".error")
            if error.exists():
                print(f"FAILED {path.stem}: {error.read_text()}")
                failed += 1
                continue
            found, metadata = safetensors_file.read(path.with_suffix(".found.safetensors"))
            notes = {key[5:]: note for key, note in metadata.items() if key.startswith("note/")}
            problems, good, folded, missing = check_modules(truth, found, notes)
            for what, logits in (("PyTorch", truth.logits), ("ONNX Runtime", runtime_logits(path, arrays, dynamic))):
                wrong = differs(found["logits"], logits)
                if wrong:
                    problems.append(f"logits against {what}: {wrong}")
            if set(missing) - truth.silent:
                problems.append(f"cannot be named: {', '.join(sorted(set(missing) - truth.silent))}")
            if "at a time" in metadata["notes"]:
                problems.append(metadata["notes"])
            if dynamic and "constants follow" in metadata["notes"]:
                problems.append("adapted although it takes any batch")
            failed += bool(problems)
            print(f"{'FAILED' if problems else 'passed'} {path.stem}: {good} of {len(truth.outputs)} modules"
                  + (f", {folded} with a BatchNorm folded into them" if folded else "")
                  + (f", not in the file: {', '.join(missing)}" if missing else ""))
            for problem in problems:
                print("   ", problem)
    print(f"{4 * len(expected) - failed} of {4 * len(expected)} files agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
