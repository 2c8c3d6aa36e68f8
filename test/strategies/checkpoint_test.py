#!/usr/bin/env python3
"""Trainings that save checkpoints, are killed, and resume under another strategy.

usage: checkpoint_test.py PROA_RUN PROA_CHECKPOINT CORPUS [KILLS]

KILLS is the number of moments at which a training is killed (default: 4).
"""
import json
import os
import random
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import processes
from processes import expect, finish, mpirun
from weights import floats_of, largest_difference

PROA_RUN, PROA_CHECKPOINT, CORPUS = sys.argv[1:4]
KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else 4
STEPS = 6
INDEX = "model.safetensors.index.json"

# Program, strategy until the training ends early, strategy that resumes it. "" is one device.
PAIRS = [("training/mlp_adamw", "", ""), ("training/mlp_adamw", "dp2,zero1", "mp2"),
         ("training/mlp_adamw", "dp2,mp2", ""), ("training/gpt_sgd", "dp2,mp2", "dp2,zero3"),
         ("training/mlp_noam", "", "dp2"), ("training/mlp_loss_scaling_dynamic", "dp2,zero1", "dp2"),
         ("training/mlp_adamw", "dp2,zero3", "dp4,zero2"), ("../cases/training/moe_sgd", "dp2,ep2", "dp2,zero3"),
         ("../cases/training/moe_sgd", "mp2", "ep2"), ("training/mlp_adamw", "pp2,1f1b,acc2", "dp2,zero3"),
         ("training/mlp_adamw", "mp2", "pp2,dp2,zbh1,acc2")]


def command(program, strategy, *options):
    simulated = ["--strategy", strategy, "--simulate-mesh"] if strategy else []
    return [PROA_RUN, f"{CORPUS}/{program}", "-q", *simulated, *options]


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def step_of(folder):
    with open(f"{folder}/{INDEX}", encoding="utf-8") as file:
        return json.load(file)["metadata"]["proa"]["training"]["step"]


def whole_state(folder, checkpoint):
    path = f"{folder}/whole.safetensors"
    code, output = run(PROA_CHECKPOINT, "convert", checkpoint, path)
    expect(code == 0, "convert to one file", output)
    return floats_of(path)


def check_pairs(folder):
    for program, first, second in PAIRS:
        straight, stopped = f"{folder}/straight", f"{folder}/stopped"
        code, output = run(*command(program, "", "--steps", str(STEPS), "--save-checkpoint", straight))
        expect(code == 0, f"{program}: {STEPS} steps", output)
        code, output = run(*command(program, first, "--steps", "4", "--save-checkpoint", stopped, "--every", "3"))
        expect(code == 0 and step_of(stopped) == 4, f"{program}: 4 steps of '{first}'", output)
        code, output = run(*command(program, second, "--steps", str(STEPS), "--save-checkpoint", stopped, "--resume"))
        expect(code == 0 and step_of(stopped) == STEPS, f"{program}: resumed as '{second}'", output)
        if first == second == "":
            code, output = run(PROA_CHECKPOINT, "diff", straight, stopped)
            expect(code == 0 and "equal" in output, f"{program}: the same bits", output)
        else:
            difference = largest_difference(whole_state(folder, stopped), whole_state(folder, straight))
            expect(difference < 1e-3, f"{program}: '{first}' then '{second}': {difference:.1e}", "")
        run("rm", "-r", straight, stopped)


def check_random_state(folder):
    """The numbers of random ops continue where they stopped."""
    program = f"{folder}/dropout"
    os.mkdir(program)
    with open(f"{program}/main.mlir", "w", encoding="utf-8") as file:
        file.write('''func.func @main(%x: tensor<8xf32> {pd.feed = "x"}, %w: tensor<8xf32> {pd.param = "w"})
    -> (tensor<f32> {pd.fetch = "loss"}, tensor<8xf32> {pd.state = "w"}) {
  %r = pd.uniform {dtype = f32, shape = array<i64: 8>} : () -> tensor<8xf32>
  %y = pd.add %w, %r : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %z = pd.add %y, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %loss = pd.sum %z {axis = array<i64: 0>} : (tensor<8xf32>) -> tensor<f32>
  return %loss, %z : tensor<f32>, tensor<8xf32>
}
''')
    base = [PROA_RUN, f"{program}/main.mlir", "-q", "--inputs", "random:0", "--seed", "5"]
    straight, stopped = f"{folder}/straight", f"{folder}/stopped"
    code, output = run(*base, "--steps", "5", "--save-checkpoint", straight)
    expect(code == 0, "random ops: 5 steps", output)
    run(*base, "--steps", "2", "--save-checkpoint", stopped)
    code, output = run(*base, "--steps", "5", "--save-checkpoint", stopped, "--resume")
    expect(code == 0, "random ops: resumed", output)
    code, output = run(PROA_CHECKPOINT, "diff", straight, stopped)
    expect(code == 0, "random ops: the same bits and the same random state", output)
    run("rm", "-r", straight, stopped)


