#!/usr/bin/env python3
"""Programs of each op with each attribute off its default, with the outputs of Paddle 2.6.2: cases for proa-check.

Takes small programs of each op. Each attribute that Paddle declares gets other values of its type: a flipped bool,
another name, another axis, other numbers; it is left out; then all attributes are changed at once. A program that
Paddle refuses, that it computes differently a second time, or that ends its process is dropped. `proa-check DIR` then
compares proa with Paddle; `run_in_paddle.py --below DIR` does so with the exports. Exits with 77 without Paddle 2.6.

    sweep_attributes.py --corpus test/corpus/ops test/cases/ops --out DIR [--ops REGEX] [--sample N/M]
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
try:
    import paddle
    import paddle_mutants as mutants
    from paddle.base import core, framework
except ImportError:
    print("this Python has no Paddle")
    sys.exit(77)

SECONDS = 20
# Attributes that say where an op runs, in addition to mutants.HINTS.
HINTS = mutants.HINTS - {"is_test", "mode"} | {
    "use_onednn", "force_fp32_output", "use_addto", "skip_quant", "x_data_format", "y_data_format", "use_cudnn_on_gpu",
    "is_distributed", "remote_prefetch", "trainer_id", "slot", "height_sections", "table_names", "epmap",
    "grad_merge_cond_name", "startup_seed", "ring_id", "nranks", "rank", "use_calc_stream", "use_model_parallel"}
TYPE_NUMBERS = [5, 6, 3, 2, 0, 4]
# Names that Paddle knows, by attribute. Names in other programs of the corpus come first.
NAMES = {"data_format": ["NHWC", "NCHW", "NDHWC", "NCDHW", "NLC", "NCL"], "data_layout": ["NHWC", "NCHW"],
         "padding_algorithm": ["SAME", "VALID"], "pooling_type": ["avg", "max"],
         "pooltype": ["SUM", "MEAN", "MAX", "MIN", "AVERAGE", "SQRT", "LAST", "FIRST"],
         "mode": ["reflect", "replicate", "constant", "edge", "circular", "nearest", "bilinear", "all", "channel",
                  "element", "avg", "LSTM", "GRU", "RNN_RELU", "RNN_TANH"],
         "padding_mode": ["border", "reflection", "zeros"], "reduction": ["sum", "mean", "none", "batchmean"],
         "reduce_op": ["SUM", "MEAN", "MAX", "MIN"], "message_op": ["ADD", "MUL"],
         "Reduce": ["add", "mul", "multiply", "assign", "amax", "amin", "mean"],
         "dropout_implementation": ["upscale_in_train", "downgrade_in_infer"], "rounding": ["floor"],
         "normalization": ["ortho", "forward", "backward"], "code_type": ["decode_center_size", "encode_center_size"],
         "match_type": ["per_prediction", "bipartite"], "UPLO": ["L", "U"], "ap_type": ["integral", "11point"],
         **dict.fromkeys(("gate_activation", "cell_activation", "candidate_activation", "activation",
                          "activation_type"), ["relu", "tanh", "sigmoid", "identity"])}
ABSENT = object()  # the value of an attribute that the program leaves out


def near(value, name):
    """Other values of a bool, a number or a name, the likely valid ones first."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int) and ("dtype" in name or name in ("in_type", "out_type")):
        return TYPE_NUMBERS
    if isinstance(value, int):
        return [value + 1, value - 1, 2, 0, 1, -1, 3, -2, 4, 8]
    if isinstance(value, float):
        return [value * 0.5 + 0.3, value + 1.5, -value - 0.25, 0.0, 1.0, 2.0, float("inf")]
    return NAMES.get(name, [])


def near_list(values, name):
    """Lists with other elements, in another order, or of another length."""
    element = values[0] if values else 0
    yield from (list(v) for v in zip(*(near(v, name) for v in values)))
    yield values[::-1]
    for i in range(min(len(values), 4)):
        for other in near(values[i], name)[:3]:
            yield values[:i] + [other] + values[i + 1:]
    yield values[:-1]
    yield from ([other] for other in near(element, name))
    yield values + values[:1]
    if isinstance(element, int) and not isinstance(element, bool):
        yield from ([1, 0], [0, 1], [0, 0, 1, 1])


