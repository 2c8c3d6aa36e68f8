// The rt dialect: fused calls of the CPU runtime, each of which computes several model ops.
#ifndef PROA_DIALECTS_RT_RT
#define PROA_DIALECTS_RT_RT

include "mlir/IR/OpBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/pd/ir/AttributeNames.td"
include "dialects/pd/ir/Contraction.td"
include "dialects/pd/ir/Format.td"
include "dialects/pd/ir/Interfaces.td"

def Rt_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::proa::rt";
  let summary = "Fused calls of the CPU runtime";
  let dependentDialects = ["::proa::pd::PdDialect"];
}

class Ints<string value> : DefaultValuedAttr<DenseI64ArrayAttr, value>;

class Rt_LibraryOp<string mnemonic, string kernel> : Op<Rt_Dialect, mnemonic, [
    Pd_DeclaredAttributesOnly, Pure,
    DeclareOpInterfaceMethods<LibraryOpInterface>, DeclareOpInterfaceMethods<ContractionOpInterface>
]> {
  let results = (outs AnyRankedTensor:$out);
  let assemblyFormat = "operands" # Pd_Format<arguments>.enumText # " attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = "::llvm::StringRef $cppClass::getLibraryKernel() { return \"" # kernel # "\"; }";
}

def Rt_MatmulOp : Rt_LibraryOp<"matmul", "matmul"> {
  let summary = "Matmul with fused operand transposes, scaling and post-ops";
  let description = [{
    `out = transpose(post_ops(alpha * (x . y)))`, as pd.matmul, where

    - `x_permutation` and `y_permutation`, if not empty, transpose the operands first, without moving elements,
    - `post_ops` are applied in order, each with a `kind`: `bias` (adds the next of `extras`, a vector over the
      columns), `add` and `multiply` (the next of `extras`, broadcast), or an activation with its `alpha` and `beta`,
    - `out_permutation`, if not empty, is the transposition in which the result is stored.
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$y, Variadic<AnyRankedTensor>:$extras,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_x, DefaultValuedAttr<BoolAttr, "false">:$transpose_y,
    DefaultValuedAttr<F64Attr, "1.0">:$alpha, DefaultValuedAttr<ArrayAttr, "{}">:$post_ops,
    Ints<"{}">:$x_permutation, Ints<"{}">:$y_permutation, Ints<"{}">:$out_permutation);
}

def Rt_Conv2dOp : Rt_LibraryOp<"conv2d", "conv2d"> {
  let summary = "2-D convolution with fused post-ops";
  let description = [{
    As pd.conv2d with explicit paddings (top, bottom, left, right), followed by `post_ops` as in rt.matmul; a `bias` is
    a vector over the output channels. `data_format` is the layout of input and output; the layout of the filter is
    always [out channels, in channels / groups, height, width].
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$filter, Variadic<AnyRankedTensor>:$extras,
    Ints<"{1, 1}">:$strides, Ints<"{0, 0, 0, 0}">:$paddings, Ints<"{1, 1}">:$dilations,
    DefaultValuedAttr<I64Attr, "1">:$groups, Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format,
    DefaultValuedAttr<ArrayAttr, "{}">:$post_ops);
}

#endif
