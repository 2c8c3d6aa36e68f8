"""Checkpoints: of sessions, their tensors in parts, and conversion."""
import json
import warnings

import numpy
import pytest

import proa


@pytest.fixture
def training(case):
    """Opens a program that trains; returns the model and the feeds of a step."""
    folder, meta, inputs, _ = case("training/mlp_adamw")

    def open_model(**options):
        model = proa.open(folder, threads=1, on_diagnostic=lambda _: None, **options)
        return model, lambda step: {name: inputs[f"step{step}/{name}"] for name in meta["feeds"]}

    return open_model


def test_resumed_training_has_the_same_bits(tmp_path, training):
    model, feeds = training()
    model.run(feeds(0))
    model.save_checkpoint(tmp_path, step=1, wait=False)
    losses = [model.run(feeds(step)) for step in (1, 2)]  # the checkpoint was saved before
    model.finish_checkpoint()
    other, _ = training()
    assert other.load_checkpoint(tmp_path) == 1
    for step, expected in zip((1, 2), losses):
        for name, value in other.run(feeds(step)).items():
            numpy.testing.assert_array_equal(value, expected[name])
    for name, value in model.parameters.items():
        numpy.testing.assert_array_equal(other.parameters[name], value)


def test_checkpoint_of_a_mesh_is_read_without_one(tmp_path, training):
    model, feeds = training(mesh={"strategy": "dp2,zero1", "simulate": True})
    model.run(feeds(0))
    model.save_checkpoint(tmp_path, step=1)
    stored = proa.Checkpoint(tmp_path)
    assert max(len(tensor.shards) for tensor in stored.values()) == 2
    other, _ = training()
    assert other.load_checkpoint(tmp_path) == 1
    for name, tensor in stored.items():
        numpy.testing.assert_array_equal(tensor, other.parameters[name])


def test_values_of_another_session(training):
    model, feeds = training(mesh={"strategy": "dp2,zero3", "simulate": True})
    other, _ = training(mesh={"strategy": "mp2", "simulate": True})
    other.run(feeds(1))
    model.run(feeds(0))
    other.copy_values(model)
    for name, value in model.parameters.items():
        numpy.testing.assert_array_equal(other.parameters[name], value)
    model.copy_values(model)


def test_errors_of_sessions(tmp_path, training):
    model, feeds = training()
    with pytest.raises(proa.Error, match="no such file or folder"):
        model.load_checkpoint(tmp_path / "none")
    with pytest.raises(proa.Error, match="found -1 completed steps"):
        model.save_checkpoint(tmp_path, step=-1)
    (tmp_path / "file").touch()
    model.save_checkpoint(tmp_path / "whole")
    with pytest.raises(proa.Error, match="cannot create the folder"):
        model.save_checkpoint(tmp_path / "file" / "folder", wait=False)
    model.finish_checkpoint()  # nothing is left to be written
    proa.save(tmp_path / "weights.safetensors", {"fc_0.w_0": numpy.zeros((2, 2), "float32")})
    with pytest.raises(proa.Error, match="has no state of a training"):
        model.load_checkpoint(tmp_path / "weights.safetensors")


@pytest.fixture
def stored(tmp_path):
    """A checkpoint of three tensors in shards, and its values."""
    values = {
        "w": numpy.arange(60, dtype="float32").reshape(5, 4, 3),
        "count": numpy.array(7, "int64"),
        "empty": numpy.zeros((0, 2), "float64"),
    }
    proa.save(tmp_path / "whole.safetensors", values)
    proa.convert_checkpoint(tmp_path / "whole.safetensors", tmp_path / "flat", flatten=4)
    return proa.Checkpoint(tmp_path / "flat"), values


def test_tensors_are_described_and_read(stored):
    checkpoint, values = stored
    assert set(checkpoint) == set(values) and len(checkpoint) == 3 and checkpoint.step is None
    checkpoint.verify()
    for name, value in values.items():
        tensor = checkpoint[name]
        assert (tensor.name, tensor.shape, tensor.dtype) == (name, value.shape, value.dtype.name)
        assert tensor.kind == "parameter"
        numpy.testing.assert_array_equal(tensor[...], value)
        assert numpy.asarray(tensor).dtype == value.dtype
    assert repr(checkpoint["w"]) == "<w: float32[5, 4, 3]>"
    assert len(checkpoint["w"].shards) > 4
    covered = sum(numpy.prod([end - begin for begin, end in shard.box]) for shard in checkpoint["w"].shards)
    assert covered == 60
    with pytest.raises(KeyError):
        checkpoint["no such"]


@pytest.mark.parametrize(
    "index",
    [0, -1, slice(1, 3), (slice(1, 3), slice(None), 2), (..., 1), (2, ..., slice(0, 1)), (1, 2, 0), slice(3, 1), (),
     slice(-2, None), (slice(0, 99), -4)],
)
def test_parts_are_those_of_numpy(stored, index):
    checkpoint, values = stored
    part = checkpoint["w"][index]
    expected = values["w"][index]
    assert part.shape == expected.shape
    numpy.testing.assert_array_equal(part, expected)


@pytest.mark.parametrize("index", [5, -6, slice(0, 4, 2), (0, 0, 0, 0), (..., ...)])
def test_wrong_indices(stored, index):
    with pytest.raises(IndexError, match="<w: float32"):
        stored[0]["w"][index]


