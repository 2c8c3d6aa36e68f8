"""Writes the case fp8_gemm: Paddle computes fp8_fp8_half_gemm_fused on GPUs only, so that its outputs are computed here,
in double precision from the definitions of the formats (OCP OFP8 1.0) and rounded to the type of the output.

usage: make_fp8_case.py      (writes into pir/fp8_gemm; needs numpy)
"""
import json
import pathlib
import struct

import numpy

FOLDER = pathlib.Path(__file__).parent / "pir" / "fp8_gemm"
ROWS, COLUMNS, INNER = 5, 16, 48


def e4m3(bits):
    bits = int(bits)
    exponent, mantissa = bits >> 3 & 15, bits & 7
    number = mantissa / 512 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7)
    return -number if bits & 128 else number


def attribute(name, kind, value):
    return {"AT": {"#": kind, "D": value}, "N": name}


def tensor(number, element, dims):
    return {"%": number, "TT": {"#": "0.t_dtensor", "D": [{"#": element}, dims, "NCHW", [], 0]}}


def feed(number, name, dtype, element, dims):
    return {"#": "1.data", "A": [attribute("name", "0.a_str", name), attribute("shape", "1.a_intarray", dims),
                                 attribute("dtype", "1.a_dtype", dtype), attribute("place", "1.a_place", [0, 0, ""])],
            "I": [], "O": [tensor(number, element, dims)], "OA": []}


def product(number, inputs, element, dims, **attributes):
    kinds = {bool: "0.a_bool", float: "0.a_f32", str: "0.a_str"}
    return {"#": "1.fp8_fp8_half_gemm_fused", "A": [attribute(k, kinds[type(v)], v) for k, v in attributes.items()],
            "I": [{"%": i} for i in inputs], "O": [tensor(number, element, dims)], "OA": []}


def fetch(number, name, source, element, dims):
    return {"#": "1.fetch", "A": [attribute("name", "0.a_str", name), attribute("col", "0.a_i32", number - 20)],
            "I": [{"%": source}], "O": [tensor(number, element, dims)], "OA": []}


def write_tensors(path, tensors):
    header, data = {}, b""
    for name, (dtype, array) in tensors.items():
        content = array.tobytes()
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def bfloat16(numbers):
    bits = numbers.astype(numpy.float32).view(numpy.uint32).astype(numpy.uint64)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)


def main():
    random = numpy.random.default_rng(1)
    # Finite numbers, subnormal ones among them.
    x, y = (random.choice(numpy.r_[0:0x60, 0x80:0xe0], dims).astype(numpy.uint8) for dims in
            ((ROWS, INNER), (COLUMNS, INNER)))
    bias = random.standard_normal(COLUMNS).astype(numpy.float16)
    number = numpy.vectorize(e4m3)
    exact = number(x) @ number(y).T
    scaled = 0.0625 * exact + bias.astype(numpy.float64)
    gelu = scaled * 0.5 * (1 + numpy.tanh(numpy.sqrt(2 / numpy.pi) * (scaled + 0.044715 * scaled ** 3)))
    FOLDER.mkdir(exist_ok=True)
    write_tensors(FOLDER / "inputs.safetensors",
                  {"x": ("F8_E4M3", x), "y": ("F8_E4M3", y), "bias": ("F16", bias)})
    write_tensors(FOLDER / "expected.safetensors",
                  {"plain": ("BF16", bfloat16(exact)), "gelu": ("F16", gelu.astype(numpy.float16)),
                   "relu": ("F16", numpy.maximum(scaled, 0).astype(numpy.float16))})
    out = [ROWS, COLUMNS]
    with_bias = {"transpose_x": False, "transpose_y": True, "scale": 0.0625, "output_dtype": "float16"}
    ops = [feed(1, "x", "float8_e4m3fn", "0.t_f8e4m3fn", [ROWS, INNER]),
           feed(2, "y", "float8_e4m3fn", "0.t_f8e4m3fn", [COLUMNS, INNER]),
           feed(3, "bias", "float16", "0.t_f16", [COLUMNS]),
           product(4, [1, 2, 0], "0.t_bf16", out, transpose_x=False, transpose_y=True, scale=1.0,
                   output_dtype="bfloat16", activation_type="identity"),
           product(5, [1, 2, 3], "0.t_f16", out, **with_bias, activation_type="gelu"),
           product(6, [1, 2, 3], "0.t_f16", out, **with_bias, activation_type="relu")]
    results = [("plain", "0.t_bf16"), ("gelu", "0.t_f16"), ("relu", "0.t_f16")]
    ops += [fetch(20 + i, name, 4 + i, element, out) for i, (name, element) in enumerate(results)]
    program = {"base_code": {"magic": "pir", "trainable": True, "version": 4}, "program": {"regions": [
        {"#": "region_0", "blocks": [{"#": "block_0", "args": [], "ops": ops}]}]}}
    (FOLDER / "program.json").write_text(json.dumps(program) + "\n")
    meta = {"case": "pir/fp8_gemm", "kind": "pir", "pir": True, "feeds": ["x", "y", "bias"],
            "fetches": [name for name, _ in results], "compare": "allclose", "rtol": 4e-3, "atol": 1e-3,
            "runnable": True, "training": False, "steps": 1}
    (FOLDER / "meta.json").write_text(json.dumps(meta, indent=1) + "\n")


main()
