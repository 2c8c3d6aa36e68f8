"""Writes functions.mlir and values.json: functions of pd ops, and what JAX computes for chains of transforms of them.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 && venv/bin/python make.py

Each entry of CASES is a function in both languages and the points it is tried at. Of a function with more than one
element `NAME_scalar`, the sum of its elements times weights, is what gradients and Hessians are taken of.
"""
import json
import pathlib
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

from functions import CASES  # noqa: E402

FOLDER = pathlib.Path(__file__).parent
BATCH = 2
SMALL = 30  # Hessians and third derivatives are taken of functions with at most this many argument elements


def type_of(spelling):
    """"2x3" is tensor<2x3xf64>, "i3" tensor<3xi64>, "b3" tensor<3xi1>, "" tensor<f64>."""
    element = {"i": "i64", "b": "i1"}.get(spelling[:1], "f64")
    dims = spelling.lstrip("ib")
    return f"tensor<{dims + 'x' if dims else ''}{element}>"


def shape_of(spelling):
    return tuple(int(d) for d in spelling.split("x")) if spelling else ()


def weights_of(shape):
    count = int(np.prod(shape)) if shape else 1
    return np.array([round(1 + 0.3 * np.cos(1 + 2 * i), 3) for i in range(count)]).reshape(shape)


def dense(values, spelling):
    flat = np.array(values).tolist()
    return f"pd.constant dense<{json.dumps(flat)}> : {type_of(spelling)}"


def op_text(line, types):
    """`y:3 = sin %x {...}`: the types of operands come from earlier lines."""
    left, right = line.split(" = ", 1)
    results = [part.strip().split(":") for part in left.split(",")]
    for name, spelling in results:
        types["%" + name] = spelling
    names = ", ".join("%" + name for name, _ in results)
    if right.startswith("const "):
        return f"  {names} = {dense(json.loads(right[6:]), results[0][1])}"
    op, _, rest = right.partition(" ")
    operands = re.findall(r"%\w+", re.sub(r"\{.*\}", "", rest))
    out = ", ".join(type_of(spelling) for _, spelling in results)
    inputs = ", ".join(type_of(types[name]) for name in operands)
    out = f"({out})" if len(results) > 1 else out
    return f"  {names} = pd.{op} {rest} : ({inputs}) -> {out}"


def mlir_of(name, case, scalar):
    types = {"%" + chr(ord("a") + i): spelling for i, spelling in enumerate(case["args"])}
    arguments = ", ".join(f"{key}: {type_of(spelling)}" for key, spelling in types.items())
    body = case["body"]
    lines = [line if line.startswith(" ") else op_text(line, types) for line in body.strip("\n").split("\n")]
    if scalar:
        lines.append("  %weights_ = " + dense(weights_of(shape_of(case["out"])), case["out"]))
        own = type_of(case["out"])
        lines.append(f"  %weighted_ = pd.multiply %y, %weights_ : ({own}, {own}) -> {own}")
        lines.append(f"  %sum_ = pd.sum %weighted_ : ({own}) -> tensor<f64>")
    result, out = ("%sum_", "") if scalar else ("%y", case["out"])
    return (f"func.func @{name}({arguments}) -> {type_of(out)} {{\n" + "\n".join(lines) +
            f"\n  return {result} : {type_of(out)}\n}}\n")


class Function:
    """A function of tensors that returns a tuple, and a way to draw its arguments: `draw(k, random)`."""

    def __init__(self, apply, draw):
        self.apply, self.draw = apply, draw


def random_like(arrays, random):
    return [np.round(random.uniform(-1, 1, np.shape(a)), 3) for a in arrays]


def vjp(f):
    def draw(k, random):
        own = f.draw(k, random)
        return own + random_like(f.apply(*own), random)

    def apply(*arguments):
        count = len(arguments) - len(jax.eval_shape(f.apply, *f.draw(0, np.random.default_rng(0))))
        results, pull = jax.vjp(f.apply, *arguments[:count])
        return tuple(results) + tuple(pull(tuple(arguments[count:])))

    return Function(apply, draw)


