"""Writes a session of proa-lsp-server: session.py FILE REQUEST...

The text of FILE is opened; a mark <NAME> in it is removed and names a position. REQUEST is METHOD:NAME (hover,
completion, definition); change:TEXT:NAME inserts TEXT at the mark before later requests. The marks keep their
positions.
"""
import json
import pathlib
import re
import sys

MARK = re.compile(r"<@(\w+)>")


def positions(text):
    plain, marks = "", {}
    for part in re.split(r"(<@\w+>)", text):
        mark = MARK.fullmatch(part)
        if mark:
            line = plain.count("\n")
            units = len(plain.rsplit("\n", 1)[-1].encode("utf-16-le")) // 2
            marks[mark.group(1)] = {"line": line, "character": units}
        else:
            plain += part
    return plain, marks


path = pathlib.Path(sys.argv[1]).resolve()
text, marks = positions(path.read_text())
document = {"uri": path.as_uri(), "languageId": "mlir", "version": 1}
messages = [{"id": 0, "method": "initialize", "params": {"processId": 1, "rootPath": str(path.parent),
                                                         "capabilities": {}, "trace": "off"}},
            {"method": "textDocument/didOpen", "params": {"textDocument": document | {"text": text}}}]
for number, request in enumerate(sys.argv[2:], 1):
    kind, *rest, mark = request.split(":")
    at = {"textDocument": {"uri": path.as_uri()}, "position": marks[mark]}
    if kind == "change":
        messages.append({"method": "textDocument/didChange", "params": {
            "textDocument": {"uri": path.as_uri(), "version": number + 1},
            "contentChanges": [{"range": {"start": marks[mark], "end": marks[mark]}, "rangeLength": 0,
                                "text": ":".join(rest)}]}})
    else:
        messages.append({"id": number, "method": f"textDocument/{kind}", "params": at})
messages += [{"id": 99, "method": "shutdown"}, {"method": "exit"}]
print("\n// -----\n".join(json.dumps({"jsonrpc": "2.0"} | message) for message in messages))