def check_processes(folder):
    program, stopped, straight = "training/mlp_adamw", f"{folder}/stopped", f"{folder}/straight"
    run(*command(program, "", "--steps", str(STEPS), "--save-checkpoint", straight))
    code, output, _ = finish(mpirun(4, PROA_RUN, f"{CORPUS}/{program}", "-q", "--strategy", "dp2,mp2", "--steps", "4",
                                    "--save-checkpoint", stopped, "--every", "1"))
    files = len(os.listdir(stopped)) - 1
    expect(code == 0 and step_of(stopped) == 4 and files == 4, "4 processes write 4 files", output)
    code, output, _ = finish(mpirun(2, PROA_RUN, f"{CORPUS}/{program}", "-q", "--strategy", "dp2,zero1", "--steps",
                                    str(STEPS), "--save-checkpoint", stopped, "--resume"))
    expect(code == 0 and step_of(stopped) == STEPS, "2 processes resume", output)
    difference = largest_difference(whole_state(folder, stopped), whole_state(folder, straight))
    expect(difference < 1e-3, f"states after 4 and 2 processes: {difference:.1e}", "")
    with open(f"{stopped}/{sorted(os.listdir(stopped))[0]}", "r+b") as file:
        file.truncate(200)
    code, output, seconds = finish(mpirun(2, PROA_RUN, f"{CORPUS}/{program}", "-q", "--strategy", "dp2", "--steps",
                                          "9", "--save-checkpoint", stopped, "--resume"))
    expect(code != 0 and "was truncated" in output and seconds < 60, "a truncated file ends all processes", output)
    run("rm", "-r", straight, stopped)


def check_kills(folder):
    """A training that is killed at any moment leaves a whole checkpoint, and ends as one that was not killed."""
    program, killed, straight = "training/mlp_adamw", f"{folder}/killed", f"{folder}/straight"
    steps = 400
    base = command(program, "", "--steps", str(steps), "--every", "1", "--save-checkpoint")
    start = time.time()
    code, output = run(*base, straight)
    expect(code == 0, f"{steps} steps", output)
    whole = time.time() - start
    moments, saves = random.Random(7), set()
    for kill in range(KILLS):
        process = subprocess.Popen(base + [killed, "--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(whole * moments.uniform(0.05, 0.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if not os.path.exists(f"{killed}/{INDEX}"):
            continue
        step = step_of(killed)
        saves.add(step)
        code, output = run(PROA_CHECKPOINT, "verify", killed)
        expect(code == 0, f"kill {kill + 1}: the checkpoint of step {step} is whole", output)
        if step > 0.7 * steps and kill + 1 < KILLS:
            run("rm", "-r", killed)  # else later kills find a training that has ended
    expect(len(saves) > KILLS // 2, f"checkpoints of {len(saves)} steps were found after {KILLS} kills", "")
    code, output = run(*base, killed, "--resume")
    expect(code == 0, "the killed training ends", output)
    code, output = run(PROA_CHECKPOINT, "diff", straight, killed)
    expect(code == 0, "the killed training has the same bits", output)
    left = [name for name in os.listdir(killed) if name != INDEX]
    expect(len(left) == 1, "files of other saves are removed", str(left))


def limited_file_size():
    """Files of this process have at most 4 KiB. Writing more is an error, not a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def check_full_disk(folder):
    """A save without space is an error, and leaves the previous checkpoint."""
    stopped = f"{folder}/stopped"
    base = command("training/mlp_adamw", "", "--cache", "off", "--every", "1", "--resume", "--save-checkpoint")
    run(*base, stopped, "--steps", "2")
    done = subprocess.run(base + [stopped, "--steps", "5"], capture_output=True, text=True, check=False,
                          preexec_fn=limited_file_size)
    expect(done.returncode == 1 and f"{stopped}/model-" in done.stderr and "File too large" in done.stderr,
           "a limit of the file size is an error", done.stderr)
    code, output = run(PROA_CHECKPOINT, "verify", stopped)
    expect(code == 0 and step_of(stopped) == 2, "the previous checkpoint is whole", output)
    # A file system with room for one checkpoint, but not for two.
    page = 4096
    size = sum(-(-file.stat().st_size // page) * page for file in os.scandir(stopped)) + page
    run("rm", "-r", stopped)
    steps = " && ".join(shlex.join(base + [f"{folder}/small", "--steps", str(count)]) for count in (1, 9))
    verify = shlex.join([PROA_CHECKPOINT, "verify", f"{folder}/small"])
    os.mkdir(f"{folder}/small")
    mount = shlex.join(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", f"{folder}/small"])
    done = subprocess.run(["unshare", "-rm", "sh", "-c", f"{mount} || exit 77; {{ {steps}; }}; {verify}"],
                          capture_output=True, text=True, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        print("skipped: no small file system can be mounted")
        return
    expect("No space left on device" in done.stderr and f"{folder}/small/model" in done.stderr,
           "a full disk is an error", done.stderr)
    expect(done.returncode == 0 and "whole" in done.stdout, "the previous checkpoint is whole", done.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_pairs(folder)
        check_random_state(folder)
        check_full_disk(folder)
        check_kills(folder)
        if subprocess.run(["which", "mpirun"], capture_output=True, check=False).returncode == 0:
            check_processes(folder)
    sys.exit(1 if processes.failures else 0)


main()
