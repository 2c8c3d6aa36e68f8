#!/usr/bin/env python3
"""Writes a legacy program whose ops have devices, as paddle.static.device_guard gives them.

usage: give_devices.py PROGRAM OUTPUT FIRST-LAST=DEVICE...

FIRST and LAST are indices of ops of block 0.
"""
import json
import re
import sys


def main():
    source, output, *ranges = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        program = json.load(file)
    ops = program["blocks"][0]["ops"]
    for text in ranges:
        first, last, device = re.fullmatch(r"(\d+)-(\d+)=(.*)", text).groups()
        for op in ops[int(first):int(last) + 1]:
            op["attrs"] = [attribute for attribute in op["attrs"] if attribute["name"] != "op_device"]
            op["attrs"].append({"name": "op_device", "type": "STRING", "s": device})
    with open(output, "w", encoding="utf-8") as file:
        json.dump(program, file)


main()
