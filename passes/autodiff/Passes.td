#ifndef PROA_PASSES_AUTODIFF_PASSES
#define PROA_PASSES_AUTODIFF_PASSES

include "mlir/Pass/PassBase.td"

// What all of them share: the function, and the name of the new one.
class AutodiffPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  list<Option> common = [
    Option<"function", "function", "std::string", "\"\"", "The function; may be left out where the module has only one">,
    Option<"name", "name", "std::string", "\"\"", "Name of the new function; default: the function's with a suffix">,
  ];
  let dependentDialects = ["::proa::pd::PdDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

defvar argumentsOption = ListOption<"arguments", "arguments", "int64_t",
  "Numbers of the arguments to differentiate by; default: all floats and complex numbers">;

defvar snapshotsOption = Option<"snapshots", "loop-snapshots", "int64_t", "0",
  "How many states of an scf.for are kept at a time, by binomial checkpointing; 0: all; `pd.snapshots` on a loop wins">;

def Grad : AutodiffPass<"pd-grad"> {
  let summary = "Add a function that returns the gradients of a function's scalar result";
  let description = [{
    The new function takes the same arguments. It returns the gradient by each differentiated argument, with `value` the
    result itself before them. An op in between without a derivative is an error at that op, with notes at the ops
    between it and the result.

    ```mlir
    // before
    func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
      %0 = pd.multiply %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = pd.sum %0 : (tensor<4xf32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    // after: beside @f
    func.func @f_grad(%x: tensor<4xf32>) -> tensor<4xf32> { ... }
    ```
  }];
  let options = common # [
    argumentsOption,
    Option<"result", "result", "int64_t", "0", "Number of the result, which must have one element">,
    Option<"value", "value", "bool", "false", "Return the result too, before the gradients">,
    snapshotsOption,
    Option<"microBatches", "micro-batches", "int64_t", "1",
      "Compute the gradients for so many parts of the batch, one after the other; the result must be a mean over it">,
    ListOption<"batches", "batches", "int64_t", "Numbers of the arguments that are the batch; default: all feeds">,
  ];
}

def Vjp : AutodiffPass<"pd-vjp"> {
  let summary = "Add a function that multiplies cotangents by a function's Jacobian";
  let description = [{
    The new function takes the arguments and then a cotangent for each float or complex result; it returns the results
    and then the gradient by each differentiated argument: the sum over the results of the cotangent times the conjugate
    of the derivative.
  }];
  let options = common # [argumentsOption, snapshotsOption];
}

def Jvp : AutodiffPass<"pd-jvp"> {
  let summary = "Add a function that multiplies a function's Jacobian by tangents: forward mode";
  let description = [{
    The new function takes the arguments and then a tangent for each differentiated one; it returns the results and then
    the tangent of each float or complex result.
  }];
  let options = common # [argumentsOption];
}

def Vmap : AutodiffPass<"pd-vmap"> {
  let summary = "Add a function that does for a batch of examples what a function does for one";
  let description = [{
    Mapped arguments get a dimension for the examples, results get it in front. An op with a batched operand is written
    batched by its rule, by its decomposition, or, where it has neither, run once for each example. Where a condition
    differs from example to example both arms of a branch are computed, and a loop runs until no example goes on.
  }];
  let options = common # [
    Option<"size", "size", "int64_t", "-1", "The number of examples; -1: known only at run time">,
    ListOption<"mapped", "mapped", "int64_t",
      "For each argument the place of the examples' dimension, or -1 where it is the same for all; default: all 0">,
  ];
}

def Hessian : AutodiffPass<"pd-hessian"> {
  let summary = "Add a function that returns the second derivatives of a function's scalar result by one argument";
  let description = [{
    The result has the argument's dimensions twice. It is vmap over unit vectors of jvp of grad.
  }];
  let options = common # [
    Option<"argument", "argument", "int64_t", "0", "Number of the argument">,
    Option<"result", "result", "int64_t", "0", "Number of the result, which must have one element">,
  ];
}

def LowerFor : Pass<"pd-lower-for", "::mlir::ModuleOp"> {
  let summary = "Write scf.for over tensors as scf.while, which the planner runs";
  let description = [{
    Bounds and step are constants or elements of integer tensors; the induction variable is used as the element of a tensor.
  }];
  let dependentDialects = ["::proa::pd::PdDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def Checkpoint : AutodiffPass<"pd-checkpoint"> {
  let summary = "Add a function of whose values a gradient keeps only some, and computes the others once more";
  let description = [{
    The function's ops become regions of pd.checkpoint, each up to an op with one of the given names (its location); what
    follows the last of them stays as it is. Without names the whole function is one region. Random numbers are drawn
    outside of the regions.

    ```
    proa-opt f.mlir --pd-checkpoint="function=f places=block0,block1" --pd-grad=function=f_checkpoint
    ```
  }];
  let options = common # [
    ListOption<"places", "places", "std::string", "Names of the values up to which the regions go">,
  ];
}

