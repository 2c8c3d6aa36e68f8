#ifndef PROA_PASSES_AUTODIFF_PASSES
#define PROA_PASSES_AUTODIFF_PASSES

include "mlir/Pass/PassBase.td"

// A pass that adds a function: its options name the function to read and the new one.
class AutodiffPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  list<Option> common = [
    Option<"function", "function", "std::string", "\"\"",
      "Name of the function; optional if the module has one function only">,
    Option<"name", "name", "std::string", "\"\"",
      "Name of the new function; default: the name of the function with a suffix">,
  ];
  let dependentDialects = ["::proa::pd::PdDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

defvar argumentsOption = ListOption<"arguments", "arguments", "int64_t",
  "Indices of the arguments to differentiate by; default: all float and complex arguments">;

defvar snapshotsOption = Option<"snapshots", "loop-snapshots", "int64_t", "0",
  "Largest number of states of an scf.for to keep (binomial checkpointing); 0: all. `pd.snapshots` on a loop "
  "overrides it">;

def Grad : AutodiffPass<"pd-grad"> {
  let summary = "Add a function that returns the gradients of a function's scalar result";
  let description = [{
    The new function takes the same arguments. It returns the gradient with respect to each differentiated argument;
    with `value`, the result comes first. An op without a derivative on the path is an error at that op, with notes at
    the ops between it and the result.

    ```mlir
    // before
    func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
      %0 = pd.multiply %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = pd.sum %0 : (tensor<4xf32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    // after, in addition to @f
    func.func @f_grad(%x: tensor<4xf32>) -> tensor<4xf32> { ... }
    ```
  }];
  let options = common # [
    argumentsOption,
    Option<"result", "result", "int64_t", "0", "Index of the result, which must have one element">,
    Option<"value", "value", "bool", "false", "Return the result before the gradients">,
    snapshotsOption,
    Option<"microBatches", "micro-batches", "int64_t", "1",
      "Number of micro-batches to compute one after the other; the result must be a mean over the batch">,
    ListOption<"batches", "batches", "int64_t",
      "Indices of the arguments that are divided into micro-batches; default: all feeds">,
  ];
}

def Vjp : AutodiffPass<"pd-vjp"> {
  let summary = "Add a function that multiplies cotangents by a function's Jacobian";
  let description = [{
    The new function takes the arguments and a cotangent for each float or complex result. It returns the results and
    the gradient with respect to each differentiated argument: the sum over the results of the cotangent times the
    conjugate of the derivative.
  }];
  let options = common # [argumentsOption, snapshotsOption];
}

def Jvp : AutodiffPass<"pd-jvp"> {
  let summary = "Add a function that multiplies a function's Jacobian by tangents: forward mode";
  let description = [{
    The new function takes the arguments and a tangent for each differentiated one. It returns the results and the
    tangent of each float or complex result.
  }];
  let options = common # [argumentsOption];
}

def Vmap : AutodiffPass<"pd-vmap"> {
  let summary = "Add the batched form of a function";
  let description = [{
    The new function computes the function for each example of a batch. Mapped arguments get a dimension for the
    examples; results get it as their first dimension. An op with a batched operand is batched by its rule, by its
    decomposition, or else by a loop over the examples. If a condition differs between examples, both branches are
    computed and a loop runs until no example continues.

    Shardings of batched values (`dist.sharding`, `dist.constrain`, and the ops of dist) get an entry for the examples,
    which are not split, or, with `open-examples`, may be split by propagation. `dist.shardings` of ops become
    `dist.constrain`: a program in sharded form must be propagated again.
  }];
  let options = common # [
    Option<"size", "size", "int64_t", "-1", "Number of examples; -1: known only at run time">,
    ListOption<"mapped", "mapped", "int64_t",
      "For each argument the index of its batch dimension, or -1 if all examples share it; default: 0 for all">,
    Option<"openExamples", "open-examples", "bool", "false",
      "Shardings of arguments, results and constraints leave the dimension of the examples open">,
  ];
}

def Hessian : AutodiffPass<"pd-hessian"> {
  let summary = "Add a function that returns the second derivatives of a function's scalar result";
  let description = [{
    The result has the dimensions of the argument twice. It is computed as vmap over unit vectors of jvp of grad.
  }];
  let options = common # [
    Option<"argument", "argument", "int64_t", "0", "Index of the argument">,
    Option<"result", "result", "int64_t", "0", "Index of the result, which must have one element">,
  ];
}

def LowerFor : Pass<"pd-lower-for", "::mlir::ModuleOp"> {
  let summary = "Convert scf.for over tensors to scf.while, which the planner supports";
  let description = [{
    Bounds and step must be constants or elements of integer tensors. The induction variable may only be used as the
    element of a tensor.
  }];
  let dependentDialects = ["::proa::pd::PdDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def Checkpoint : AutodiffPass<"pd-checkpoint"> {
  let summary = "Add a function whose gradient keeps only some values and recomputes the others";
  let description = [{
    The ops of the function move into regions of pd.checkpoint. A region ends at an op whose location has one of the
    given names; ops after the last one stay outside. Without names the whole function is one region. Ops that sample
    random numbers stay outside.

    ```
    proa-opt f.mlir --pd-checkpoint="function=f places=block0,block1" --pd-grad=function=f_checkpoint
    ```
  }];
  let options = common # [
    ListOption<"places", "places", "std::string", "Names of the last values of the regions">,
  ];
}

