// The rt dialect: calls of the CPU runtime that no model op stands for, because they do the work of several.
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
  let dependentDialects = ["::proa::pd::PdDialect"]; // whose enum attributes the ops have
}

class Ints<string value> : DefaultValuedAttr<DenseI64ArrayAttr, value>;

class Rt_LibraryOp<string mnemonic, string kernel> : Op<Rt_Dialect, mnemonic, [Pd_DeclaredAttributesOnly, Pure,
    DeclareOpInterfaceMethods<LibraryOpInterface>, DeclareOpInterfaceMethods<ContractionOpInterface>]> {
  let results = (outs AnyRankedTensor:$out);
  let assemblyFormat = "operands" # Pd_Format<arguments>.enumText # " attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = "::llvm::StringRef $cppClass::getLibraryKernel() { return \"" # kernel # "\"; }";
}

def Rt_MatmulOp : Rt_LibraryOp<"matmul", "matmul"> {
  let summary = "Matrix product with what is done to its operands and its result";
  let description = [{
    `out = transpose(post_ops(alpha * (x . y)))`, as pd.matmul, where

    - `x_permutation` and `y_permutation`, where not empty, say how the stored operand is transposed before anything else;
      no element is moved,
    - `post_ops` are applied in order, each an object with `kind`: `bias` (adds the next of `extras`, a vector over the
      columns), `add` and `multiply` (the next of `extras`, broadcast), or an activation with its `alpha` and `beta`,
    - `out_permutation` says how the product is stored transposed.
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$y, Variadic<AnyRankedTensor>:$extras,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_x, DefaultValuedAttr<BoolAttr, "false">:$transpose_y,
    DefaultValuedAttr<F64Attr, "1.0">:$alpha, DefaultValuedAttr<ArrayAttr, "{}">:$post_ops,
    Ints<"{}">:$x_permutation, Ints<"{}">:$y_permutation, Ints<"{}">:$out_permutation);
}

def Rt_Conv2dOp : Rt_LibraryOp<"conv2d", "conv2d"> {
  let summary = "Convolution with what is done to its result";
  let description = [{
    As pd.conv2d with explicit paddings (top, bottom, left, right), followed by `post_ops` as in rt.matmul; a `bias` is a
    vector over the output channels. `data_format` is the order of the dimensions of input and output; the filter
    is always out channels, in channels / groups, height, width.
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$filter, Variadic<AnyRankedTensor>:$extras,
    Ints<"{1, 1}">:$strides, Ints<"{0, 0, 0, 0}">:$paddings, Ints<"{1, 1}">:$dilations,
    DefaultValuedAttr<I64Attr, "1">:$groups, Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format,
    DefaultValuedAttr<ArrayAttr, "{}">:$post_ops);
}

#endif
