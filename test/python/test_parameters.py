"""Parameters, states, profiles and options of models."""
import re

import numpy
import pytest
from conftest import CORPUS, assert_expected

import proa


@pytest.fixture
def lenet(case):
    folder, meta, inputs, expected = case("models/vision/lenet")
    return proa.open(folder, threads=1), meta, inputs, expected


def test_parameters_are_a_mapping(case, lenet):
    folder, _, _, _ = case("models/vision/lenet")
    parameters = lenet[0].parameters
    stored = proa.load(folder / "params.safetensors")
    assert set(parameters) == set(stored) and len(parameters) == len(stored)
    for name, value in parameters.items():
        numpy.testing.assert_array_equal(value, stored[name])
    assert "no_such" not in parameters
    with pytest.raises(KeyError):
        parameters["no_such"]
    with pytest.raises(TypeError, match="cannot be deleted"):
        del parameters["conv2d_0.b_0"]
    assert parameters.infos["conv2d_0.b_0"].dims == [6]


def test_set_parameter(lenet):
    model, _, inputs, expected = lenet
    (name,) = expected
    bias = [key for key, info in model.parameters.infos.items() if info.dims == [10]][-1]
    before = model.run(inputs)[name]
    value = model.parameters[bias]
    changed = value + 1
    model.parameters[bias] = changed
    changed[:] = 0  # the model has a copy
    numpy.testing.assert_allclose(model.run(inputs)[name], before + 1, rtol=1e-5, atol=1e-5)
    with pytest.raises(proa.Error, match=r"float32\[10\]"):
        model.parameters[bias] = numpy.zeros(3, "float32")
    with pytest.raises(proa.Error, match="no parameter or state variable 'no_such'"):
        model.parameters["no_such"] = 1.0


def test_save_and_update(tmp_path, case, lenet):
    folder, _, inputs, expected = case("models/vision/lenet")
    (name,) = expected
    for suffix in ("safetensors", "pdiparams"):
        lenet[0].parameters.save(tmp_path / f"weights.{suffix}")
        other = proa.open(folder, parameters=tmp_path / f"weights.{suffix}")
        numpy.testing.assert_array_equal(other.run(inputs)[name], lenet[0].run(inputs)[name])
    other.parameters.update(proa.load(tmp_path / "weights.safetensors"))
    with pytest.raises(proa.Error):
        lenet[0].parameters.save(tmp_path / "weights.txt")


@pytest.mark.filterwarnings("ignore::proa.ProgramWarning")
def test_training_steps_are_those_of_paddle(case):
    folder, meta, inputs, expected = case("training/mlp_adagrad")
    model = proa.open(folder, threads=1)
    assert model.is_training
    for step in range(3):
        feeds = {name: inputs[f"step{step}/{name}"] for name in meta["feeds"]}
        loss = meta["loss"]
        assert_expected(meta, model.run(feeds), {loss: expected[f"step{step}/{loss}"]})
    final = {name.removeprefix("final/"): x for name, x in expected.items() if name.startswith("final/")}
    assert_expected(meta, model.parameters, final)


def test_measure_changes_nothing(case):
    folder, meta, inputs, _ = case("training/mlp_adagrad")
    model = proa.open(folder, on_diagnostic=lambda _: None)
    feeds = {name: inputs[f"step0/{name}"] for name in meta["feeds"]}
    before = dict(model.parameters)
    assert model.measure(feeds) > 0
    assert len(model.profile(**feeds)) > 0
    for name, value in before.items():
        numpy.testing.assert_array_equal(model.parameters[name], value)


def test_profile(lenet):
    model, _, inputs, _ = lenet
    profile = model.profile(**inputs)
    assert {"conv2d", "matmul"} <= {step.ops for step in profile}
    assert all(step.milliseconds >= 0 and step.calls >= 1 for step in profile)
    record = next(record for record in profile.records() if record["variable"] == "linear_0.tmp_1")
    assert record["types"].endswith(" -> float32[2, 120]")
    assert record["flops"] >= 2 * 2 * 400 * 120 and record["bytes"] > 4 * 400 * 120 and record["roofline"] > 0
    assert "us/run" in str(profile) and profile.trace.startswith(("{", "["))
    assert profile[0].ops == list(profile)[0].ops and len(profile[:2]) == 2
    assert model.times.last_run > 0 and model.threads == 1 and model.arena_bytes > 0


@pytest.mark.parametrize(
    "options",
    [
        {"threads": 2},
        {"optimize": "never", "cache_directory": "off"},
        {"decompose": True},
        {"target": "cuda-emulated"},
        {"mesh": "dp=2"},
        {"mesh": {"axes": "dp=2", "simulate": True, "overlap": False}},
        {"check_finite": True},
        {"cpu": "x86-64-v3"},
        {"passes": "builtin.module(func.func(cse))"},
    ],
    ids=str,
)
def test_options_keep_results(case, options):
    folder, meta, inputs, expected = case("models/vision/lenet")
    assert_expected(meta, proa.open(folder, **options).run(inputs), expected)


def test_options_have_effects(case, tmp_path):
    folder, _, inputs, expected = case("models/vision/lenet")
    (name,) = expected
    half = proa.open(folder, amp="O1").run(inputs)[name]
    assert 0 < numpy.abs(half - expected[name]).max() < 0.1
    proa.open(folder, dump_directory=tmp_path / "stages").run(inputs)
    assert list((tmp_path / "stages").iterdir())
    model = proa.open(folder, dims={"image": [5, 1, 28, 28]})
    assert model(image=numpy.zeros((5, 1, 28, 28), "float32"))[name].shape == (5, 10)
    found = []
    proa.open(folder, remarks="pd-fuse-.*", on_diagnostic=found.append).run(inputs)
    assert {d.severity for d in found} == {"remark"}
    infinite = numpy.full((2, 1, 28, 28), 3e38, "float32")
    with pytest.raises(proa.Error, match="Inf|NaN"):
        proa.open(folder, check_finite=True)(image=infinite)


def test_option_types_are_those_of_the_library():
    from proa import _options, _proa

    for name, rows in _proa._option_tables().items():
        assert list(getattr(_options, name).__annotations__) == [field for field, _, _ in rows]


def test_every_field_of_the_library_is_an_option():
    header = (CORPUS.parents[1] / "include/proa/Model.h").read_text()
    struct = re.search(r"^struct ModelOptions \{\n(.*?)^\};", header, re.MULTILINE | re.DOTALL)[1]
    fields = re.findall(r"^  \w[\w:<>, ]*?[ >](\w+)(?: = [^;]+)?;", struct, re.MULTILINE)
    table = (CORPUS.parents[1] / "python/src/Options.cpp").read_text()
    assert len(fields) > 20
    elsewhere = {"threadPool"}  # for C++ and C: threads of Python would wait for its lock
    assert [field for field in fields if f"&Options::{field}," not in table and field not in elsewhere] == []


def test_files(tmp_path):
    arrays = {"a": numpy.arange(3.0), "b": numpy.zeros((0, 2), "int8"), "c": numpy.True_}
    proa.save(tmp_path / "file.safetensors", arrays)
    loaded = proa.load(tmp_path / "file.safetensors")
    assert set(loaded) == set(arrays)
    for name, value in arrays.items():
        numpy.testing.assert_array_equal(loaded[name], value)
    (tmp_path / "file.safetensors").write_bytes(b"1234")
    with pytest.raises(proa.Error, match="file.safetensors"):
        proa.load(tmp_path / "file.safetensors")
