"""Opening and running programs: values of Paddle, arrays of all kinds, errors and warnings."""
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy
import pytest
from conftest import assert_expected

import proa

ADD = """
func.func @main(%x: tensor<?x{n}x{t}> {{pd.feed = "x"}}, %w: tensor<{n}x{t}> {{pd.feed = "w"}})
    -> (tensor<?x{n}x{t}> {{pd.fetch = "y"}}) {{
  %y = pd.add %x, %w : (tensor<?x{n}x{t}>, tensor<{n}x{t}>) -> tensor<?x{n}x{t}>
  return %y : tensor<?x{n}x{t}>
}}
"""


@pytest.mark.parametrize("name", ["models/vision/lenet", "models/nlp/bert", "control/while_data_dependent"])
def test_outputs_are_those_of_paddle(case, name):
    folder, meta, inputs, expected = case(name)
    model = proa.open(folder, threads=1, feeds=meta["feeds"], fetches=meta["fetches"])
    inputs, expected = ({name: x for name, x in all.items() if "/" not in name} for all in (inputs, expected))
    assert_expected(meta, model.run(inputs), expected)
    assert [info.name for info in model.feeds] == meta["feeds"]
    assert [info.name for info in model.fetches] == meta["fetches"]


def test_describes_feeds(case):
    folder, _, inputs, _ = case("models/vision/lenet")
    (info,) = proa.open(folder).feeds
    assert (info.name, info.dtype, info.dims) == ("image", "float32", list(inputs["image"].shape))


def test_keywords_and_dictionary_are_equal(case):
    folder, _, inputs, _ = case("models/vision/lenet")
    model = proa.open(folder)
    (name,) = model(**inputs)
    numpy.testing.assert_array_equal(model(**inputs)[name], model.run(inputs)[name])


def test_dynamic_dims(write_program):
    model = proa.open(write_program(ADD.format(n=2, t="f32")))
    for rows in (1, 3):
        x = numpy.arange(2 * rows, dtype="float32").reshape(rows, 2)
        numpy.testing.assert_array_equal(model(x=x, w=numpy.float32([1, 2]))["y"], x + [1, 2])


