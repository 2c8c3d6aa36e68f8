#ifndef PROA_PASSES_NORMALIZE_PASSES
#define PROA_PASSES_NORMALIZE_PASSES

include "mlir/Pass/PassBase.td"

def RefineShapes : Pass<"pd-refine-shapes"> {
  let summary = "Refine result types from operand types, and fold constants";
  let description = [{
    Walks each function once in program order and folds each op if possible. A composite on small constants is
    decomposed and folded. Otherwise the result types are inferred again and refined if they have more static dims than
    before. The types of the arguments are the starting point: a program is specialized by giving its arguments static
    types. The result types of a function follow, unless calls in the op that the pass runs on refer to them. A branch
    on a constant condition is replaced by the ops of that branch.

    ```mlir
    // before
    func.func @main(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
      %0 = pd.relu %x : (tensor<2x3xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }
    // after
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = pd.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def CanonicalizeProgram : Pass<"pd-canonicalize"> {
  let summary = "Fold and canonicalize ops, but do not compute with conditions";
  let description = [{
    Applies the folds and canonicalization patterns of all loaded dialects, as MLIR's `canonicalize` does, except the
    patterns of `scf.if`. Some of these replace control flow by arithmetic on conditions (`arith.andi`, `arith.select`,
    constants). The runtime's plan reads a condition to choose a branch; arithmetic on it would need kernels on `i1`.
    Of `scf.if` only unused results and results with the same value in both branches are removed. A branch on a constant
    condition is replaced by `pd-refine-shapes`.

    ```mlir
    // stays as it is: MLIR's canonicalize makes one scf.if on arith.andi %a, %b
    scf.if %a {
      scf.if %b {
        ...
      }
    }
    ```
  }];
  let dependentDialects = ["::proa::ProaDialect"];
}

#endif
