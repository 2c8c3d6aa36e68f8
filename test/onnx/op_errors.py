#!/usr/bin/env python3
"""Checks the errors of proa-translate for ops of ONNX with invalid attributes and dims: op_errors.py PROA-TRANSLATE

Ends with code 77, "skipped", where Python lacks the package onnx.
"""
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77

try:
    import onnx
except ImportError as error:
    print(f"skipped: {error}; ./bootstrap.sh onnx installs it")
    sys.exit(SKIPPED)

OPSETS = '"ai.onnx.preview" : 1, "ai.onnx.preview.training" : 1, "com.microsoft" : 1'
HEAD = f'<ir_version: 8, opset_import: ["" : 18, {OPSETS}]> g '
NEWER_HEAD = f'<ir_version: 11, opset_import: ["" : 27, {OPSETS}]> g '  # for ops that opset 18 lacks
NEWER_OPS = "LinearAttention", "CausalConvWithState", "RegexFullMatch"
CASES = [
    ('(float[2, 3] x) => (float[2, 3] y) { y = Softmax<axis = 2>(x) }', "axis must be in [-2, 2), found 2"),
    ('(float[2, 3] x) => (float[3] y) <int64[1] a = {1}> { y = Squeeze(x, a) }', "has dim 3 at axis 1, expected 1"),
    ('(float[3] x) => (float[1, 3] y) <int64[2] a = {0, -4}> { y = Unsqueeze(x, a) }',
     "has axis -4, expected one from -3 to 2"),
    ('(float[3] x) => (float[1, 3] y) <int64[2] a = {0, -3}> { y = Unsqueeze(x, a) }', "lists axis 0 twice"),
    ('(float[4] x) => (float[2] y, float[2] z) <int64[3] s = {2, 1, 1}> { y, z = Split<axis = 0>(x, s) }',
     "splits into 3 pieces, expected 2, one for each output"),
    ('(float[4] x) => (float[6] y) <int64[2] p = {1, 1}> { y = Pad<mode = "mirror">(x, p) }',
     "has mode 'mirror', expected constant, reflect, edge or wrap"),
    ('(float[4] x) => (float[6] y) <int64[3] p = {1, 1, 1}> { y = Pad(x, p) }',
     "has 3 pads, expected 2, two for each axis"),
    ('(float[1, 4, 2, 2] x) => (float[1, 1, 4, 4] y) { y = DepthToSpace<blocksize = 2, mode = "ABC">(x) }',
     "has mode 'ABC', expected DCR or CRD"),
    ('(float[4] x, int64[1, 2] i) => (float[1, 2] y) { y = GatherElements(x, i) }',
     "has indices of rank 2, expected rank 1, as data"),
    ('(float[2, 3] x, int64[1, 1] i, float[1, 3] u) => (float[2, 3] y) { y = ScatterND<reduction = "sub">(x, i, u) }',
     "has reduction 'sub', expected none, add, mul, min or max"),
    ('(float[4] x) => (float[5] y, int64[5] i) <int64[1] k = {5}> { y, i = TopK(x, k) }',
     "selects 5 elements, expected 0 to 4"),
    ('(float[4] x) => (float[4] y) { y = EyeLike(x) }', "has an input of rank 1, expected a matrix"),
    ('(int32[2] x, int32[2] s) => (int32[2] y) { y = BitShift<direction = "UP">(x, s) }',
     "has direction 'UP', expected LEFT or RIGHT"),
    ('(float[3, 4] x, int64[4] l) => (float[3, 4] y) { y = ReverseSequence<time_axis = 1, batch_axis = 1>(x, l) }',
     "has time_axis and batch_axis 1, expected different axes"),
    ('(float[1, 4] x) => (float[1, 4] y) { y = LRN<size = 0>(x) }', "n must be from 1 to 4096, found 0"),
    ('(float[1, 2, 4, 4] x, float[1, 4] b, int64[1] i) => (float[1, 2, 1, 1] y) '
     '{ y = RoiAlign<mode = "sum">(x, b, i) }',
     "attribute 'mode' is \"sum\", expected avg or max"),
    ('(int64[4] x) => (float[1] y) { y = TfIdfVectorizer<mode = "TF", min_gram_length = 1, max_gram_length = 1, '
     'max_skip_count = 0, ngram_counts = [2], ngram_indexes = [0], pool_int64s = [1]>(x) }',
     "attribute 'ngram_counts' does not divide the 1 items of the pool"),
    ('(int64[4] x) => (float[1] y) { y = TfIdfVectorizer<mode = "TF", min_gram_length = 1, max_gram_length = 1, '
     'max_skip_count = 0, ngram_counts = [0], ngram_indexes = [0], pool_int64s = [1, 2]>(x) }',
     "attribute 'ngram_indexes' has 1 columns, fewer than the pool has n-grams"),
    ('(float[2] x) => (float[2] y) { s = Mul(x, x) y = ai.onnx.preview.training.Gradient<xs = ["x"], y = "x">(x) }',
     "value 'x' does not follow from its inputs by the nodes before it"),
    ('(int64[2] x) => (int64[2] y) { s = Mul(x, x) y = ai.onnx.preview.training.Gradient<xs = ["x"], y = "s">(x) }',
     "value 'x' is not a tensor of floats, which 'xs' needs"),
    ('(float[2] x) => (float[2] y) { s = Mul(x, x) y = ai.onnx.preview.training.Gradient<xs = ["x"], y = "s">(x, x) }',
     "has 2 inputs, expected 1 tensors, one for each name in 'xs' and 'zs'"),
    ('(float[1, 2, 8] q, float[1, 2, 8] k, float[1, 2, 8] v) => (float[1, 2, 8] y, float[1, 2, 4, 4] s) '
     '{ y, s = LinearAttention<q_num_heads = 2, kv_num_heads = 2>(q, k, v) }',
     "has no input 'decay' and no input 'beta', which 'update_rule' gated_delta does not take"),
    ('(float[1, 2, 8] x, float[2, 1, 3] w) => (float[1, 2, 8] y, float[1, 2, 2] s) '
     '{ y, s = CausalConvWithState<activation = "relu">(x, w) }',
     "attribute 'activation' is 'relu', expected none, silu or swish"),
    ('(float[1, 2, 3, 4] q) => (float[1, 2, 3, 4] y) { y = ai.onnx.preview.FlexAttention<score_mod = '
     'g (float[a, b, c, d] s) => (float[a] t) { z = Constant<value = int64[1] {0}>() t = Shape(s) }>(q, q, q) }',
     "graph 'score_mod' changes the rank or element type of its input, expected neither"),
    # All ops that are not supported, with the names of their nodes.
    ('(string[2] s, uint8[4] u, float[2] x) => (bool[2] m, uint8[H, W, 3] p, float[2] z) '
     '{ [match] m = RegexFullMatch<pattern = "a+">(s) [decode] p = ImageDecoder(u) '
     '[pages] z = com.microsoft.PagedAttention(x, x, x, x, x, x, x, x) }',
     "node 'match' (RegexFullMatch): needs tensors of strings",
     "node 'decode' (ImageDecoder): op 'ImageDecoder' of ONNX is not supported",
     "node 'pages' (PagedAttention): op 'PagedAttention' of domain 'com.microsoft' is not supported"),
]


def problem_of(translate, folder, text, *expected):
    """What differs from the expected errors; empty: nothing."""
    path = folder / "model.onnx"
    head = NEWER_HEAD if any(op in text for op in NEWER_OPS) else HEAD
    onnx.save(onnx.parser.parse_model(head + text), path)
    done = subprocess.run([translate, path], capture_output=True, text=True)
    if done.returncode != 1 or any(message not in done.stderr for message in expected):
        return f"{text}\n  ended with {done.returncode}, expected errors with {expected}, found {done.stderr}"
    return ""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        problems = [problem_of(sys.argv[1], pathlib.Path(folder), *case) for case in CASES]
    print("\n".join(filter(None, problems)) or f"{len(CASES)} errors are as expected")
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())
