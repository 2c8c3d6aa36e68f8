// The rt dialect: calls of fused kernels of the CPU runtime, each of which computes several pd ops.
#ifndef PROA_DIALECTS_RT_RT
#define PROA_DIALECTS_RT_RT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/pd/ir/AttributeNames.td"
include "dialects/pd/ir/Contraction.td"
include "dialects/pd/ir/Format.td"
include "dialects/pd/ir/Interfaces.td"
include "dialects/rt/PostOpKind.td"

def Rt_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::proa::rt";
  let summary = "Fused calls of the CPU runtime";
  let dependentDialects = ["::proa::pd::PdDialect"];
  let useDefaultAttributePrinterParser = 1;
}

//===-- Post-ops --------------------------------------------------------------------------------------------------===//

// A number that is printed without its type.
def Rt_Number : OptionalParameter<"::mlir::FloatAttr"> {
  let parser = "parseNumber($_parser)";
  let printer = "$_printer.printFloat($_self.getValue())";
}

def Rt_PostOpAttr : AttrDef<Rt_Dialect, "PostOp"> {
  let mnemonic = "post_op";
  let summary = "One operation on the result of a matrix product or convolution";
  let description = [{
    | kind | result | parameters |
    |---|---|---|
    | `bias` | `r + b`, where `b` is a vector over the columns (of a convolution: the output channels) | |
    | `add`, `multiply` | `r + e`, `r * e`, where `e` broadcasts to the result | |
    | `leaky_relu` | `r > 0 ? r : alpha * r` | `alpha` |
    | `relu6` | `min(max(r, 0), alpha)` | `alpha` |
    | `clip` | `min(max(r, alpha), beta)` | `alpha`, `beta` |
    | `swish` | `r * sigmoid(alpha * r)` | `alpha` |
    | `elu` | `r > 0 ? r : alpha * (exp(r) - 1)` | `alpha` |
    | `hardsigmoid` | `min(max(alpha * r + beta, 0), 1)` | `alpha`, `beta` |
    | `linear` | `alpha * r + beta` | `alpha`, `beta` |
    | others | the pd op of that name | |

    ```mlir
    #rt.post_op<bias>
    #rt.post_op<clip, alpha = 0.000000e+00, beta = 6.000000e+00>
    ```

    Constraints: a kind has the parameters that the table lists, and these are finite.
  }];
  let parameters = (ins EnumParameter<Rt_PostOpKind>:$kind, Rt_Number:$alpha, Rt_Number:$beta);
  let assemblyFormat = "`<` $kind (`,` `alpha` `=` $alpha^)? (`,` `beta` `=` $beta^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether it reads a tensor: the next of the op's `extras`.
    bool hasOperand() const;
  }];
}

def Rt_PostOps : TypedArrayAttrBase<Rt_PostOpAttr, "post-ops in the order of their application">;

def Rt_PostOpsOpInterface : OpInterface<"PostOpsOpInterface"> {
  let cppNamespace = "::proa::rt";
  let description = "An op that applies post-ops to its result.";
  let methods = [
    InterfaceMethod<"The post-ops.", "::mlir::ArrayAttr", "getPostOps">,
    InterfaceMethod<"The tensors that the post-ops read.", "::mlir::OperandRange", "getExtras">,
    InterfaceMethod<[{
      The tensor that the first post-op of kind `add` reads, or null. The result may take over its memory: then the
      kernel adds in place.
    }], "::mlir::Value", "getAccumulator", (ins), "", [{ return accumulatorOf($_op.getPostOps(), $_op.getExtras()); }]>,
  ];
  let verify = "return verifyPostOps($_op);";
}

//===-- Ops -------------------------------------------------------------------------------------------------------===//

// FuseEpilogues creates these ops for float32 and bfloat16.
def Rt_Tensor : RankedTensorOf<[F16, BF16, F32, F64], [], "float tensor">;

class Ints<string value> : DefaultValuedAttr<DenseI64ArrayAttr, value>;

// The fields `library` and `libraryHalf` are those of Pd_Op (dialects/pd/ir/Base.td).
class Rt_LibraryOp<string mnemonic, string kernel> : Op<Rt_Dialect, mnemonic, [Pd_DeclaredAttributesOnly, Pure,
    DeclareOpInterfaceMethods<LibraryOpInterface>, DeclareOpInterfaceMethods<ContractionOpInterface>,
    Rt_PostOpsOpInterface]> {
  string library = kernel;
  bit libraryHalf = 1;
  let results = (outs Rt_Tensor:$out);
  let assemblyFormat = "operands" # Pd_Format<arguments>.enumText # " attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = "::llvm::StringRef $cppClass::getLibraryKernel() { return \"" # kernel # "\"; }";
  let extraClassDeclaration = [{
    /// Attaches FusableOpInterface to the op of pd that this op extends.
    static void attachFusable(::mlir::MLIRContext &context);
  }];
}

def Rt_MatmulOp : Rt_LibraryOp<"matmul", "fused_matmul"> {
  let summary = "Matmul with fused operand transposes, scaling and post-ops";
  let description = [{
    `out = transpose(post_ops(alpha * (x . y)))`, as pd.matmul, where

    - `x_permutation` and `y_permutation`, if not empty, transpose the operands first, without moving elements,
    - `post_ops` are applied in order; those that read a tensor take the next of `extras`,
    - `out_permutation`, if not empty, is the transposition in which the result is stored.

    All tensors have one element type. Constraint C1: `extras` has one tensor for each post-op that reads one; that of a
    `bias` has rank 1.
  }];
  let arguments = (ins Rt_Tensor:$x, Rt_Tensor:$y, Variadic<Rt_Tensor>:$extras,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_x, DefaultValuedAttr<BoolAttr, "false">:$transpose_y,
    DefaultValuedAttr<F64Attr, "1.0">:$alpha, DefaultValuedAttr<Rt_PostOps, "{}">:$post_ops,
    Ints<"{}">:$x_permutation, Ints<"{}">:$y_permutation, Ints<"{}">:$out_permutation);
}

def Rt_Conv2dOp : Rt_LibraryOp<"conv2d", "fused_conv2d"> {
  let summary = "2-D convolution with fused post-ops";
  let description = [{
    As pd.conv2d with explicit paddings (top, bottom, left, right), followed by `post_ops` as in rt.matmul; a `bias` is
    a vector over the output channels. `data_format` is the layout of input and output; the layout of the filter is
    always [out channels, in channels / groups, height, width]. Constraint C1: that of rt.matmul.
  }];
  let arguments = (ins Rt_Tensor:$input, Rt_Tensor:$filter, Variadic<Rt_Tensor>:$extras,
    Ints<"{1, 1}">:$strides, Ints<"{0, 0, 0, 0}">:$paddings, Ints<"{1, 1}">:$dilations,
    DefaultValuedAttr<I64Attr, "1">:$groups, Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format,
    DefaultValuedAttr<Rt_PostOps, "{}">:$post_ops);
}

#endif
