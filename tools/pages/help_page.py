"""The text of a tool's --help as data: description, usage, options with their values, other sections.

The tools print two forms, of CLI11 and of proa's own pages for tools on MLIR's main functions:

    -o,--output FILE                  Output file          -o <file>              Output file
    --to TEXT:{mlir,json}=mlir        Format               --log={error,info}     Level of the log
"""

import dataclasses
import re


@dataclasses.dataclass
class Entry:
    """A row of a list: the option or argument with its value as --help shows them, and the text beside it."""

    term: str
    text: str
    indent: int
    nested: list = dataclasses.field(default_factory=list)  # the options of a pass

    @property
    def names(self):
        """The names of an option: ["-o", "--output"]; none of an argument."""
        return re.findall(r"(?:^|(?<=[ ,]))--?[\w][\w-]*", self.term.split(" Needs:")[0].split(" Excludes:")[0])

    @property
    def value(self):
        """The value as --help names it, "FILE" or "TEXT:{a,b}"; "" for a flag."""
        rest = re.split(r" (?:Needs|Excludes): ", self.term)[0].removesuffix("REQUIRED").removesuffix(" ...").strip()
        for name in self.names:
            rest = rest.replace(name, "", 1)
        rest = rest.lstrip(", ")
        return "" if rest.startswith("{") and not self.has_equals else rest.lstrip("=")

    @property
    def has_equals(self):
        return any(self.term.split(",")[0].startswith(name + "=") for name in self.names)

    @property
    def choices(self):
        """The words that the value may be."""
        listed = re.search(r"\{([\w.,-]+)\}", self.value)
        if listed:
            return listed.group(1).split(",")
        return [word for word in self.value.split("|") if re.fullmatch(r"[a-z0-9]+", word)] if "|" in self.value else []

    @property
    def is_list(self):
        """Whether the value is a list with commas."""
        return ",..." in self.value

    @property
    def files(self):
        """"file" or "folder" if the value names one, else ""."""
        kinds = re.split(r"[^A-Za-z]+", self.value.lower())
        if {"file", "model", "source", "module", "input"} & set(kinds):
            return "file"
        return "folder" if {"dir", "directories"} & set(kinds) else ""


@dataclasses.dataclass
class Section:
    title: str
    lines: list = dataclasses.field(default_factory=list)
    entries: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class HelpPage:
    tool: str
    description: list
    usage: str
    sections: list
    exit_codes: str

    def entries(self, is_option):
        return [entry for section in self.sections for entry in section.entries if bool(entry.names) == is_option]


ENTRY = re.compile(r"^( +)(\S.*?)(?: {2,}-? *(\S.*)| +- (\S.*))?$")


def entries_of(lines):
    """The rows of a section, or [] if it is not a list of options or arguments."""
    rows = [line for line in lines if line.strip()]
    if not rows:
        return []
    entries = []
    for line in rows:
        indent, term, *texts = ENTRY.match(line).groups()
        text = texts[0] or texts[1] or ""
        if len(indent) > 20:  # the text continues
            if not entries:
                return []
            entries[-1].text = (entries[-1].text + " " + line.strip()).strip()
        elif entries and len(indent) > entries[-1].indent:
            entries[-1].nested.append(Entry(term, text, len(indent)))
        else:
            entries.append(Entry(term, text, len(indent)))
    return entries


def parse(tool, text):
    description, usage, exit_codes, sections, section = [], "", "", [], None
    for line in text.splitlines():
        if line.startswith("Usage: "):
            usage, section = line.removeprefix("Usage: ").strip(), None
        elif line.startswith("Exit codes: "):
            exit_codes, section = line.removeprefix("Exit codes: "), None
        elif re.match(r"\S.*:$", line):
            section = Section(line.rstrip(":"))
            sections.append(section)
        elif section is not None and (line.startswith(" ") or not line):
            section.lines.append(line)
        else:
            section = None
            description.append(line.removeprefix(f"{tool}: "))
    for section in sections:
        if not section.title.startswith("Example"):
            section.entries = entries_of(section.lines)
    while description and not description[-1]:
        description.pop()
    return HelpPage(tool, description, usage, sections, exit_codes)
