// Matmuls and other contractions.
#ifndef PROA_DIALECTS_PD_LINALG_CONTRACT
#define PROA_DIALECTS_PD_LINALG_CONTRACT

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Contraction.td"

// Of ONNX Runtime.
def : OnnxFormula<"Inverse", "importInverse", 1, 0, "com.microsoft">;
def : OnnxFormula<"FusedMatMul", "importFusedMatMul", 1, 0, "com.microsoft">;
def : OnnxFormula<"TransposeMatMul", "importFusedMatMul", 1, 0, "com.microsoft">;
def : OnnxFormula<"FusedGemm", "importFusedGemm", 1, 0, "com.microsoft">;
def : OnnxFormula<"MatMulBnb4", "importMatMulBnb4", 1, 0, "com.microsoft">;
def : OnnxFormula<"MoE", "importMoe", 1, 0, "com.microsoft">;
def : OnnxFormula<"QMoE", "importQMoe", 1, 0, "com.microsoft">;
def : OnnxFormula<"MoEGroupRouter", "importMoeGroupRouter", 1, 0, "com.microsoft">;
def : OnnxFormula<"GatherBlockQuantized", "importGatherBlockQuantized", 1, 0, "com.microsoft">;
def : OnnxFormula<"CDist", "importCDist", 1, 0, "com.microsoft">;

// Ops that Paddle's passes fuse into a matmul (translator/import/legacy/FusedAttributes.h).
defvar FusedIntoMatmul = ["Scale_x=fused", "Scale_y=fused", "Scale_out=fused",
  "fused_output_scale=fused", "fuse_activation=fused", "fuse_residual_connection=fused", "slot ResidualData",
  "fused_reshape_X=fused", "fused_reshape_Y=fused", "fused_reshape_Out=fused",
  "fused_transpose_X=fused", "fused_transpose_Y=fused", "fused_transpose_Out=fused"];

