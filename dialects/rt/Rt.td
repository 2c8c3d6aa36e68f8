// The rt dialect: calls of fused kernels of the CPU runtime, each of which computes several pd ops.
#ifndef PROA_DIALECTS_RT_RT
#define PROA_DIALECTS_RT_RT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/dist/Attributes.td"
include "dialects/pd/ir/AttributeNames.td"
include "dialects/pd/ir/Contraction.td"
include "dialects/pd/ir/Format.td"
include "dialects/pd/ir/Interfaces.td"
include "dialects/rt/Dialect.td"
include "dialects/rt/PostOpKind.td"
include "dialects/rt/Storage.td"

//===-- Post-ops --------------------------------------------------------------------------------------------------===//

// A number that is printed without its type.
def Rt_Number : OptionalParameter<"::mlir::FloatAttr"> {
  let parser = "parseNumber($_parser)";
  let printer = "$_printer.printFloat($_self.getValue())";
}

def Rt_PostOpAttr : AttrDef<Rt_Dialect, "PostOp"> {
  let mnemonic = "post_op";
  let summary = "One operation on the result of a matmul or convolution";
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
def Rt_Tensor : RankedTensorOf<[F16, BF16, F32, F64], [], "ranked float tensor">;

class Ints<string value> : DefaultValuedAttr<DenseI64ArrayAttr, value>;

// The fields `library`, `libraryHalf` and `cudaLibrary` are as in Pd_Op (dialects/pd/ir/Base.td).
class Rt_LibraryOp<string mnemonic, string kernel, string cuda> : Op<Rt_Dialect, mnemonic, [Pd_DeclaredAttributesOnly,
    Pure, DeclareOpInterfaceMethods<LibraryOpInterface>, DeclareOpInterfaceMethods<ContractionOpInterface>,
    Rt_PostOpsOpInterface]> {
  string library = kernel;
  bit libraryHalf = 1;
  string cudaLibrary = cuda;
  let results = (outs Rt_Tensor:$out);
  let assemblyFormat = "operands" # Pd_Format<arguments>.enumText # " attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = "::llvm::StringRef $cppClass::getLibraryKernel() { return \"" # kernel # "\"; }";
  let extraClassDeclaration = [{
    /// Attaches FusableOpInterface to the op of pd that this op extends.
    static void attachFusable(::mlir::MLIRContext &context);
  }];
}

def Rt_MatmulOp : Rt_LibraryOp<"matmul", "fused_matmul", "cublaslt"> {
  let summary = "Matmul with fused operand transposes, scaling and post-ops";
  let description = [{
    `out = transpose(post_ops(alpha * (x . y)))`, as pd.matmul, where

    - `x_permutation` and `y_permutation`, if not empty, transpose the operands first, without moving elements,
    - `post_ops` are applied in order; those that read a tensor take the next of `extras`,
    - `out_permutation`, if not empty, is the transposition in which the result is stored.

    All tensors have one element type. Constraint C1: `extras` has one tensor for each post-op that reads one; the
    tensor of a `bias` has rank 1.
  }];
  let arguments = (ins Rt_Tensor:$x, Rt_Tensor:$y, Variadic<Rt_Tensor>:$extras,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_x, DefaultValuedAttr<BoolAttr, "false">:$transpose_y,
    DefaultValuedAttr<F64Attr, "1.0">:$alpha, DefaultValuedAttr<Rt_PostOps, "{}">:$post_ops,
    Ints<"{}">:$x_permutation, Ints<"{}">:$y_permutation, Ints<"{}">:$out_permutation);
}

def Rt_Conv2dOp : Rt_LibraryOp<"conv2d", "fused_conv2d", "cudnn"> {
  let summary = "2-D convolution with fused post-ops";
  let description = [{
    As pd.conv2d with explicit paddings (top, bottom, left, right), followed by `post_ops` as in rt.matmul; a `bias` is
    a vector over the output channels. `data_format` is the layout of the output. `input_format` is the layout of the
    input; `AnyLayout`: the same. The layout of the filter is always [out channels, in channels / groups, height,
    width]. Constraint C1: as for rt.matmul. C2: input, filter and output have rank 4. C3: the input has
    `groups` times the channels of the filter, and the output as many as the filter has rows.
  }];
  let arguments = (ins Rt_Tensor:$input, Rt_Tensor:$filter, Variadic<Rt_Tensor>:$extras,
    Ints<"{1, 1}">:$strides, Ints<"{0, 0, 0, 0}">:$paddings, Ints<"{1, 1}">:$dilations,
    DefaultValuedAttr<I64Attr, "1">:$groups, Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format,
    Pd_DefaultEnum<Pd_DataFormatAttr, "AnyLayout">:$input_format, DefaultValuedAttr<Rt_PostOps, "{}">:$post_ops);
  let hasVerifier = 1;
}

//===-- Kernels of GPUs -------------------------------------------------------------------------------------------===//

def Rt_RandomCallOp : Op<Rt_Dialect, "random_call", [Pd_DeclaredAttributesOnly,
    DeclareOpInterfaceMethods<LibraryOpInterface>]> {
  let summary = "Key and number of one execution of a random op";
  let description = [{
    The two 64-bit words that an execution of a random op of pd derives its numbers from
    (lib/runtime/host/Random.h). With a nonzero seed they are the seed and 0. Otherwise they are the seed of the
    model and the number of the execution, which this op counts, as the library kernel of the random op would.
    `seed_tensor` overrides `seed`; one of two elements is the result.
  }];
  string library = "random_call";
  bit libraryHalf = 1;
  string cudaLibrary = "";
  let arguments = (ins Optional<AnyRankedTensor>:$seed_tensor, DefaultValuedAttr<I64Attr, "0">:$seed);
  let results = (outs Res<RankedTensorOf<[I64]>, "", [MemAlloc]>:$out);
  let assemblyFormat = "(`seed` `=` $seed_tensor^)? attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = "::llvm::StringRef $cppClass::getLibraryKernel() { return \"random_call\"; }";
}

include "dialects/rt/Device.td"

//===-- Communication ---------------------------------------------------------------------------------------------===//

// Keeps the order of communication and every op of it, on all ranks.
def Rt_Communicates : MemoryEffects<[MemRead<Resource<"::proa::dist::Network">>,
  MemWrite<Resource<"::proa::dist::Network">>]>;

// The result of an op that communicates may be a future: then the op starts, and rt.wait gives the tensor.
def Rt_TensorOrFuture : AnyTypeOf<[AnyRankedTensor, Dist_FutureType]>;

// Their kernels are in lib/runtime/kernels/control/Collectives.cpp. A dim of `global` is -1 if it is not known before
// the run.
class Rt_RankOp<string mnemonic, list<Trait> traits> : Op<Rt_Dialect, mnemonic, [Pd_DeclaredAttributesOnly,
    DeclareOpInterfaceMethods<LibraryOpInterface>] # traits> {
  string library = "dist_" # mnemonic;
  bit libraryHalf = 1;
  string cudaLibrary = "";
  let extraClassDefinition = "::llvm::StringRef $cppClass::getLibraryKernel() { return \"" # library # "\"; }";
}

// A step of dist with its mesh, instead of the symbol of the mesh. `number` counts the ops before it that communicate:
// ranks that are at different ops report it.
class Rt_StepOp<string mnemonic, Constraint result, list<Trait> traits> : Rt_RankOp<mnemonic, traits> {
  let cudaLibrary = "nccl";
  let summary = "dist." # mnemonic # " as a call of the runtime";
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$global, Dist_MeshAttr:$mesh, Dist_ShardingAttr:$from,
    Dist_ShardingAttr:$to, I64Attr:$number);
  let results = (outs result:$out);
  let assemblyFormat = [{
    $x `of` $global `on` $mesh `from` $from `to` $to `number` $number attr-dict `:` type($x) `->` type($out)
  }];
}
class Rt_CollectiveOp<string mnemonic> : Rt_StepOp<mnemonic, Rt_TensorOrFuture, [Rt_Communicates]>;
// Not pure: the result depends on the rank, which Plan::prepare does not know.
class Rt_LocalStepOp<string mnemonic> : Rt_StepOp<mnemonic, AnyRankedTensor, [NoMemoryEffect]>;

