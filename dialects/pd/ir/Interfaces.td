// Op interfaces, through which passes treat ops. Base.td adds an interface to an op whose record has its field, so that
// passes never list op names.
#ifndef PROA_DIALECTS_PD_INTERFACES
#define PROA_DIALECTS_PD_INTERFACES

include "mlir/IR/OpBase.td"

def ScalarOpInterface : OpInterface<"ScalarOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An elementwise primitive: each element of the result is a function of one element of each operand, with operands
    broadcast as in NumPy. The function is the field `scalar` of the record.
  }];
  let methods = [
    InterfaceMethod<"Emits the function as arith/math/complex ops.",
      "::mlir::Value", "buildScalar", (ins "::proa::pd::ScalarBuilder &":$b, "::mlir::ValueRange":$operands)>,
    InterfaceMethod<"Computes the function on the host; the reference of all kernels.",
      "::proa::pd::HostScalar", "evaluateScalar",
      (ins "::proa::pd::HostScalarBuilder &":$b, "::llvm::ArrayRef<::proa::pd::HostScalar>":$operands)>,
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    A composite, which simpler ops define. `decompose` creates them and returns one value for each result. It fails,
    without creating ops, if the decomposition needs a rank or a static dim that the types do not have.
  }];
  let methods = [
    InterfaceMethod<"", "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
      (ins "::mlir::OpBuilder &":$builder)>,
  ];
  let extraSharedClassDeclaration = [{
    /// As `decompose`. Failure, after an error, also where the result types of a created op cannot be inferred:
    /// callers use this method.
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> tryDecompose(::mlir::OpBuilder &builder) {
      return ::proa::pd::guarded([&] { return $_op.decompose(builder); });
    }
  }];
}

def EvaluatableOpInterface : OpInterface<"EvaluatableOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    A primitive that the reference evaluator can run on host tensors. The results come allocated with their final dims.
    Elementwise primitives (ScalarOpInterface) need not implement it.
  }];
  let methods = [
    InterfaceMethod<"", "::llvm::LogicalResult", "evaluate",
      (ins "::llvm::ArrayRef<::proa::Tensor>":$operands, "::llvm::MutableArrayRef<::proa::Tensor>":$results)>,
  ];
}

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    A primitive that combines the elements along some dimensions of its first operand with one associative function.
    Its operand's elements are converted to the result's element type first.
  }];
  let methods = [
    InterfaceMethod<"The combining function.", "::proa::pd::ReductionKind", "getReductionKind">,
    InterfaceMethod<"The reduced dimensions, as ascending non-negative indices.", "::llvm::SmallVector<int64_t>",
      "getReducedDims">,
    InterfaceMethod<[{
      For a maximum or minimum of floats: whether the result is NaN if an element is NaN. Otherwise NaNs are ignored.
    }], "bool", "propagatesNan", (ins), "", [{
      if constexpr (requires { $_op.getPropagateNan(); })
        return $_op.getPropagateNan();
      return false;
    }]>,
  ];
}

def IndexingMapOpInterface : OpInterface<"IndexingMapOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    A data-movement primitive: each result element is one element of the first operand. The operand's index is a
    permutation of the result's index, possibly without some dimensions (transpose, expand). Kernels apply the index map
    instead of copying.
  }];
  let methods = [
    InterfaceMethod<"The map from result indices to operand indices; failure if a dim it needs is dynamic.",
      "::llvm::FailureOr<::mlir::AffineMap>", "getIndexingMap">,
  ];
}

def LibraryOpInterface : OpInterface<"LibraryOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op with a library kernel of the CPU runtime. The kernel gets the operands, results and attributes of the op.
  }];
  let methods = [
    InterfaceMethod<"Name of the kernel in the runtime.", "::llvm::StringRef", "getLibraryKernel">,
  ];
}

def VjpOpInterface : OpInterface<"VjpOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op with a rule of its own for reverse-mode differentiation. Composites without one are differentiated through
    their decomposition.
  }];
  let methods = [
    InterfaceMethod<[{
      The vector-Jacobian product: the gradient of each operand from the cotangent of each result. A null cotangent is
      zero, and at least one is not null; a null gradient is zero. A gradient has the operand's element type, and
      its shape or a shape that the operand broadcasts to. The rule may read operands, results and attributes. It
      fails, after an error at the op, if the op has no derivative with these attributes.
    }], "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "vjp",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$cotangents)>,
  ];
  let extraSharedClassDeclaration = [{
    /// As `vjp`. Failure, after an error, also where the result types of a created op cannot be inferred: callers
    /// use this method.
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>
    tryVjp(::mlir::OpBuilder &builder, ::llvm::ArrayRef<::mlir::Value> cotangents) {
      return ::proa::pd::guarded([&] { return $_op.vjp(builder, cotangents); });
    }
  }];
}

def ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    A library op with a reference kernel: plain loops in double precision that share nothing with the runtime's kernel.
    Constant folding does not use it, because it may be slow.
  }];
  let methods = [
    InterfaceMethod<[{
      Computes the results from the operands. Results with static types are allocated; the others have the right
      element type and rank, and the kernel replaces them. `stream` gives the random numbers of an op that samples;
      it may be null. Failure if the kernel does not cover these operands or attributes.
    }], "::llvm::LogicalResult", "computeReference",
      (ins "::llvm::ArrayRef<::proa::Tensor>":$operands, "::llvm::MutableArrayRef<::proa::Tensor>":$results,
           "::proa::pd::RandomState *":$stream)>,
  ];
}

def LinearOpInterface : OpInterface<"LinearOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op that is linear in some of its operands. Forward mode then needs no rule of its own: the tangent of a result is
    the op on the tangents.
  }];
  let methods = [
    InterfaceMethod<[{
      Groups of operand indices: the op is linear in the operands of a group together while the other operands stay
      fixed. Empty if the op is not linear with these attributes.
    }], "::llvm::SmallVector<::llvm::SmallVector<unsigned>>", "getLinearGroups">,
  ];
}

def BatchableOpInterface : OpInterface<"BatchableOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op with a batching rule of its own. Others are batched elementwise, through their decomposition, or in a loop.
  }];
  let methods = [
    InterfaceMethod<[{
      Creates the batched form of the op, at least one of whose operands is batched: one entry for each result. Failure,
      without an error, where the rule does not cover this use; ops created by then are dead.
    }], "::llvm::FailureOr<::llvm::SmallVector<::proa::pd::Batched>>", "batch",
      (ins "::proa::pd::Batcher &":$batcher)>,
  ];
}

def ShardableOpInterface : OpInterface<"ShardableOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op whose sharding rule depends on attributes or types in a way that the record's field `sharding` cannot say.
  }];
  let methods = [
    InterfaceMethod<"Adds the factors of the op to the rule. False where this use is not covered.",
      "bool", "describeSharding", (ins "::proa::pd::ShardingRuleBuilder &":$rule)>,
  ];
}

def PostOpInterface : OpInterface<"PostOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An activation that a matmul or convolution of the runtime can apply to its result.
  }];
  let methods = [
    InterfaceMethod<"Name of the activation in the runtime, and its parameters.", "::proa::pd::PostOp", "getPostOp">,
  ];
}

#endif
