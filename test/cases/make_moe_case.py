#!/usr/bin/env python3
"""Writes test/cases/training/moe_sgd: a mixture of experts with routing to one expert of limited capacity, trained by SGD.

The losses and the parameters after each step follow from the formula of the loss in float64; its derivatives are central
differences. Usage: make_moe_case.py [FOLDER]
"""
import math
import random
import sys
from pathlib import Path

from formula_case import Case

BATCH, LENGTH, WIDTH, EXPERTS, CAPACITY, HIDDEN, RATE, STEPS = 8, 3, 4, 4, 2, 6, 0.5, 3


def product(dims):
    return math.prod(dims)


# -- The formula -------------------------------------------------------------------------------------------------------


def experts_of(rows, gate):
    """For each token of a sequence the probabilities of the experts, the most probable one, and its slot there; None
    for a token beyond the capacity."""
    used, out = [0] * EXPERTS, []
    for row in rows:
        scores = [sum(row[m] * gate[m * EXPERTS + e] for m in range(WIDTH)) for e in range(EXPERTS)]
        terms = [math.exp(s - max(scores)) for s in scores]
        probabilities = [term / sum(terms) for term in terms]
        expert = max(range(EXPERTS), key=lambda e: probabilities[e])
        out.append((probabilities, expert, used[expert] if used[expert] < CAPACITY else None))
        used[expert] += 1
    return out


def expert_output(row, expert, first, second):
    hidden = [max(0.0, sum(row[m] * first[(expert * WIDTH + m) * HIDDEN + h] for m in range(WIDTH))) for h in range(HIDDEN)]
    return [sum(hidden[h] * second[(expert * HIDDEN + h) * WIDTH + m] for h in range(HIDDEN)) for m in range(WIDTH)]


def loss_of(parameters, x, target):
    total = 0.0
    for b in range(BATCH):
        rows = [x[(b * LENGTH + s) * WIDTH:][:WIDTH] for s in range(LENGTH)]
        for s, (probabilities, expert, slot) in enumerate(experts_of(rows, parameters["gate"])):
            y = [0.0] * WIDTH if slot is None else expert_output(rows[s], expert, parameters["first"], parameters["second"])
            for m in range(WIDTH):
                total += (y[m] * probabilities[expert] + rows[s][m] - target[(b * LENGTH + s) * WIDTH + m]) ** 2
    return total / (BATCH * LENGTH * WIDTH)


def step(parameters, x, target):
    """The parameters after a step of SGD."""
    after, epsilon = {}, 1e-6
    for name, values in parameters.items():
        after[name] = list(values)
        for i, value in enumerate(values):
            around = []
            for moved in (value + epsilon, value - epsilon):
                values[i] = moved
                around.append(loss_of(parameters, x, target))
            values[i] = value
            after[name][i] = value - RATE * (around[0] - around[1]) / (2 * epsilon)
    return after


# -- The program -------------------------------------------------------------------------------------------------------