def Rt_SliceOp : Rt_LocalStepOp<"slice">;
def Rt_ToPartialOp : Rt_LocalStepOp<"to_partial">;
def Rt_AllGatherOp : Rt_CollectiveOp<"all_gather">;
def Rt_AllToAllOp : Rt_CollectiveOp<"all_to_all">;
def Rt_PermuteOp : Rt_CollectiveOp<"permute">;
def Rt_ReduceScatterOp : Rt_CollectiveOp<"reduce_scatter">;
def Rt_AllReduceOp : Rt_CollectiveOp<"all_reduce">;

def Rt_BroadcastOp : Rt_RankOp<"broadcast", [Rt_Communicates]> {
  let summary = "dist.broadcast as a call of the runtime";
  let arguments = (ins AnyRankedTensor:$x, Dist_MeshAttr:$mesh, Dist_GroupAttr:$group, DenseI64ArrayAttr:$root,
    I64Attr:$number);
  let results = (outs Rt_TensorOrFuture:$out);
  let assemblyFormat = [{
    $x `on` $mesh `over` $group `root` $root `number` $number attr-dict `:` type($x) `->` type($out)
  }];
}

def Rt_ExchangeRowsOp : Rt_RankOp<"exchange_rows", [Rt_Communicates]> {
  let summary = "dist.exchange_rows as a call of the runtime";
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$send_counts, AnyRankedTensor:$recv_counts,
    Dist_MeshAttr:$mesh, Dist_GroupAttr:$group, I64Attr:$number);
  let results = (outs AnyRankedTensor:$out);
  let assemblyFormat = [{
    $x `,` $send_counts `,` $recv_counts `on` $mesh `over` $group `number` $number attr-dict
    `:` type($x) `,` type($send_counts) `,` type($recv_counts) `->` type($out)
  }];
}

