"""Tests as folders in ONNX's layout, KIND/TEST/model.onnx with test_data_set_0: ONNX's tests of backends, and the
models of other frameworks in test/corpus/onnx."""
import json
import pathlib
import re
import shutil
import warnings
from dataclasses import dataclass

import onnx
from onnx import TensorProto, numpy_helper

# Kinds of tests that are folders of the package.
FILE_KINDS = ("simple", "pytorch-converted", "pytorch-operator")
CORPUS = pathlib.Path(__file__).parent.parent / "corpus/onnx"


@dataclass
class Test:
    name: str  # "node/test_abs"
    op: str  # the op that the test is for: "Abs"; the kind of tests of several ops
    ops: frozenset  # all ops of the model


def op_name(node):
    return node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"


def ops_of(graph):
    """All ops of a graph and of the graphs in it."""
    ops = set()
    for node in graph.node:
        ops.add(op_name(node))
        for attribute in node.attribute:
            for inner in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
                ops |= ops_of(inner)
    return ops


def node_cases():
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the expected values of some cases divide by 0
        return load_model_tests(kind="node")


def message_of(value, info):
    """The message that a data file holds."""
    if isinstance(value, TensorProto):
        return value
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    return numpy_helper.from_array(value, info.name)


def write_data_set(folder, graph, inputs, outputs):
    folder.mkdir(parents=True)
    for prefix, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
        for i, (value, info) in enumerate(zip(values, infos, strict=True)):
            (folder / f"{prefix}_{i}.pb").write_bytes(message_of(value, info).SerializeToString())


def write_node_test(folder, case):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for i, (inputs, outputs) in enumerate(case.data_sets):
        write_data_set(folder / f"test_data_set_{i}", case.model.graph, inputs, outputs)


def node_tests():
    """Tests of single ops with their cases. "test_abs_expanded" is the function of the op of "test_abs"."""
    cases = node_cases()
    op_of = {case.name: op_name(case.model.graph.node[0]) for case in cases}
    for case in cases:
        base = re.sub(r"_expanded(_ver\d+)?$", "", case.name)
        yield Test(f"node/{case.name}", op_of[base if base in op_of else case.name],
                   frozenset(ops_of(case.model.graph))), case


def file_tests():
    """Tests that are folders of the package or of the corpus, with these."""
    data = pathlib.Path(onnx.__file__).parent / "backend/test/data"
    kinds = [(kind, data / kind) for kind in FILE_KINDS]
    kinds += [(f"models/{folder.name}", folder) for folder in sorted(CORPUS.iterdir()) if folder.is_dir()]
    for kind, folder in kinds:
        for model in sorted(folder.glob("*/model.onnx")):
            yield Test(f"{kind}/{model.parent.name}", kind, frozenset(ops_of(onnx.load(model).graph))), model.parent


def write_real_test(folder, model, source, data):
    """A network of full size, without its weights: these are constants. As ONNX's runner feeds it."""
    from onnx.backend.test.runner import Runner

    folder.mkdir(parents=True)
    shutil.copy(source, folder / "model.onnx")
    shutil.copy(data, folder / "data.json")
    place = folder / "test_data_set_0"
    place.mkdir()
    initializers = {tensor.name for tensor in model.graph.initializer}
    inputs = [info for info in model.graph.input if info.name not in initializers]
    for i, info in enumerate(inputs):
        value = Runner.generate_dummy_data(info, seed=0, name=info.name, random=False)
        (place / f"input_{i}.pb").write_bytes(numpy_helper.from_array(value, info.name).SerializeToString())
    for i in range(len(model.graph.output)):
        shutil.copy(source.with_name(f"{source.stem}_output_{i}.pb"), place / f"output_{i}.pb")


def real_tests():
    """Networks of full size with the models, and the files of these and of their tolerances."""
    package = pathlib.Path(onnx.__file__).parent
    for data in sorted((package / "backend/test/data/real").glob("*/data.json")):
        source = package.parent / json.loads(data.read_text())["url"]
        if source.exists():
            model = onnx.load(source)
            yield Test(f"real/{data.parent.name}", "real", frozenset(ops_of(model.graph))), (model, source, data)


def write_suite(folder, is_selected=lambda test: True):
    """Writes the selected tests below `folder`, which is removed first; returns them."""
    shutil.rmtree(folder, ignore_errors=True)
    tests = []
    for test, case in node_tests():
        if is_selected(test):
            write_node_test(folder / test.name, case)
            tests.append(test)
    for test, source in file_tests():
        if is_selected(test):
            shutil.copytree(source, folder / test.name)
            tests.append(test)
    for test, files in real_tests():
        if is_selected(test):
            write_real_test(folder / test.name, *files)
            tests.append(test)
    return tests
