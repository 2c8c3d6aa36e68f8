"""Checks a trace of proa-run: its tracks, the order of its events and their arguments."""
import json
import sys


def check(trace):
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    tracks = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"] if event["ph"] == "M"}
    by_track = {name: sorted((event for event in events if tracks[event["tid"]] == name), key=lambda event: event["ts"])
                for name in tracks.values()}
    assert {"compilation", "steps", "thread 0", "thread 1"} <= set(by_track), tracks
    phases = [event["name"] for event in by_track["compilation"]]
    assert phases == ["reading", "importing", "specializing", "optimizing", "lowering kernels", "generating code",
                      "planning", "loading"], phases
    for name, ordered in by_track.items():
        for before, after in zip(ordered, ordered[1:]):
            assert before["ts"] + before["dur"] <= after["ts"] + 0.01, (name, before, after)
    assert by_track["compilation"][-1]["ts"] < 0 <= by_track["steps"][0]["ts"]
    named = {event["name"] for event in by_track["steps"]}
    for thread in ("thread 0", "thread 1"):
        assert by_track[thread] and {event["name"] for event in by_track[thread]} <= named, by_track[thread]
    step = by_track["steps"][0]
    assert step["args"] | {"step": 0, "symbol": ""} == {
        "step": 0, "symbol": "", "variable": "y", "location": "net.py:7",
        "types": "float32[1024, 1024] -> float32[1024, 1024]"}, step


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        check(json.load(file))
