#ifndef PROA_PASSES_OFFLOAD_PASSES
#define PROA_PASSES_OFFLOAD_PASSES

include "mlir/Pass/PassBase.td"

def OffloadStates : Pass<"rt-offload-states", "::mlir::ModuleOp"> {
  let summary = "Fetch states before their uses and store them after their updates";
  let description = [{
    State variables of `main` (`pd.param` whose new value is a result with `pd.state`) are no longer arguments and
    results: `rt.fetch` gives the value before ops that use it, and `rt.store` stores the new one. A store outside of
    the program keeps them between runs (include/proa/Offload.h). It is the last pass before planning.

    - `optimizer` states are those that no fetched result depends on, such as moments; `parameters` are the others.
    - A fetch starts `ahead` ops before the first use, and `rt.wait` is before that. Uses more than `keep` ops after the
      one before get a fetch of their own: in a training step, forward and backward.
    - The store follows the new value and the last use of the old one.

    States with dynamic dims, and states of fewer than `min-bytes` bytes, stay; a remark says so.

    ```mlir
    // before
    func.func @main(%m: tensor<4096xf32> {pd.param = "m"}, %g: tensor<4096xf32> {pd.feed = "g"})
        -> (tensor<4096xf32> {pd.state = "m"}) {
      %0 = call @kernel(%m, %g) : ...
      return %0 : tensor<4096xf32>
    }
    // after
    func.func @main(%g: tensor<4096xf32> {pd.feed = "g"}) {
      %0 = rt.fetch "m" : !dist.future<tensor<4096xf32>>
      %1 = rt.wait %0 : !dist.future<tensor<4096xf32>> -> tensor<4096xf32>
      %2 = call @kernel(%1, %g) : ...
      rt.store "m", %2 : tensor<4096xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"optimizer", "optimizer", "bool", "true", "Whether states that no fetched result depends on are stored">,
    Option<"parameters", "parameters", "bool", "false", "Whether other states are stored">,
    Option<"minBytes", "min-bytes", "int64_t", "4096", "The fewest bytes of a state that is stored">,
    Option<"ahead", "ahead", "int64_t", "4", "The number of ops between the start of a fetch and the first use">,
    Option<"keep", "keep", "int64_t", "32", "The most ops between two uses of one fetch">
  ];
  let dependentDialects = ["::proa::rt::RtDialect"];
}

#endif