class Program:
    """Forward ops, and their gradient ops in reverse order."""

    def __init__(self, case):
        self.case, self.backward = case, []

    def op(self, kind, inputs, outputs, gradient_of="", **attributes):
        """`outputs`: the dims of the variable in each slot. `gradient_of`: the input slots with a gradient."""
        for slot, (name, dims, *dtype) in outputs.items():
            self.case.variable(name, dtype[0] if dtype else "FP32", dims)
        names = {slot: name for slot, (name, *_) in outputs.items()}
        self.case.op(kind, inputs, names, op_role=0, **attributes)
        if gradient_of:
            main = next(iter(names))
            given = {**inputs, **names, f"{main}@GRAD": names[main] + "@GRAD"}
            wanted = {f"{slot}@GRAD": inputs[slot] + "@GRAD" for slot in gradient_of.split()}
            self.backward.append((kind + "_grad", given, wanted, attributes))

    def reshape(self, x, before, name, dims, gradient=True, dtype="FP32"):
        outputs = {"Out": (name, dims, dtype), "XShape": (name + ".xshape", [0, *before], dtype)}
        # The size that depends on the batch is open, so that the program runs on micro-batches.
        open_dim = next(i for i, size in enumerate(dims) if size % BATCH == 0)
        shape = [-1 if i == open_dim else size for i, size in enumerate(dims)]
        self.op("reshape2", {"X": x}, outputs, "X" if gradient else "", shape=shape)

    def transpose(self, x, before, name, dims):
        outputs = {"Out": (name, dims), "XShape": (name + ".xshape", [0, *before])}
        self.op("transpose2", {"X": x}, outputs, "X", axis=[1, 0, 2, 3])

    def matmul(self, x, y, name, dims, gradient_of, trans_x=False):
        self.op("matmul_v2", {"X": x, "Y": y}, {"Out": (name, dims)}, gradient_of, trans_x=trans_x, trans_y=False)

    def finish(self, loss, parameters):
        self.case.variable(loss + "@GRAD", "FP32", [])
        self.case.op("fill_constant", {}, {"Out": loss + "@GRAD"}, shape=[], value=1.0, dtype=5, op_role=257)
        dims = {v["name"]: v["type"]["lod_tensor"]["tensor"]["dims"] for v in self.case.blocks[0]["vars"]}
        for kind, given, wanted, attributes in reversed(self.backward):
            for name in wanted.values():
                self.case.variable(name, "FP32", dims[name.removesuffix("@GRAD")])
            self.case.op(kind, given, wanted, op_role=1, **attributes)
        for name in parameters:
            self.case.op("sgd", {"Param": name, "Grad": name + "@GRAD", "LearningRate": "rate"}, {"ParamOut": name},
                         op_role=2)


def route(program):
    """`routes` [B, S, E * C]: 1 for the expert and the slot of each token; `mask` [B, S, E]: its expert."""
    b, s, e, c = BATCH, LENGTH, EXPERTS, CAPACITY
    program.matmul("x", "gate", "scores", [b, s, e], "Y")
    program.op("softmax", {"X": "scores"}, {"Out": ("probabilities", [b, s, e])}, "X", axis=-1)
    program.op("top_k_v2", {"X": "probabilities"}, {"Out": ("best", [b, s, 1]), "Indices": ("expert", [b, s, 1], "INT64")},
               k=1, axis=-1, largest=True, sorted=True)
    program.reshape("expert", [b, s, 1], "experts", [b, s], gradient=False, dtype="INT64")
    program.op("one_hot_v2", {"X": "experts"}, {"Out": ("mask", [b, s, e])}, depth=e, dtype=5, allow_out_of_range=False)
    # The number of tokens of the expert up to this one.
    program.op("cumsum", {"X": "mask"}, {"Out": ("counts", [b, s, e])}, axis=1, flatten=False, exclusive=False, reverse=False)
    program.op("elementwise_mul", {"X": "counts", "Y": "mask"}, {"Out": ("own", [b, s, e])}, axis=-1)
    program.op("reduce_sum", {"X": "own"}, {"Out": ("count", [b, s, 1])}, dim=[-1], keep_dim=True, reduce_all=False)
    program.op("assign_value", {}, {"Out": ("slots", [c])}, shape=[c], dtype=5, fp32_values=[float(i + 1) for i in range(c)])
    program.op("equal", {"X": "count", "Y": "slots"}, {"Out": ("is_slot", [b, s, c], "BOOL")}, axis=-1)
    program.op("cast", {"X": "is_slot"}, {"Out": ("slot", [b, s, c])}, in_dtype=0, out_dtype=5)
    program.reshape("mask", [b, s, e], "mask4", [b, s, e, 1], gradient=False)
    program.reshape("slot", [b, s, c], "slot4", [b, s, 1, c], gradient=False)
    program.op("elementwise_mul", {"X": "mask4", "Y": "slot4"}, {"Out": ("routes4", [b, s, e, c])}, axis=-1)
    program.reshape("routes4", [b, s, e, c], "routes", [b, s, e * c], gradient=False)


