#!/usr/bin/env python3
"""Writes SchemaTable.inc: the schemas of ops as C++ tables.

usage: generate_schemas.py OUTPUT         writes the table
       generate_schemas.py --check FILE   compares FILE with a new table

It needs the Python packages onnx and onnxruntime in the versions VERSION and RUNTIME_VERSION; --check ends with code
77, "skipped", without them.
"""
import json
import pathlib
import sys
import textwrap

VERSION = "1.23.2"
RUNTIME_VERSION = "1.32.0"
# Ops of ONNX Runtime that records map; the others have no schema here.
RUNTIME_OPS = {
    "com.microsoft": """
        Attention BiasAdd BiasGelu BiasSoftmax BiasSplitGelu BranchwiseRMSNorm CausalConvWithState CDist
        CropAndResize DecoderMaskedMultiHeadAttention DequantizeLinear DynamicQuantizeLSTM DynamicQuantizeMatMul
        EmbedLayerNormalization ExpandDims FastGelu FusedConv FusedGemm FusedMatMul GatedAdd GatedRelativePositionBias
        GatedRMSNorm GatherBlockQuantized GatherND Gelu GridSample GroupNorm GroupQueryAttention Inverse
        LinearAttention LinearAttentionGate MatMulBnb4 MatMulInteger16 MatMulIntegerToFloat MatMulNBits MoE
        MoEGroupRouter MRotaryEmbedding MultiHeadAttention NGramRepeatBlock NhwcConv NhwcFusedConv
        NhwcMaxPool PackedAttention PackedMultiHeadAttention QAttention QEmbedLayerNormalization QGemm
        QLinearAdd QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool QLinearLeakyRelu
        QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax QLinearWhere QMoE QuantizeLinear
        QuickGelu RelativePositionBias RemovePadding RestorePadding RotaryEmbedding ScaledSiLU SkipGroupNorm
        SkipLayerNormalization SkipSimplifiedLayerNormalization SparseAttention SwiGLU TransposeMatMul Trilu
        UnfoldTensor""".split(),
    "": ["LayerNormalization", "SimplifiedLayerNormalization"],
}
WIDTH = 116


class Runs:
    """A flat table of rows in which equal lists of rows are there once."""

    def __init__(self):
        self.rows = []
        self.starts = {}

    def add(self, rows):
        key = tuple(rows)
        if key not in self.starts:
            self.starts[key] = len(self.rows)
            self.rows += rows
        return f"{{{self.starts[key]}, {len(rows)}}}"


def quoted(text):
    return json.dumps(text)


def default_of(onnx, attribute):
    """The default as an AttributeProto. ONNX Runtime's schemas have its bytes."""
    if hasattr(attribute, "default_value"):
        return attribute.default_value
    return onnx.AttributeProto.FromString(attribute._default_value)


def default_text(onnx, attribute):
    """The default as text, elements of lists separated by commas; "nullptr" if there is none."""
    import numpy

    default = default_of(onnx, attribute)
    if not default.name and not default.type:
        return "nullptr"
    value = onnx.helper.get_attribute_value(default)

    def text(one):
        if isinstance(one, float):
            return str(numpy.float32(one))
        return one.decode() if isinstance(one, bytes) else str(one)

    return quoted(",".join(map(text, value)) if isinstance(value, list) else text(value))


def parameter_rows(parameters):
    def text(p):
        is_own = hasattr(p, "type_str")
        type_name, is_homogeneous = (p.type_str, p.is_homogeneous) if is_own else (p.typeStr, p.isHomogeneous)
        return f"{{{quoted(p.name)}, {quoted(type_name)}, Option::{p.option.name}, {str(is_homogeneous).lower()}}}"

    return list(map(text, parameters))


def arity(number):
    return "manyValues" if number > 10000 else str(number)


def kind_number(attribute):
    return int(getattr(attribute.type, "value", attribute.type))


def is_function(schema):
    return getattr(schema, "has_function", False) or getattr(schema, "has_context_dependent_function", False)