def test_damage_is_found(tmp_path, stored):
    files = sorted((tmp_path / "flat").glob("model-*.safetensors"))
    content = bytearray(files[0].read_bytes())
    content[-1] ^= 1
    files[0].write_bytes(content)
    with pytest.raises(proa.Error, match="has the checksum"):
        proa.Checkpoint(tmp_path / "flat").verify()
    files[1].unlink()
    with pytest.raises(proa.Error, match="is missing"):
        proa.Checkpoint(tmp_path / "flat")


def test_conversion_by_statements(tmp_path, stored):
    checkpoint, values = stored
    (tmp_path / "net.aoa").write_text('w -> left, right, axis=1, sizes=$SIZES\n')
    net = tmp_path / "net.safetensors"
    proa.convert_checkpoint(tmp_path / "flat", net, transform=tmp_path / "net.aoa", define={"SIZES": [1, 3]})
    numpy.testing.assert_array_equal(proa.load(net)["right"], values["w"][:, 1:])
    proa.convert_checkpoint(net, tmp_path / "back", transform=tmp_path / "net.aoa", define={"SIZES": [1, 3]},
                            inverse=True, max_file_size=50)
    assert checkpoint.differences(tmp_path / "back") == []
    assert proa.Checkpoint(net).differences(checkpoint)[0].startswith("left: only in ")


def test_layout_of_a_strategy(tmp_path, training, case):
    """The layout equals the layout of a checkpoint that a training with the strategy wrote."""
    program = case("training/mlp_adamw")[0]
    model, feeds = training()
    model.run(feeds(0))
    model.save_checkpoint(tmp_path / "run", step=1)
    proa.convert_checkpoint(tmp_path / "run", tmp_path / "whole.safetensors")
    proa.convert_checkpoint(tmp_path / "whole.safetensors", tmp_path / "sharded", strategy="dp2,zero1", model=program)
    sharded = proa.Checkpoint(tmp_path / "sharded")
    assert sharded.differences(tmp_path / "whole.safetensors") == []
    moments = sharded["fc_1.w_0_moment1_0"].shards
    assert [list(shard.box) for shard in moments] == [[(0, 8), (0, 16)], [(8, 16), (0, 16)]]
    assert len(sharded["fc_1.w_0"].shards) == 1  # ZeRO 1 divides no parameters
    with pytest.raises(ValueError, match="expected both or none"):
        proa.convert_checkpoint(tmp_path / "run", tmp_path / "x", strategy="dp2")
    with pytest.raises(ValueError, match="expected a strategy"):
        proa.convert_checkpoint(tmp_path / "run", tmp_path / "x", mesh="dp=2")
    with pytest.raises(proa.Error, match="unknown component 'dq2'"):
        proa.convert_checkpoint(tmp_path / "run", tmp_path / "x", strategy="dq2", model=program)
    with pytest.raises(proa.Error, match="found 2 layouts"):
        proa.convert_checkpoint(tmp_path / "run", tmp_path / "x", strategy="dp2", model=program, flatten=2)


def test_average_of_several(tmp_path, stored):
    _, values = stored
    proa.save(tmp_path / "other.safetensors", {"w": values["w"] + 2})
    (tmp_path / "average.aoa").write_text("a.w, b.w -> w, average\na.count -> _\na.empty -> _\n")
    proa.convert_checkpoint({"a": tmp_path / "flat", "b": tmp_path / "other.safetensors"},
                            tmp_path / "average.safetensors", transform=tmp_path / "average.aoa")
    numpy.testing.assert_array_equal(proa.load(tmp_path / "average.safetensors")["w"], values["w"] + 1)


def test_warnings_and_errors_of_conversion(tmp_path, stored):
    whole = tmp_path / "whole.safetensors"
    (tmp_path / "none.aoa").write_text("x.$LAYER_ID -> y.$LAYER_ID\n")
    with pytest.warns(proa.ProgramWarning, match="no tensor has a name"):
        proa.convert_checkpoint(whole, tmp_path / "same", transform=tmp_path / "none.aoa")
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        proa.convert_checkpoint(whole, tmp_path / "same", transform=tmp_path / "none.aoa", on_diagnostic=found.append)
    assert len(found) == 1
    with pytest.raises(proa.Error, match="found 2 layouts, expected one"):
        proa.convert_checkpoint(whole, tmp_path / "x", flatten=2, like=whole)
    with pytest.raises(proa.Error, match="a layout is given for one file"):
        proa.convert_checkpoint(whole, tmp_path / "x.safetensors", flatten=2)
    with pytest.raises(proa.Error, match="expected one source"):
        proa.convert_checkpoint({"a": whole, "b": whole}, tmp_path / "x")
    with pytest.raises(proa.Error, match="found -1 shards"):
        proa.convert_checkpoint(whole, tmp_path / "x", flatten=-1)
    assert not (tmp_path / "x").exists()


def test_index_of_hugging_face(tmp_path):
    proa.save(tmp_path / "part.safetensors", {"w": numpy.ones(3, "float16")})
    index = {"metadata": {"total_size": 6}, "weight_map": {"w": "part.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    assert proa.Checkpoint(tmp_path)["w"].dtype == "float16"
