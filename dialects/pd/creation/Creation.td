// Tensors made from attributes.
#ifndef PROA_DIALECTS_PD_CREATION_CREATION
#define PROA_DIALECTS_PD_CREATION_CREATION

include "dialects/pd/Base.td"

def Pd_ConstantOp : Pd_Op<"constant", [ConstantLike]> {
  let summary = "A tensor that is part of the program";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferConstant";
  let hasFolder = 1;
  let assemblyFormat = "attr-dict $value";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, ::mlir::TypeRange(type), value);
  }]>];
}

def Pd_FullOp : Pd_Op<"full", [AttrSizedOperandSegments]> {
  let summary = "A tensor of the given shape whose elements are all `value`";
  let description = [{
    The shape is the attribute, or the elements of `shape_tensor`, which wins. `value_tensor` (one element) wins over
    `value`. `value` holds integers up to 2^53 and floats exactly; `integer_value` wins over it for wider integers.
  }];
  let arguments = (ins Optional<Pd_IntTensor>:$shape_tensor, Optional<Pd_Tensor>:$value_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shape, TypeAttr:$dtype,
    DefaultValuedAttr<F64Attr, "0.0">:$value, OptionalAttr<I64Attr>:$integer_value);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferFull";
  let decomposesInCode = 1;
  let legacy = [Legacy<"fill_constant", ["ShapeTensorList*|ShapeTensor", "ValueTensor"], ["Out"], ["shape", "dtype", "value"],
    ["str_value", "force_cpu", "place_type"], "importFillConstant">];
}

#endif
