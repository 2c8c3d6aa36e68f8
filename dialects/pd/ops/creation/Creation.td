// Tensors defined by attributes.
#ifndef PROA_DIALECTS_PD_CREATION_CREATION
#define PROA_DIALECTS_PD_CREATION_CREATION

include "dialects/pd/ir/Base.td"

def : OnnxFormula<"Constant", "importConstant", strings_="inHook">;
def : OnnxFormula<"Identity", "importIdentity", strings_="moved">;
def : OnnxFormula<"ConstantOfShape", "importConstantOfShape">;

def Pd_ConstantOp : Pd_Op<"constant", [ConstantLike]> {
  let sharding = "whole: each device creates its shard of a constant";
  let summary = "A constant tensor";
  let constraints = ["C1. out has the type of value"];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferConstant";
  let hasFolder = 1;
  let assemblyFormat = "attr-dict $value";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, ::mlir::TypeRange(type), value);
  }]>];
  let legacy = [Legacy<"assign_value", [], ["Out"], [], ["shape=hook", "dtype=hook", "bool_values=hook",
    "fp32_values=hook", "fp64_values=hook",
    "int32_values=hook", "int64_values=hook", "values=hook"], "importAssignValue">,
                LegacyReadOnly<"fill", [], ["Out"], [], ["shape=hook", "dtype=hook", "value=hook",
                  "force_cpu=any"], "importAssignValue">];
  let newIr = [NewIr<["unused output"], [], [], [], "assign_value">];
}

def Pd_FullOp : Pd_Op<"full", [AttrSizedOperandSegments]> {
  let lod = "none";
  let summary = "A tensor of the given shape whose elements are all `value`";
  let description = [{
    The shape is `shape`, or the elements of `shape_tensor` if given. The value is `value_tensor` (one element) if
    given, else `integer_value` if set, else `value`, which is exact for floats and for integers up to 2^53.
  }];
  let constraints = [
    "C1. no entry of shape is negative",
    "C2. shape_tensor has a static number of elements"
  ];
  let arguments = (ins Optional<Pd_IntTensor>:$shape_tensor, Optional<Pd_Tensor>:$value_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shape, TypeAttr:$dtype,
    DefaultValuedAttr<F64Attr, "0.0">:$value, OptionalAttr<I64Attr>:$integer_value);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferFull";
  let decomposesInCode = 1;
  let newIr = [NewIr<["shape_tensor"], [], [], [], "empty">,
               NewIr<["value_tensor", "shape_tensor"], [], [], [], "full_with_tensor">];
  let legacy = [Legacy<"fill_constant", ["ShapeTensorList*|ShapeTensor", "ValueTensor"], ["Out"],
                  ["shape", "dtype", "value"], ["str_value=hook", "force_cpu=any",
                    "place_type=any"], "importFillConstant",
                  exportHook_="exportFull">,
                Legacy<"empty", ["ShapeTensorList*|ShapeTensor|@shape", ""], ["Out"], ["shape:long", "dtype"]>];
}

def Pd_FullLikeOp : Pd_Op<"full_like"> {
  let sharding = "..., * -> ...";
  let summary = "A tensor of the shape of x whose elements are all `value`";
  let description = [{
    The value is `value_tensor` (one element) if given. Without `dtype` the element type is the element type of x.
  }];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_Tensor>:$value_tensor, DefaultValuedAttr<F64Attr, "0.0">:$value,
    OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let newIr = [NewIr<["x", "value_tensor"], [], [], [], "fill">];
  let legacy = [Legacy<"fill_any_like", ["X", "@value"], ["Out"], ["value", "dtype"], [], "importFullLike">,
                Legacy<"fill_zeros_like", ["X", ""], ["Out"]>,
                Legacy<"fill_zeros_like2", ["X", ""], ["Out"], ["dtype"]>,
                Legacy<"fill_any", ["X", "@value"], ["Out"], ["value"]>];
  let newIrGradients = ["fill_grad(dout, value_tensor)"];
  let batching = "batchFirstOperand";
}

def Pd_FullBatchSizeLikeOp : Pd_Op<"full_batch_size_like"> {
  let lod = "none";
  let summary = "A tensor filled with `value`, of shape `shape` with one dim size taken from the operand";
  let description = [{
    Dimension output_dim_idx of the result has the dim size of dimension input_dim_idx of the operand.
  }];
  let constraints = [
    "C1. input_dim_idx is a dimension of input, and output_dim_idx one of shape",
    "C2. no other entry of shape is negative"
  ];
  let arguments = (ins Pd_Tensor:$input, DenseI64ArrayAttr:$shape, TypeAttr:$dtype, DefaultValuedAttr<F64Attr,
    "0.0">:$value, OptionalAttr<I64Attr>:$integer_value, DefaultValuedAttr<I64Attr, "0">:$input_dim_idx,
    DefaultValuedAttr<I64Attr,
      "0">:$output_dim_idx);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"fill_constant_batch_size_like", ["Input"], ["Out"],
    ["shape", "dtype", "value", "input_dim_idx", "output_dim_idx"], ["str_value=hook", "force_cpu=any"],
      "importFullBatchSizeLike">];
}

#endif
