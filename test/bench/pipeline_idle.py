#!/usr/bin/env python3
"""Idle time of pipeline schedules on simulated ranks, beside the schedule's own estimate.

    test/bench/training_peer.py make layers FOLDER           with the Python of a Paddle 2.6.2 (training.py)
    test/bench/pipeline_idle.py --tools build/release/bin FOLDER

The program has equal layers, so that all stages have equal work. The trace of a step (proa-run --profile) has the steps
of all ranks, with their jobs (F0, B0, W0, update) after their lines. The idle time of the step is its time, from the
first step of a rank to its last one, without the work of the busiest rank. The estimate is the idle time of the same
order of jobs, where each job takes the time that it took in this trace and results move in no time: what is left is
the time of messages and of waking threads. The last weight gradients contain the update of their parameters, so jobs
of one kind differ: means of F, B and W (proa-plan --schedule --times) do not give the idle time.

Each rank needs an idle core. Of several rounds the one with the median difference counts."""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

SCHEDULES = ("fthenb", "1f1b", "eager1f1b", "interleaved", "zbh1", "zbh2", "zbv", "vhalf", "vmin", "auto")
UPDATE = "update"

Rank = collections.namedtuple("Rank", "order times update period")
Round = collections.namedtuple("Round", "step work idle estimate")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def is_receive(event):
    return event["cat"] == "wait" or event["name"] == "recv"


def read_rank(events):
    """The jobs of a rank in their order with their milliseconds. A kernel of several jobs counts to the last one; the
    time between two steps counts to the second one, and steps before the first job to this job."""
    order, times, early = [], collections.Counter(), 0
    end = begin = events[0]["ts"]
    for event in events:
        own = event["ts"] + event["dur"] - end
        end = event["ts"] + event["dur"]
        if is_receive(event):
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
                (end - begin) / 1e3)


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


def stage_of(chunk, rank, ranks, placement):
    """The stage of a rank's chunk: "v" alternates the direction, "roundrobin" does not."""
    return chunk * ranks + (ranks - 1 - rank if placement == "v" and chunk % 2 else rank)


def needs(kind, micro_batch, stage, stages):
    """The jobs of the same micro-batch, with their stages, that a job waits for. A stage has B and W, or BW."""
    if kind == "F":
        return [("F", micro_batch, stage - 1)] if stage else []
    if kind == "W":
        return [("B", micro_batch, stage)]
    last = stage + 1 == stages
    following = [] if last else [("B", micro_batch, stage + 1), ("BW", micro_batch, stage + 1)]
    return [("F", micro_batch, stage)] + following


def estimated(ranks, placement):
    """Idle time of the order of the trace in milliseconds, if each job takes its own time, and a result is there when
    its job ends."""
    jobs = [[split_job(job) for job in rank.order] for rank in ranks]
    stages = len(ranks) * (1 + max(chunk for order in jobs for _, _, chunk in order))
    names = {(kind, batch, stage_of(chunk, i, len(ranks), placement))
             for i, order in enumerate(jobs) for kind, batch, chunk in order}
    ends, clocks, following = {}, [0.0] * len(ranks), [0] * len(ranks)
    while any(following[i] < len(order) for i, order in enumerate(jobs)):
        before = list(following)
        for i, order in enumerate(jobs):
            while following[i] < len(order):
                kind, batch, chunk = order[following[i]]
                stage = stage_of(chunk, i, len(ranks), placement)
                waited = [job for job in needs(kind, batch, stage, stages) if job in names]
                if not all(job in ends for job in waited):
                    break
                start = max([clocks[i]] + [ends[job] for job in waited])
                clocks[i] = ends[kind, batch, stage] = start + ranks[i].times[ranks[i].order[following[i]]]
                following[i] += 1
        if before == following:
            sys.exit("the jobs of the trace wait for each other")
    step = max(clock + rank.update for clock, rank in zip(clocks, ranks))
    return step - max(sum(rank.times.values()) + rank.update for rank in ranks)


def measure(arguments, schedule, folder):
    trace = os.path.join(folder, "trace.json")
    run([f"{arguments.tools}/proa-run", arguments.folder, "--threads", "1", "--simulate-mesh", "--strategy",
         f"pp{arguments.ranks},{schedule},acc{arguments.micro_batches}", "--repeat", str(arguments.repeat), "--json",
         f"--profile={trace}"])
    ranks = read_trace(trace)
    step = max(rank.period for rank in ranks)
    work = max(sum(rank.times.values()) + rank.update for rank in ranks)
    placement = "roundrobin" if schedule == "interleaved" else "v"
    return Round(step, work, step - work, estimated(ranks, placement))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="build/release/bin")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--micro-batches", type=int, default=4)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=9)
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
