#!/usr/bin/env python3
"""Compares all values of models with ONNX Runtime's: `tools/values/onnx_values.py`, `proa-run --compare`.

usage: values_test.py PROA_RUN SOURCE CASE...     CASE: a folder in the layout of ONNX's tests
"""
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def write_inputs(case, path):
    """The inputs of the first data set as a .safetensors file."""
    from tensor_files import write_safetensors

    graph = onnx.load(case / "model.onnx").graph
    weights = {tensor.name for tensor in graph.initializer}
    names = [info.name for info in graph.input if info.name not in weights]
    tensors = {}
    for i, name in enumerate(names):
        message = onnx.TensorProto()
        message.ParseFromString((case / f"test_data_set_0/input_{i}.pb").read_bytes())
        tensors[name] = onnx.numpy_helper.to_array(message)
    write_safetensors(path, tensors)


def compare(run, scripts, case, folder):
    """Whether all values of the case agree."""
    inputs, values = f"{folder}/inputs.safetensors", f"{folder}/values.safetensors"
    write_inputs(case, inputs)
    model = case / "model.onnx"
    subprocess.run([sys.executable, scripts / "onnx_values.py", model, "-i", inputs, "-o", values], check=True)
    compared = subprocess.run([run, model, "-q", "-i", inputs, "--cache", "off", f"--compare={values}"],
                              capture_output=True, text=True, check=False)
    print(f"{case.name}: {compared.stdout.strip()} {compared.stderr.strip()}")
    return compared.returncode == 0


run, scripts = sys.argv[1], pathlib.Path(sys.argv[2]) / "tools/values"
sys.path.insert(0, str(scripts))
try:
    import onnx
    import onnxruntime  # noqa: F401, used by the script
except ImportError as error:
    print(error)
    sys.exit(SKIPPED)
results = []
for case in map(pathlib.Path, sys.argv[3:]):
    with tempfile.TemporaryDirectory() as temporary:
        results.append(compare(run, scripts, case, temporary))
sys.exit(not all(results))