def jvp(f):
    def draw(k, random):
        own = f.draw(k, random)
        return own + random_like(own, random)

    def apply(*arguments):
        half = len(arguments) // 2
        results, tangents = jax.jvp(f.apply, arguments[:half], arguments[half:])
        return tuple(results) + tuple(tangents)

    return Function(apply, draw)


def vmap(f):
    def draw(k, random):
        return [np.stack(parts) for parts in zip(*[f.draw(k + i, random) for i in range(BATCH)])]

    return Function(jax.vmap(f.apply), draw)


def grad(f):
    def apply(*arguments):
        return jax.grad(lambda *a: f.apply(*a)[0], argnums=tuple(range(len(arguments))))(*arguments)

    return Function(apply, f.draw)


def hessian(f):
    return Function(lambda *a: (jax.hessian(lambda x: f.apply(x, *a[1:])[0])(a[0]),), f.draw)


TRANSFORMS = {"vjp": vjp, "jvp": jvp, "vmap": vmap, "grad": grad, "hessian": hessian}
CHAINS = [["vjp"], ["jvp"], ["vmap", "vjp"], ["vjp", "vmap"], ["jvp", "vjp"]]
SCALAR_CHAINS = [["grad", "jvp"], ["grad", "vmap", "jvp"], ["vmap", "vjp", "jvp"], ["hessian"], ["grad", "jvp", "jvp"],
                 ["grad", "jvp", "vmap", "vjp"]]


def tensor(array):
    array = np.asarray(array, dtype=np.float64)
    return {"dims": list(array.shape), "values": [float(v) for v in array.reshape(-1)]}


def run(name, case, chain, scalar):
    points = [[np.array(v, dtype=np.float64).reshape(shape_of(s)) for v, s in zip(point, case["args"])]
              for point in case["points"]]
    w = weights_of(shape_of(case["out"]))

    def apply(*arguments):
        value = case["jax"](*map(jnp.asarray, arguments))
        return (jnp.sum(value * w),) if scalar else (value,)

    f = Function(apply, lambda k, random: [p.copy() for p in points[k % len(points)]])
    for transform in chain:
        f = TRANSFORMS[transform](f)
    out = []
    for k in range(len(points)):
        arguments = f.draw(k, np.random.default_rng(k + 1))
        results = f.apply(*[jnp.asarray(a) for a in arguments])
        if not all(np.isfinite(np.asarray(r)).all() for r in results):
            sys.exit(f"{name} {chain}, point {k}: a value is not finite: {results}")
        out.append({"arguments": [tensor(a) for a in arguments], "results": [tensor(r) for r in results]})
        if "vmap" in chain:
            break  # a batch holds several points
    return out


def main():
    names = sys.argv[1:] or list(CASES)
    text, values = "// Generated by make.py.\n", []
    for name in names:
        case = CASES[name]
        text += "\n" + mlir_of(name, case, False)
        text += "\n" + mlir_of(name + "_scalar", case, True)
        elements = sum(int(np.prod(shape_of(s))) if s else 1 for s in case["args"])
        for scalar, chains in ((False, CHAINS), (True, SCALAR_CHAINS)):
            for chain in chains:
                if chain in case.get("skip", []) or (scalar and elements > SMALL and chain[0] != "vmap"):
                    continue
                for sample in run(name, case, chain, scalar):
                    values.append({"function": name + ("_scalar" if scalar else ""), "chain": chain, **sample})
        print(name, flush=True)
    if len(sys.argv) == 1:
        (FOLDER / "functions.mlir").write_text(text)
        lines = ",\n".join(json.dumps(v, separators=(",", ":")) for v in values)
        (FOLDER / "values.json").write_text("[\n" + lines + "\n]\n")


if __name__ == "__main__":
    main()