def runtime_schemas(own):
    """The schemas of RUNTIME_OPS that are not in `own`."""
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

    def key(schema):
        return schema.domain, schema.name, schema.since_version

    known = set(map(key, own))
    return [s for s in get_all_operator_schema() if s.name in RUNTIME_OPS.get(s.domain, ()) and key(s) not in known]


def tables(onnx):
    own = onnx.defs.get_all_schemas_with_history()
    runtime = runtime_schemas(own)
    schemas = sorted([*own, *runtime], key=lambda s: (s.domain, s.name, s.since_version))
    types = sorted({t for s in schemas for c in s.type_constraints for t in c.allowed_type_strs})
    parameters, attributes, constraints, sets = Runs(), Runs(), Runs(), {}

    def set_index(allowed):
        bits = sum(1 << types.index(t) for t in set(allowed))
        return sets.setdefault(bits, len(sets))

    rows = []
    for s in schemas:
        fields = [quoted(s.domain), quoted(s.name), str(s.since_version), str(s.deprecated).lower(),
                  str(is_function(s)).lower()]
        fields += map(arity, (s.min_input, s.max_input, s.min_output, s.max_output))
        fields += [parameters.add(parameter_rows(s.inputs)), parameters.add(parameter_rows(s.outputs))]
        fields.append(attributes.add([
            f"{{{quoted(a.name)}, AttributeKind({kind_number(a)}), {str(a.required).lower()}, {default_text(onnx, a)}}}"
            for a in sorted(s.attributes.values(), key=lambda a: a.name)]))
        fields.append(constraints.add([f"{{{quoted(c.type_param_str)}, {set_index(c.allowed_type_strs)}}}"
                                       for c in s.type_constraints]))
        rows.append("{" + ", ".join(fields) + "}")
    mask = (1 << 64) - 1
    return [
        ("std::string_view typeNames", [quoted(t) for t in types]),
        ("TypeSet typeSets", [f"{{{{{bits & mask:#x}, {bits >> 64:#x}}}}}" for bits in sets]),
        ("SchemaParameter parameterTable", parameters.rows),
        ("SchemaAttribute attributeTable", attributes.rows),
        ("TypeConstraint constraintTable", constraints.rows),
        ("SchemaRow schemaTable", rows),
        ("RuntimeOp runtimeOps", sorted(f"{{{quoted(s.name)}, {s.since_version}}}" for s in runtime if not s.domain)),
    ]


def wrapped(rows):
    line = " "
    for row in rows:
        if len(line) + len(row) + 2 > WIDTH and line.strip():
            yield line
            line = " "
        if len(row) > WIDTH:
            *first, row = textwrap.wrap(row, WIDTH - 4, break_on_hyphens=False)
            yield from ("  " + line for line in first)
            line = "   "
        line += f" {row},"
    yield line


def text_of(onnx):
    out = ["// Facts of the schemas of ONNX and ONNX Runtime. generate_schemas.py writes this file from the Python",
           f"// packages onnx {VERSION} and onnxruntime {RUNTIME_VERSION}.",
           "// clang-format off",
           f"inline constexpr int64_t newestOpset = {onnx.defs.onnx_opset_version()};"]
    for name, rows in tables(onnx):
        out += [f"constexpr {name}[] = {{", *wrapped(rows), "};"]
    return "\n".join(out) + "\n"


def main():
    is_check = len(sys.argv) == 3 and sys.argv[1] == "--check"
    if not is_check and len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        import onnx
        import onnxruntime
    except ImportError as error:
        print(f"skipped: {error}; expected onnx {VERSION} and onnxruntime {RUNTIME_VERSION}")
        sys.exit(77)
    for package, version in ((onnx, VERSION), (onnxruntime, RUNTIME_VERSION)):
        if package.__version__ != version:
            print(f"skipped: found {package.__name__} {package.__version__}, expected {version}")
            sys.exit(77)
    path = pathlib.Path(sys.argv[-1])
    if not is_check:
        path.write_text(text_of(onnx))
    elif path.read_text() != text_of(onnx):
        sys.exit(f"{path} differs from the schemas of onnx {VERSION}: run generate_schemas.py {path}")


if __name__ == "__main__":
    main()
