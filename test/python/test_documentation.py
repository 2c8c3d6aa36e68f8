"""The Python blocks of the documentation run."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(page, text) for page in ("README.md", "docs/python.md") for text in BLOCK.findall((ROOT / page).read_text())]


@pytest.mark.parametrize("page,text", BLOCKS)
def test_block_runs(monkeypatch, page, text):
    monkeypatch.chdir(ROOT)
    exec(compile(text, page, "exec"), {})


def test_expected_blocks_exist():
    assert len(BLOCKS) >= 2
