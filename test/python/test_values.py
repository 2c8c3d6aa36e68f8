"""`tools/values/paddle_values.py` with a module of the same functions as Paddle 2.6, for a program of five ops."""
import pathlib
import sys
import types

import numpy
import pytest

SCRIPTS = pathlib.Path(__file__).parents[2] / "tools/values"
LOD_TENSOR, LOD_TENSOR_ARRAY, FEED_MINIBATCH = 7, 13, 9


class LoDTensor:
    """A tensor as of paddle.base.core: without a value until set()."""

    def __init__(self, array=None):
        self.array, self.levels = array, []

    def set(self, array, place):
        assert place == "cpu"
        self.array = array

    def set_lod(self, levels):
        self.levels = levels

    def _is_initialized(self):
        return self.array is not None

    def __array__(self, dtype=None, copy=None):
        return self.array


class Executor:
    def __init__(self, place):
        assert place == "cpu"
        self.feeds = None

    def run(self, program, feed, fetch_list, return_numpy):
        assert not return_numpy and program.global_block().ops[0].type == "feed"
        self.feeds = feed
        x = feed["x"].array if isinstance(feed["x"], LoDTensor) else feed["x"]
        values = {"y": x + 1, "half": numpy.array([0x3f80, 0xc000], "uint16"), "xshape": None, "out": x * 2,
                  "complex": x.astype("complex64")}
        return [LoDTensor(values[name]) for name in fetch_list]


def program_of(op_outputs, variables):
    ops = [types.SimpleNamespace(type=kind, output_arg_names=names) for kind, names in op_outputs]
    block = types.SimpleNamespace(ops=ops, vars={name: types.SimpleNamespace(type=kind, persistable=persistable)
                                                 for name, (kind, persistable) in variables.items()})
    return types.SimpleNamespace(global_block=lambda: block)


@pytest.fixture
def paddle(monkeypatch):
    program = program_of(
        [("feed", ["x"]), ("scale", ["y"]), ("reshape2", ["half", "xshape"]), ("sgd", ["w"]),
         ("write_to_array", ["array"]), ("cast", ["complex"]), ("scale", ["out"]), ("scale", ["y"]),
         ("fetch", ["fetch"])],
        {"x": (LOD_TENSOR, False), "y": (LOD_TENSOR, False), "half": (LOD_TENSOR, False), "xshape": (LOD_TENSOR, False),
         "w": (LOD_TENSOR, True), "array": (LOD_TENSOR_ARRAY, False), "complex": (LOD_TENSOR, False),
         "out": (LOD_TENSOR, False), "fetch": (FEED_MINIBATCH, False)})
    executors, loaded = [], []

    def create(place):
        executors.append(Executor(place))
        return executors[-1]

    def load(prefix, executor):
        loaded.append(prefix)
        return [program, ["x"], ["out"]]

    core = types.SimpleNamespace(
        LoDTensor=LoDTensor, VarDesc=types.SimpleNamespace(VarType=types.SimpleNamespace(LOD_TENSOR=LOD_TENSOR)))
    module = types.ModuleType("paddle")
    module.enable_static = lambda: None
    module.CPUPlace = lambda: "cpu"
    module.static = types.SimpleNamespace(Executor=create, load_inference_model=load)
    module.base = types.SimpleNamespace(core=core)
    module.executors, module.loaded = executors, loaded
    monkeypatch.setitem(sys.modules, "paddle", module)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return module


def run(monkeypatch, *arguments):
    import paddle_values

    monkeypatch.setattr(sys, "argv", ["paddle_values.py", *map(str, arguments)])
    paddle_values.main()


def test_values_of_paddle(paddle, monkeypatch, tmp_path, capsys):
    import tensor_files

    x = numpy.array([[1, 2], [3, 4], [5, 6]], "float32")
    tensor_files.write_safetensors(tmp_path / "in.safetensors", {"x": x, "x@LOD0": numpy.array([0, 1, 3])})
    run(monkeypatch, tmp_path / "net.pdmodel", "-i", tmp_path / "in.safetensors", "-o", tmp_path / "out.safetensors")
    assert capsys.readouterr().out == "3 values; left out: xshape, complex\n"
    assert paddle.loaded == [str(tmp_path / "net")]
    assert paddle.executors[0].feeds["x"].levels == [[0, 1, 3]]
    values = tensor_files.read_safetensors(tmp_path / "out.safetensors")
    assert list(values) == ["y", "half", "out"]
    numpy.testing.assert_array_equal(values["y"], x + 1)
    numpy.testing.assert_array_equal(values["out"], x * 2)
    assert b'"dtype": "BF16"' in (tmp_path / "out.safetensors").read_bytes()


def test_feeds_without_value(paddle, monkeypatch, tmp_path):
    with pytest.raises(SystemExit, match="feeds without a value: x"):
        run(monkeypatch, "net", "-o", tmp_path / "out.safetensors")
