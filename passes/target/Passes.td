#ifndef PROA_PASSES_TARGET_PASSES
#define PROA_PASSES_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def SetTarget : Pass<"proa-set-target", "::mlir::ModuleOp"> {
  let summary = "Set the machine that a module is compiled for";
  let description = [{
    Sets `proa.target`, a `#proa.target`. A processor that the module names already keeps its facts; others get the
    facts of `lib/base/target/KnownTargets.cpp`. Then `facts` replaces some of them: JSON as
    `{"gpu": {"multiprocessors": 114}}` (docs/target.md).

    ```mlir
    module {}                                                                       // before
    module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_80">} {}      // after, with gpu=sm_80
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", [{""}], "The CPU: avx2, avx512, generic; empty: the module's">,
    Option<"gpu", "gpu", "std::string", [{""}], "The GPU, such as sm_90a; empty: the module's">,
    Option<"facts", "facts", "std::string", [{""}], "JSON file of facts that differ">
  ];
  let dependentDialects = ["::proa::ProaDialect"];
}

#endif
