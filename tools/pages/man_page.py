"""A man page of a tool, from the text of its --help."""

import re


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def tagged(entry):
    return [".TP", f".B {escaped(entry.term)}", escaped(entry.text) or "\\&"]


def summary_of(page):
    """The first sentence of the description, for the section NAME."""
    lines = page.description
    text = " ".join(lines[:lines.index("")] if "" in lines else lines)
    text = re.split(r"(?<=\w)[.:](?: |$)", text)[0]
    return text[0].lower() + text[1:]


def man_page(page, version, tools):
    lines = [f'.TH {page.tool.upper()} 1 "" "proa {version}" "User Commands"', ".SH NAME",
             f"{escaped(page.tool)} \\- {escaped(summary_of(page))}", ".SH SYNOPSIS",
             ".B " + escaped(page.usage), ".SH DESCRIPTION"]
    for line in page.description:
        lines.append(escaped(line) if line else ".PP")
    for section in page.sections:
        lines.append(f'.SH "{escaped(section.title.upper())}"')
        if not section.entries:
            lines += [".nf"] + [escaped(line) for line in section.lines if line] + [".fi"]
        for entry in section.entries:
            lines += tagged(entry)
            if entry.nested:
                lines += [".RS"] + [line for nested in entry.nested for line in tagged(nested)] + [".RE"]
    if page.exit_codes:
        lines += [".SH EXIT STATUS", escaped(page.exit_codes)]
    others = ", ".join(f"\\fB{escaped(tool)}\\fR(1)" for tool in tools if tool != page.tool)
    lines += [".SH SEE ALSO", others, ".PP", "The documentation is in share/doc/proa."]
    return "\n".join(lines) + "\n"
