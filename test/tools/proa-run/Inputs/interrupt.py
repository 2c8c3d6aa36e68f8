"""Runs a command, interrupts it as Ctrl-C does when its output contains a text, and prints output and exit code.

usage: interrupt.py TEXT COMMAND...
"""
import os
import signal
import subprocess
import sys


def interrupted(text, command):
    """The output and the exit code."""
    environment = dict(os.environ, PYTHONUNBUFFERED="1")
    with subprocess.Popen(["stdbuf", "-oL", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
        output = ""
        for line in process.stdout:
            is_first = text not in output
            output += line
            if is_first and text in output:
                process.send_signal(signal.SIGINT)
        return output, process.wait(60)


printed, code = interrupted(sys.argv[1], sys.argv[2:])
print(printed + f"code {code}")
