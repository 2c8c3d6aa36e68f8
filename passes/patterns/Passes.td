#ifndef PROA_PASSES_PATTERNS_PASSES
#define PROA_PASSES_PATTERNS_PASSES

include "mlir/Pass/PassBase.td"

def ApplyPatterns : Pass<"pd-apply-patterns", "::mlir::ModuleOp"> {
  let summary = "Apply patterns of files, in PDLL or in the dialect pdl";
  let description = [{
    Rewrites ops by patterns that users write (docs/writing-a-pass.md), greedily and in program order. `*.pdll` files
    are compiled by mlir-pdll; `*.mlir` files are what `mlir-pdll -x mlir` writes. Patterns may use the constraints and
    rewrites of `pd.pdll`. `proa-opt --pdl-patterns=FILE` runs the pass before the others.

    Remarks say how often each pattern matched, and which condition failed where its ops are but it does not match.

    ```
    #include "pd.pdll"
    Pattern FuseRelu6 {
      let relu = op<pd.relu>(x: Value);
      let bounded = op<pd.minimum>(relu, bound: Value);
      IsScalar(bound, attr<"6.0">);
      SameType(bounded.0, x);
      replace bounded with op<pd.relu6>(x);
    }
    ```
  }];
  let options = [
    ListOption<"files", "file", "std::string", "A file of patterns; may be repeated">
  ];
  let dependentDialects = ["::proa::pd::PdDialect", "::mlir::pdl::PDLDialect", "::mlir::pdl_interp::PDLInterpDialect"];
}

#endif
