#!/usr/bin/env python3
"""Mixed precision with loss scaling on the stages of a pipeline: after three steps the states equal one device, also
if gradients are not finite, so that all stages omit an update and the scale changes.

usage: amp_stages_test.py PROA_RUN CORPUS
"""
import os
import subprocess
import sys
import tempfile

from weights import floats_of, largest_difference

# Options, and the largest difference of states. O1 has the bits of one device. With O2 values between kernels are in 16
# bits, and stages have other kernels than one device.
PRECISIONS = {
    "float16 with an overflow": (["--amp", "O1", "--loss-scale", "dynamic", "--set", "loss_scaling=1e38"], 0),
    "float16, O2": (["--amp", "O2", "--loss-scale", "1024"], 1e-2),
    "bfloat16, O2": (["--amp", "O2", "--bf16"], 1e-1),
}
STRATEGIES = ["pp2,zbh1,acc2", "pp4,1f1b,acc4", "pp2,mp2,acc2", "pp2,dp2,zero1,acc2"]


def states_of(run, program, options, path):
    subprocess.run([run, program, "--cache", "off", "--steps", "3", "-q", "--save-params", path, *options], check=True,
                   capture_output=True)
    return floats_of(path)


def main():
    run, corpus = sys.argv[1:3]
    program = os.path.join(corpus, "training/mlp_adam")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "states.safetensors")
        for name, (precision, largest) in PRECISIONS.items():
            expected = states_of(run, program, precision, path)
            scale = expected.get("loss_scaling")
            for strategy in STRATEGIES:
                actual = states_of(run, program, [*precision, "--strategy", strategy, "--simulate-mesh"], path)
                difference = largest_difference(actual, expected)
                is_right = actual.keys() == expected.keys() and difference <= largest
                is_right &= actual.get("loss_scaling") == scale
                print(f"{name}, {strategy}: {difference:.2e}" + ("" if is_right else " FAILED"))
                failures += not is_right
            if "overflow" in name and scale[0] >= 1e38:
                print("no update was omitted: the test has no overflow")
                failures += 1
    return 1 if failures else 0


sys.exit(main())