class OnlyDlpack:
    """An array of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnlyArray:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize(
    "convert",
    [
        lambda x: x,
        lambda x: numpy.asfortranarray(x),
        lambda x: numpy.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x.astype(">f4"),
        lambda x: x.tolist(),
        OnlyDlpack,
        OnlyArray,
        proa.Tensor,
        memoryview,
    ],
    ids=["numpy", "fortran", "strided", "big-endian", "list", "dlpack", "array", "tensor", "buffer"],
)
def test_arrays(write_program, convert):
    model = proa.open(write_program(ADD.format(n=3, t="f32")))
    x = numpy.arange(6, dtype="float32").reshape(2, 3)
    outputs = model(x=convert(x), w=[1, 2, 3])
    numpy.testing.assert_array_equal(outputs["y"], x + numpy.float32([1, 2, 3]))


def test_feeds_and_fetches_share_memory():
    x = numpy.arange(6, dtype="float32").reshape(2, 3)
    tensor = proa.Tensor(x)
    assert numpy.shares_memory(tensor.numpy(), x)
    assert numpy.shares_memory(numpy.from_dlpack(tensor), x)
    assert (tensor.dtype, tensor.dims, tensor.lod) == ("float32", [2, 3], [])


def test_memory_lives_as_long_as_the_array(write_program):
    model = proa.open(write_program(ADD.format(n=3, t="f32")))
    y = model(x=[[1, 2, 3]], w=[1, 1, 1])["y"]
    for _ in range(5):
        model(x=[[5, 5, 5]], w=[1, 1, 1])
    del model
    numpy.testing.assert_array_equal(y, [[2, 3, 4]])


@pytest.mark.parametrize(
    "name,text",
    [("float64", "f64"), ("float16", "f16"), ("int32", "si32"), ("int64", "si64"), ("uint8", "ui8"),
     ("complex64", "complex<f32>")],
)
def test_dtypes(write_program, name, text):
    text = {"si32": "i32", "si64": "i64"}.get(text, text)
    model = proa.open(write_program(ADD.format(n=2, t=text)))
    x = numpy.array([[1, 2]], name)
    y = model(x=x, w=x[0])["y"]
    assert y.dtype == x.dtype
    numpy.testing.assert_array_equal(y, 2 * x)


def test_bfloat16(write_program):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    model = proa.open(write_program(ADD.format(n=2, t="bf16")))
    x = numpy.array([[1, 2.5]], ml_dtypes.bfloat16)
    outputs = model(x=x, w=[1, 2])
    assert outputs["y"].dtype == ml_dtypes.bfloat16
    numpy.testing.assert_array_equal(outputs["y"].astype("float32"), [[2, 4.5]])
    assert model.run_tensors({"x": x, "w": x[0]})["y"].dtype == "bfloat16"


def test_lod(case):
    folder, meta, inputs, expected = case("ops/lod_reset/op")
    lods = {name: lod for name, lod in meta["lod"].items() if name in inputs}
    feeds = {name: proa.Rows(x, lods[name]) if name in lods else x for name, x in inputs.items()}
    outputs = proa.open(folder, feeds=meta["feeds"], fetches=meta["fetches"]).run(feeds)
    assert_expected(meta, outputs, expected)
    assert outputs.lods == {name: lod for name, lod in meta["expected_lod"].items() if lod}


def test_all_errors_of_feeds_in_one_exception(case):
    folder, _, _, _ = case("models/vision/lenet")
    model = proa.open(folder)
    with pytest.raises(proa.Error, match="no feed 'imag'; did you mean 'image'") as caught:
        model(imag=numpy.zeros(3))
    assert len(caught.value.diagnostics) == 2
    assert {d.severity for d in caught.value.diagnostics} == {"error"}
    with pytest.raises(proa.Error, match=r"expected float32\[2, 1, 28, 28\]"):
        model(image=numpy.zeros((2, 1, 28, 28)))


@pytest.mark.parametrize(
    "feeds,message",
    [
        (None, "feeds: expected a dictionary of arrays by name, found None"),
        ({1: 2.0}, "feeds: expected a name as key, found 1"),
        ({"image": numpy.array([None])}, "feed 'image': expected bools, .* found an array of object"),
        ({"image": numpy.array(["a"])}, "feed 'image': expected bools, .* found an array of <U1"),
        ({"image": "abc"}, "feed 'image': could not convert string to float"),
        ({"image": [[1.0], [1.0, 2.0]]}, "feed 'image': "),
    ],
)
def test_wrong_feeds(case, feeds, message):
    folder, _, _, _ = case("models/vision/lenet")
    with pytest.raises((TypeError, ValueError), match=message):
        proa.open(folder).run(feeds)


def test_diagnostics_have_the_op(tmp_path, case):
    folder, _, _, _ = case("models/vision/lenet")
    text = (folder / "program.json").read_text()
    (tmp_path / "program.json").write_text(text.replace('"pool2d"', '"pool2e"'))
    with pytest.raises(proa.Error) as caught:
        proa.open(tmp_path)
    found = [d for d in caught.value.diagnostics if d.op_type == "pool2e"]
    assert len(found) == 2
    assert found[0].op > 0 and found[0].block == 0
    assert "pool2e" in str(caught.value) and "pool2d" in str(found[0])


@pytest.mark.parametrize(
    "path,message", [("missing", "missing"), (__file__, "test_model.py")], ids=["missing", "not a program"]
)
def test_wrong_files(path, message):
    with pytest.raises(proa.Error, match=message):
        proa.open(path)


@pytest.mark.parametrize(
    "options,message",
    [
        ({"thread": 2}, "unknown option 'thread'; did you mean 'threads'"),
        ({"threads": "two"}, "option 'threads': expected int, found 'two'"),
        ({"threads": True}, "option 'threads': expected int, found True"),
        ({"feeds": "image"}, "option 'feeds': expected a list, found 'image'"),
        ({"dims": [1]}, "option 'dims': expected a dict"),
        ({"amp": "O3"}, r"option 'amp': option of amp 'level': expected Literal\[\"O1\", \"O2\"\], found 'O3'"),
        ({"amp": {"levels": 1}}, "unknown option of amp 'levels'; did you mean 'level'"),
        ({"mesh": 2}, "option 'mesh': expected str or dict, found 2"),
    ],
)
def test_wrong_options(case, options, message):
    folder, _, _, _ = case("models/vision/lenet")
    with pytest.raises(TypeError, match=message):
        proa.open(folder, **options)


def test_wrong_values_of_options(case):
    folder, _, _, _ = case("models/vision/lenet")
    with pytest.raises(proa.Error, match="no-such-target"):
        proa.open(folder, target="no-such-target")
    for threads in (-1, 1025):
        with pytest.raises(proa.Error, match=f"threads must be 0 .* to 1024, found {threads}"):
            proa.open(folder, threads=threads)


def test_warnings(case):
    folder, _, _, _ = case("training/mlp_adagrad")
    with pytest.warns(proa.ProgramWarning, match="no fetch op") as caught:
        proa.open(folder)
    assert caught[0].filename == __file__
    assert caught[0].message.diagnostic.code == "no-fetch"
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        proa.open(folder, on_diagnostic=found.append)
    assert [d.code for d in found] == ["no-fetch"]


SLOW = """
func.func @main(%n: tensor<i64> {pd.feed = "n"}, %x: tensor<64x64xf32> {pd.feed = "x"})
    -> (tensor<64x64xf32> {pd.fetch = "y"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %count : i64 to index
  %y = scf.for %i = %zero to %end step %one iter_args(%a = %x) -> (tensor<64x64xf32>) {
    %b = pd.tanh %a : (tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %b : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}
"""


def ticks_during(work):
    """How often another thread runs while this one works."""
    ticks = []
    ends = threading.Event()

    def tick():
        while not ends.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    begin = time.monotonic()
    work()
    end = time.monotonic()
    ends.set()
    other.join()
    return sum(begin < time_ < end for time_ in ticks)


def test_other_threads_run_meanwhile(case, write_program):
    few = 3  # more than a thread gets that waits for the GIL
    folder, _, inputs, _ = case("models/nlp/bert")
    model = proa.open(folder, cache_directory="off")
    assert ticks_during(lambda: model.prepare(inputs)) > few
    loop = proa.open(write_program(SLOW), threads=1)
    feeds = {"n": 1, "x": numpy.ones((64, 64), "float32")}
    loop.run(feeds)
    assert ticks_during(lambda: loop.run(feeds | {"n": 200000})) > few


def test_threads_share_a_model(write_program):
    model = proa.open(write_program(ADD.format(n=3, t="f32")))
    errors = []

    def work(number):
        for _ in range(50):
            y = model(x=numpy.full((number, 3), number, "float32"), w=[1, 1, 1])["y"]
            if y.shape != (number, 3) or not (y == number + 1).all():
                errors.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_progress(case):
    folder, _, inputs, _ = case("models/vision/lenet")
    found = []
    model = proa.open(folder, cache_directory="off", on_progress=lambda what, part: found.append((what, part)))
    model.run(inputs)
    assert found[-1] == ("compiled", 1.0)
    assert [part for _, part in found] == sorted(part for _, part in found)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_errors_of_progress_do_not_end_a_run(case):
    folder, meta, inputs, expected = case("models/vision/lenet")

    def fail(what, part):
        raise ValueError(what)

    assert_expected(meta, proa.open(folder, cache_directory="off", on_progress=fail).run(inputs), expected)


LOOP = """
import sys
import numpy
import proa
model = proa.open(sys.argv[1], threads=2)
feeds = {info.name: numpy.zeros(info.dims, info.dtype) for info in model.feeds}
model.run(feeds)
try:
    print("ready", flush=True)
    while True:
        model.run(feeds)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_interrupt_ends_repeated_runs(case):
    folder, _, _, _ = case("models/vision/lenet")
    process = subprocess.Popen([sys.executable, "-c", LOOP, folder], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[0] == "interrupted\n"
    assert process.returncode == 0


ONE_RUN = """
import sys
import numpy
import proa
model = proa.open(sys.argv[1], threads=1)
feeds = {"x": numpy.ones((64, 64), "float32")}
model.run(feeds | {"n": 1})
try:
    print("ready", flush=True)
    model.run(feeds | {"n": 10**9})
except KeyboardInterrupt:
    print("interrupted", (model.run(feeds | {"n": 0})["y"] == 1).all())
"""


def test_interrupt_ends_one_run(write_program):
    arguments = [sys.executable, "-c", ONE_RUN, write_program(SLOW)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[0] == "interrupted True\n"
    assert process.returncode == 0


def test_open_bytes_without_temporary_files(case, write_program, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    text = write_program(ADD.format(n=3, t="f32")).read_bytes()
    assert (proa.open(text)(x=[[1, 2, 3]], w=[1, 1, 1])["y"] == [[2, 3, 4]]).all()
    with pytest.raises(proa.Error, match="program.json"):
        proa.open(b"{")
    folder, _, _, _ = case("models/vision/lenet")
    with pytest.raises(proa.Error, match="no-such-file"):
        proa.open((folder / "program.json").read_bytes(), parameters="no-such-file")


@pytest.mark.filterwarnings("ignore::proa.ProgramWarning")
def test_sessions_have_states_of_their_own(case):
    folder, meta, inputs, expected = case("training/mlp_adagrad")
    model = proa.open(folder)
    feeds = {name: inputs[f"step0/{name}"] for name in meta["feeds"]}
    first = model.run(feeds)[meta["loss"]]
    model.run(feeds)
    session = model.session()
    numpy.testing.assert_array_equal(session.run(feeds)[meta["loss"]], first)
    session.parameters["learning_rate_0"] = 0.5
    assert model.parameters["learning_rate_0"] == expected["final/learning_rate_0"]
    assert [info.name for info in session.feeds] == meta["feeds"] and session.times.last_run > 0


def test_threads_run_sessions(case):
    folder, meta, inputs, expected = case("models/vision/lenet")
    model = proa.open(folder, threads=1)
    model.prepare(inputs)
    outputs = []

    def work(session):
        for _ in range(20):
            outputs.append(session.run(inputs))

    threads = [threading.Thread(target=work, args=(model.session(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outputs) == 80
    for output in outputs:
        assert_expected(meta, output, expected)
