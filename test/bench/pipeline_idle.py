#!/usr/bin/env python3
"""Idle time of pipeline schedules on simulated ranks, beside the schedule's own estimate.

    test/bench/training_peer.py make layers FOLDER           with the Python of a Paddle 2.6.2 (training.py)
    test/bench/pipeline_idle.py --tools build/release/bin FOLDER

The program has equal layers, so that all stages have equal work. The trace of a step (proa-run --profile) has the steps
of all ranks, with their jobs (F0, B0, W0, update) after their lines. The idle time of the step is its time, from the
first step of a rank to its last one, without the work of the busiest rank. The estimate comes from proa-plan
--schedule for the same order of jobs, from the first job to the last one (all ranks end a step before the next one
begins), where each job takes the time that it took in this trace, and a result the time of its bytes on the emulated
link (--link): what is left is the time of copies and of waking threads. The last weight gradients contain the update of
their parameters, so jobs of one kind differ: means of F, B and W (proa-plan --schedule --times) do not give the idle
time.

Each rank needs an idle core. Of several rounds the one with the median difference counts."""

import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile

SCHEDULES = ("fthenb", "1f1b", "eager1f1b", "interleaved", "zbh1", "zbh2", "zbv", "vhalf", "vmin", "auto")
UPDATE = "update"

Rank = collections.namedtuple("Rank", "order times update period message")
Round = collections.namedtuple("Round", "step work idle estimate")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def is_receive(event):
    return event["cat"] == "wait" or event["name"] == "recv"


def bytes_of(types):
    """The bytes of the results of a step, as "float32[64, 512]"."""
    sizes = re.findall(r"\D(\d+)\[([\d, ]*)\]", types.split("->")[-1])
    return sum(int(bits) // 8 * math.prod(int(dim) for dim in dims.split(",") if dim.strip()) for bits, dims in sizes)


def read_rank(events):
    """The jobs of a rank in their order with their milliseconds, and the bytes of its largest message. A kernel of
    several jobs counts to the last one; the time between two steps counts to the second one, and steps before the first
    job to this job."""
    order, times, early, message = [], collections.Counter(), 0, 0
    end = begin = events[0]["ts"]
    for event in events:
        own = event["ts"] + event["dur"] - end
        end = event["ts"] + event["dur"]
        if is_receive(event):
            message = max(message, bytes_of(event["args"]["types"]))
            continue
        jobs = re.findall(r"\(([^()]+)\)", event["args"]["location"])
        job = jobs[-1] if jobs else ""
        if not job:
            early += own
            continue
        if job not in times and job != UPDATE:
            order.append(job)
        times[job] += own + early
        early = 0
    return Rank(order, {job: time / 1e3 for job, time in times.items() if job != UPDATE}, times[UPDATE] / 1e3,
                (end - begin) / 1e3, message)


def read_trace(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    steps = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X" and event["tid"] == 1:
            steps[event["pid"]].append(event)
    return [read_rank(sorted(own, key=lambda event: event["ts"])) for _, own in sorted(steps.items())]


def split_job(job):
    kind, micro_batch, chunk = re.fullmatch(r"(BW|F|B|W)(\d+)(?:\.(\d+))?", job).groups()
    return kind, int(micro_batch), int(chunk or 0)


def schedule_text(ranks, placement):
    """The order of the trace with the times of its jobs, in the text form of docs/pipelines.md. The first stage has no
    input gradient: its B, which only waits, is not in the trace."""
    jobs = [split_job(job) for rank in ranks for job in rank.order]
    chunks, micro_batches = 1 + max(job[2] for job in jobs), 1 + max(job[1] for job in jobs)
    text = f"ranks={len(ranks)} microbatches={micro_batches}"
    text += f" chunks={chunks} placement={placement}\n" if chunks > 1 else "\n"
    for index, rank in enumerate(ranks):
        text += f"{index}:"
        for job in rank.order:
            if job.startswith("W") and "B" + job[1:] not in rank.order:
                text += f" B{job[1:]}=0"
            text += f" {job}={rank.times[job]}"
        text += f" update={rank.update}\n"
    return text


def measure(arguments, schedule, folder):
    trace = os.path.join(folder, "trace.json")
    run([f"{arguments.tools}/proa-run", arguments.folder, "--threads", "1", "--simulate-mesh", "--strategy",
         f"pp{arguments.ranks},{schedule},acc{arguments.micro_batches}", "--repeat", str(arguments.repeat), "--json",
         f"--profile={trace}"] + (["--emulate-link", "{}us,{}GB/s".format(*arguments.link)] if arguments.link else []))
    ranks = read_trace(trace)
    step = max(rank.period for rank in ranks)
    work = max(sum(rank.times.values()) + rank.update for rank in ranks)
    measured = os.path.join(folder, "measured.txt")
    with open(measured, "w", encoding="utf-8") as file:
        file.write(schedule_text(ranks, "roundrobin" if schedule == "interleaved" else "v"))
    latency, bandwidth = arguments.link or (0, 1)
    message = max(rank.message for rank in ranks) / bandwidth / 1e6 if arguments.link else 0
    own = json.loads(run([f"{arguments.tools}/proa-plan", "--schedule", measured, "--json", "--latency",
                          str(latency / 1e3 + message)]))
    estimate = own["first_to_last_job"] - max(rank["busy"] for rank in own["ranks"])
    return Round(step, work, step - work, estimate)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="build/release/bin")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--micro-batches", type=int, default=4)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--link", nargs=2, type=float, metavar=("MICROSECONDS", "GB_PER_SECOND"))
    parser.add_argument("--schedules", default=",".join(SCHEDULES))
    parser.add_argument("folder")
    arguments = parser.parse_args()
    print("| schedule | step ms | work ms | idle | estimate | difference of the work | rounds within 10 % |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for schedule in arguments.schedules.split(","):
            rounds = [measure(arguments, schedule, folder) for _ in range(arguments.rounds)]
            difference = lambda own: (own.idle - own.estimate) / own.work
            own = sorted(rounds, key=difference)[len(rounds) // 2]
            near = sum(abs(one.idle - one.estimate) <= 0.1 * one.estimate for one in rounds)
            print(f"| `{schedule}` | {own.step:.2f} | {own.work:.2f} | {own.idle / own.work:.1%} | "
                  f"{own.estimate / own.work:.1%} | {difference(own):+.1%} | {near} of {len(rounds)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
