"""Writes models as case folders in ONNX's layout, with the outputs of ONNX Runtime."""
import pathlib
import shutil

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

LARGEST = 250_000  # bytes of a model


def outputs_of(path, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # The outputs of the model as it is written: without fusions, which round in another order.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def without_paths(model):
    """Removes texts that depend on the machine: files and stack traces of the exporter."""
    def clear(messages):
        for message in messages:
            message.doc_string = ""
            del message.metadata_props[:]

    def clear_graph(graph):
        clear([graph, *graph.node, *graph.initializer, *graph.value_info, *graph.input, *graph.output])
        for node in graph.node:
            for attribute in node.attribute:
                for inner in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
                    clear_graph(inner)

    clear_graph(model.graph)
    for function in model.functions:
        clear([function, *function.node])
    model.doc_string = ""
    return model


def to_message(value, info):
    if info.type.WhichOneof("value") == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    return numpy_helper.from_array(np.asarray(value), info.name)


def write_case(folder, model, *data_sets, tolerances=None):
    """Writes a model and a data set for each list of inputs. `tolerances`: rtol and atol, if not ONNX's."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = without_paths(model)
    onnx.checker.check_model(model)
    path = folder / "model.onnx"
    onnx.save(model, path)
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path}: {path.stat().st_size} bytes, expected at most {LARGEST}")
    initializers = {tensor.name for tensor in model.graph.initializer}
    inputs = [info for info in model.graph.input if info.name not in initializers]
    for i, values in enumerate(data_sets):
        place = folder / f"test_data_set_{i}"
        place.mkdir()
        if len(values) != len(inputs):
            raise ValueError(f"{path}: {len(values)} values for the inputs {[info.name for info in inputs]}")
        feeds = {info.name: value for info, value in zip(inputs, values)}
        outputs = outputs_of(path, feeds)
        for prefix, infos, all_values in (("input", inputs, values), ("output", model.graph.output, outputs)):
            for k, (info, value) in enumerate(zip(infos, all_values)):
                (place / f"{prefix}_{k}.pb").write_bytes(to_message(value, info).SerializeToString())
    if tolerances:
        (folder / "data.json").write_text('{"rtol": %g, "atol": %g}\n' % tolerances)
    print(f"{folder}: {path.stat().st_size} bytes, opset {model.opset_import[0].version}, "
          f"{len({n.op_type for n in model.graph.node})} ops")
