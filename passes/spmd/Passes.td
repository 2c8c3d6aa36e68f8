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

def ExpandReshard : Pass<"dist-expand-reshard", "::mlir::ModuleOp"> {
  let summary = "Replace dist.reshard by collectives";
  let description = [{
    Replaces each `dist.reshard` between shardings on one mesh by the cheapest sequence of `dist.slice`,
    `dist.to_partial`, `dist.all_gather`, `dist.all_to_all`, `dist.permute`, `dist.reduce_scatter` and
    `dist.all_reduce` on local tensors, between `dist.to_local` and `dist.to_global`. `lib/spmd/Reshard.h` describes the
    cost model. Plans are right for all dim sizes; the sizes choose among them.

    A reshard between meshes stays as it is, with a remark: the devices of both meshes must take part. It is an error if
    no sequence fits the memory limit.

    ```mlir
    // before
    %1 = dist.reshard %0 from <@m, [{"x"}, {} ]> to <@m, [{}, {"x"} ]> : tensor<8x16xf32>
    // after
    %2 = dist.to_local %0 with <@m, [{"x"}, {} ]> : tensor<8x16xf32> -> tensor<4x16xf32>
    %3 = dist.all_to_all %2 of tensor<8x16xf32> from <@m, [{"x"}, {} ]> to <@m, [{}, {"x"} ]>
           : tensor<4x16xf32> -> tensor<8x8xf32>
    %1 = dist.to_global %3 with <@m, [{}, {"x"} ]> : tensor<8x8xf32> -> tensor<8x16xf32>
    ```
  }];
  let options = [
    Option<"latency", "latency", "double", "5e-6", "Seconds that a message takes besides its bytes">,
    Option<"bandwidth", "bandwidth", "double", "1e10", "Bytes per second that a device receives">,
    ListOption<"links", "links", "std::string",
               "Latency and bandwidth of mesh axes that differ: AXIS:SECONDS:BYTES_PER_SECOND">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "The most bytes of a device that source and result of a step may take; 0: no limit">,
    Option<"dynamicDim", "dynamic-dim", "int64_t", "1024", "Size of dynamic dims in the cost model">
  ];
  let dependentDialects = ["::proa::dist::DistDialect"];
}

def LowerCollectives : Pass<"dist-lower-collectives", "::mlir::ModuleOp"> {
  let summary = "Replace ops of dist on local tensors by calls of the runtime";
  let description = [{
    Replaces collectives, `dist.slice`, `dist.to_partial`, `dist.broadcast`, `dist.send` and `dist.recv` by the ops of
    rt of the same names, which carry the mesh itself. They keep their order on all ranks: ops of rt that communicate
    have an effect. A collective whose result is a future communicates where it starts, and `dist.wait` gives its
    result. `dist.mesh` and the sharding attributes of functions stay.

    It is an error if an op of the global form is left: `dist.reshard`, `dist.to_local`, `dist.to_global`.
    `dist.constrain` is replaced by its operand.

    ```mlir
    // before
    %1 = dist.all_reduce %0 of tensor<8xf32> from <@m, [{} ], partial = [sum {"x"} ]> to <@m, [{} ]>
           : tensor<8xf32> -> tensor<8xf32>
    // after
    %1 = rt.all_reduce %0 of [8] on <["x"=2]> from <@m, [{} ], partial = [sum {"x"} ]> to <@m, [{} ]> number 0
           : tensor<8xf32> -> tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::proa::rt::RtDialect"];
}

#endif
