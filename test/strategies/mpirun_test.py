#!/usr/bin/env python3
"""Runs programs of the corpus under mpirun: results, states after training, and faults of one rank.

usage: mpirun_test.py PROA_RUN PROA_CHECK CORPUS
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import processes
from processes import expect, finish, mpirun
from weights import floats_of, largest_difference

MODELS = [("models/nlp/gpt", "mp2", 2), ("models/nlp/llama", "dp2,mp2", 4), ("models/vision/resnet18", "dp2", 2)]
TRAINING = [("training/gpt_sgd", "dp2,mp2", 4), ("training/gpt_sgd", "pp2,dp2,1f1b", 4),
            ("training/gpt_sgd", "pp2,auto,mem160KB", 2),
            ("training/llama_sgd", "mp2,sp", 2),
            ("training/mlp_adamw", "dp2,zero3", 2), ("training/bert_mlm_adamw", "dp2,zero1", 2)]

# Cases of proa-check on 2 ranks.
CASES = ["training/mlp_adamw", "training/mlp_sgd", "training/mlp_sgd_l2", "models/nlp/gpt"]

PROA_RUN, PROA_CHECK, CORPUS = sys.argv[1:4]


def ranks_left():
    """Processes of proa-run that this test has started."""
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                is_run = file.read().split(b"\0")[0].decode() == PROA_RUN
            with open(f"/proc/{pid}/environ", "rb") as file:
                if is_run and f"PROA_MPIRUN_TEST={os.getpid()}".encode() in file.read():
                    left.append(int(pid))
        except OSError:
            pass
    return left


def check_results(folder):
    for model, strategy, ranks in MODELS:
        code, output, _ = finish(mpirun(ranks, PROA_RUN, f"{CORPUS}/{model}", "--strategy", strategy, "--expect"))
        expect(code == 0 and "PASS" in output, f"{model} {strategy} on {ranks} ranks", output)
    for program, strategy, ranks in TRAINING:
        one, several = f"{folder}/one.safetensors", f"{folder}/several.safetensors"
        subprocess.run([PROA_RUN, f"{CORPUS}/{program}", "-q", "--save-params", one], check=True, capture_output=True)
        code, output, _ = finish(mpirun(ranks, PROA_RUN, f"{CORPUS}/{program}", "--strategy", strategy, "-q",
                                        "--save-params", several))
        difference = largest_difference(floats_of(several), floats_of(one)) if code == 0 else -1
        expect(code == 0 and 0 <= difference < 1e-3, f"{program} {strategy} on {ranks} ranks: {difference:.1e}", output)
        for path in (one, several):
            if os.path.exists(path):
                os.remove(path)


def check_plans(folder):
    """proa-run --plan: losses of one device, and another number of processes than the plan has."""
    plan, model = f"{folder}/plan.json", f"{CORPUS}/training/mlp_adamw"
    for strategy in ("pp2,zbh1,acc4,cut4", "dp2,zero1"):
        with open(plan, "w", encoding="utf-8") as file:
            json.dump({"strategy": strategy, "devices": 2}, file)
        code, output, _ = finish(mpirun(2, PROA_RUN, model, "--plan", plan, "--steps", "3", "--expect", "-q"))
        expect(code == 0 and output.count(": PASS") == 3, f"a plan with {strategy} on 2 ranks", output)
    code, output, _ = finish(mpirun(3, PROA_RUN, model, "--plan", plan, "-q"))
    expect(code != 0 and output.count("it has 2 devices, but 3 processes run") == 1, "a plan for 2 ranks on 3", output)


def check_faults(folder):
    model = f"{CORPUS}/training/gpt_sgd"
    broken = f"{folder}/broken"
    shutil.copytree(model, broken)
    with open(f"{broken}/params.safetensors", "r+b") as file:
        file.truncate(5000)
    written = f"{folder}/result.safetensors"

    def on_rank_1(other):
        """proa-run with the model, and with another one on rank 1."""
        choice = f'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then M={other}; else M={model}; fi'
        return mpirun(2, "bash", "-c", f"{choice}; exec {PROA_RUN} $M --strategy dp2 -q -o {written}")

    for what, process, message in [
            ("truncated weights", on_rank_1(broken), "rank 1"),
            ("another program", on_rank_1(f"{CORPUS}/training/mlp_sgd"), "rank"),
            ("a wrong number of ranks", mpirun(3, PROA_RUN, model, "--strategy", "dp2", "-q", "-o", written),
             "it has 2 devices, but 3 processes run")]:
        code, output, seconds = finish(process)
        expect(code != 0 and seconds < 30 and message in output and "error:" in output and not os.path.exists(written),
               f"{what}: ends in {seconds:.1f} s", output)
    process = mpirun(2, PROA_RUN, model, "--strategy", "dp2", "-q", "--repeat", "100000000")
    time.sleep(6)
    ranks = ranks_left()
    if ranks:
        os.kill(max(ranks), signal.SIGKILL)
    code, output, seconds = finish(process, 30)
    expect(ranks and code != 0 and seconds < 10 and "all_reduce" in output,
           f"a killed rank: ends in {seconds:.1f} s", output)
    time.sleep(0.5)
    expect(not ranks_left(), "no process is left", str(ranks_left()))


def check_cases(folder):
    """proa-check: a case that fails on one rank fails, the others pass, and rank 0 reports."""
    whole, broken, report = f"{folder}/whole", f"{folder}/truncated", f"{folder}/report.json"
    for tree in (whole, broken):
        for case in CASES:
            shutil.copytree(f"{CORPUS}/{case}", f"{tree}/{case}")
    command = [PROA_CHECK, ".", "--strategy", "dp2", "--json", report]
    code, output, _ = finish(mpirun(2, "bash", "-c", f"cd {whole} && exec {' '.join(command)}"))
    with open(report, encoding="utf-8") as file:
        is_report = len(json.load(file)["cases"]) == len(CASES)
    expect(code == 0 and output.count(f"{len(CASES)} passed, 0 failed") == 1 and is_report,
           "proa-check on 2 ranks", output)
    with open(f"{broken}/{CASES[0]}/params.safetensors", "r+b") as file:
        file.truncate(3000)
    for file in ("inputs", "expected"):
        os.remove(f"{broken}/{CASES[1]}/{file}.safetensors")
    choice = f'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then cd {broken}; else cd {whole}; fi'
    code, output, _ = finish(mpirun(2, "bash", "-c", f"{choice}; exec {' '.join(command)}"))
    expect(code == 1 and output.count(f"{len(CASES) - 2} passed, 2 failed") == 1
           and f"FAIL {CASES[0]}: import: rank 1: " in output and f"FAIL {CASES[1]}: " in output,
           "proa-check with files that one rank lacks", output)
    command = [PROA_CHECK, f"{CORPUS}/training/mlp_sgd", "--strategy", "dp2", "--timeout", "0.05"]
    code, output, seconds = finish(mpirun(2, *command))
    expect(code != 0 and seconds < 10 and "mlp_sgd: time-out after 0.1 s" in output, "proa-check: a time limit", output)


def check_messages():
    """Errors of all ranks are printed once."""
    for command, message in [([PROA_RUN, "/none", "--strategy", "dp2"], "found no such file or folder"),
                             ([PROA_RUN, "/none", "--strategy", "dp2", "--foo"], "unknown option '--foo'"),
                             ([PROA_RUN, f"{CORPUS}/models/nlp/gpt", "--strategy", "dp2x"], "unknown component 'dp2x'"),
                             ([PROA_RUN, f"{CORPUS}/models/nlp/bert", "--mesh", "dp=2", "--duration", "1"],
                              "would end after different runs"),
                             ([PROA_CHECK, "/none", "--strategy", "dp2"], "the directory does not exist")]:
        code, output, _ = finish(mpirun(2, *command))
        expect(code != 0 and output.count("error:") == 1 and message in output, f"one error: {message}", output)


def main():
    if not shutil.which("mpirun"):
        print("mpirun is not installed")
        return processes.SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check_results(folder)
        check_plans(folder)
        check_messages()
        check_cases(folder)
        check_faults(folder)
    return 1 if processes.failures else 0


if __name__ == "__main__":
    sys.exit(main())