def compute(program):
    b, s, e, c, m, h = BATCH, LENGTH, EXPERTS, CAPACITY, WIDTH, HIDDEN
    program.matmul("routes", "x", "sent", [b, e * c, m], "", trans_x=True)
    program.reshape("sent", [b, e * c, m], "sent4", [b, e, c, m], gradient=False)
    program.op("transpose2", {"X": "sent4"}, {"Out": ("by_expert", [e, b, c, m]), "XShape": ("by_expert.xshape", [0, b, e, c, m])},
               axis=[1, 0, 2, 3])
    program.reshape("by_expert", [e, b, c, m], "received", [e, b * c, m], gradient=False)
    program.matmul("received", "first", "inner", [e, b * c, h], "Y")
    program.op("relu", {"X": "inner"}, {"Out": ("hidden", [e, b * c, h])}, "X")
    program.matmul("hidden", "second", "outer", [e, b * c, m], "X Y")
    program.reshape("outer", [e, b * c, m], "outer4", [e, b, c, m])
    program.transpose("outer4", [e, b, c, m], "by_token", [b, e, c, m])
    program.reshape("by_token", [b, e, c, m], "returned", [b, e * c, m])
    program.matmul("routes", "returned", "combined", [b, s, m], "Y")
    program.op("elementwise_mul", {"X": "probabilities", "Y": "mask"}, {"Out": ("chosen", [b, s, e])}, "X", axis=-1)
    program.op("reduce_sum", {"X": "chosen"}, {"Out": ("weight", [b, s, 1])}, "X", dim=[-1], keep_dim=True, reduce_all=False)
    program.op("elementwise_mul", {"X": "combined", "Y": "weight"}, {"Out": ("weighted", [b, s, m])}, "X Y", axis=-1)
    program.op("elementwise_add", {"X": "weighted", "Y": "x"}, {"Out": ("out", [b, s, m])}, "X", axis=-1)
    program.op("elementwise_sub", {"X": "out", "Y": "target"}, {"Out": ("error", [b, s, m])}, "X", axis=-1)
    program.op("square", {"X": "error"}, {"Out": ("squares", [b, s, m])}, "X")
    program.op("reduce_mean", {"X": "squares"}, {"Out": ("loss", [])}, "X", dim=[0], keep_dim=False, reduce_all=True)


def write(root):
    random.seed(5)
    draw = lambda count, size: [round(random.uniform(-size, size) * 256) / 256 for _ in range(count)]
    case = Case(root, "moe_sgd")
    tokens = [BATCH, LENGTH, WIDTH]
    dims = {"gate": [WIDTH, EXPERTS], "first": [EXPERTS, WIDTH, HIDDEN], "second": [EXPERTS, HIDDEN, WIDTH]}
    parameters = {name: draw(product(of), 2.0 if name == "gate" else 0.5) for name, of in dims.items()}
    case.variable("x", "FP32", tokens)
    case.variable("target", "FP32", tokens)
    case.feeds = ["x", "target"]
    for name, of in dims.items():
        case.parameter(name, ("FP32", of), ("FP32", of), list(parameters[name]))
    case.parameter("rate", ("FP32", [1]), ("FP32", [1]), [RATE])
    case.fetches = ["loss"]
    program = Program(case)
    route(program)
    compute(program)
    program.finish("loss", dims)
    for i in range(STEPS):
        x, target = draw(product(tokens), 1.0), draw(product(tokens), 1.0)
        case.inputs[f"step{i}/x"], case.inputs[f"step{i}/target"] = ("FP32", tokens, x), ("FP32", tokens, target)
        case.expected[f"step{i}/loss"] = ("FP32", [], [loss_of(parameters, x, target)])
        parameters = step(parameters, x, target)
    for name, of in dims.items():
        case.expected[f"final/{name}"] = ("FP32", of, parameters[name])
    case.meta = {"kind": "training", "training": True, "steps": STEPS, "loss": "loss",
                 "param_grad": {name: name + "@GRAD" for name in dims}, "persistables": [*dims, "rate"]}
    case.write(rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "training")
