#!/usr/bin/env python3
"""Writes ONNX models, good ones and damaged ones, with the Python package onnx.

usage: make_models.py FOLDER      also as seeds of fuzz-onnx

Each is FOLDER/NAME.onnx. Ends with code 77 without the package.
"""
import pathlib
import sys
import warnings

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("skipped: Python has no package onnx")
    sys.exit(77)

FLOAT = TensorProto.FLOAT


def info(name, dtype=FLOAT, dims=("N",)):
    return helper.make_tensor_value_info(name, dtype, dims)


def model(nodes=None, initializers=(), functions=(), opset=21, **graph):
    """y = Relu(x), or the given nodes from x to y."""
    nodes = nodes or [helper.make_node("Relu", ["x"], ["y"], name="r")]
    body = helper.make_graph(nodes, "main", [info("x")], [info("y")], list(initializers), **graph)
    imports = [helper.make_opsetid("", opset)]
    if functions:
        imports.append(helper.make_opsetid("local", 1))
    return helper.make_model(body, opset_imports=imports, functions=list(functions), ir_version=10)


def branch(nodes, output):
    return helper.make_graph(nodes, "branch", [], [info(output)])


def function(name="f", nodes=None, attributes=(), defaults=(), opset=21, overload=""):
    nodes = nodes or [helper.make_node("Relu", ["a"], ["b"])]
    result = helper.make_function("local", name, ["a"], ["b"], nodes,
                                [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)],
                                list(attributes), list(defaults))
    if overload:
        result.overload = overload
    return result


def call(name="f", **attributes):
    return helper.make_node(name, ["x"], ["y"], domain="local", **attributes)


def tensors():
    """One tensor for each element type, in typed fields and in raw_data."""
    types = [t for t in TensorProto.DataType.values() if t not in (TensorProto.UNDEFINED, TensorProto.STRING)]
    numbers = [0, 1, 0, 1, 1]
    for dtype in types:
        name = TensorProto.DataType.Name(dtype).lower()
        yield name, helper.make_tensor(name, dtype, [5], numbers)
        array = np.array(numbers, dtype=helper.tensor_dtype_to_np_dtype(dtype))
        yield "raw_" + name, onnx.numpy_helper.from_array(array, "raw_" + name)
    yield "string", helper.make_tensor("string", TensorProto.STRING, [2], [b"a", b"b"])
    yield "empty", helper.make_tensor("empty", FLOAT, [0, 3], [])


def good_models():
    yield "relu", model()
    for name, tensor in tensors():
        yield "tensor_" + name, model(initializers=[tensor])
    condition = helper.make_tensor("c", TensorProto.BOOL, [], [1])
    then_branch = branch([helper.make_node("Neg", ["x"], ["t"])], "t")
    else_branch = branch([helper.make_node("Abs", ["x"], ["e"])], "e")
    yield "if", model([helper.make_node("If", ["c"], ["y"], then_branch=then_branch, else_branch=else_branch)],
                      [condition])
    yield "optional_input", model([helper.make_node("Clip", ["x", "", "c"], ["y"])],
                                  [helper.make_tensor("c", FLOAT, [], [1])])
    yield "function", model([call()], functions=[function()])
    reference = helper.make_node("LeakyRelu", ["a"], ["b"])
    reference.attribute.add(name="alpha", type=onnx.AttributeProto.FLOAT, ref_attr_name="k")
    yield "function_attribute", model([call(k=0.5)], functions=[function(nodes=[reference], attributes=["k"])])
    yield "function_default", model([call()], functions=[
        function(nodes=[reference], defaults=[helper.make_attribute("k", 0.5)])])
    nested = helper.make_node("g", ["a"], ["b"], domain="local")
    yield "function_nested", model([call()], functions=[function(nodes=[nested]), function("g")])
    yield "function_overload", model([call(overload="o")], functions=[function(overload="o"), function()])
    values = helper.make_tensor("s", FLOAT, [2], [1, 2])
    indices = helper.make_tensor("i", TensorProto.INT64, [2], [0, 3])
    yield "sparse", model(sparse_initializer=[helper.make_sparse_tensor(values, indices, [2, 2])])
    for opset in (7, 13, 28):
        yield f"opset_{opset}", model(opset=opset)
    yield "lstm", model([helper.make_node("LSTM", ["x", "x", "x", "", "", "x"], ["", "y"], hidden_size=3)])