def Accumulate : AutodiffPass<"pd-accumulate"> {
  let summary = "Add a function that computes gradients micro-batch by micro-batch";
  let description = [{
    For a training program, whose gradients are pd.vjp; for the gradient of a function use --pd-grad=micro-batches. The
    ops of the program that depend on the batch run in a loop over `count` equal micro-batches along the first
    dimension. Values of those ops that are used after it (gradients, losses) are the means over the micro-batches.
    Results are the same if the loss is a mean over the batch; less memory is needed. Errors: batch normalization in
    training mode, which needs the statistics of the whole batch; a condition that depends on the batch, of which a
    micro-batch may take another branch; a feed with a LoD, whose rows are not examples; values whose type contains the
    number of examples.
  }];
  let options = common # [
    Option<"count", "count", "int64_t", "2", "Number of micro-batches">,
    ListOption<"batches", "batches", "int64_t",
      "Indices of the arguments that are divided into micro-batches; default: all feeds">,
  ];
}

class PrecisionPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::proa::pd::PdDialect"];
  list<Option> common = [
    Option<"function", "function", "std::string", "\"\"",
      "Name of the function; optional if the module has one function only">,
  ];
}

def MixPrecision : PrecisionPass<"pd-amp"> {
  let summary = "Compute in 16 bits the ops that are numerically safe (automatic mixed precision)";
  let description = [{
    - Level O1: ops on the allow list (contractions) are computed in `dtype`; ops on the deny list and unlisted ones in
      float32; ops on the grey list in `dtype` if an operand is and no operand comes from an op that must not be.
    - Level O2: all ops but those on the deny list are computed in `dtype`.

    A loop carries a value in `dtype` if each iteration computes it in `dtype` and the loop's condition does not depend
    on it; a branch returns `dtype` if both branches do. Arguments and results keep their types: float32 parameters are
    the master weights. In a training program gradients are decomposed first; parameter updates stay in float32.

    The default lists are Paddle 2.6.2's; they are on the op records, in the field `precision`.
  }];
  let options = common # [
    Option<"level", "level", "::proa::AmpOptions::Level", "::proa::AmpOptions::Level::O1",
      "The level of Paddle's amp", [{
      ::llvm::cl::values(clEnumValN(::proa::AmpOptions::Level::O1, "O1", "ops of the allow list"),
                         clEnumValN(::proa::AmpOptions::Level::O2, "O2", "all ops not on the deny list"))}]>,
    Option<"dtype", "dtype", "::proa::DType", "::proa::DType::Float16", "The 16-bit type", [{
      ::llvm::cl::values(clEnumValN(::proa::DType::Float16, "f16", "IEEE half precision"),
                         clEnumValN(::proa::DType::BFloat16, "bf16", "bfloat16"))}]>,
    ListOption<"allow", "allow", "std::string", "Ops to add to the allow list">,
    ListOption<"deny", "deny", "std::string", "Ops to add to the deny list">,
    ListOption<"grey", "grey", "std::string", "Ops to add to the grey list">,
  ];
}

def ScaleLoss : PrecisionPass<"pd-scale-loss"> {
  let summary = "Scale the loss of a training program, and its gradients back";
  let description = [{
    The initial cotangents of the backward region are multiplied by the scale, and the gradients are divided by it
    (pd.check_finite_and_unscale). With `dynamic`, a step with an infinite or NaN gradient is skipped and the scale
    changes (pd.update_loss_scaling); its state is three more parameters of the program. Runs before gradients are
    decomposed.
  }];
  let options = common # [
    Option<"dynamic", "dynamic", "bool", "false", "Adapt the scale to the gradients">,
    Option<"scale", "scale", "double", "32768", "The scale if it is not dynamic">,
    Option<"increaseEvery", "increase-every", "int64_t", "1000",
      "Number of steps with finite gradients before the scale grows">,
    Option<"decreaseEvery", "decrease-every", "int64_t", "2",
      "Number of steps with infinite or NaN gradients before the scale shrinks">,
    Option<"increaseRatio", "increase-ratio", "double", "2", "Factor of the scale when it grows">,
    Option<"decreaseRatio", "decrease-ratio", "double", "0.8", "Factor of the scale when it shrinks">,
  ];
}

def Rematerialize : Pass<"pd-rematerialize", "::mlir::ModuleOp"> {
  let summary = "Recompute values instead of keeping them in memory";
  let description = [{
    Finds the point of peak memory, which in a training program is between forward and backward region. A minimum cut
    finds the values with the fewest bytes from which the values used after that point can be recomputed. A value that
    was not kept is recomputed where it is first needed, after a pd.optimization_barrier, which keeps it distinct from
    the first computation.

    Without `memory-budget`, elementwise ops, reductions and permutations are recomputed; fused into their readers they
    are nearly free. With a budget, nothing is recomputed if the budget is already met; otherwise contractions are
    recomputed too, in as few segments of the ops before the peak as the budget allows. Ops that sample random numbers
    and control flow are never recomputed. A budget that cannot be met is a warning.

    Run it after pd-decompose: a composite is recomputed as a whole or not at all.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"",
      "Name of the function; optional if the module has one function only">,
    Option<"memoryBudget", "memory-budget", "int64_t", "-1", "Largest peak memory of values in bytes; -1: no budget">,
    Option<"report", "report", "std::string", "\"\"", "File for a report in JSON">,
  ];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

#endif
