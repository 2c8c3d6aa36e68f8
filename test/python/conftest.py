"""Shared parts of the tests of the Python package."""
import json
import pathlib

import numpy
import pytest

import proa

CORPUS = pathlib.Path(__file__).parents[1] / "corpus"


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory):
    """Programs compile in the test, not in an earlier one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def read_case(name):
    """A case of the corpus: its folder, its description, its inputs and Paddle's outputs."""
    folder = CORPUS / name
    meta = json.loads((folder / "meta.json").read_text())
    return folder, meta, proa.load(folder / "inputs.safetensors"), proa.load(folder / "expected.safetensors")


@pytest.fixture
def case():
    return read_case


def assert_expected(meta, outputs, expected):
    for name, value in expected.items():
        numpy.testing.assert_allclose(outputs[name], value, rtol=meta["rtol"], atol=meta["atol"], err_msg=name)


@pytest.fixture
def write_program(tmp_path):
    """Writes the text of an IR file; returns its path."""

    def write(text):
        path = tmp_path / "program.mlir"
        path.write_text(text)
        return path

    return write
