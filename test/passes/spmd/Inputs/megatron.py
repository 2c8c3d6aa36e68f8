"""Writes a plan of tensor parallelism for dist-annotate.

usage: megatron.py LAYERS KINDS

KINDS has one letter for each linear_N of a layer: c splits columns (and the bias), r splits rows, - nothing.
"""
import json
import sys

layers, kinds = int(sys.argv[1]), sys.argv[2]
text = {"c": "[{}, {mp}]", "r": "[{mp}, {}]"}
shardings = [{"name": f"linear_{layer * len(kinds) + i}.w_0", "sharding": text[kind]}
             for layer in range(layers) for i, kind in enumerate(kinds) if kind in text]
print(json.dumps({"shardings": shardings}))