// The ranks of `source` call rt.send, the ranks of `target` rt.recv.
class Rt_TransferOp<string mnemonic> : Rt_RankOp<mnemonic, [Rt_Communicates]> {
  let summary = "dist." # mnemonic # " as a call of the runtime";
  dag attributes = (ins DenseI64ArrayAttr:$global, Dist_MeshAttr:$source, Dist_ShardingAttr:$from,
    Dist_MeshAttr:$target, Dist_ShardingAttr:$to, I64Attr:$channel);
}
def Rt_SendOp : Rt_TransferOp<"send"> {
  let arguments = !con((ins AnyRankedTensor:$x), attributes);
  let assemblyFormat = [{
    $x `of` $global `on` $source `from` $from `on` $target `to` $to `channel` $channel attr-dict `:` type($x)
  }];
}
def Rt_RecvOp : Rt_TransferOp<"recv"> {
  let arguments = attributes;
  let results = (outs Rt_TensorOrFuture:$out);
  let assemblyFormat = [{
    `of` $global `on` $source `from` $from `on` $target `to` $to `channel` $channel attr-dict `:` type($out)
  }];
}

//===-- States outside of the program -----------------------------------------------------------------------------===//

class Rt_VariableOp<string mnemonic, string kernel, list<Trait> traits> : Op<Rt_Dialect, mnemonic,
    [Pd_DeclaredAttributesOnly, DeclareOpInterfaceMethods<LibraryOpInterface>] # traits> {
  string library = kernel;
  bit libraryHalf = 1;
  string cudaLibrary = "";
  let extraClassDefinition = "::llvm::StringRef $cppClass::getLibraryKernel() { return \"" # library # "\"; }";
}

// The store of the run (include/proa/Offload.h) keeps the order of fetches and stores of all variables.
def Rt_Variables : Resource<"::proa::rt::Variables">;

def Rt_FetchOp : Rt_VariableOp<"fetch", "fetch_variable", [MemoryEffects<[MemRead<Rt_Variables>]>]> {
  let summary = "The value of a state variable that is kept outside of the program";
  let description = [{
    If the result is a future, the op only starts the fetch, and rt.wait gives the tensor. Constraint C1: the dims are
    static.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Rt_TensorOrFuture:$out);
  let assemblyFormat = "$name attr-dict `:` type($out)";
  let hasVerifier = 1;
}

def Rt_StoreOp : Rt_VariableOp<"store", "store_variable", [MemoryEffects<[MemWrite<Rt_Variables>]>]> {
  let summary = "Replaces the value of a state variable that is kept outside of the program";
  let arguments = (ins StrAttr:$name, AnyRankedTensor:$x);
  let assemblyFormat = "$name `,` $x attr-dict `:` type($x)";
}

def Rt_WaitOp : Rt_RankOp<"wait", [Rt_Communicates, DeclareOpInterfaceMethods<StorageOpInterface>]> {
  let summary = "The tensor of an op that was started";
  let description = [{
    Waits for the op that gives `future`, in the same block. The operand of that op, `x`, lives until then: it is sent
    while other ops run.

    ```mlir
    %1 = rt.all_reduce %0 of [8] on <["x"=2]> from <@m, [{} ], partial = [sum {"x"} ]> to <@m, [{} ]> number 0
           : tensor<8xf32> -> !dist.future<tensor<8xf32>>
    %2 = pd.exp %y : (tensor<9xf32>) -> tensor<9xf32>
    %3 = rt.wait %1 of %0 : !dist.future<tensor<8xf32>> of tensor<8xf32> -> tensor<8xf32>
    ```

    Constraints:

    - C1. the future is the result of an op of rt in the same block, and this is its only use
    - C2. `x` is the operand of that op, if it has one
    - C3. the result has the type of the future's tensor
  }];
  let arguments = (ins Dist_FutureType:$future, Optional<AnyRankedTensor>:$x);
  let results = (outs AnyRankedTensor:$out);
  let assemblyFormat = [{
    $future (`of` $x^)? attr-dict `:` qualified(type($future)) (`of` type($x)^)? `->` type($out)
  }];
  let hasVerifier = 1;
}

#endif
