#!/usr/bin/env python3
"""Runs the command blocks of documents, and compares the output that they show.

usage: run_commands.py SOURCE BUILD [PAGE...]

A block is fenced by ```. Its commands are the lines that begin with "$ ", or in a block without such lines all lines,
if the first one begins with a tool or the language is sh. The lines after a "$ " command are its output: each must
occur in the actual output, in this order; "..." matches any text. The blocks of a page run in order in a folder of
their own, which has links to the folders of SOURCE and to BUILD, and with the tools on $PATH.

Comments directly before a block:
  <!-- run: COMMANDS -->     shell commands that prepare it, such as links to the models that the page names
  <!-- not run: REASON -->   the block is not run
"""

import os
import re
import subprocess
import sys
import tempfile
import time

SECONDS_OF_COMMAND = 180
TOOLS = re.compile(r"^(\w+=\S+ )*(proa-\w+|mpirun|build/\S+|\./\S+|ctest|cmake|python3) ")
COMMENT = re.compile(r"^<!-- (run|not run): (.*?)\s*(-->)?$")


def blocks_of(text):
    """(line, lines, setup, reason not to run) of each fenced block."""
    setup, reason, block, comment = [], None, None, None
    for number, line in enumerate(text.split("\n"), 1):
        if block is not None:
            if line.startswith("```"):
                yield block[0], block[1], block[2], setup, reason
                setup, reason, block = [], None, None
            else:
                block[2].append(line)
        elif line.startswith("```"):
            block = (number, line[3:].strip(), [])
        elif comment is not None or COMMENT.match(line):
            if comment is None:
                kind, begin, end = COMMENT.match(line).groups()
                comment = [begin]
            else:
                end = line.endswith("-->")
                comment.append(line.removesuffix("-->").strip())
            if end:
                setup, reason = (comment, None) if kind == "run" else ([], " ".join(comment))
                comment = None
        elif line.strip():
            setup, reason = [], None


def commands_of(language, lines):
    """The commands of a block, each with its expected output lines; none if it is not a block of commands."""
    if any(line.startswith("$ ") for line in lines):
        commands = []
        for line in lines:
            if line.startswith("$ "):
                commands.append((line[2:], []))
            elif commands and line.strip():
                commands[-1][1].append(line)
        return commands
    first = next((line for line in lines if line.strip()), "")
    if language == "sh" or (language in ("", "bash") and TOOLS.match(first + " ")):
        return [(line, []) for line in lines if line.strip()]
    return []


def missing_output(expected, actual):
    """The first expected line that does not occur in the output after the ones before it."""
    at = 0
    for line in expected:
        parts = [re.escape(part) for part in line.strip().split("...")]
        found = re.compile("[^\n]*".join(parts)).search(actual, at)
        if not found:
            return line
        at = found.end()
    return None


def environment(build):
    variables = dict(os.environ)
    variables["PATH"] = os.path.join(build, "bin") + os.pathsep + variables["PATH"]
    # OpenMPI refuses to run as root, and more processes than cores.
    variables.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                     OMPI_MCA_rmaps_base_oversubscribe="1")
    return variables


def prepare(folder, source, build):
    for name in ("test", "docs", "examples", "include"):
        os.symlink(os.path.join(source, name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, "build"))
    os.symlink(build, os.path.join(folder, "build/release"))


def run(command, folder, variables):
    return subprocess.run(["bash", "-c", command], cwd=folder, env=variables, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_OF_COMMAND, check=False)


def check_page(source, build, page, folder, variables):
    """Failures of a page, and the number of commands that ran."""
    failures, count = [], 0
    with open(os.path.join(source, page), encoding="utf-8") as file:
        text = file.read()
    for line, language, lines, setup, reason in blocks_of(text):
        commands = commands_of(language, lines)
        if not commands or reason:
            continue
        for command, expected in [("\n".join(setup), [])] * bool(setup) + commands:
            start = time.monotonic()
            try:
                done = run(command, folder, variables)
                wrong = f"ends with code {done.returncode}" if done.returncode else None
                missing = None if wrong else missing_output(expected, done.stdout)
                if missing is not None:
                    wrong = f"the output lacks '{missing.strip()}'"
                output = done.stdout
            except subprocess.TimeoutExpired as limit:
                wrong, output = f"takes more than {SECONDS_OF_COMMAND} s", limit.stdout or b""
            count += 1
            print(f"{page}:{line}: {command.splitlines()[0]} ({time.monotonic() - start:.1f} s)", flush=True)
            if wrong:
                failures.append(f"{page}:{line}: {command}\n  {wrong}\n{str(output)[-2000:]}")
    return failures, count


def main():
    source, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    pages = sys.argv[3:]
    if not pages:
        pages = ["README.md", "CONTRIBUTING.md"]
        for folder in ["docs"] + sorted(os.path.join("examples", name) for name in os.listdir(source + "/examples")):
            if os.path.isdir(os.path.join(source, folder)):
                pages += sorted(os.path.join(folder, name) for name in os.listdir(os.path.join(source, folder))
                                if name.endswith(".md"))
    failures, count = [], 0
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            prepare(folder, source, build)
            variables = environment(build)
            variables["PROA_CACHE_DIR"] = os.path.join(folder, "cache")
            wrong, commands = check_page(source, build, page, folder, variables)
            failures += wrong
            count += commands
    print("\n".join(failures))
    print(f"{count - len(failures)} commands passed, {len(failures)} failed")
    sys.exit(bool(failures) or count == 0)


if __name__ == "__main__":
    main()
