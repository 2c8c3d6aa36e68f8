#!/usr/bin/env python3
"""Checks ONNX models by onnx.checker and runs them in ONNX Runtime, for `proa-check --via=onnx`: runner.py SOCKET

It prints "ready" when it listens on the socket, and ends when its stdin does. A client sends one line of JSON with
paths, {"model": M, "inputs": I.safetensors, "outputs": O.safetensors}, and receives a line with the stage that failed
(export, compile, run; empty: none) and the reason. Each request is served by a forked process, so that a crash of ONNX
Runtime costs one request, and the packages are loaded once.
"""
import json
import os
import select
import signal
import socket
import sys

import numpy as np
import onnx
import onnxruntime  # noqa: F401 (loaded before the first fork)

import onnx_runtime
import safetensors_file


LONGEST = 600  # seconds of a request


def serve(request):
    """The stage that fails and the reason."""
    stage = "export"
    try:
        onnx.checker.check_model(request["model"], full_check=True)
        stage = "compile"
        session = onnx_runtime.open_session(request["model"])
        stage = "run"
        fed = safetensors_file.read(request["inputs"])
        graph = onnx.load(request["model"], load_external_data=False).graph
        infos = {info.name: info for info in graph.input}
        names = [info.name for info in session.get_inputs()]
        missing = [name for name in names if name not in fed]
        if missing:
            raise ValueError(f"no value of the inputs {missing}")
        feeds = {name: onnx_runtime.feed_of(fed[name], infos[name]) for name in names}
        results = onnx_runtime.run(session, feeds)
        outputs = {info.name: onnx_runtime.bits_as(result, info) for info, result in zip(graph.output, results)}
        lists = [name for name, result in outputs.items() if not isinstance(result, np.ndarray)]
        if lists:
            raise ValueError(f"the outputs {lists} are not tensors")
        safetensors_file.write(request["outputs"], outputs)
        return {"stage": "", "reason": ""}
    except Exception as error:  # noqa: BLE001 (the packages raise their own kinds)
        return {"stage": stage, "reason": onnx_runtime.first_line(error)}


def answer(connection):
    signal.alarm(LONGEST)
    with connection, connection.makefile("rw") as stream:
        stream.write(json.dumps(serve(json.loads(stream.readline()))) + "\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    print("ready", flush=True)
    while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            answer(connection)
            os._exit(0)
        connection.close()


if __name__ == "__main__":
    main()
