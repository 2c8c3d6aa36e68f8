#!/usr/bin/env python3
"""Runs pairs and triples of parallel strategies on training programs, and writes or checks docs/strategies.md.

usage: matrix.py PROA_CHECK CORPUS PAGE [--update]

Each cell runs three training steps of the programs below on simulated ranks, and compares losses, parameters and
states of optimizers with Paddle's on one device (with the tolerances of --amp for mixed precision). A cell says
"passed", or why the pair is not run. Exit code 1: a cell failed, or the page differs.
"""
import argparse
import concurrent.futures
import subprocess
import sys

# Names in the page, and the parts of the strategy.
FEATURES = [
    ("AMP O1", ["amp"]), ("AMP O2", ["amp2"]), ("recompute", ["recompute"]), ("accumulation", ["acc2"]),
    ("DP", ["dp2"]), ("TP", ["mp2"]), ("SP", ["mp2", "sp"]), ("CP", ["cp2"]), ("EP", ["ep2"]),
    ("ZeRO 1", ["dp2", "zero1"]), ("ZeRO 2", ["dp2", "zero2"]), ("ZeRO 3", ["dp2", "zero3"]), ("PP", ["pp2"]),
]
TRIPLES = [
    ("AMP O1", "DP", "ZeRO 2"), ("AMP O2", "TP", "recompute"), ("DP", "TP", "accumulation"),
    ("TP", "SP", "recompute"), ("DP", "EP", "AMP O1"), ("DP", "CP", "ZeRO 3"), ("PP", "DP", "TP"),
    ("PP", "TP", "SP"), ("PP", "DP", "ZeRO 2"),
]
PROGRAMS = ["training/gpt_sgd", "training/llama_adamw", "training/mlp_adamw", "../cases/training/moe_sgd"]
# A program that one device cannot run on micro-batches either: its labels are not divided like its tokens.
WITHOUT_ACCUMULATION = {"training/llama_adamw"}

INTRODUCTION = """# Which strategies of parallel training combine

All of them, except two stages of ZeRO and two levels of mixed precision ("same feature"). "passed": three steps of
`{programs}` on 1 to 8 simulated ranks end with the losses, parameters
and optimizer states of one device. `test/strategies/matrix.py` runs the cells and writes this page; CI repeats it.

[dist/strategies.md](dist/strategies.md) describes the components. `moe_sgd` has experts; in the others EP splits
nothing.
"""


def reason(names):
    """Why a set of features is not run; empty if it is."""
    zero = [name for name in names if name.startswith("ZeRO")]
    amp = [name for name in names if name.startswith("AMP")]
    return "same feature" if len(set(zero)) > 1 or len(set(amp)) > 1 else ""


def strategy(names):
    parts = dict(FEATURES)
    return ",".join(dict.fromkeys(part for name in names for part in parts[name]))


def passes(check, corpus, programs, text):
    """Whether programs pass with a strategy; prints the failures."""
    folders = [f"{corpus}/{program}" for program in programs]
    done = subprocess.run([check, *folders, f"--strategy={text}", "--no-optimize", "--jobs", "1", "--timeout", "300"],
                          capture_output=True, text=True)
    if done.returncode == 0 and f"{len(folders)} passed, 0 failed" in done.stdout:
        return True
    failures = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith(("FAIL", "error"))]
    print(f"{text}: " + "\n  ".join(failures or [done.stdout + done.stderr]), file=sys.stderr)
    return False


def run(check, corpus, names):
    """The text of a cell."""
    if text := reason(names):
        return text
    divided = [program for program in PROGRAMS if program not in WITHOUT_ACCUMULATION]
    whole = [program for program in PROGRAMS if program in WITHOUT_ACCUMULATION]
    if "accumulation" in names:
        groups = [(divided, "")]
    elif "PP" in names:  # stages run micro-batches
        groups = [(divided, ""), (whole, ",acc1")]
    else:
        groups = [(PROGRAMS, "")]
    return "passed" if all([passes(check, corpus, programs, strategy(names) + more) for programs, more in groups]) \
        else "FAILED"


def page_of(check, corpus):
    names = [name for name, _ in FEATURES]
    cells = {frozenset([a, b]): (a, b) for i, a in enumerate(names) for b in names[i:]}
    cells |= {frozenset(triple): triple for triple in TRIPLES}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = dict(zip(cells, pool.map(lambda features: run(check, corpus, features), cells.values())))
    lines = [INTRODUCTION.format(programs="`, `".join(program.split("/")[-1] for program in PROGRAMS)), "## Pairs\n"]
    lines.append("The diagonal is one feature alone.\n")
    lines.append("| | " + " | ".join(names) + " |\n" + "|---" * (len(names) + 1) + "|")
    for i, a in enumerate(names):
        row = [texts[frozenset([a, b])] if j <= i else "" for j, b in enumerate(names)]
        lines.append(f"| {a} | " + " | ".join(row) + " |")
    lines.append("\n## Triples\n\n| strategy | `--strategy` | result |\n|---|---|---|")
    for triple in TRIPLES:
        lines.append(f"| {', '.join(triple)} | `{strategy(triple)}` | {texts[frozenset(triple)]} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check")
    parser.add_argument("corpus")
    parser.add_argument("page")
    parser.add_argument("--update", action="store_true", help="writes the page")
    arguments = parser.parse_args()
    page = page_of(arguments.check, arguments.corpus)
    if arguments.update:
        with open(arguments.page, "w", encoding="utf-8") as file:
            file.write(page)
    else:
        with open(arguments.page, encoding="utf-8") as file:
            if file.read() != page:
                print(f"{arguments.page} is out of date: run matrix.py with --update", file=sys.stderr)
                return 1
    return 1 if "FAILED" in page else 0


sys.exit(main())
