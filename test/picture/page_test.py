#!/usr/bin/env python3
"""Opens pages of `proa-translate --html` in headless Chromium: they open in time, without errors, and answer clicks.

usage: page_test.py TOOLS CORPUS [--screenshots DIR]
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from browser import Browser

SKIPPED = 77
CENTER_OF = """(() => {{
  const box = [...views[{view}].boxes].find(([id]) => views[{view}].nodes[id].{key} === {value!r});
  if (!box) return null;
  const place = box[1].box.querySelector({part!r}).getBoundingClientRect();
  return [place.x + place.width / 2, place.y + place.height / 2];
}})()"""

# The first matmul splits its columns, the second one its contracted dim: the result is a sum over `mp`.
MESH_PROGRAM = """
dist.mesh @m = <["dp"=2, "mp"=4]>
func.func @main(%x: tensor<64x256xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>},
    %v: tensor<256x512xf32> {pd.param = "v", dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>},
    %w: tensor<512x256xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{"mp"}, {}]>})
    -> (tensor<64x256xf32> {pd.fetch = "y", dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>}) {
  %0 = pd.matmul %x, %v : (tensor<64x256xf32>, tensor<256x512xf32>) -> tensor<64x512xf32> loc("hidden")
  %1 = pd.relu %0 : (tensor<64x512xf32>) -> tensor<64x512xf32> loc("active")
  %2 = pd.matmul %1, %w : (tensor<64x512xf32>, tensor<512x256xf32>) -> tensor<64x256xf32> loc("y")
  return %2 : tensor<64x256xf32>
}
"""


class Pages:
    def __init__(self, options):
        self.tools, self.corpus = pathlib.Path(options.tools), pathlib.Path(options.corpus)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="proa-pages-"))
        self.screenshots = options.screenshots and pathlib.Path(options.screenshots)
        if self.screenshots:
            self.screenshots.mkdir(parents=True, exist_ok=True)
        self.browser = Browser(shutil.which("chromium"))
        self.failures = []

    def tool(self, name, *arguments, output=None, code=0):
        result = subprocess.run([self.tools / name, *map(str, arguments)], capture_output=True, text=True, check=False)
        if result.returncode != code:
            raise RuntimeError(f"{name} failed: {result.stderr}")
        if output:
            output.write_text(result.stdout)

    def page(self, name, *arguments, fragment=""):
        """Writes and opens a page; the seconds until it is drawn."""
        file = self.folder / f"{name}.html"
        self.tool("proa-translate", *arguments, "--html", file, "--warnings=none")
        text = file.read_text()
        self.expect(name, "http" not in text.replace("http://www.w3.org/2000/svg", ""), "the page uses the network")
        self.browser.errors.clear()
        seconds = self.browser.open(file, fragment)
        self.finish(name)
        return seconds

    def finish(self, name):
        self.expect(name, not self.browser.errors, f"errors in the console: {self.browser.errors}")
        if self.screenshots:
            self.browser.screenshot(self.screenshots / f"{name}.png")

    def expect(self, name, holds, message):
        if not holds:
            self.failures.append(f"{name}: {message}")

    def click(self, key, value, part="rect", view=0):
        place = self.browser.evaluate(CENTER_OF.format(view=view, key=key, value=value, part=part))
        if place is None:
            raise RuntimeError(f"no node whose {key} is {value}")
        self.browser.click(*place)

    def details(self):
        return self.browser.evaluate("document.getElementById('details').innerText")

    def close(self):
        self.browser.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def check_small_program(pages):
    """A click shows types, attributes, the Python line and the statistics of weights."""
    name, model = "lenet", pages.corpus / "models/vision/lenet"
    pages.page(name, model)
    pages.click("name", "conv2d_0.tmp_0")
    details = pages.details()
    for expected in ("pd.conv2d", "float32[2, 6, 28, 28]", "paddings\t[1, 1]", "conv2d_0.w_0", "mean", "zeros", "NCHW"):
        pages.expect(name, expected in details, f"no {expected} in the details:\n{details}")
    place = pages.browser.evaluate(CENTER_OF.format(view=0, key="name", value="pool2d_0.tmp_0", part="rect"))
    pages.browser.drag(place, [place[0] + 90, place[1] + 40])
    moved = pages.browser.evaluate(CENTER_OF.format(view=0, key="name", value="pool2d_0.tmp_0", part="rect"))
    pages.expect(name, [round(b - a) for a, b in zip(place, moved)] == [90, 40], f"dragged from {place} to {moved}")
    pages.expect(name, pages.details() == details, "a drag selects a node: " + pages.details())
    pages.page(name + "-selected", model, fragment="#select=flatten_0.tmp_0")
    pages.expect(name, "__init__.py:247" in pages.details(), "no Python line in the details: " + pages.details())


def check_groups(pages):
    """Layers are folded; a click on + opens one, and the search finds a node inside."""
    name = "bert"
    pages.page(name, pages.corpus / "models/nlp/bert")
    count = "document.querySelectorAll('.box').length"
    before = pages.browser.evaluate(count)
    pages.click("op", "layer 1 of 2", part=".toggle")
    opened = pages.browser.evaluate(count)
    pages.expect(name, opened > before, f"opening a layer shows {opened} boxes, {before} before")
    pages.finish(name + "-open")
    pages.browser.evaluate("byId('search').value = 'softmax'; byId('search').dispatchEvent(new Event('input'))")
    hits = pages.browser.evaluate("document.querySelectorAll('#found div').length")
    pages.expect(name, hits >= 2, f"the search for softmax finds {hits} nodes, expected 2 or more")
    pages.browser.evaluate("document.querySelector('#found div').click()")
    pages.expect(name, "pd.softmax" in pages.details(), "the search does not select: " + pages.details())
    pages.finish(name + "-found")
    pages.page("resnet50", pages.corpus / "models/vision/resnet50")
    groups = pages.browser.evaluate("views[0].nodes.filter(node => node.kind === 'group').map(({op, children}) => "
                                    "[op, views[0].nodes[children[0]].op, views[0].nodes[children.at(-1)].op])")
    pages.expect("resnet50", ["layer 5 of 5", "pd.conv2d", "pd.relu"] in groups, f"blocks are not folded: {groups}")


def check_run(pages):
    """Times and errors of a run color the nodes."""
    name, model = "run", pages.corpus / "models/vision/lenet"
    times, errors = pages.folder / "times.json", pages.folder / "errors.json"
    pages.tool("proa-run", model, "-q", "--profile", "--json", "--cache", "off", output=times)
    pages.tool("proa-run", model, "-q", "--compare=f64", "--json", "--cache", "off", output=errors)
    pages.page(name, model, "--run", times, "--run", errors)
    pages.click("name", "linear_0.tmp_0")
    pages.expect(name, "max abs error" in pages.details(), "no error in the details: " + pages.details())
    pages.browser.evaluate("setMode('time')")
    shown = pages.browser.evaluate("Object.keys(views[0].times).length")
    pages.expect(name, shown >= 4, f"{shown} nodes have a time, expected 4 or more")
    pages.click("name", "linear_0.tmp_1")
    for expected in ("share of the run", "fused_matmul", "GB/s", "GFLOP/s", "of the roofline"):
        pages.expect(name, expected in pages.details(), f"no {expected} in the details: {pages.details()}")
    colors = pages.browser.evaluate("views[0].nodes.map((node, id) => modes.time.of(views[0], id)).filter(Boolean)")
    pages.expect(name, len(set(colors)) >= 4, f"times have the colors {colors}")
    pages.finish(name + "-time")
    pages.tool("proa-run", model, "-q", "--amp", "O2", "--bf16", "--compare=f64", "--rtol", "1e-3", "--json", "--cache",
               "off", output=errors, code=1)
    pages.page("errors", model, "--run", errors)
    first = pages.browser.evaluate("views[0].nodes[views[0].firstWrong].name")
    pages.expect("errors", first == "conv2d_0.tmp_0", f"the first difference is {first}")


def check_changes(pages):
    """Two stages beside each other."""
    name, before, after = "changes", pages.folder / "before.mlir", pages.folder / "after.mlir"
    pages.tool("proa-translate", pages.corpus / "models/vision/lenet", "--locations", "-o", before)
    pages.tool("proa-opt", "--pd-fuse-epilogues", "--mlir-print-debuginfo", before, "-o", after)
    pages.page(name, before, "--beside", after)
    changes = pages.browser.evaluate("views.map(view => view.changes.filter(Boolean).length)")
    pages.expect(name, min(changes) > 0, f"changed nodes: {changes}")
    pages.click("name", "linear_0.tmp_1")
    pages.expect(name, "pd.add → rt.matmul" in pages.details(), "the change is not shown: " + pages.details())


def check_mesh(pages):
    """Shardings are colored by axis, and communication ops have their bytes."""
    name, program = "mesh", pages.folder / "mesh.mlir"
    propagated, partitioned = pages.folder / "propagated.mlir", pages.folder / "partitioned.mlir"
    program.write_text(MESH_PROGRAM)
    pages.tool("proa-opt", "--dist-propagate", "--mlir-print-debuginfo", program, "-o", propagated)
    pages.tool("proa-opt", "--dist-partition", "--mlir-print-debuginfo", propagated, "-o", partitioned)
    pages.page(name, propagated, "--beside", partitioned)
    pages.browser.evaluate("setMode('sharding')")
    pages.finish(name)
    axes = pages.browser.evaluate("axes")
    pages.expect(name, {"dp", "mp"} <= set(axes), f"axes: {axes}")
    labels = pages.browser.evaluate("[...document.querySelectorAll('.box .name')].map(text => text.textContent)")
    pages.expect(name, any(re.fullmatch(r"[0-9.]+ (bytes|KiB|MiB)", label) for label in labels), f"labels: {labels}")


def check_large_program(pages):
    """3,000 ops open in less than three seconds."""
    name, program, large = "large", pages.folder / "program.mlir", pages.folder / "large.mlir"
    pages.tool("proa-translate", pages.corpus / "realistic/bert_base_train", "-o", program, "--warnings=none")
    pages.tool("proa-opt", "--pd-decompose", program, "-o", large)
    seconds = pages.page(name, large)
    count = pages.browser.evaluate("views[0].nodes.length")
    print(f"{count} nodes open in {seconds:.2f} s")
    pages.expect(name, count >= 3000, f"the program has {count} nodes, expected 3000")
    pages.expect(name, seconds < 3, f"it took {seconds:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("corpus")
    parser.add_argument("--screenshots")
    options = parser.parse_args()
    missing = [program for program in ("chromium", "dot") if not shutil.which(program)]
    if missing:
        print(f"skipped: {' and '.join(missing)} not in PATH")
        sys.exit(SKIPPED)
    pages = Pages(options)
    try:
        for check in (check_small_program, check_groups, check_run, check_changes, check_mesh, check_large_program):
            check(pages)
    finally:
        pages.close()
    for failure in pages.failures:
        print("FAIL", failure)
    sys.exit(bool(pages.failures))


if __name__ == "__main__":
    main()
