#!/usr/bin/env python3
"""Writes all values that ONNX Runtime computes for a model, by name, to a .safetensors file.

  onnx_values.py MODEL.onnx -i inputs.safetensors -o values.safetensors
  proa-run MODEL.onnx -i inputs.safetensors --compare=values.safetensors

Outputs of nodes in subgraphs are left out. The optimizations of ONNX Runtime are off, because they remove values.
"""
import argparse

from tensor_files import read_feeds, write_safetensors


def with_all_outputs(model):
    """The model with each output of a node as an output of the graph."""
    import onnx

    known = {output.name for output in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in known:
                known.add(name)
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("-i", "--inputs", action="append", default=[],
                        metavar="SOURCE", help="x.safetensors, x.npy or NAME=x.npy")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.safetensors")
    options = parser.parse_args()
    import numpy
    import onnx
    import onnxruntime

    session_options = onnxruntime.SessionOptions()
    session_options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    model = with_all_outputs(onnx.load(options.model))
    session = onnxruntime.InferenceSession(model.SerializeToString(), session_options,
                                           providers=["CPUExecutionProvider"])
    feeds = read_feeds(options.inputs, [info.name for info in session.get_inputs()])
    names = [info.name for info in session.get_outputs()]
    results = dict(zip(names, session.run(names, feeds)))
    tensors = {name: value for name, value in results.items() if isinstance(value, numpy.ndarray)}
    left_out = write_safetensors(options.output, tensors) + [name for name in names if name not in tensors]
    print(f"{len(names) - len(left_out)} values" + (f"; left out: {', '.join(left_out)}" if left_out else ""))


if __name__ == "__main__":
    main()
