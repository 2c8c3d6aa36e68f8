#ifndef PROA_PASSES_DEVICE_PASSES
#define PROA_PASSES_DEVICE_PASSES

include "mlir/Pass/PassBase.td"

def ExpandForDevice : Pass<"pd-expand-for-device", "::mlir::func::FuncOp"> {
  let summary = "Replace library ops by ops that kernels for GPUs compute";
  let description = [{
    - A random op with a static shape becomes `rt.random_call`, which stays on the host, and the op of rt that computes
      its numbers from that.
    - `pd.scatter_nd` and `pd.put_along_axis` become the keys of the updated parts, a stable `pd.argsort` of them, and
      `rt.scatter_sorted`. Each part of the result is computed by one thread, which adds its updates in their order, so
      that equal runs give equal numbers.

    ```mlir
    // before
    %1 = pd.scatter_nd %x, %index, %updates reduce = add : ...
    // after
    %0 = rt.scatter_keys %x, %index : ...
    %keys, %order = pd.argsort %0 {stable = true} : ...
    %1 = rt.scatter_sorted %x, %keys, %order, %updates {depth = 1} reduce = add : ...
    ```

    Remarks say why an op stays.
  }];
  let dependentDialects = ["::proa::pd::PdDialect", "::proa::rt::RtDialect"];
}

#endif
