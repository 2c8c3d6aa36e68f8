"""Links, tables and names of files of Markdown pages: each link leads to a file or heading, each row of a table has its
columns, and each source file that a page names exists."""

import re

LINK = re.compile(r"(?<!`)\[[^\]`]*(?:`[^`]*`[^\]`]*)*\]\(([^)\s]+)\)")
CELL_END = re.compile(r"(?<!\\)\|")
SOURCE = re.compile(r"`([\w./-]+\.(?:cpp|h|td|py|pdll|test))`")
# Headers of MLIR, files that the build generates, and placeholders (GROUP.cpp).
NOT_IN_TREE = re.compile(r"^mlir/|Dialect\.h$|Ops\.h$|/_options\.py$|^[A-Z]+\.")


def prose_lines(text):
    """(line number, line) outside of fenced blocks; a fenced line is empty."""
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        is_fence = line.lstrip().startswith("```")
        in_code = in_code != is_fence
        yield number, "" if in_code or is_fence else line


def anchors(text):
    """The names that GitHub gives to the headings of a page."""
    titles = [line.lstrip("#").strip() for _, line in prose_lines(text) if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def find_links(path):
    """(line number, message) of each link that leads to no file or heading."""
    for number, line in prose_lines(path.read_text()):
        for target in LINK.findall(line):
            name, _, anchor = target.partition("#")
            if "://" in target:
                continue
            page = path.parent / name if name else path
            if not page.exists():
                yield number, f"link to '{target}', which does not exist"
            elif anchor and page.suffix == ".md" and anchor not in anchors(page.read_text()):
                yield number, f"link to '{target}': the page has no heading of that name"


def find_tables(path):
    """(line number, message) of each row that has other columns than the first row of its table."""
    columns = None
    for number, line in prose_lines(path.read_text()):
        if not line.startswith("|"):
            columns = None
            continue
        count = len(CELL_END.findall(line.strip())) - 1
        columns = columns or count
        if count != columns:
            yield number, f"row of {count} columns in a table of {columns}"


def path_ends(root, folders):
    """The ends of the paths of all source files: "Tile.cpp", "lower-gpu/Tile.cpp", ..."""
    ends = set()
    for path in (path for folder in folders for path in (root / folder).rglob("*")):
        if path.suffix in {".cpp", ".h", ".td", ".py", ".pdll", ".test"}:
            parts = path.relative_to(root).parts
            ends.update("/".join(parts[i:]) for i in range(len(parts)))
    return ends


def find_names(path, ends):
    """(line number, message) of each source file in backquotes that does not exist; `ends` from path_ends()."""
    for number, line in prose_lines(path.read_text()):
        for name in SOURCE.findall(line):
            if name not in ends and not NOT_IN_TREE.search(name):
                yield number, f"`{name}` does not exist"
