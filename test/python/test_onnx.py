"""Models of ONNX: the interface of ONNX Runtime, and ONNX's tests of backends."""
import json

import numpy
import pytest

import proa

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

import onnx.backend.test  # noqa: E402
import proa.onnx_backend  # noqa: E402
import proa.onnxruntime  # noqa: E402

CASES = (
    "abs add_bcast argmax_default_axis_example averagepool_2d_default bitshift_left_uint8 cast_FLOAT_to_DOUBLE "
    "compress_0 concat_2d_axis_0 einsum_transpose gather_0 gemm_all_attributes if_seq lstm_defaults "
    "maxpool_2d_default identity_opt layer_normalization_2d_axis0 loop13_seq matmul_2d nonzero_example "
    "onehot_with_axis optional_get_element_sequence qlinearmatmul_2D_uint8_float32 reshape_allowzero_reordered "
    "sequence_insert_at_back slice softmax_axis_1 split_equal_parts_2d top_k unique_sorted_with_axis where_example "
).split()
runner = onnx.backend.test.BackendTest(proa.onnx_backend.ProaBackend, __name__)
for test_case in runner.test_cases.values():
    for name in [name for name in dir(test_case) if name.startswith("test_")]:
        if not any(name == f"test_{case_name}_cpu" for case_name in CASES):
            delattr(test_case, name)
    globals()[test_case.__name__] = test_case


def test_backend_tests_exist():
    found = [name for test_case in runner.test_cases.values() for name in dir(test_case)]
    assert [name for name in CASES if f"test_{name}_cpu" not in found] == []


@pytest.fixture
def lenet(case, tmp_path):
    folder, _, inputs, _ = case("models/vision/lenet")
    proa.translate(folder, tmp_path / "lenet.onnx")
    return tmp_path / "lenet.onnx", inputs


@pytest.fixture
def dynamic():
    """z = x + y of (N, 3), and the sequence of its rows."""
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "y"], ["z"]), helper.make_node("SplitToSequence", ["z"], ["rows"])],
        "sum",
        [helper.make_tensor_value_info(name, kind, ["N", 3]) for name in "xy"],
        [helper.make_tensor_value_info("z", kind, ["N", 3]),
         helper.make_tensor_sequence_value_info("rows", kind, [1, 3])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def test_sessions_agree(lenet):
    path, inputs = lenet
    ours, theirs = proa.onnxruntime.InferenceSession(path), ort.InferenceSession(path)
    for mine, other in zip(ours.get_inputs() + ours.get_outputs(), theirs.get_inputs() + theirs.get_outputs()):
        assert (mine.name, mine.type, mine.shape) == (other.name, other.type, other.shape)
    (found,), (expected,) = ours.run(None, inputs), theirs.run(None, inputs)
    numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert ours.get_providers() == ["CPUExecutionProvider"] and proa.onnxruntime.get_device() == ort.get_device()


def test_dynamic_dims_sequences_and_bytes(dynamic):
    model = dynamic.SerializeToString()
    ours, theirs = proa.onnxruntime.InferenceSession(model), ort.InferenceSession(model)
    for mine, other in zip(ours.get_inputs() + ours.get_outputs()[:1], theirs.get_inputs() + theirs.get_outputs()[:1]):
        assert (mine.name, mine.type, mine.shape) == (other.name, other.type, other.shape)
    assert [each.type for each in ours.get_outputs()] == [each.type for each in theirs.get_outputs()]
    feeds = {"x": numpy.arange(6, dtype="float32").reshape(2, 3), "y": numpy.ones((2, 3), "float32")}
    for names in (None, ["rows", "z"], ["z"]):
        found, expected = ours.run(names, feeds), theirs.run(names, feeds)
        assert len(found) == len(expected)
        for mine, other in zip(found, expected):
            numpy.testing.assert_array_equal(mine, other)
    with pytest.raises(ValueError, match="unknown output 'zz', expected: z, rows"):
        ours.run(["zz"], feeds)
    with pytest.raises(proa.Error, match="feed 'y' is missing"):
        ours.run(None, {"x": feeds["x"]})


def test_session_options(lenet, tmp_path):
    path, inputs = lenet
    options = proa.onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = proa.onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    session = proa.onnxruntime.InferenceSession(path, options)
    session.run(None, inputs)
    with open(session.end_profiling()) as file:
        assert json.load(file)
    with pytest.warns(UserWarning, match="inter_op_num_threads has no effect"):
        options.inter_op_num_threads = 2
    with pytest.warns(UserWarning, match="session.set_denormal_as_zero of the configuration has no effect"):
        options.add_session_config_entry("session.set_denormal_as_zero", "1")
    with pytest.raises(AttributeError, match="no option 'intra_op_threads'; did you mean 'intra_op_num_threads'"):
        options.intra_op_threads = 2
    assert all(hasattr(ort.SessionOptions(), name) for name in options._defaults)


def test_providers(lenet):
    path, _ = lenet
    session = proa.onnxruntime.InferenceSession(path, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
    assert session.get_providers() == ["CUDAExecutionProvider", "CPUExecutionProvider"]
    with pytest.warns(UserWarning, match="TensorrtExecutionProvider is not available"):
        proa.onnxruntime.InferenceSession(path, providers=["TensorrtExecutionProvider", "CPUExecutionProvider"])
    with pytest.warns(UserWarning, match="the option arena_extend_strategy of CPU"):
        proa.onnxruntime.InferenceSession(path, providers=[("CPUExecutionProvider", {"arena_extend_strategy": 1})])
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="no provider is available"):
        proa.onnxruntime.InferenceSession(path, providers=["QNNExecutionProvider"])


def test_backend(dynamic):
    x = numpy.arange(3, dtype="float32").reshape(1, 3)
    z, rows = proa.onnx_backend.run_model(dynamic, [x, x])
    numpy.testing.assert_array_equal(z, 2 * x)
    assert len(rows) == 1
    (y,) = proa.onnx_backend.run_node(onnx.helper.make_node("Exp", ["x"], ["y"]), [x])
    numpy.testing.assert_allclose(y, numpy.exp(x), rtol=1e-6)
    assert proa.onnx_backend.supports_device("CPU") and not proa.onnx_backend.supports_device("TPU")
    node = onnx.helper.make_node("NoSuchOp", ["x"], ["y"])
    wrong = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [], []))
    assert not proa.onnx_backend.is_compatible(wrong) and proa.onnx_backend.is_compatible(dynamic)


@pytest.mark.parametrize("suffix", ["json", "pdmodel", "mlir", "mlirbc", "onnx"])
def test_open_bytes(case, tmp_path, suffix):
    folder, meta, inputs, expected = case("models/vision/lenet")
    file = tmp_path / f"lenet.{suffix}"
    proa.translate(folder, file)
    options = {} if suffix == "onnx" else {"parameters": folder / "params.safetensors"}
    (found,) = proa.open(file.read_bytes(), **options).run(inputs).values()
    numpy.testing.assert_allclose(found, *expected.values(), rtol=meta["rtol"], atol=meta["atol"])
