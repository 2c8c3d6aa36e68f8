"""Times single ops and their gradients on proa and on Paddle 2.6.2, to find the kernels that are slow.

Each op becomes a program of its own, which Paddle writes and both run on the same feeds. One table, the largest ratio
first. Needs a Python with paddlepaddle==2.6.2:

    python3 test/bench/op_latency.py --proa build/release/bin/proa-run --filter 'pool|sort'
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
from timing import milliseconds

VOLUME = [((16, 256, 256), "float32")]
IMAGES = [((4, 64, 56, 56), "float32")]
ROWS = [((10000, 256), "float32")]


def elementwise(paddle):
    """Ops of one tensor of a million elements, by their names."""
    f = paddle.nn.functional
    ops = {
        name: getattr(paddle, name)
        for name in ("abs", "atan", "cos", "erf", "exp", "floor", "lgamma", "mean", "sin", "tanh", "tril", "nonzero")
    }
    ops.update({name: getattr(f, name) for name in ("gelu", "log_softmax", "mish", "silu", "softmax", "softplus")})
    for name in ("sum", "max", "argmax", "cumsum", "logsumexp", "std", "prod", "sort", "argsort", "median"):
        for axis in (0, -1):
            ops[f"{name}/axis={axis}"] = lambda x, name=name, axis=axis: getattr(paddle, name)(x, axis=axis)
    ops.update(
        {
            "clip": lambda x: paddle.clip(x, -1, 1),
            "concat": lambda x: paddle.concat([x, x], axis=1),
            "cumprod": lambda x: paddle.cumprod(x, dim=1),
            "fft": lambda x: paddle.abs(paddle.fft.fft(x)),
            "flip": lambda x: paddle.flip(x, [1, 2]),
            "histogram": lambda x: paddle.histogram(x, 100, -3, 3),
            "kthvalue": lambda x: paddle.kthvalue(x, 5, axis=-1)[0],
            "masked_select": lambda x: paddle.masked_select(x, x > 0),
            "pad": lambda x: f.pad(x.unsqueeze(0), [1, 1, 1, 1]),
            "pow": lambda x: paddle.pow(x, 2.5),
            "rfft2": lambda x: paddle.abs(paddle.fft.rfft2(x)),
            "roll": lambda x: paddle.roll(x, 3, 1),
            "softmax/axis=0": lambda x: f.softmax(x, axis=0),
            "tile": lambda x: paddle.tile(x, [2, 1, 1]),
            "topk": lambda x: paddle.topk(x, 10)[0],
            "transpose": lambda x: paddle.transpose(x, [2, 1, 0]) + 1,
            "unique": lambda x: paddle.unique(paddle.round(x * 10)),
            "where": lambda x: paddle.where(x > 0, x, -x),
        }
    )
    return ops


def images(paddle):
    """Ops of a batch of images."""
    f = paddle.nn.functional
    weight = lambda *dims: paddle.ones(list(dims)) * 0.01
    ops = {
        f"interpolate/{mode}": lambda x, mode=mode: f.interpolate(x, scale_factor=2, mode=mode)
        for mode in ("nearest", "bilinear", "bicubic")
    }
    ops.update(
        {
            "adaptive_avg_pool2d": lambda x: f.adaptive_avg_pool2d(x, 7),
            "avg_pool2d": lambda x: f.avg_pool2d(x, 3, 2, 1),
            "conv2d/3x3": lambda x: f.conv2d(x, weight(64, 64, 3, 3), padding=1),
            "conv2d/depthwise": lambda x: f.conv2d(x, weight(64, 1, 3, 3), padding=1, groups=64),
            "conv2d/dilated": lambda x: f.conv2d(x, weight(64, 64, 3, 3), padding=2, dilation=2),
            "conv2d/grouped": lambda x: f.conv2d(x, weight(64, 8, 3, 3), padding=1, groups=8),
            "conv2d_transpose": lambda x: f.conv2d_transpose(x, weight(64, 32, 4, 4), stride=2, padding=1),
            "grid_sample": lambda x: f.grid_sample(x, paddle.ones([4, 40, 40, 2]) * 0.3),
            "group_norm": lambda x: paddle.nn.GroupNorm(8, 64)(x),
            "instance_norm": f.instance_norm,
            "layer_norm": lambda x: f.layer_norm(x, [56]),
            "max_pool2d": lambda x: f.max_pool2d(x, 3, 2, 1),
            "pixel_shuffle": lambda x: f.pixel_shuffle(x, 2),
        }
    )
    return ops


def others(paddle):
    """Ops of several operands, with their feeds."""
    f = paddle.nn.functional
    square = lambda dtype: [((512, 512), dtype), ((512, 512), dtype)]
    index = ((20000,), "int64")
    found = {f"matmul/{dtype}": (square(dtype), paddle.matmul) for dtype in ("float32", "float64", "complex64")}
    for dtype in ("float64",):
        feeds = [((1, 64, 56, 56), dtype), ((64, 64, 3, 3), dtype)]
        found[f"conv2d/{dtype}"] = (feeds, lambda x, w: f.conv2d(x, w, padding=1))
    found.update(
        {
            "bmm": ([((64, 128, 64), "float32"), ((64, 64, 128), "float32")], paddle.bmm),
            "cross_entropy": ([((4096, 1000), "float32"), ((4096, 1), "int64")], f.cross_entropy),
            "embedding": ([((64, 512), "int64"), ((1000, 256), "float32")], f.embedding),
            "gather": (ROWS + [index], paddle.gather),
            "index_select": (ROWS + [index], paddle.index_select),
            "searchsorted": (
                [((1000,), "float32"), ((100000,), "float32")],
                lambda a, x: paddle.searchsorted(paddle.sort(a), x),
            ),
        }
    )
    return found


def programs(paddle):
    """name -> (feeds, function)"""
    found = {name: (VOLUME, function) for name, function in elementwise(paddle).items()}
    found.update({name: (IMAGES, function) for name, function in images(paddle).items()})
    found.update(others(paddle))
    return found


def feed_of(dims, dtype, random):
    values = random.standard_normal(dims)
    return (random.integers(0, 50, dims) if "int" in dtype else values).astype(dtype)


class Case:
    """An op, or its gradient, as a program on disk and in this process."""

    def __init__(self, paddle, feeds, function, gradient, folder):
        self.main, startup = paddle.static.Program(), paddle.static.Program()
        random = np.random.default_rng(0)
        self.feeds = {f"x{i}": feed_of(dims, dtype, random) for i, (dims, dtype) in enumerate(feeds)}
        with paddle.static.program_guard(self.main, startup):
            inputs = [paddle.static.data(f"x{i}", list(dims), dtype) for i, (dims, dtype) in enumerate(feeds)]
            differentiable = [x for x, (_, dtype) in zip(inputs, feeds) if "int" not in dtype]
            for x in differentiable:
                x.stop_gradient = False
            self.fetches = [function(*inputs)]
            if gradient:
                loss = paddle.sum(self.fetches[0] * self.fetches[0])
                self.fetches = [g for g in paddle.static.gradients([loss], differentiable) if g is not None]
            self.executor = paddle.static.Executor(paddle.CPUPlace())
            self.executor.run(startup)
            paddle.static.save_inference_model(f"{folder}/program", inputs, self.fetches, self.executor)
        if os.path.exists(f"{folder}/program.pdiparams"):
            os.rename(f"{folder}/program.pdiparams", f"{folder}/params.pdiparams")

    def paddle_ms(self, seconds):
        run = lambda: self.executor.run(self.main, feed=self.feeds, fetch_list=self.fetches)
        return float(np.median(milliseconds(run, seconds)))


def proa_ms(proa, folder, arguments):
    command = [proa, folder, "--inputs", "random:1", "--threads", str(arguments.threads)]
    command += ["--repeat", str(arguments.repeat), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[0])
    return json.loads(done.stdout)["median_ms"]


def measure(paddle, arguments):
    rows = []
    for name, (feeds, function) in sorted(programs(paddle).items()):
        for gradient in (False, True):
            title = name + (" gradient" if gradient else "")
            if not re.search(arguments.filter, title):
                continue
            print(f"\r{len(rows)} measured, now {title:40}", end="", file=sys.stderr)
            try:
                with tempfile.TemporaryDirectory() as folder:
                    case = Case(paddle, feeds, function, gradient, folder)
                    rows.append((title, proa_ms(arguments.proa, folder, arguments), case.paddle_ms(arguments.seconds)))
            except Exception as error:  # an op without a gradient, or one that an engine refuses: continue
                print(f"\r{title}: {str(error).strip().splitlines()[-1][:150]}", file=sys.stderr)
    print(file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proa", required=True, help="proa-run")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=10, help="runs of proa")
    parser.add_argument("--seconds", type=float, default=0.2, help="how long Paddle runs each at least")
    parser.add_argument("--filter", default="", help="only ops whose names match")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(arguments.threads)
    import paddle

    paddle.enable_static()
    print("| op | proa ms | paddle2 ms | proa / paddle2 |\n|---|---|---|---|")
    for title, ours, theirs in sorted(measure(paddle, arguments), key=lambda row: row[2] / row[1]):
        print(f"| {title} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} |")


if __name__ == "__main__":
    main()