def others(attribute, seen):
    value = mutants.value_of(attribute)
    found = near_list(value, attribute.name) if isinstance(value, list) else near(value, attribute.name)
    used = []
    for other in itertools.islice(itertools.chain(seen, found), 24):
        if other != value and other not in used:
            used.append(other)
    return used


def label_of(changes):
    """The name of the folder of a changed program."""
    texts = ("absent" if value is ABSENT else str(value).replace(" ", "") for value in changes.values())
    return re.sub(r"[^\w=,.\[\]+-]", "_", ",".join(f"{name}={text}" for name, text in zip(changes, texts)))[:120]


class Sweep:
    """All changes of the attributes of one op in one program."""

    def __init__(self, options, op_type, folder, pool):
        self.options, self.op_type, self.folder, self.pool = options, op_type, folder, pool
        self.out = options.out / op_type / f"{folder.parent.name}-{folder.name}"

    def ops(self, case):
        """The op and its gradients, which have the same attributes."""
        return [op for op in case.ops() if mutants.base_type(op.type) == self.op_type]

    def attributes(self):
        """The attributes that Paddle declares: of the program, or with their default."""
        proto = framework.OpProtoHolder.instance().op_proto_map.get(self.op_type)
        if not proto:
            return
        defaults = core.get_op_attrs_default_value(self.op_type.encode())
        present = {a.name: a for a in self.ops(mutants.Case(self.folder))[0].attrs}
        for declared in proto.attrs:
            attribute = present.get(declared.name) or mutants.framework_pb2.OpDesc.Attr(
                name=declared.name, type=declared.type)
            if declared.name in HINTS or declared.extra or not mutants.value_field(attribute):
                continue
            try:
                if declared.name not in present:
                    mutants.set_value(attribute, defaults[declared.name])
            except (KeyError, TypeError, ValueError):
                continue  # a default that no attribute of its type has
            yield attribute, declared.name in present

    def changed(self, changes):
        case = mutants.Case(self.folder)
        for op in self.ops(case):
            kept = [a for a in op.attrs if a.name not in changes]
            del op.attrs[:]
            op.attrs.extend(kept)
            for name, value in changes.items():
                if value is not ABSENT:
                    mutants.set_value(op.attrs.add(name=name, type=self.types[name]), value)
        case.changes = [label_of(changes)]
        return case

    def attempt(self, changes):
        """Writes a case; whether Paddle accepts the program and computes the same twice."""
        path = self.out / label_of(changes)
        if path.exists() or str(path) in self.skipped:
            return path.exists()
        print(path, file=self.log, flush=True)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            case = self.changed(changes)
            program = mutants.infer(case)
            tensors, lods = mutants.run_program(case, program)
            again, _ = mutants.run_program(case, program)
            if case.meta.get("compare", "allclose") == "stats":
                case.meta["compare"] = "shape"
            elif not all(mutants.same(tensors[n], again[n]) for n in tensors):
                return False
            if tensors:
                mutants.write_case(case, program, tensors, lods, path)
            return bool(tensors)
        except Exception as error:  # any exception of Paddle for a value that it refuses
            if self.options.verbose:
                print(f"{path}: {' '.join(str(error).split())[-200:]}", flush=True)
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def run(self, log, skipped):
        self.log, self.skipped, self.types = log, skipped, {}
        accepted = {}
        for attribute, is_present in list(self.attributes()):
            name = attribute.name
            self.types[name] = attribute.type
            values = (v for v in others(attribute, self.pool.get((self.op_type, name), [])) if self.attempt({name: v}))
            accepted[name] = list(itertools.islice(values, self.options.values))
            if is_present:
                self.attempt({name: ABSENT})
        accepted = {name: values for name, values in accepted.items() if values}
        for index in range(self.options.values if len(accepted) > 1 else 0):
            self.run_together({name: values[index % len(values)] for name, values in accepted.items()})

    def run_together(self, changes):
        """All at once: as many as Paddle accepts together. Keeps the largest program only."""
        together, previous = {}, None
        for name, value in changes.items():
            larger = {**together, name: value}
            if together and not self.attempt(larger):
                continue
            if len(together) > 1 and previous:
                shutil.rmtree(previous, ignore_errors=True)
            together, previous = larger, self.out / label_of(larger)


