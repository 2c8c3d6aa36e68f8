#ifndef PROA_PASSES_NORMALIZE_PASSES
#define PROA_PASSES_NORMALIZE_PASSES

include "mlir/Pass/PassBase.td"

def RefineShapes : Pass<"pd-refine-shapes", "::mlir::func::FuncOp"> {
  let summary = "Infer result types anew from what is known of the operands, and fold constants";
  let description = [{
    Walks the function once in program order. Each op is folded if it can be; an op on small constants whose meaning is a
    decomposition is decomposed and folded. Else its result types are inferred again, and refined where they say more
    than before. Types of arguments are the starting point, so a program is specialized by giving its arguments static types.
    The function's result types follow. A branch on a known condition is replaced by its arm.

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
  let statistics = [
    Statistic<"numRefined", "refined", "Number of results with a refined type">,
    Statistic<"numFolded", "folded", "Number of ops folded">,
  ];
}

#endif
