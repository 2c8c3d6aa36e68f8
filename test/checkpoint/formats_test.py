#!/usr/bin/env python3
"""Reads checkpoints of Paddle and PyTorch that Python's pickle writes, and damaged ones.

usage: formats_test.py PROA_CHECKPOINT CORPUS

The classes are stubs with the names of the tools'. Where torch is installed, it writes files too.
"""
import importlib.util
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy
except ImportError:
    print("numpy is missing")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "onnx"))
import safetensors_file  # noqa: E402

PROA_CHECKPOINT, CORPUS = sys.argv[1:3]
HAS_TORCH = importlib.util.find_spec("torch") is not None
failures = 0


def expect(condition, what, output=""):
    global failures
    print(("passed" if condition else "FAILED") + f": {what}", flush=True)
    if not condition:
        failures += 1
        print(output)


def run(*arguments):
    done = subprocess.run([PROA_CHECKPOINT, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def expect_tensors(path, folder, expected, what):
    code, output = run("convert", path, f"{folder}/converted.safetensors")
    expect(code == 0, f"{what}: converts", output)
    if code:
        return
    actual = safetensors_file.read(f"{folder}/converted.safetensors")
    equal = actual.keys() == expected.keys() and all(
        numpy.array_equal(actual[name], value) and actual[name].dtype == value.dtype
        for name, value in expected.items())
    expect(equal, f"{what}: the same tensors", str(actual))


def expect_error(path, what, *texts):
    code, output = run("verify", path)
    expect(code == 1 and all(text in output for text in texts), f"{what}: {texts[0]}", output)


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def arrays():
    values = numpy.random.default_rng(1)
    return {"w": values.random((3, 4), "f4"), "b": values.random(5), "half": values.random(4).astype("f2"),
            "steps": numpy.arange(6).reshape(2, 3), "flags": numpy.array([True, False]), "scalar": numpy.float32(2.5),
            "bytes": numpy.arange(256, dtype="u1"), "complex": numpy.array([1 + 2j], "c8"),
            "columns": numpy.asfortranarray(values.random((3, 4), "f4"))}


def check_paddle(folder):
    tensors = arrays()
    state = dict(tensors) | {"LR_Scheduler": {"last_epoch": 3, "last_lr": 0.25},
                             "StructuredToParameterName@@": {"w": "x"}}
    expected = {name: numpy.asarray(value) for name, value in tensors.items()} | {
        "LR_Scheduler.last_epoch": numpy.array(3), "LR_Scheduler.last_lr": numpy.array(0.25)}
    for protocol in (2, 3, 4, 5):
        path = write(f"{folder}/model.pdparams", pickle.dumps(state, protocol=protocol))
        expect_tensors(path, folder, expected, f".pdparams of protocol {protocol}")
    # Tensors that are not in a state dict are pairs of a name and an array.
    path = write(f"{folder}/model.pdopt", pickle.dumps({"w_moment1_0": ("w_moment1_0", tensors["w"])}, protocol=4))
    expect_tensors(path, folder, {"w_moment1_0": tensors["w"]}, ".pdopt")
    code, output = run("inspect", path)
    expect(code == 0 and "w_moment1_0  float32[3, 4]  state" in output, ".pdopt: kind", output)


class Attack:
    def __reduce__(self):
        return os.system, ("touch attacked",)


def check_pickle_errors(folder):
    path = f"{folder}/model.pdparams"
    expect_error(write(path, pickle.dumps({"w": Attack()}, protocol=4)), "a function", "the global 'posix.system'",
                 "byte ")
    expect(not os.path.exists("attacked"), "nothing runs")
    expect_error(write(path, pickle.dumps({"w": {1, 2}}, protocol=4)), "a set", "the opcode 0x8f", "byte ")
    expect_error(write(path, pickle.dumps({"w": arrays()["w"]}, protocol=4)[:-20]), "the end", "the file ends")
    expect_error(write(path, pickle.dumps([1], protocol=4)), "a list", "found no dict")
    expect_error(write(path, b"\x80\x04h\x05."), "the memo", "value 5 is not in the memo")
    expect_error(write(path, b"\x80\x04t."), "no mark", "there is no mark")
    expect_error(write(path, b"\x80\x04."), "no value", "the stack is empty")
    expect_error(write(path, b""), "nothing", "the file ends")
    expect_error(write(path, b"\x80\x04}\x94\x8c\x01a\x94h\x00s."), "a dict in itself", "nested more deeply")
    nested = {"x": 1}
    for _ in range(12):
        nested = {str(i): nested for i in range(9)}
    expect_error(write(path, pickle.dumps(nested, protocol=4)), "repeated dicts", "there are more than")
    expect_error(write(path, pickle.dumps({"w": numpy.array([1], ">i4")}, protocol=4)), "byte order", "little-endian")


def check_torch(folder):
    from stubs import Storage, TorchTensor, torch_save
    import collections
    data = numpy.arange(24, dtype="f4")
    storage = Storage("FloatStorage", "0", data.tobytes(), 24)
    state = collections.OrderedDict(
        whole=TorchTensor(storage, 0, (4, 6), (6, 1)), row=TorchTensor(storage, 6, (6,), (1,)),
        turned=TorchTensor(storage, 0, (6, 4), (1, 6)), scalar=TorchTensor(storage, 3, (), ()),
        steps=TorchTensor(Storage("LongStorage", "1", numpy.arange(3).tobytes(), 3), 0, (3,), (1,)))
    state["epoch"] = 7
    expected = {"whole": data.reshape(4, 6), "row": data[6:12], "turned": data.reshape(4, 6).T, "scalar": data[3],
                "steps": numpy.arange(3), "epoch": numpy.array(7)}
    path = write(f"{folder}/pytorch_model.bin", torch_save(state))
    expect_tensors(path, folder, {name: numpy.ascontiguousarray(value).reshape(numpy.shape(value))
                                  for name, value in expected.items()}, "torch.save")
    expect_error(write(path, torch_save(state, zipfile.ZIP_DEFLATED)), "compression", "is compressed")
    expect_error(write(path, torch_save({"w": TorchTensor(storage, 20, (6,), (1,))})), "storage",
                 "'w': float32[6] does not fit its storage of 24 elements")
    expect_error(write(path, torch_save(state)[:-30]), "truncation", "expected a zip file")
    expect_error(write(path, pickle.dumps(state["epoch"])), "legacy", "expected a zip file")


def check_torch_distributed(folder):
    import stubs
    data = numpy.arange(24, dtype="f4").reshape(4, 6)
    parts = {(0, 0): data[:, :2], (0, 2): data[:, 2:]}
    checkpoint, content, storage = f"{folder}/dcp", b"", {}
    os.mkdir(checkpoint)
    for (y, x), part in parts.items():
        saved = stubs.torch_save(stubs.TorchTensor(
            stubs.Storage("FloatStorage", "0", part.tobytes(), part.size), 0, part.shape, (part.shape[1], 1)))
        index = stubs.make(stubs.INDEX, fqn="w", offset=stubs.SIZE((y, x)), index=0)
        storage[index] = stubs.make(stubs.STORAGE_INFO, relative_path="__0_0.distcp", offset=len(content),
                                    length=len(saved))
        content += saved
    saved = stubs.torch_save(5)
    storage[stubs.make(stubs.INDEX, fqn="step", offset=None, index=None)] = stubs.make(
        stubs.STORAGE_INFO, relative_path="__0_0.distcp", offset=len(content), length=len(saved))
    content += saved
    chunks = [stubs.make(stubs.CHUNK, offsets=stubs.SIZE(at), sizes=stubs.SIZE(part.shape))
              for at, part in parts.items()]
    metadata = stubs.make(stubs.METADATA, state_dict_metadata={"w": stubs.make(
        stubs.TENSOR_METADATA, size=stubs.SIZE((4, 6)), chunks=chunks)}, planner_data=None, storage_data=storage)
    write(f"{checkpoint}/__0_0.distcp", content)
    write(f"{checkpoint}/.metadata", pickle.dumps(metadata))
    expect_tensors(checkpoint, folder, {"w": data, "step": numpy.array(5)}, "torch.distributed.checkpoint")
    write(f"{checkpoint}/__0_0.distcp", content[:-1])
    expect_error(checkpoint, "a truncated file", "the file was truncated", "__0_0.distcp")
    os.remove(f"{checkpoint}/__0_0.distcp")
    expect_error(checkpoint, "a missing file", "__0_0.distcp")
    storage.pop(next(iter(storage)))
    write(f"{checkpoint}/__0_0.distcp", content)
    write(f"{checkpoint}/.metadata", pickle.dumps(metadata))
    expect_error(checkpoint, "a missing shard", "the shards have 16 of 24 elements")


def check_paddle_distributed(folder):
    import stubs
    w, m = numpy.arange(24, dtype="f4").reshape(4, 6), numpy.arange(20, dtype="f4").reshape(4, 5)
    checkpoint = f"{folder}/paddle"
    os.mkdir(checkpoint)
    types, storage = {"w": [], "m": []}, {}

    def add(name, offset, shape, dims, file, flattened=None):
        more = {"is_flattened": flattened is not None, "flattened_range": flattened}
        types[name].append(stubs.make(stubs.LOCAL_METADATA, global_offset=offset, local_shape=shape, dtype="float32",
                                      global_shape=dims, **more))
        storage[stubs.make(stubs.LOCAL_INDEX, tensor_key=name, global_offset=offset, **more)] = file

    add("w", (0, 0), (2, 6), (4, 6), "0_0.distcp")
    add("w", (2, 0), (2, 6), (4, 6), "1_0.distcp")
    add("m", (0, 0), (4, 5), (4, 5), "0_0.distcp", (0, 7))
    add("m", (0, 0), (4, 5), (4, 5), "1_0.distcp", (7, 20))
    write(f"{checkpoint}/0_0.distcp", pickle.dumps({"w": w[:2], "m": m.ravel()[:7]}, protocol=4))
    write(f"{checkpoint}/1_0.distcp", pickle.dumps({"w": w[2:], "m": m.ravel()[7:]}, protocol=4))
    metadata = stubs.make(stubs.PADDLE_METADATA, state_dict_metadata=types, storage_metadata=storage, flat_mapping=None)
    write(f"{checkpoint}/0.metadata", pickle.dumps(metadata))
    expect_tensors(checkpoint, folder, {"w": w, "m": m}, "paddle.distributed.save_state_dict")
    write(f"{checkpoint}/1_0.distcp", pickle.dumps({"w": w[2:]}, protocol=4))
    expect_error(checkpoint, "a missing tensor", "1_0.distcp: has no tensor 'm'")


def check_models(folder):
    """Weights of a model, as .pdiparams and back."""
    model = f"{CORPUS}/models/nlp/gpt"
    code, output = run("convert", model, f"{folder}/gpt.safetensors")
    expect(code == 0, "the weights of a model", output)
    code, output = run("convert", f"{folder}/gpt.safetensors", f"{folder}/program.pdiparams")
    expect(code == 0, "to .pdiparams", output)
    os.symlink(os.path.abspath(f"{model}/program.json"), f"{folder}/program.json")
    code, output = run("diff", f"{folder}/program.pdiparams", f"{folder}/gpt.safetensors")
    expect(code == 0 and "equal" in output, "from .pdiparams beside its program", output)


def check_installed_torch(folder):
    import torch
    state = {"w": torch.arange(24.).reshape(4, 6).T, "b": torch.ones(3, dtype=torch.bfloat16)}
    torch.save(state, f"{folder}/real.pt")
    code, output = run("inspect", f"{folder}/real.pt")
    expect(code == 0 and "b  bfloat16[3]" in output and "w  float32[6, 4]" in output, "a file of torch", output)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_paddle(folder)
        check_pickle_errors(folder)
        check_models(folder)
        if HAS_TORCH:
            check_installed_torch(folder)
        else:
            check_torch(folder)
            check_torch_distributed(folder)
        check_paddle_distributed(folder)
    sys.exit(1 if failures else 0)


main()
