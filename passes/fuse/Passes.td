#ifndef PROA_PASSES_FUSE_PASSES
#define PROA_PASSES_FUSE_PASSES

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"pd-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Cut the program into kernels, one function for each distinct group of primitives";
  let description = [{
    Elementwise ops, reductions along trailing dimensions, transposes and expansions are gathered into groups that one loop
    nest over rows can compute, and each group becomes a call of a private function with the attribute `proa.kernel`.
    Groups with equal bodies and types share one function. Other ops (library calls, constants) stay where they are.

    A group has one iteration space: the shape of its widest values. An op joins the group of an operand when
    its result has that shape, or reduces the same trailing dimensions as the group's other reductions, and when no op
    outside of the group has used the group's results yet.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"numGroups", "groups", "Number of kernel calls">,
    Statistic<"numKernels", "kernels", "Number of distinct kernels">,
  ];
}

#endif
