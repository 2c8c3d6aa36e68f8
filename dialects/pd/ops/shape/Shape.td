// Shapes and permutations of dimensions.
#ifndef PROA_DIALECTS_PD_SHAPE_SHAPE
#define PROA_DIALECTS_PD_SHAPE_SHAPE

include "dialects/pd/ir/Base.td"
include "dialects/pd/autodiff/Broadcasting.td"

def : OnnxFormula<"Shape", "importShape", strings_="moved">;
def : OnnxFormula<"Size", "importSize", strings_="moved">;
def : OnnxFormula<"Reshape", "importReshape", strings_="moved">;
def : OnnxFormula<"Expand", "importExpand", strings_="moved">;

def Pd_ReshapeOp : Pd_Op<"reshape", [Pd_MovesElements]> {
  let onnx = [OnnxWritten<"exportReshape">];
  let lod = "rows";
  let summary = "The same elements, in row-major order, in another shape";
  let description = [{
    In `shape`, 0 copies the dim of `x` at the same index, and one -1 is inferred. `shape_tensor` overrides the
    attribute.
  }];
  let constraints = [
    "C1. shape has at most one -1, and no other negative number",
    "C2. a 0 in shape has an index within the rank of x",
    "C3. out has as many elements as x",
    "C4. shape_tensor has a static number of elements"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$shape_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shape);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let infer = "inferReshape";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let evaluates = 1;
  let library = "reshape";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"reshape2", ["X", "ShapeTensor*|Shape|@shape"], ["Out"], ["shape"], ["slot XShape"]>,
                Legacy<"reshape", ["X", "ShapeTensor*|Shape|@shape"], ["Out"], ["shape"]>,
                Legacy<"view_shape", ["input", ""], ["out"], ["shape=dims"]>];
  let newIrGradients = ["reshape_grad(x, dout)", "reshape_double_grad(dout) -> dout"];
  let linear = ["x"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_TransposeOp : Pd_Op<"transpose", [Pd_MovesElements]> {
  let onnx = [Onnx<"Transpose", ["data"], ["transposed"], ["perm"], hook_="importTranspose",
                   strings_="moved">];
  let lod = "none";
  let summary = "Permutation of dimensions: dimension i of the result is dimension perm[i] of x";
  let constraints = [
    "C1. perm has one entry for each dimension of x",
    "C2. the entries of perm are in [-rank, rank), without repetitions",
    "C3. out has the element type of x"
  ];
  let arguments = (ins Pd_Tensor:$x, DenseI64ArrayAttr:$perm);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let infer = "inferTranspose";
  let hasFolder = 1;
  let evaluates = 1;
  let indexingMap = 1;
  let precision = "follow";
  let legacy = [Legacy<"transpose2", ["X"], ["Out"], ["perm=axis"], ["slot XShape", "data_format=any"]>,
                Legacy<"transpose", ["X"], ["Out"], ["perm=axis"], ["data_format=any"]>,
                Legacy<"fused_transpose", ["X"], ["Out"], ["perm=axis"],
                  ["slot XShape", "data_format=any", "fused_reshape2_shape=fused", "fused_unsqueeze2_axes=fused"]>];
  let newIrGradients = ["transpose_grad(dout)", "transpose_double_grad()"];
  let linear = ["x"];
  let batching = "inCode";
}

def Pd_ExpandOp : Pd_Op<"expand", [Pd_MovesElements, Pd_BroadcastsOperands]> {
  let onnx = [OnnxWritten<"exportExpand">];
  let lod = "rows";
  let summary = "x broadcast to a shape";
  let description = [{
    In `shape`, -1 keeps the dim of `x`. Dimensions are aligned at the end. `shape_tensor` overrides the attribute.
  }];
  let constraints = [
    "C1. shape has at least as many entries as x has dimensions",
    "C2. each dim of x is 1 or the dim in shape",
    "C3. shape_tensor has a static number of elements",
    "C4. no entry of shape is below -1"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$shape_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shape);
  let vjp = ["dout", ""];
  let results = (outs Pd_Tensor:$out);
  let infer = "inferExpand";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let evaluates = 1;
  let indexingMap = 1;
  let library = "expand";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"expand_v2", ["X", "expand_shapes_tensor*|Shape|@shape"], ["Out"], ["shape"]>];
  let newIrGradients = ["expand_double_grad() -> dout"];
  let linear = ["x"];
  let batching = "inCode";
}

def Pd_ExpandAsOp : Pd_Op<"expand_as", [Pd_MovesElements, Pd_BroadcastsOperands]> {
  let lod = "none";
  let summary = "x broadcast to target_shape, or to the shape of y if target_shape is empty or has -1";
  let constraints = [
    "C1. target_shape, or the shape of y, has at least as many entries as x has dimensions",
    "C2. each dim of x is 1 or the dim of the target",
    "C4. no entry of target_shape is below -1"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_Tensor>:$y, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$target_shape);
  let vjp = ["dout", ""];
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"expand_as_v2", ["X", "Y|target_tensor"], ["Out"], ["target_shape"]>];
  let newIrGradients = ["expand_as_grad(x) -> x"];
}

