"""Import, passes, export and checks of programs."""
import numpy
import pytest
from conftest import CORPUS, assert_expected

import proa

LENET = "models/vision/lenet"


def test_import_transform_run(case, tmp_path):
    folder, meta, inputs, expected = case(LENET)
    text = proa.translate(folder)
    decomposed = proa.opt(text, "builtin.module(func.func(pd-decompose))")
    assert "pd.conv2d" in text and decomposed != text
    for name, program in (("program", text), ("decomposed", decomposed)):
        (tmp_path / f"{name}.mlir").write_text(program)
        model = proa.open(tmp_path / f"{name}.mlir", parameters=folder / "params.safetensors")
        assert_expected(meta, model.run(inputs), expected)


@pytest.mark.parametrize("output", ["copy", "copy.onnx", "copy.mlirbc", "copy.pdmodel", "copy.json"])
def test_export(case, tmp_path, output):
    folder, meta, inputs, expected = case(LENET)
    assert proa.translate(folder, tmp_path / output) is None
    options = {} if output in ("copy", "copy.onnx") else {"parameters": folder / "params.safetensors"}
    assert_expected(meta, proa.open(tmp_path / output, **options).run(inputs), expected)


def test_part_of_a_program(case, tmp_path):
    folder, _, inputs, _ = case(LENET)
    proa.translate(folder, tmp_path / "front", fetches=["relu_0.tmp_0"])
    front = proa.open(tmp_path / "front")
    assert [info.name for info in front.fetches] == ["relu_0.tmp_0"]
    numpy.testing.assert_array_equal(
        front.run(inputs)["relu_0.tmp_0"], proa.open(folder, fetches=["relu_0.tmp_0"]).run(inputs)["relu_0.tmp_0"]
    )


def test_locations(case):
    folder, _, _, _ = case(LENET)
    assert ".py" in proa.translate(folder, locations=True)
    assert ".py" not in proa.translate(folder)


def test_errors(case, tmp_path):
    folder, _, _, _ = case(LENET)
    with pytest.raises(proa.Error, match="no_such_pass|not a pipeline"):
        proa.opt(proa.translate(folder), "no_such_pass")
    with pytest.raises(proa.Error, match="program:1:1"):
        proa.opt("not MLIR", "cse")
    with pytest.raises(proa.Error, match="unknown format 'pt', expected mlir, mlirbc"):
        proa.translate(folder, tmp_path / "x", "pt")
    with pytest.raises(proa.Error, match="opset 3 is requested, expected 13 to"):
        proa.translate(folder, tmp_path / "x.onnx", opset=3)
    with pytest.raises(proa.Error, match="function 'f' is requested"):
        proa.translate(folder, function="f")
    with pytest.raises(proa.Error, match="missing"):
        proa.translate(tmp_path / "missing")
    with pytest.raises(TypeError, match="unknown option 'fetch'; did you mean 'fetches'"):
        proa.translate(folder, fetch=["x"])
    assert list(tmp_path.iterdir()) == []


def test_warnings(case, tmp_path):
    program = tmp_path / "program.json"  # without meta.json, which names the fetches
    program.write_bytes((case("training/mlp_adagrad")[0] / "program.json").read_bytes())
    with pytest.warns(proa.ProgramWarning, match="no fetch op") as caught:
        proa.translate(program)
    assert caught[0].filename == __file__
    found = []
    proa.translate(program, on_diagnostic=found.append)
    assert [diagnostic.severity for diagnostic in found] == ["warning"]


def test_check(tmp_path):
    results = proa.check(CORPUS / "ops/relu")
    assert len(results) == len(list((CORPUS / "ops/relu").iterdir()))
    assert {(result.status, result.stage) for result in results} == {("passed", "")}
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    for file in (CORPUS / "ops/relu/f32_grad").iterdir():
        (wrong / file.name).write_bytes(file.read_bytes())
    expected = proa.load(wrong / "expected.safetensors")
    name = next(iter(expected))
    proa.save(wrong / "expected.safetensors", expected | {name: expected[name] + 1})
    (result,) = proa.check(wrong, arguments=["--jobs", "1"])
    assert (result.status, result.stage) == ("failed", "compare")
    assert name in str(result.diagnostics[0])
    with pytest.raises(proa.Error, match="the directory does not exist") as caught:
        proa.check(tmp_path / "missing")
    assert "missing" in caught.value.diagnostics[0].location
    with pytest.raises(proa.Error, match="--no-such-option"):
        proa.check(CORPUS, arguments=["--no-such-option"])
