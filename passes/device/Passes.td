#ifndef PROA_PASSES_DEVICE_PASSES
#define PROA_PASSES_DEVICE_PASSES

include "mlir/Pass/PassBase.td"

def ExpandForDevice : Pass<"pd-expand-for-device", "::mlir::func::FuncOp"> {
  let summary = "Replace library ops by ops that kernels for GPUs compute";
  let description = [{
    - A random op with a static shape becomes `rt.random_call`, which stays on the host, and the op of rt that computes
      its numbers from that.
    - `pd.scatter_nd` and `pd.put_along_axis` become the keys of the updated slices and `rt.scatter_owned`, whose blocks
      read all keys and combine the updates of their own slices in order, if a slice has 32 elements or more and there
      are not too many keys. Otherwise a stable `pd.argsort` of the keys and `rt.scatter_sorted`, in which a thread
      combines the updates of an element in their order. So equal runs give equal numbers. With `atomic` smaller slices
      are sums by atomic additions, whose order depends on the run.

    ```mlir
    // before
    %1 = pd.scatter_nd %x, %index, %updates reduce = add : ...
    // after
    %0 = rt.scatter_keys %x, %index : ...
    %keys, %order = pd.argsort %0 {stable = true} : ...   // small slices
    %1 = rt.scatter_sorted %x, %keys, %order, %updates {depth = 1} reduce = add : ...
    ```

    Remarks say why an op stays.
  }];
  let dependentDialects = ["::proa::ProaDialect", "::proa::pd::PdDialect", "::proa::rt::RtDialect"];
  let options = [
    Option<"allowsAtomic", "atomic", "bool", "false", "Any order of scatter sums (ModelOptions::allowsAtomicSums)">
  ];
}

#endif
