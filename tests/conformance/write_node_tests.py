"""write_node_tests.py FOLDER: the node tests of the installed onnx package, as files that onnx_conformance reads.

Strings, losses and training are no part of an inference graph and are left out.
"""
import pathlib
import shutil
import sys
import warnings

from onnx import AttributeProto, TensorProto, numpy_helper
from onnx.backend.test.loader import load_model_tests

LEFT_OUT = ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", "StringNormalizer", "StringConcat", "StringSplit",
            "RegexFullMatch", "TfIdfVectorizer", "ImageDecoder")


def uses_strings(values):
    types = [value.type for value in values]
    return any(kind.tensor_type.elem_type == TensorProto.STRING for kind in types)


def nodes_of(model):
    waiting = list(model.graph.node) + [node for function in model.functions for node in function.node]
    while waiting:
        node = waiting.pop()
        yield node
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                waiting += attribute.g.node


def is_left_out(model):
    return (uses_strings(model.graph.input) or uses_strings(model.graph.output)
            or any(node.op_type in LEFT_OUT or "training" in node.domain for node in nodes_of(model)))


def message(value, info):
    kind = info.type.WhichOneof("value")
    if isinstance(value, TensorProto):
        return value
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    return numpy_helper.from_array(value, info.name)


def main():
    warnings.simplefilter("ignore")
    folder = pathlib.Path(sys.argv[1]) / "node"
    shutil.rmtree(folder, ignore_errors=True)
    count, left_out = 0, 0
    for case in load_model_tests(kind="node"):
        if is_left_out(case.model):
            left_out += 1
            continue
        count += 1
        test = folder / case.name
        test.mkdir(parents=True)
        (test / "model.onnx").write_bytes(case.model.SerializeToString())
        for i, sets in enumerate(case.data_sets):
            data = test / f"test_data_set_{i}"
            data.mkdir()
            for what, values, infos in (("input", sets[0], case.model.graph.input),
                                        ("output", sets[1], case.model.graph.output)):
                for j, (value, info) in enumerate(zip(values, infos)):
                    (data / f"{what}_{j}.pb").write_bytes(message(value, info).SerializeToString())
    print(f"{count} tests; {left_out} with strings, losses, training or encoded images left out")


if __name__ == "__main__":
    main()
