#!/usr/bin/env python3
"""Writes all values that Paddle 2.6 computes for an inference model, by name, to a .safetensors file.

  paddle_values.py MODEL_PREFIX -i inputs.safetensors -o values.safetensors
  proa-run MODEL_PREFIX -i inputs.safetensors --compare=values.safetensors

MODEL_PREFIX is the path of the .pdmodel and .pdiparams files without the suffix. Variables that Paddle does not
compute as dense tensors are left out. Of a variable that is written several times the last value counts.
"""
import argparse

from tensor_files import NAMES, read_feeds, read_lods, write_safetensors

# Paddle has no uint16: arrays of this type hold the bits of bfloat16.
CODES = NAMES | {"uint16": "BF16"}


def computed_variables(program):
    """Names of the dense tensors that ops of the main block write, in program order."""
    import paddle

    block = program.global_block()
    names = {}
    for op in block.ops:
        for name in op.output_arg_names:
            variable = block.vars.get(name)
            if (op.type not in ("feed", "fetch") and variable is not None and not variable.persistable
                    and variable.type == paddle.base.core.VarDesc.VarType.LOD_TENSOR):
                names[name] = variable
    return list(names)


def with_lods(feeds, lods):
    """The feeds, as tensors of Paddle where they have a LoD."""
    import paddle

    for name, levels in lods.items():
        tensor = paddle.base.core.LoDTensor()
        tensor.set(feeds[name], paddle.CPUPlace())
        tensor.set_lod(levels)
        feeds[name] = tensor
    return feeds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL_PREFIX")
    parser.add_argument("-i", "--inputs", action="append", default=[],
                        metavar="SOURCE", help="x.safetensors, x.npy or NAME=x.npy")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.safetensors")
    options = parser.parse_args()
    import numpy
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, feed_names, _ = paddle.static.load_inference_model(options.model.removesuffix(".pdmodel"), executor)
    names = computed_variables(program)
    feeds = with_lods(read_feeds(options.inputs, feed_names), read_lods(options.inputs, feed_names))
    results = executor.run(program, feed=feeds, fetch_list=names, return_numpy=False)
    tensors, left_out = {}, []
    for name, value in zip(names, results):
        if value._is_initialized():  # an optional output that the kernel did not write is not
            tensors[name] = numpy.array(value)
        else:
            left_out.append(name)
    left_out += write_safetensors(options.output, tensors, CODES)
    print(f"{len(names) - len(left_out)} values" + (f"; left out: {', '.join(left_out)}" if left_out else ""))


if __name__ == "__main__":
    main()
