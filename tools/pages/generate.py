#!/usr/bin/env python3
"""Writes the man page and the completion in bash of each tool, from the tool's --help.

usage: generate.py FOLDER TOOL...    writes FOLDER/man1/NAME.1 and FOLDER/completions/NAME
"""

import os
import pathlib
import subprocess
import sys

from completion import completion
from help_page import parse
from man_page import man_page


def output_of(*command):
    # The width of lines does not depend on the terminal.
    return subprocess.run(command, check=True, text=True, capture_output=True, env=os.environ | {"LC_ALL": "C"}).stdout


def main():
    folder, tools = pathlib.Path(sys.argv[1]), [pathlib.Path(tool) for tool in sys.argv[2:]]
    if not tools:
        sys.exit(__doc__)
    for name in ("man1", "completions"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for tool in tools:
        version = output_of(tool, "--version").split()[1]
        page = parse(tool.name, output_of(tool, "--help"))
        if not page.usage or not page.description or not page.entries(is_option=True):
            sys.exit(f"{tool}: its --help has no usage, description or options")
        (folder / "man1" / f"{tool.name}.1").write_text(man_page(page, version, sorted(t.name for t in tools)))
        (folder / "completions" / tool.name).write_text(completion(page))


if __name__ == "__main__":
    main()