def Pd_DimOp : Pd_Op<"dim", [Pd_SameForAllExamples]> {
  let onnx = [OnnxWritten<"exportDim">];
  let sharding = "inCode";
  let lod = "none";
  let summary = "The size of dimension `index` as a rank-0 int64 tensor";
  let constraints = ["C1. index is in [-rank, rank) of x", "C2. out has rank 0 and element type i64"];
  let arguments = (ins Pd_Tensor:$x, I64Attr:$index);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferDim";
  let hasFolder = 1;
  let library = "dim";
  let libraryHalf = 1;
  let extraClassDeclaration = [{
    /// The size of the dimension; kDynamic if it is dynamic.
    int64_t getStaticSize();
  }];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_ShapeOp : Pd_Op<"shape", [Pd_SameForAllExamples]> {
  let onnx = [OnnxWritten<"exportShape">];
  let sharding = "inCode";
  let lod = "none";
  let summary = "The dims of x as a 1-D int32 tensor";
  let constraints = ["C1. out is a vector of i32 with one element for each dimension of x"];
  let arguments = (ins Pd_Tensor:$x);
  let results = (outs Pd_IntTensor:$out);
  let hasFolder = 1;
  let library = "shape";
  let libraryHalf = 1;
  let legacy = [Legacy<"shape", ["Input"], ["Out"]>];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_NumelOp : Pd_Op<"numel"> {
  let lod = "none";
  let summary = "The number of elements of x as a rank-0 int64 tensor";
  let arguments = (ins Pd_Tensor:$x);
  let results = (outs Pd_IntTensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"size", ["Input"], ["Out"]>];
}

def Pd_IsEmptyOp : Pd_Op<"is_empty"> {
  let lod = "none";
  let summary = "Whether x has no elements, as a rank-0 bool tensor";
  let arguments = (ins Pd_Tensor:$x);
  let results = (outs Pd_BoolTensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"is_empty", ["X"], ["Out"]>];
}

def Pd_AssignOp : Pd_Op<"assign", [Pd_MovesElements]> {
  let summary = "x";
  let description = "Tensors are immutable, so the op folds away.";
  let arguments = (ins Pd_Tensor:$x);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSameAsFirst";
  let hasFolder = 1;
  let decomposition = "x";
  let legacy = [Legacy<"assign", ["X"], ["Out"], [], [], "importAssign">, Legacy<"share_data", ["X"], ["Out"]>,
                Legacy<"lod_reset", ["X"], ["Out"], [], ["slot Y", "target_lod=hook", "append=hook"], "importLodReset">,
                Legacy<"memcpy", ["X"], ["Out"], [], ["dst_place_type=any"]>,
                Legacy<"memcpy_d2h", ["X"], ["Out"], [], ["dst_place_type=any"]>,
                Legacy<"memcpy_h2d", ["X"], ["Out"], [], ["dst_place_type=any"]>,
                // Synchronization with streams and other ops is not needed.
                Legacy<"c_sync_calc_stream", ["X*"], ["Out"], [], [], "importEach">,
                Legacy<"c_sync_comm_stream", ["X*"], ["Out"], [], ["ring_id=any"], "importEach">,
                Legacy<"c_wait_comm", ["X*"], ["Out"], [], ["ring_id=any"], "importEach">,
                Legacy<"c_wait_compute", ["X*"], ["Out"], [], ["ring_id=any"], "importEach">,
                Legacy<"nop", ["X*"], ["Out"], [], [], "importEach">,
                Legacy<"depend", ["X"], ["Out"], [], ["slot Dep"]>,
                Legacy<"share_buffer", ["X*"], ["Out"], [], ["share_dims_and_dtype=any", "slot XOut"], "importEach">,
                Legacy<"npu_identity", ["x"], ["out"], [], ["format=any"]>,
                Legacy<"transfer_layout", ["X"], ["Out"], [], [], "importTransferLayout">,
                // The gradient of the ops fake_quantize_dequantize_*, as if they did not round.
                Legacy<"stright_throuth_estimator_grad", ["Out@GRAD"], ["X@GRAD"], [], ["round_type=any",
                  "moving_rate=any", "quant_axis=any"]>];
  let newIr = [NewIr<["x", "unused output"], [], [], [], "assign_out">, NewIr<["x"], [], [], [], "share_data">];
  let newIrGradients = ["assign_grad(dout)", "assign_out_grad(dout)"];
  let newIrInPlace = ["assign_out_(out=operand 1)"];
}

#endif
