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

// The cost model of reshards (ReshardCosts).
defvar ReshardOptions = [
  Option<"latency", "latency", "double", "5e-6", "Seconds that a message takes besides its bytes">,
  Option<"bandwidth", "bandwidth", "double", "1e10", "Bytes per second that a device receives">,
  ListOption<"links", "links", "std::string",
             "Latency and bandwidth of mesh axes that differ: AXIS:SECONDS:BYTES_PER_SECOND">,
  Option<"memoryLimit", "memory-limit", "int64_t", "0",
         "The most bytes of a device that source and result of a step may take; 0: no limit">,
  Option<"dynamicDim", "dynamic-dim", "int64_t", "1024", "Size of dynamic dims in the cost model">
];

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
  let options = ReshardOptions;
  let dependentDialects = ["::proa::dist::DistDialect"];
}

//===-- Partitioner -----------------------------------------------------------------------------------------------===//

def Partition : Pass<"dist-partition", "::mlir::ModuleOp"> {
  let summary = "Turn a program in sharded form into the program of one device";
  let description = [{
    Changes the types of all values to those of local tensors. Before the pass the program is in sharded form: each
    tensor has a final sharding (`dist.sharding` of arguments and results of functions, `dist.shardings` of ops), and
    `dist.reshard` is wherever an op needs another sharding than the value has. docs/dist.md, "Partitioner", lists the
    ops that run on parts. After the pass `dist.reshard` is a sequence of collectives, as by `--dist-expand-reshard`,
    with the same options, and arguments and results of functions have `dist.global`, the type of the single-device
    program.

    Without `rank` the program is the same for all devices: a dim of parts of different sizes is dynamic. With `rank` it
    is the program of one position of the mesh, with its sizes.

    An op whose results are split and whose operands are replicated, but which has no rule for it (random numbers, a
    constant), runs whole on each device, which keeps its part; so does an op whose local types inference does not
    accept. A remark names it. Errors: a tensor without a final sharding; an op whose shardings do not follow from its
    rule, replication or linearity; `pd.vjp`, which must be decomposed first.

    ```mlir
    // before
    func.func @main(%x: tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} ]>},
                    %w: tensor<16x4xf32> {dist.sharding = #dist.sharding<@m, [{"mp"}, {} ]>})
        -> (tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{}, {} ]>}) {
      %0 = pd.matmul %x, %w {dist.shardings = [#dist.sharding<@m, [{}, {} ], partial = [sum {"mp"} ]>]}
             : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
      %1 = dist.reshard %0 from <@m, [{}, {} ], partial = [sum {"mp"} ]> to <@m, [{}, {} ]> : tensor<8x4xf32>
      return %1 : tensor<8x4xf32>
    }
    // after
    func.func @main(%x: tensor<8x8xf32> {dist.global = tensor<8x16xf32>, ...},
                    %w: tensor<8x4xf32> {dist.global = tensor<16x4xf32>, ...})
        -> (tensor<8x4xf32> {dist.global = tensor<8x4xf32>, ...}) {
      %0 = pd.matmul %x, %w : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
      %1 = dist.all_reduce %0 of tensor<8x4xf32> from <@m, [{}, {} ], partial = [sum {"mp"} ]> to <@m, [{}, {} ]>
             : tensor<8x4xf32> -> tensor<8x4xf32>
      return %1 : tensor<8x4xf32>
    }
    ```
  }];
  let options = [
    Option<"rank", "rank", "int64_t", "-1", "The position in the mesh; -1: one program for all devices">
  ] # ReshardOptions;
  let dependentDialects = ["::proa::dist::DistDialect", "::proa::pd::PdDialect", "::mlir::tensor::TensorDialect"];
}

#endif