def Accumulate : AutodiffPass<"pd-accumulate"> {
  let summary = "Add a function that computes gradients micro-batch by micro-batch";
  let description = [{
    For a training program, whose gradients are pd.vjp; for the gradient of a function see --pd-grad=micro-batches. The part that depends on the batch runs in a loop, for
    `count` equal parts of it along the first dimension; what is used of that part behind it, gradients and losses, is the mean
    over the parts. The same numbers, where the loss is a mean over the batch, in less memory. Refused: batch normalization
    in training mode, whose statistics are those of the whole batch, and values in whose type the number of examples stands.
  }];
  let options = common # [
    Option<"count", "count", "int64_t", "2", "The number of micro-batches">,
    ListOption<"batches", "batches", "int64_t", "Numbers of the arguments that are divided; default: all feeds">,
  ];
}

class PrecisionPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::proa::pd::PdDialect"];
  list<Option> common = [
    Option<"function", "function", "std::string", "\"\"", "The function; may be left out where the module has only one">,
  ];
}

def MixPrecision : PrecisionPass<"pd-amp"> {
  let summary = "Compute in 16 bits what is numerically safe in them";
  let description = [{
    On level O1 the ops on the allow list (products) are computed in `dtype`, those on the deny list and unlisted ones in
    float32, those on the grey list as their operands are: in `dtype` if one is and none comes from an op that must not be. On
    level O2 all but the ops on the deny list are. A loop carries in `dtype` what each of its iterations computes in it, but for
    what its condition is computed from; a branch gives what both arms do. Arguments and results keep their types: parameters in float32 are the master
    weights. In a training program gradients are taken apart first; the update of the parameters stays in float32.

    The lists are at first those of Paddle 2.6.2; they stand on the op records, in the field `precision`.
  }];
  let options = common # [
    Option<"level", "level", "std::string", "\"O1\"", "O1 or O2">,
    Option<"dtype", "dtype", "std::string", "\"f16\"", "f16 or bf16">,
    ListOption<"allow", "allow", "std::string", "Ops to be put on the allow list">,
    ListOption<"deny", "deny", "std::string", "Ops to be put on the deny list">,
    ListOption<"grey", "grey", "std::string", "Ops to be put on the grey list">,
  ];
}

def ScaleLoss : PrecisionPass<"pd-scale-loss"> {
  let summary = "Scale the loss of a training program, and its gradients back";
  let description = [{
    The cotangents with which the backward part begins are multiplied by the scale, the gradients divided by it
    (pd.check_finite_and_unscale). With `dynamic` a step with a gradient that is infinite or NaN does not count, and the scale,
    three more parameters of the program, follows (pd.update_loss_scaling). Before gradients are taken apart.
  }];
  let options = common # [
    Option<"dynamic", "dynamic", "bool", "false", "Let the scale follow the gradients">,
    Option<"scale", "scale", "double", "32768", "The scale, where it is not dynamic">,
    Option<"increaseEvery", "increase-every", "int64_t", "1000", "Good steps until the scale grows">,
    Option<"decreaseEvery", "decrease-every", "int64_t", "2", "Bad steps until it shrinks">,
    Option<"increaseRatio", "increase-ratio", "double", "2", "What it is multiplied by when it grows">,
    Option<"decreaseRatio", "decrease-ratio", "double", "0.8", "What it is multiplied by when it shrinks">,
  ];
}

def Rematerialize : Pass<"pd-rematerialize", "::mlir::ModuleOp"> {
  let summary = "Compute values once more instead of keeping them";
  let description = [{
    Looks for the place of a function where most bytes are alive, which in a training program lies between forward and
    backward part, and by a minimum cut for the values with the fewest bytes from which what is needed behind it can be
    computed again. What was not kept is computed again where it is first needed, behind pd.optimization_barrier, which keeps
    it apart from what was computed before.

    Without `memory-budget` elementwise ops, reductions and moves are computed again, as fused with their readers they cost
    next to nothing. With one nothing is where the budget is kept anyway; else contractions too, with the part before that
    place in segments: in as few as keep the budget. Random numbers and control flow are never computed again. A budget that
    cannot be kept is a warning.

    Works best behind pd-decompose: a composite is computed again as a whole, or not.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"", "The function; may be left out where the module has only one">,
    Option<"memoryBudget", "memory-budget", "int64_t", "-1", "Bytes that may be alive at once; -1: no budget">,
    Option<"report", "report", "std::string", "\"\"", "Writes what was done to this file, as JSON">,
  ];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

#endif
