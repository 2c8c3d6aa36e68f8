#!/usr/bin/env python3
"""Training programs on the stages of a pipeline: losses, parameters and states of optimizers after three steps are
Paddle's on one device, with each schedule, on simulated ranks.

usage: pipelines_test.py PROA_CHECK CORPUS
"""
import concurrent.futures
import subprocess
import sys

SCHEDULES = ["fthenb", "1f1b", "eager1f1b", "interleaved2", "zbh1", "zbh2", "zbv", "vhalf", "vmin", "auto"]
# Programs with a global norm, a tied weight, a finite check, and another program of the new IR.
PROGRAMS = ["training/mlp_clip_global_norm", "training/gpt_sgd", "training/mlp_loss_scaling_dynamic"]
# Optimizers and forms of gradients.
OPTIMIZERS = ["mlp_adadelta", "mlp_adagrad", "mlp_adam", "mlp_adamax", "mlp_adamw", "mlp_adamw_no_decay_bias",
              "mlp_clip_norm", "mlp_cosine", "mlp_gradient_merge", "mlp_lookahead", "mlp_momentum",
              "mlp_momentum_nesterov", "mlp_noam", "mlp_rmsprop_centered", "mlp_sgd", "mlp_sgd_l1", "mlp_sgd_l2",
              "mlp_warmup_piecewise"]
# With one micro-batch, because their dims follow from the batch, or for batch normalization.
WHOLE_BATCH = ["training/llama_adamw", "training/llama_sgd", "training/ernie_tokencls_adam",
               "training/cnn_bn_momentum", "training/word2vec_sgd", "../cases/training/recompute",
               "../cases/training/lstm_shared_weights", "../cases/training/moe_sgd"]


def jobs():
    for schedule in SCHEDULES:
        yield f"pp2,{schedule}", PROGRAMS
    for schedule in ["1f1b", "interleaved2", "zbv"]:
        yield f"pp4,{schedule},acc4", ["training/mlp_clip_global_norm", "training/mlp_adamw"]
        yield f"pp2,mp2,{schedule}", ["training/gpt_sgd", "training/mlp_adamw"]
        yield f"pp2,dp2,{schedule}", ["training/gpt_sgd", "training/mlp_adamw"]
    # Searched schedules: with a limit that one chunk for each rank exceeds, with another number of chunks, with cuts.
    yield "pp2,auto,mem160KB", ["training/gpt_sgd"]
    yield "pp4,auto,acc8", ["training/mlp_adamw"]
    yield "pp2,dp2,auto2", ["training/gpt_sgd", "training/mlp_adamw"]
    yield "pp2,auto,acc4,cut4", ["training/mlp_adamw"]
    yield "pp2,dp2,mp2,zero1,1f1b", ["training/gpt_sgd", "training/mlp_adamw"]
    yield "pp2,recompute,zbh1", ["training/gpt_sgd"]
    yield "pp4,zbh1,acc4", [f"training/{name}" for name in OPTIMIZERS]
    yield "pp2,1f1b,acc1", WHOLE_BATCH


def run(check, corpus, strategy, programs):
    folders = [f"{corpus}/{program}" for program in programs]
    done = subprocess.run([check, *folders, f"--strategy={strategy}", "--no-optimize", "--jobs", "1",
                           "--timeout", "300"], capture_output=True, text=True)
    if done.returncode == 0 and f"{len(folders)} passed, 0 failed" in done.stdout:
        return ""
    return f"{strategy}:\n" + done.stdout + done.stderr


def main():
    check, corpus = sys.argv[1:3]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = list(filter(None, pool.map(lambda job: run(check, corpus, *job), jobs())))
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