def Pd_MatmulOp : Pd_FoldableOp<"matmul",
    [DeclareOpInterfaceMethods<ContractionOpInterface, ["getContractionMaps"]>]> {
  let summary = "Matmul over the last two dimensions, with broadcast leading dimensions";
  let description = [{
    `out[..., m, n] = sum over k of x[..., m, k] * y[..., k, n]`. With `transpose_x` (`transpose_y`) the last two
    dimensions of x (y) are swapped first. An x of rank 1 is a row and a y of rank 1 is a column; the result does not
    have that dimension, and the transpose flag of that operand has no effect.
  }];
  let constraints = [
    "C1. neither operand has rank 0",
    "C2. both operands have the same element type",
    "C3. the contracted dims are equal",
    "C4. the leading dimensions broadcast"
  ];
  let arguments = (ins Pd_NumberTensor:$x, Pd_NumberTensor:$y, DefaultValuedAttr<BoolAttr, "false">:$transpose_x,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_y);
  let vjpInCode = 1;
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferMatmul";
  let evaluates = 1;
  let library = "matmul";
  let cudaLibrary = "cublaslt";
  let libraryHalf = 1;
  let precision = "low";
  let onnx = [OnnxWritten<"exportMatmul">, OnnxReadOnly<"MatMul", ["A", "B"], ["Y"]>];
  let legacy = [
    Legacy<"matmul_v2", ["X", "Y"], ["Out"], ["transpose_x=trans_x", "transpose_y=trans_y"],
      FusedIntoMatmul, "importMatmul">,
    Legacy<"matmul", ["X", "Y"], ["Out"], ["transpose_x=transpose_X", "transpose_y=transpose_Y"],
      ["alpha=hook", "head_number=hook"] # FusedIntoMatmul, "importMatmulV1">,
    // It keeps attributes of the `matmul` that it replaces, which it does not read.
    Legacy<"fused_matmul", ["X", "Y"], ["Out"], [], ["trans_x=hook", "trans_y=hook", "matmul_alpha=hook",
      "alpha=hook", "transpose_X=hook",
      "transpose_Y=hook", "head_number=hook"] # FusedIntoMatmul, "importFusedMatmul">];
  let newIrGradients = ["matmul_double_grad(x, y, dout)", "matmul_triple_grad(x, y, dout, ddx, ddy)"];
  let linear = ["x", "y"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_MatmulWithFlattenOp : Pd_Op<"matmul_with_flatten"> {
  let summary = "Matmul of operands flattened to matrices";
  let description = [{
    The first `x_num_col_dims` dimensions of x are its rows, the others its columns; for y, `y_num_col_dims`. The
    result has the row dimensions of x and the column dimensions of y.
  }];
  let constraints = [
    "C1. 0 < x_num_col_dims < rank of x, and the same for y",
    "C2. both operands have the same element type",
    "C3. x has as many columns as y has rows"
  ];
  let arguments = (ins Pd_NumberTensor:$x, Pd_NumberTensor:$y, DefaultValuedAttr<I64Attr, "1">:$x_num_col_dims,
    DefaultValuedAttr<I64Attr, "1">:$y_num_col_dims);
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferMatmulWithFlatten";
  let decomposesInCode = 1;
  let precision = "low";
  let legacy = [Legacy<"mul", ["X", "Y"], ["Out"], ["x_num_col_dims", "y_num_col_dims"]>,
                Legacy<"fc", ["Input", "W"], ["Out"], [], ["in_num_col_dims=hook", "activation_type=hook",
                  "padding_weights=hook", "fuse_residual_connection=fused",
                  "fuse_activation=fused", "fused_output_scale=fused", "fused_reshape2_shape=fused"], "importFc">,
                Legacy<"fusion_repeated_fc_relu", ["X", "W*"], ["Out"], [], ["slot Bias", "slot ReluOut"],
                  "importFusionRepeatedFcRelu">];
}

def Pd_BmmOp : Pd_Op<"bmm"> {
  let summary = "Matmuls of two batches of matrices";
  let description = [{
    `out[b, m, n] = sum over k of x[b, m, k] * y[b, k, n]`.
  }];
  let constraints = [
    "C1. both operands have rank 3",
    "C2. both operands have the same element type",
    "C3. the contracted dims are equal",
    "C4. the batch dims are equal"
  ];
  let arguments = (ins Pd_NumberTensor:$x, Pd_NumberTensor:$y);
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferBmm";
  let decomposesInCode = 1;
  let precision = "low";
  let legacy = [Legacy<"bmm", ["X", "Y"], ["Out"]>];
  let newIrGradients = ["bmm_double_grad(x, y, dout)"];
}

def Pd_MvOp : Pd_Op<"mv"> {
  let summary = "Product of a matrix and a vector";
  let constraints = [
    "C1. x has rank 2 and vec rank 1",
    "C2. both operands have the same element type",
    "C3. the contracted dims are equal"
  ];
  let arguments = (ins Pd_NumberTensor:$x, Pd_NumberTensor:$vec);
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferMv";
  let decomposesInCode = 1;
  let precision = "low";
  let legacy = [Legacy<"mv", ["X", "Vec"], ["Out"]>];
}

def Pd_DotOp : Pd_Op<"dot"> {
  let lod = "none";
  let summary = "Sum of x * y along the last dimension";
  let constraints = [
    "C1. both operands have rank 1, or both rank 2",
    "C2. both operands have the same element type",
    "C3. the dims are equal"
  ];
  let arguments = (ins Pd_NumberTensor:$x, Pd_NumberTensor:$y);
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferDot";
  let decomposition = "e.sum(x * y, {x.rank() - 1}, false)";
  let legacy = [Legacy<"dot", ["X", "Y"], ["Out"]>];
}

class Pd_AddProductOp<string mnemonic, string text, int rank> : Pd_Op<mnemonic> {
  let summary = text;
  let constraints = [
    "C1. x and y have rank " # rank,
    "C2. all operands have the same element type",
    "C3. the contracted dims are equal",
    "C4. input broadcasts to the product"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$x, Pd_FloatTensor:$y,
    DefaultValuedAttr<F64Attr, "1.0">:$beta, DefaultValuedAttr<F64Attr, "1.0">:$alpha);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferAddmm<" # rank # ">";
  let decomposition = "input * op.getBeta().convertToDouble() + e.matmul(x, y) * op.getAlpha().convertToDouble()";
  let precision = "low";
  let legacy = [Legacy<mnemonic, ["Input", "X", "Y"], ["Out"], ["beta=Beta", "alpha=Alpha"]>];
}
def Pd_AddmmOp : Pd_AddProductOp<"addmm", "beta * input + alpha * x y", 2>;
def Pd_BaddbmmOp : Pd_AddProductOp<"baddbmm", "beta * input + alpha * x y, for batches of matrices", 3> {
  let legacy = [LegacyReadOnly<"baddbmm", ["Input", "X", "Y"], ["Out"], ["beta=Beta", "alpha=Alpha"]>];
}

def Pd_BilinearOp : Pd_Op<"bilinear"> {
  let summary = "x W_i y for each of the matrices W_i, plus bias";
  let description = [{
    `out[b, i] = x[b] * weight[i] * y[b] + bias[i]`.
  }];
  let constraints = [
    "C1. x and y have rank 2 and weight rank 3",
    "C2. all operands have the same element type",
    "C3. x and y have the same number of rows, and the dims that weight contracts",
    "C4. bias has one element for each matrix"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y, Pd_FloatTensor:$weight, Optional<Pd_FloatTensor>:$bias);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferBilinear";
  let decomposesInCode = 1;
  let legacy = [Legacy<"bilinear_tensor_product", ["X", "Y", "Weight", "Bias"], ["Out"]>];
  let newIrGradients = ["bilinear_grad(x, y, weight)"];
}

def Pd_FusionSquaredMatSubOp : Pd_Op<"fusion_squared_mat_sub"> {
  let summary = "scalar * ((x y)^2 - x^2 y^2), with elementwise squares";
  let constraints = [
    "C1. x and y have rank 2",
    "C2. both operands have the same element type",
    "C3. the contracted dims are equal"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y, DefaultValuedAttr<F64Attr, "1.0">:$scalar);
  let results = (outs Pd_FloatTensor:$squared_x, Pd_FloatTensor:$squared_y, Pd_FloatTensor:$squared_xy,
    Pd_FloatTensor:$out);
  let infer = "inferSquaredMatSub";
  let decomposesInCode = 1;
  let legacy = [Legacy<"fusion_squared_mat_sub", ["X", "Y"], ["SquaredX", "SquaredY", "SquaredXY", "Out"], ["scalar"]>];
}

def Pd_MultiDotOp : Pd_Op<"multi_dot"> {
  let summary = "Product of several matrices, in the cheapest order";
  let description = [{
    The first operand may be a row, and the last one a column, of rank 1; the result does not have that dimension.
  }];
  let constraints = [
    "C1. there are two or more operands, of rank 2, except the first and the last, which have rank 1 or 2",
    "C2. all operands have the same element type",
    "C3. the contracted dims are equal"
  ];
  let arguments = (ins Variadic<Pd_NumberTensor>:$x);
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferMultiDot";
  let decomposesInCode = 1;
  let precision = "low";
  let legacy = [Legacy<"multi_dot", ["X*"], ["Out"]>];
}

def Pd_EinsumOp : Pd_Op<"einsum"> {
  let lod = "none";
  let summary = "Einstein summation";
  let description = [{
    `equation` is `labels,labels,...->labels`, one letter for each dimension; `...` means leading dimensions that
    broadcast. Labels that the result does not have are summed over. Without `->` the result has the `...` dimensions
    and then the labels that occur once, in alphabetical order.
  }];
  let constraints = [
    "C1. the equation has one term for each operand and only letters, at most one `...` in a term",
    "C2. a term has one label for each dimension of its operand",
    "C3. a label has the same dim size everywhere",
    "C4. the labels of the result occur in a term, each once",
    "C5. all operands have the same element type"
  ];
  let arguments = (ins Variadic<Pd_NumberTensor>:$x, StrAttr:$equation);
  let newIr = [NewIr<["x"], ["out", "", ""]>];
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferEinsum";
  let decomposesInCode = 1;
  let precision = "low";
  let onnx = [Onnx<"Einsum", ["Inputs"], ["Output"], ["equation"]>];
  let legacy = [Legacy<"einsum", ["Operands*"], ["Out"], ["equation"], ["slot InnerCache", "slot XShape"]>];
  let newIrGradients = ["einsum_grad(result 2, result 1)"];
}

def : OnnxFormula<"Gemm", "importGemm">;

def : LegacyFormula<"match_matrix_tensor", ["X", "Y", "W"], ["Out", "Tmp"], [], ["dim_t=any"],
  "importMatchMatrixTensor">;

def Pd_FspOp : Pd_Op<"fsp"> {
  let summary = "For each pair of channels of x and y, the mean of their product over all spatial positions";
  let constraints = ["C1. x and y have rank 4 and the same batch, height and width"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferFsp";
  let decomposesInCode = 1;
  let legacy = [Legacy<"fsp", ["X", "Y"], ["Out"]>];
}

#endif
