"""Writes the models in the files *.txt of a folder, which are in ONNX's text form, as *.onnx beside them.

A line "external NAME" before a model stores the initializer in NAME.data.
"""
import pathlib
import re
import sys

import onnx
import onnx.parser

for file in sorted(pathlib.Path(sys.argv[1]).glob("*.txt")):
    text = file.read_text()
    external = re.findall(r"^external (\S+)\n", text, re.M)
    model = onnx.parser.parse_model(re.sub(r"^external \S+\n", "", text, flags=re.M))
    for tensor in model.graph.initializer:
        if tensor.name in external:
            data = onnx.numpy_helper.to_array(tensor).tobytes()
            (file.parent / f"{tensor.name}.data").write_bytes(data)
            for field in ("float_data", "int64_data", "raw_data"):
                tensor.ClearField(field)
            tensor.data_location = onnx.TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value=f"{tensor.name}.data")
    file.with_suffix(".onnx").write_bytes(model.SerializeToString())
