#!/usr/bin/env python3
"""Runs models in ONNX Runtime, each in a process that may crash.

As a program it reads requests from stdin, one JSON object a line, and answers each with a line: what is wrong, or null.
  {"model": PATH, "data_sets": [FOLDER...], "rtol": R, "atol": A}    compares as ONNX's tests do
"""
import json
import pathlib
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor


def read_value(path, info):
    """The value in a data file of an input or output: an array, a list of values, or None."""
    import onnx
    from onnx import numpy_helper

    forms = {"tensor_type": (onnx.TensorProto, numpy_helper.to_array),
             "sequence_type": (onnx.SequenceProto, numpy_helper.to_list),
             "optional_type": (onnx.OptionalProto, numpy_helper.to_optional)}
    message_type, convert = forms[info.type.WhichOneof("value")]
    message = message_type()
    message.ParseFromString(path.read_bytes())
    return convert(message)


def read_values(folder, prefix, infos):
    files = [pathlib.Path(folder) / f"{prefix}_{i}.pb" for i in range(len(infos))]
    return [read_value(file, info) for file, info in zip(files, infos) if file.exists()]


def feed_of(value, info):
    """ONNX Runtime takes element types that NumPy lacks as bits."""
    import numpy
    import onnxruntime

    if not isinstance(value, numpy.ndarray) or value.dtype.isbuiltin == 1:
        return value
    bits = value.view({1: numpy.uint8, 2: numpy.uint16}[value.dtype.itemsize])
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, info.type.tensor_type.elem_type)


def array_of(value):
    """The array of an OrtValue, which converts only element types that NumPy has."""
    import ctypes
    import onnx

    try:
        return value.numpy()
    except RuntimeError:
        tensor = onnx.TensorProto(data_type=value.element_type(), dims=value.shape())
        tensor.raw_data = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
        return onnx.numpy_helper.to_array(tensor)


def run(session, feeds):
    """The outputs as arrays or lists of them."""
    try:
        return session.run(None, feeds)
    except RuntimeError as error:
        if "No corresponding Numpy type" not in str(error):
            raise
    from onnxruntime import OrtValue

    values = {name: value if isinstance(value, OrtValue) else OrtValue.ortvalue_from_numpy(value)
              for name, value in feeds.items()}
    return [array_of(value) for value in session.run_with_ort_values(None, values)]


def bits_as(result, info):
    """The result with the element type of the output, if that is one that NumPy lacks."""
    import numpy
    import onnx

    if not isinstance(result, numpy.ndarray) or info.type.WhichOneof("value") != "tensor_type":
        return result
    dtype = onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    is_bits = dtype.isbuiltin != 1 and result.dtype.itemsize == dtype.itemsize
    return result.view(dtype) if is_bits else result


def open_session(model):
    """A session of a file or of the bytes of a model."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    # Products by a quantized weight compute in float32. By default ONNX Runtime quantizes their other operand too.
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    return onnxruntime.InferenceSession(model if isinstance(model, bytes) else str(model), options,
                                        providers=["CPUExecutionProvider"])


def check_data_sets(request):
    import onnx
    from onnx.backend.test.runner import Runner

    graph = onnx.load(request["model"]).graph
    session = open_session(request["model"])
    initializers = {tensor.name for tensor in graph.initializer}
    inputs = [info for info in graph.input if info.name not in initializers]
    for folder in request["data_sets"]:
        feeds = {info.name: feed_of(value, info)
                 for info, value in zip(inputs, read_values(folder, "input", inputs))}
        expected = read_values(folder, "output", graph.output)
        results = [bits_as(*pair) for pair in zip(run(session, feeds)[:len(expected)], graph.output)]
        Runner.assert_similar_outputs(expected, results, request["rtol"], request["atol"])
    return None


def first_line(error):
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300]


def serve():
    for line in sys.stdin:
        try:
            answer = check_data_sets(json.loads(line))
        except Exception as error:  # noqa: BLE001 (it raises its own kinds)
            answer = first_line(error)
        print(json.dumps(answer), flush=True)


class Process:
    """A process that serves requests; a new one after a crash."""

    def __init__(self):
        self.process = None

    def ask(self, request):
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return json.loads(answer)
        code = self.process.wait()
        self.process = None
        return f"ONNX Runtime ended its process with code {code}"

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def ask_all(requests, jobs):
    """The answers to requests, by `jobs` processes."""
    local, processes = threading.local(), []

    def ask(request):
        if not hasattr(local, "process"):
            local.process = Process()
            processes.append(local.process)
        return local.process.ask(request)

    with ThreadPoolExecutor(jobs) as pool:
        answers = list(pool.map(ask, requests))
    for process in processes:
        process.close()
    return answers


if __name__ == "__main__":
    serve()
