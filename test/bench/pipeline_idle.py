#!/usr/bin/env python3
"""Idle time of pipeline schedules on simulated ranks, beside the schedule's own estimate.

    test/bench/training_peer.py make layers FOLDER           with the Python of a Paddle 2.6.2 (training.py)
    test/bench/pipeline_idle.py --tools build/release/bin FOLDER

The program has equal layers, so that all stages have equal work. The trace of a step (proa-run --profile) has the steps
of all ranks, with their jobs (F0, B0, W0, update) after their lines. The idle time of the step is its time, from the
first step of a rank to its last one, without the work of the busiest rank. The estimate is the simulation of the same
order of jobs (proa-plan --schedule) with the mean times of F, B and W of each stage, and the time of the optimizer of
each rank, in the same trace: so it has one time for all micro-batches, and no links. Times of receives are idle time.

Each rank needs an idle core. Of several rounds the one with the median difference counts."""

import argparse
import collections
import json
import os
import re
import statistics
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
    time between two steps counts to the second one, and that of steps before the first job to this job."""
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


def complete(order):
    """The order with jobs B without steps, which the first stage may have: no stage needs the gradient of its input."""
    whole = []
    for job in order:
        missing = job.replace("W", "B", 1)
        if job.startswith("W") and missing not in order:
            whole.append(missing)
        whole.append(job)
    return whole


def schedule_text(ranks, placement):
    """The order of jobs of a trace, in the form that proa-plan reads, and the number of chunks."""
    orders = [complete(rank.order) for rank in ranks]
    jobs = [[split_job(job) for job in order] for order in orders]
    chunks = 1 + max(chunk for order in jobs for _, _, chunk in order)
    batches = 1 + max(batch for order in jobs for _, batch, _ in order)
    head = f"ranks={len(ranks)} microbatches={batches}"
    if chunks > 1:
        head += f" chunks={chunks} placement={placement}"
    return "\n".join([head] + [f"{i}: {' '.join(order)}" for i, order in enumerate(orders)]) + "\n", chunks


def mean_times(rank, chunk):
    """Of F, B and W. Of a job BW the sum is that of B."""
    found = collections.defaultdict(list)
    for job, time in rank.times.items():
        kind, _, own = split_job(job)
        if own == chunk:
            found[kind].append(time)
    means = {kind: statistics.mean(times) for kind, times in found.items()}
    return means["F"], means.get("BW", 0) + means.get("B", 0), means.get("W", 0)


def estimated(tools, ranks, placement, folder):
    """Idle time by the simulation of the order of the trace, in milliseconds."""
    text, chunks = schedule_text(ranks, placement)
    path = os.path.join(folder, "schedule.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    times = []
    for stage in range(chunks * len(ranks)):
        chunk, position = divmod(stage, len(ranks))
        rank = len(ranks) - 1 - position if placement == "v" and chunk % 2 else position
        update = ranks[rank].update / chunks
        times += ["--times", ",".join(f"{time:.6f}" for time in (*mean_times(ranks[rank], chunk), update))]
    return json.loads(run([f"{tools}/proa-plan", "--schedule", path, *times, "--json"]))["idle"]


def measure(arguments, schedule, folder):
    trace = os.path.join(folder, "trace.json")
    run([f"{arguments.tools}/proa-run", arguments.folder, "--threads", "1", "--simulate-mesh", "--strategy",
         f"pp{arguments.ranks},{schedule},acc{arguments.micro_batches}", "--repeat", str(arguments.repeat), "--json",
         f"--profile={trace}"])
    ranks = read_trace(trace)
    step = max(rank.period for rank in ranks)
    work = max(sum(rank.times.values()) + rank.update for rank in ranks)
    placement = "roundrobin" if schedule == "interleaved" else "v"
    return Round(step, work, step - work, estimated(arguments.tools, ranks, placement, folder))


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
