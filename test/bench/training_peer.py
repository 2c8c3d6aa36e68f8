"""Makes a training program with Paddle and measures its steps there; training.py starts it with the Python of a virtual
environment that holds Paddle. Prints one line of JSON.

    training_peer.py make mlp FOLDER         a case folder: program, parameters, inputs, meta.json; or bert, layers
    training_peer.py measure FOLDER          milliseconds of a step of it"""

import zlib  # noqa: F401  Paddle brings an older zlib; whoever comes first wins.
import argparse
import json
import os

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("action", choices=["make", "measure"])
parser.add_argument("rest", nargs="+")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--seconds", type=float, default=4.0)
arguments = parser.parse_args()
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # read when the libraries load
    os.environ[variable] = str(arguments.threads)
os.environ["FLAGS_enable_pir_api"] = "0"  # Paddle 3 reads legacy programs only so

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle import nn, static  # noqa: E402

from tensor_files import read_safetensors, write_safetensors  # noqa: E402
from timing import milliseconds  # noqa: E402


def mlp():
    x = static.data("x", [256, 784], "float32")
    y = static.data("y", [256, 1], "int64")
    net = nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))
    loss = nn.functional.cross_entropy(net(x), y)
    paddle.optimizer.Momentum(0.01, 0.9).minimize(loss)
    return loss, {"x": (256, 784), "y": (256, 1)}, 10


def bert(layers=4, width=256, length=128, batch=4, words=4000):
    ids = static.data("ids", [batch, length], "int64")
    labels = static.data("labels", [batch, length, 1], "int64")
    layer = nn.TransformerEncoderLayer(width, width // 64, 4 * width, dropout=0.0, activation="gelu")
    hidden = nn.TransformerEncoder(layer, layers)(nn.Embedding(words, width)(ids))
    loss = nn.functional.cross_entropy(nn.Linear(width, words)(hidden), labels)
    paddle.optimizer.AdamW(1e-4).minimize(loss)
    return loss, {"ids": (batch, length), "labels": (batch, length, 1)}, words


def layers(count=16, width=512, batch=256):
    """Equal layers, which stages of a pipeline share evenly."""
    x = static.data("x", [batch, width], "float32")
    net = nn.Sequential(*[layer for _ in range(count) for layer in (nn.Linear(width, width), nn.ReLU())])
    loss = paddle.mean(net(x))
    paddle.optimizer.SGD(0.01).minimize(loss)
    return loss, {"x": (batch, width)}, 1


def make(kind, folder):
    paddle.seed(1)
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        loss, feeds, classes = {"mlp": mlp, "bert": bert, "layers": layers}[kind]()
    static.Executor(paddle.CPUPlace()).run(startup)
    random = np.random.RandomState(0)
    inputs = {}
    for name, shape in feeds.items():
        is_float = main.global_block().var(name).dtype == paddle.float32
        inputs["step0/" + name] = random.rand(*shape).astype("float32") if is_float else random.randint(0, classes,
                                                                                                        shape)
    scope = static.global_scope()
    parameters = {
        v.name: np.array(scope.find_var(v.name).get_tensor())
        for v in main.list_vars() if v.persistable and scope.find_var(v.name)
    }
    os.makedirs(folder, exist_ok=True)
    write_safetensors(os.path.join(folder, "inputs.safetensors"), inputs)
    write_safetensors(os.path.join(folder, "params.safetensors"), parameters)
    with open(os.path.join(folder, "program.pdmodel"), "wb") as file:
        file.write(main.desc.serialize_to_string())
    with open(os.path.join(folder, "meta.json"), "w") as file:
        json.dump({"case": "training/" + kind, "kind": "training", "feeds": list(feeds), "fetches": [loss.name],
                   "loss": loss.name,
                   "compare": "allclose", "rtol": 1e-4, "atol": 1e-5, "training": True, "runnable": True,
                   "steps": 1}, file)
    return {"ops": len(main.global_block().ops)}


def measure(folder):
    with open(os.path.join(folder, "program.pdmodel"), "rb") as file:
        program = static.Program.parse_from_string(file.read())
    with open(os.path.join(folder, "meta.json")) as file:
        meta = json.load(file)
    for name, value in read_safetensors(os.path.join(folder, "params.safetensors")).items():
        static.global_scope().var(name).get_tensor().set(value, paddle.CPUPlace())
    inputs = read_safetensors(os.path.join(folder, "inputs.safetensors"))
    feed = {name: inputs["step0/" + name] for name in meta["feeds"]}
    executor = static.Executor(paddle.CPUPlace())
    run = lambda: float(np.asarray(executor.run(program, feed=feed,
                                                fetch_list=meta["fetches"])[0]).ravel()[0])  # noqa: E731
    first = run()
    times = milliseconds(run, arguments.seconds)
    return {"version": "paddle " + paddle.__version__, "median_ms": times[len(times) // 2], "runs": len(times),
            "loss": first}


paddle.enable_static()
print(json.dumps(make(*arguments.rest) if arguments.action == "make" else measure(*arguments.rest)))
