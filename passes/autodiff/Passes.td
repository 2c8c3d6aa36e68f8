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
  ];
}

def Vjp : AutodiffPass<"pd-vjp"> {
  let summary = "Add a function that multiplies cotangents by a function's Jacobian";
  let description = [{
    The new function takes the arguments and then a cotangent for each float or complex result; it returns the results
    and then the gradient by each differentiated argument: the sum over the results of the cotangent times the conjugate
    of the derivative.
  }];
  let options = common # [argumentsOption];
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

#endif