def damaged_models():
    def changed(change, base=None):
        result = base or model()
        change(result)
        return result

    yield "no_ir_version", changed(lambda m: m.ClearField("ir_version"))
    yield "new_ir_version", changed(lambda m: setattr(m, "ir_version", 99))
    yield "no_opset", changed(lambda m: m.ClearField("opset_import"))
    yield "no_graph", changed(lambda m: m.ClearField("graph"))
    yield "no_graph_name", changed(lambda m: m.graph.ClearField("name"))
    yield "no_input_type", changed(lambda m: m.graph.input[0].ClearField("type"))
    yield "no_input_shape", changed(lambda m: m.graph.input[0].type.tensor_type.ClearField("shape"))
    yield "no_output_shape", changed(lambda m: m.graph.output[0].type.tensor_type.ClearField("shape"))
    yield "metadata_twice", changed(lambda m: (m.metadata_props.add(key="k"), m.metadata_props.add(key="k")))
    yield "input_twice", changed(lambda m: m.graph.input.append(info("x")))
    yield "no_op_type", changed(lambda m: m.graph.node[0].ClearField("op_type"))
    yield "unknown_op", model([helper.make_node("Rleu", ["x"], ["y"])])
    yield "unknown_domain", model([helper.make_node("Relu", ["x"], ["y"], domain="other")])
    yield "later_op", model([helper.make_node("Gelu", ["x"], ["y"])], opset=19)
    yield "deprecated_op", model([helper.make_node("Upsample", ["x", "x"], ["y"])])
    yield "unsorted", model([helper.make_node("Relu", ["t"], ["y"]), helper.make_node("Relu", ["x"], ["t"])])
    yield "undefined_input", model([helper.make_node("Relu", ["nothing"], ["y"])])
    yield "undefined_output", model([helper.make_node("Relu", ["x"], ["z"])])
    yield "defined_twice", model([helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Abs", ["x"], ["y"])])
    yield "too_many_inputs", model([helper.make_node("Relu", ["x", "x"], ["y"])])
    yield "too_few_inputs", model([helper.make_node("Add", ["x"], ["y"])])
    yield "absent_input", model([helper.make_node("Add", ["", "x"], ["y"])])
    yield "too_many_outputs", model([helper.make_node("Relu", ["x"], ["y", "z"])])
    yield "unknown_attribute", model([helper.make_node("Relu", ["x"], ["y"], alpha=1.0)])
    yield "missing_attribute", model([helper.make_node("Concat", ["x", "x"], ["y"])])
    yield "wrong_attribute", model([helper.make_node("Softmax", ["x"], ["y"], axis=1.0)])
    node = helper.make_node("Softmax", ["x"], ["y"], axis=1)
    yield "attribute_twice", model([changed(lambda n: n.attribute.append(n.attribute[0]), node)])
    node = helper.make_node("Softmax", ["x"], ["y"], axis=1)
    yield "two_values", model([changed(lambda n: setattr(n.attribute[0], "f", 1.0), node)])
    node = helper.make_node("Softmax", ["x"], ["y"], axis=1)
    yield "no_value", model([changed(lambda n: n.attribute[0].ClearField("i"), node)])
    node = helper.make_node("Softmax", ["x"], ["y"], axis=1)
    yield "no_kind", model([changed(lambda n: n.attribute[0].ClearField("type"), node)])
    yield from damaged_tensors(changed)
    yield from damaged_graphs(changed)


def damaged_tensors(changed):
    def tensor(change, dtype=FLOAT, dims=(2,), values=(1, 2)):
        result = helper.make_tensor("w", dtype, dims, values)
        change(result)
        return model(initializers=[result])

    yield "tensor_short", tensor(lambda t: t.dims.append(2))
    yield "tensor_negative", tensor(lambda t: t.dims.__setitem__(0, -2))
    yield "tensor_huge", tensor(lambda t: t.dims.extend([1 << 40, 1 << 40]))
    yield "tensor_no_type", tensor(lambda t: t.ClearField("data_type"))
    yield "tensor_bad_type", tensor(lambda t: setattr(t, "data_type", 77))
    yield "tensor_wrong_field", tensor(lambda t: setattr(t, "data_type", TensorProto.INT64))
    yield "tensor_two_fields", tensor(lambda t: t.int64_data.append(1))
    yield "tensor_no_elements", tensor(lambda t: t.ClearField("float_data"))
    yield "tensor_empty_with_elements", tensor(lambda t: t.dims.append(0))
    yield "tensor_no_name", tensor(lambda t: t.ClearField("name"))
    yield "tensor_string_raw", tensor(lambda t: (t.ClearField("string_data"), setattr(t, "raw_data", b"ab")),
                                      TensorProto.STRING, values=(b"a", b"b"))
    locations = {"absolute": "/etc/hostname", "parent": "../secret", "absent": "nothing", "empty": ""}
    for name, location in locations.items():
        yield f"external_{name}", tensor(lambda t: (
            t.ClearField("float_data"), setattr(t, "data_location", TensorProto.EXTERNAL),
            t.external_data.add(key="location", value=location)))
    yield "external_no_location", tensor(lambda t: (
        t.ClearField("float_data"), setattr(t, "data_location", TensorProto.EXTERNAL)))
    one = helper.make_tensor("w", FLOAT, [1], [1])
    yield "initializer_twice", model(initializers=[one, one])
    yield "initializer_no_input", changed(lambda m: setattr(m, "ir_version", 3), model(initializers=[one]))
    for name, indices in (("range", [0, 4]), ("order", [3, 0])):
        values = helper.make_tensor("s", FLOAT, [2], [1, 2])
        at = helper.make_tensor("i", TensorProto.INT64, [2], indices)
        yield f"sparse_{name}", model(sparse_initializer=[helper.make_sparse_tensor(values, at, [2, 2])])


def damaged_graphs(changed):
    condition = helper.make_tensor("c", TensorProto.BOOL, [], [1])
    for name, nodes, output in (("shadow", [helper.make_node("Neg", ["x"], ["c"])], "c"),
                                ("undefined", [helper.make_node("Neg", ["later"], ["t"])], "t"),
                                ("outer_output", [helper.make_node("Neg", ["x"], ["t"])], "x")):
        both = branch(nodes, output)
        yield f"subgraph_{name}", model([helper.make_node("If", ["c"], ["y"], then_branch=both, else_branch=both)],
                                        [condition])
    recursive = helper.make_node("f", ["a"], ["b"], domain="local")
    yield "function_recursive", model([call()], functions=[function(nodes=[recursive])])
    yield "function_twice", model([call()], functions=[function(), function()])
    yield "function_undefined_input", model([call()], functions=[
        function(nodes=[helper.make_node("Relu", ["c"], ["b"])])])
    yield "function_input_twice", model([call()], functions=[
        changed(lambda f: f.input.append("a"), function())])
    yield "function_output_twice", model([call()], functions=[
        changed(lambda f: f.output.append("b"), function())])
    yield "function_attribute_twice", model([call(k=1)], functions=[function(attributes=["k", "k"])])
    yield "function_unknown_domain", model([call()], functions=[
        function(nodes=[helper.make_node("Relu", ["a"], ["b"], domain="other")])])
    yield "function_other_version", model([call()], functions=[
        function(nodes=[helper.make_node("Softmax", ["a"], ["b"])], opset=12)])
    yield "function_no_name", model([call()], functions=[changed(lambda f: f.ClearField("name"), function())])


def backend_models():
    """The models of ONNX's own tests of backends: one for each variant of each op, and converted ones."""
    from onnx.backend.test.case.node import collect_testcases

    warnings.filterwarnings("ignore", category=RuntimeWarning)  # the expected values of some cases divide by 0
    for case in collect_testcases(None):
        if case.model:
            yield case.name, case.model
    data = pathlib.Path(onnx.__file__).parent / "backend/test/data"
    for path in sorted(data.rglob("model.onnx")):
        yield f"{path.parent.parent.name}_{path.parent.name}", onnx.load(path)


def write_models(folder, with_backend=False):
    """Writes all models; returns the names of good and damaged ones, and the names of ONNX's tests."""
    names = {}
    kinds = {"good": good_models(), "damaged": damaged_models(), "backend": backend_models() if with_backend else ()}
    for kind, models in kinds.items():
        names[kind] = []
        for name, result in models:
            (folder / f"{name}.onnx").write_bytes(result.SerializeToString())
            names[kind].append(name)
    return names


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    write_models(out)