def small_programs(options):
    """For each op the folders of its small programs, and the values of each attribute in all programs."""
    found, pool = {}, {}
    for path in sorted(p for root in options.corpus for p in root.rglob("meta.json")):
        meta = json.loads(path.read_text())
        if not meta.get("runnable", True) or meta.get("training") or meta.get("runs", 1) > 1:
            continue
        try:
            ops = mutants.Case(path.parent).ops()
        except Exception:  # programs of Paddle 3, and tensors of bfloat16
            continue
        for op in ops:
            for attribute in op.attrs:
                values = pool.setdefault((op.type, attribute.name), [])
                if mutants.value_field(attribute) and mutants.value_of(attribute) not in values and len(values) < 6:
                    values.append(mutants.value_of(attribute))
        for op_type in {op.type for op in ops if len(ops) <= 30 and op.type == mutants.base_type(op.type)}:
            found.setdefault(op_type, []).append((meta.get("op") != op_type, len(ops), path.parent))
    return {op_type: choose(programs, options.programs) for op_type, programs in found.items()}, pool


def choose(programs, count):
    """The smallest programs, and the largest: it has gradients, or more operands. Programs of other ops if needed."""
    programs = sorted(programs)
    own = [folder for is_other, _, folder in programs if not is_other] or [folder for *_, folder in programs]
    return own if len(own) <= count else own[:count - 1] + own[-1:]


def run_in_children(sweep, log):
    """Runs a sweep in a child. A crash loses the program that crashed; another child continues after it."""
    skipped = set()
    while len(skipped) < 8:
        child = os.fork()
        if child == 0:
            for number in (signal.SIGALRM, signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE, signal.SIGBUS, signal.SIGILL):
                signal.signal(number, signal.SIG_DFL)  # Paddle's handlers can wait for a lock of the heap
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the stacks of Paddle's crashes
            with log.open("w") as file:
                sweep.run(file, skipped)
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        last = log.read_text().splitlines()[-1:]
        if not os.WIFSIGNALED(status) or not last:
            return status != 0
        print(f"{last[0]}: Paddle ended by signal {os.WTERMSIG(status)}", flush=True)
        skipped.add(last[0])
        shutil.rmtree(last[0], ignore_errors=True)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, nargs="+", required=True, help="folders with cases")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder that the cases are written to")
    parser.add_argument("--ops", default=".*", help="only these ops")
    parser.add_argument("--sample", default="0/1", metavar="N/M", help="only each M-th op, from the N-th on")
    parser.add_argument("--programs", type=int, default=3, help="number of programs of each op")
    parser.add_argument("--values", type=int, default=2, help="number of other values of each attribute")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="prints why Paddle refuses a program")
    options = parser.parse_args()
    paddle.enable_static()
    programs, pool = small_programs(options)
    first, every = map(int, options.sample.split("/"))
    chosen = [op_type for op_type in sorted(programs) if re.fullmatch(options.ops, op_type)][first::every]
    options.out.mkdir(parents=True, exist_ok=True)
    workers = []
    for index in range(options.jobs):
        worker = os.fork()
        if worker == 0:
            failed = False
            for op_type in chosen[index::options.jobs]:
                for folder in programs[op_type]:
                    failed |= run_in_children(Sweep(options, op_type, folder, pool), options.out / f"log{index}")
            os._exit(failed)
        workers.append(worker)
    statuses = [os.waitpid(worker, 0)[1] for worker in workers]
    print(f"{sum(1 for _ in options.out.rglob('meta.json'))} programs of {len(chosen)} ops")
    return any(statuses)


if __name__ == "__main__":
    sys.exit(main())
