#!/usr/bin/env python3
"""Checks words, line lengths, and links, tables and names of files of the project's own text (docs/style.md).

usage: check.py ROOT [--update]

The words are the rows of the table in docs/style.md. test/style/baseline.txt holds, for each file and rule, how many
lines broke the rule when the check was introduced. More lines than that are an error; --update lowers the counts.
"""
import collections
import pathlib
import re
import sys

import pages

MAX_LINE = 120
FOLDERS = ("cmake", "dialects", "docs", "examples", "include", "lib", "passes", "python", "test", "tools", "translator")
SUFFIXES = {".md", ".h", ".cpp", ".c", ".td", ".py", ".cmake", ".txt", ".sh", ".inc"}
# Data of test programs, generated pages, and this check's own table.
EXCLUDED = ("test/corpus/", "test/cases/", "docs/ops/", "docs/ops-coverage.md", "docs/onnx-ops.md",
            "docs/primitives.md", "docs/dist-reference.md", "docs/style.md", "test/style/baseline.txt",
            "test/unit/gradient/skipped.txt")


def read_rules(root):
    rules = []
    in_words = False
    for line in (root / "docs/style.md").read_text().splitlines():
        in_words = line == "## Words" if line.startswith("## ") else in_words
        if not in_words or not line.startswith("| `"):
            continue
        pattern, instead, where = re.split(r"(?<!\\)\|", line)[1:4]
        pattern = pattern.strip().strip("`").replace("\\|", "|")
        rules.append((pattern, re.compile(pattern, re.IGNORECASE), instead.strip(), where.strip()))
    if not rules:
        sys.exit("error: docs/style.md has no table of words")
    return rules


def checked_files(root):
    paths = [p for name in FOLDERS for p in sorted((root / name).rglob("*"))]
    paths += sorted(root.glob("*.md")) + sorted(root.glob("*.sh"))
    for path in paths:
        name = path.relative_to(root).as_posix()
        if path.is_file() and path.suffix in SUFFIXES and not name.startswith(EXCLUDED):
            yield name, path


def applies(where, name):
    """`all`, `docs` (documents), or folders whose code the rule is about."""
    if where in ("all", "docs"):
        return where == "all" or name.endswith(".md")
    return not name.endswith(".md") and name.startswith(tuple(where.split()))


def is_long(name, line):
    """Tables, URLs and expected text of tests may be long."""
    if len(line) <= MAX_LINE or "://" in line:
        return False
    return not (name.endswith(".md") and line.lstrip().startswith("|"))


def find_violations(root, rules):
    """Maps (file, rule) to a list of (line number, text to write instead)."""
    found = collections.defaultdict(list)
    ends = pages.path_ends(root, FOLDERS)
    for name, path in checked_files(root):
        if name.endswith(".md"):
            found[name, "link"] += pages.find_links(path)
            found[name, "table"] += pages.find_tables(path)
            found[name, "file"] += pages.find_names(path, ends)
        in_code = False
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if name.endswith(".md") and line.startswith("```"):
                in_code = not in_code
            if is_long(name, line) and not in_code:
                found[name, "long-line"].append((number, f"{len(line)} characters, at most {MAX_LINE}"))
            for pattern, expression, instead, where in rules:
                if applies(where, name) and expression.search(line):
                    found[name, pattern].append((number, f"write: {instead}"))
    return {key: lines for key, lines in found.items() if lines}


def read_baseline(path):
    counts = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            name, count, rule = line.split(" ", 2)
            counts[name, rule] = int(count)
    return counts


def main():
    root = pathlib.Path(sys.argv[1])
    baseline_path = root / "test/style/baseline.txt"
    found = find_violations(root, read_rules(root))
    baseline = read_baseline(baseline_path)
    if "--update" in sys.argv[2:]:
        rows = sorted((name, rule, len(lines)) for (name, rule), lines in found.items())
        baseline_path.write_text("# Lines that broke a rule before the check existed: file, count, rule. Lower them.\n"
                                 + "".join(f"{name} {count} {rule}\n" for name, rule, count in rows))
        return
    errors = 0
    for (name, rule), lines in sorted(found.items()):
        allowed = baseline.get((name, rule), 0)
        if len(lines) > allowed:
            errors += 1
            for number, text in lines:
                print(f"{name}:{number}: '{rule}': {text}")
            print(f"error: {name}: {len(lines)} lines match '{rule}', at most {allowed} allowed")
    print(f"{sum(map(len, found.values()))} lines break a rule, {sum(baseline.values())} allowed by the baseline")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
