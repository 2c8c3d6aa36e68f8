#ifndef PROA_PASSES_SPMD_PASSES
#define PROA_PASSES_SPMD_PASSES

include "mlir/Pass/PassBase.td"

def AnnotateShardingRules : Pass<"pd-annotate-sharding-rules"> {
  let summary = "Show how each op can be split over devices";
  let description = [{
    Adds the sharding rule of each op (dialects/pd/sharding/ShardingRule.h) as text in the attribute
    `pd.sharding_rule`: the factors of each dimension of operands and results, and the size of each factor. Parts
    along a pass-through factor are parts of the results; parts along a `reduction` factor are combined by the
    reduction; a `replicated` factor, like a dimension `*`, is not split. An op without a rule runs whole on each
    device; a remark names it (`--remarks=pd-annotate-sharding-rules`).

    ```mlir
    // before
    %0 = pd.matmul %x, %y : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
    // after
    %0 = pd.matmul %x, %y {pd.sharding_rule = "([j, k], [k, i])->([j, i]) {i=4, j=8, k=3} reduction={k:sum}"}
           : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

#endif
