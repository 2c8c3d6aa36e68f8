"""Fails if the arena that proa-run printed to the first file is larger than the arena of the second one."""
import re
import sys

first, second = (int(re.search(r"arena (\d+) bytes", open(path, encoding="utf-8").read())[1]) for path in sys.argv[1:])
sys.exit(first > second and f"an arena of {first} bytes, expected at most {second}")
