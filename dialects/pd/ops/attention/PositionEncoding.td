// Positional encodings.
#ifndef PROA_DIALECTS_PD_NN_POSITION_ENCODING
#define PROA_DIALECTS_PD_NN_POSITION_ENCODING

include "dialects/pd/ir/Base.td"

def Pd_AddPositionEncodingOp : Pd_Op<"add_position_encoding"> {
  let summary = "Positional encoding: alpha * x + beta * sines and cosines of the position";
  let description = [{
    x is [batch, time, features], or with `offsets` its rows are sequences of features. With h half of the features
    and w_k = 10000^(-k / (h - 1)) (1 / 10000 for h = 1), feature k < h gets sin(t * w_k), feature h + k gets cos(t *
    w_k).
  }];
  let constraints = ["C1. x has rank 3 (with offsets rank 2), and an even number of features"];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_IntTensor>:$offsets, DefaultValuedAttr<F64Attr, "1.0">:$alpha,
    DefaultValuedAttr<F64Attr, "1.0">:$beta);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferPositionEncoding";
  let decomposesInCode = 1;
  let legacy = [Legacy<"add_position_encoding", ["X", "X@LOD?"], ["Out"], ["alpha", "beta"]>];
  let newIrGradients = ["add_position_encoding_grad(x)"];
}

def Pd_RotaryEmbeddingOp : Pd_Op<"rotary_embedding"> {
  let onnx = [OnnxWritten<"exportRotaryEmbedding", "opset >= 23 && isRotaryInOnnx(op)">];
  let summary = "Rotary embedding: x * cosines + turned(x) * sines";
  let description = [{
    The last dim of x has two halves, a and b: turned(x) has -b, then a. Where both halves of cosines and sines belong
    to the same angles, elements i of a and b are turned together. pd-form-composites creates the op for exports.

    Source: Su et al., "RoFormer" (2021).
  }];
  let constraints = [
    "C1. the last dim of x is static and even",
    "C2. cosines and sines broadcast to the dims of x",
    "C3. x, cosines and sines have the same element type"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$cosines, Pd_FloatTensor:$sines);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferRotaryEmbedding";
  let decomposesInCode = 1;
}

#endif
