// The attributes of the proa dialect.
#ifndef PROA_DIALECTS_PROA_ATTRIBUTES
#define PROA_DIALECTS_PROA_ATTRIBUTES

include "mlir/IR/AttrTypeBase.td"
include "dialects/proa/Kernels.td"

def Proa_TargetAttr : AttrDef<Proa_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "The machine that a program is compiled for";
  let description = [{
    Names known processors (`lib/base/target/KnownTargets.cpp`), with the facts that differ from theirs:

    ```mlir
    module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {multiprocessors = 114}>}
    ```

    Without `gpu` the CPU runs all kernels. Passes read the attribute `proa.target` of the module that contains an op
    (`targetOf`); a module without it is compiled for `defaultTarget()`. `proa-opt --print-target` lists all facts with
    their values and descriptions.

    Constraints:
    - C1. each fact is between the least value of its field (`lib/base/target/Fields.cpp`) and 10^12
  }];
  let parameters = (ins AttrParameter<"::proa::TargetFacts", "the facts", "const ::proa::TargetFacts &">:$facts);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
