#ifndef PROA_PASSES_SPMD_PASSES
#define PROA_PASSES_SPMD_PASSES

include "mlir/Pass/PassBase.td"

def AnnotateShardingRules : Pass<"pd-annotate-sharding-rules"> {
  let summary = "Show how each op can be split over devices";
  let description = [{
    Adds the sharding rule of each op (dialects/pd/sharding/ShardingRule.h) as text in the attribute
    `pd.sharding_rule`: the factors of each dimension of operands and results, and the size of each factor. Shards
    along a pass-through factor are shards of the results; shards along a `reduction` factor are combined by the
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

// The cost model of reshards (ReshardCosts), besides the facts of the target.
defvar ReshardOptions = [
  ListOption<"links", "links", "std::string",
             "Latency and bandwidth of mesh axes that differ: AXIS:SECONDS:BYTES_PER_SECOND">,
  Option<"memoryLimit", "memory-limit", "int64_t", "0",
         "The most bytes of a device that source and result of a step may take; 0: no limit">,
  Option<"meshLink", "mesh-link", "std::string", [{""}],
         "Messages between meshes: SECONDS:BYTES_PER_SECOND; default: the link of the target">
];

// How rings are chosen (lib/base/spmd/RingCost.h).
class RingUseOption<string default> : Option<"use", "use", "::proa::spmd::RingUse", default,
  "Where rings are used: by-cost, always, never", [{ ::llvm::cl::values(
    clEnumValN(::proa::spmd::RingUse::ByCost, "by-cost", "where they take less time or memory"),
    clEnumValN(::proa::spmd::RingUse::Always, "always", "wherever possible"),
    clEnumValN(::proa::spmd::RingUse::Never, "never", "nowhere")) }]>;
defvar ringOverlapOption = Option<"overlaps", "overlaps", "bool", "true",
  "Whether messages are on their way while a device computes">;

def ExpandReshard : Pass<"dist-expand-reshard", "::mlir::ModuleOp"> {
  let summary = "Replace dist.reshard by collectives";
  let description = [{
    Replaces each `dist.reshard` by the cheapest sequence of `dist.slice`, `dist.to_partial`, `dist.all_gather`,
    `dist.all_to_all`, `dist.permute`, `dist.reduce_scatter` and `dist.all_reduce` on local tensors, between
    `dist.to_local` and `dist.to_global`. `lib/base/spmd/Reshard.h` describes the cost model. Plans are right for all
    dim sizes; the sizes choose among them. It is an error if no sequence fits the memory limit.

    Between meshes, a `dist.send` and a `dist.recv` are between the steps on both meshes
    (`lib/base/spmd/MeshReshard.h`). None is needed if the meshes are views of the same devices. Ops on local tensors
    run on the devices of their mesh.

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

def ApplyStrategy : Pass<"dist-apply-strategy", "::mlir::ModuleOp"> {
  let summary = "Annotate a program for a strategy of parallel training";
  let description = [{
    Annotates the arguments of a function for a strategy (lib/base/spmd/Strategy.h). Gradients must be ops: run it after
    `--pd-decompose=only=pd.vjp`. If the module has a mesh, the components dp, cp, ep and mp without a size take the
    sizes of its axes, and others must agree with them; a remark names axes that the strategy does not use. If not, the
    pass creates the mesh of the strategy. Shardings that arguments already have are kept.

    - dpN: dimension 0 of the feeds is split over the axis `dp`.
    - cpN: dimension 1 of the feeds (sequences) is split over `cp`.
    - mpN: dimensions of parameters are split over `mp`, as in Megatron. Dimensions that ops split together are one
      component (the columns of a weight, the bias, the rows of the next weight). Components are chosen by their
      traffic for their work, the least first, so that an op is split by at most one of them. The rows of an input
      embedding are split if it has more of them than are looked up, also into shards of different sizes.
    - epN: dimension 0 of parameters of rank 3 over which a contraction is batched (experts) is split over `ep`, and
      so is dimension 0 of the feeds, after `dp`.
    - sp: values that mp does not split are split along the sequence over `mp`.
    - zero1: states of the optimizer are split over `dp`; zero2: also gradients; zero3: also parameters, which are
      gathered where they are used.

    A component that splits nothing is a warning with the reason.

    The other components of a strategy (amp, recompute, accN) are other passes. All annotations are closed: the layout
    of parameters and states follows from the strategy alone.

    Errors: an unknown component; a strategy and a mesh that disagree; several meshes; shardings on another mesh.

    ```mlir
    // before: strategy=mp2
    func.func @main(%x: tensor<8x16xf32> {pd.feed = "x"}, %w: tensor<16x64xf32> {pd.param = "w"},
                    %v: tensor<64x16xf32> {pd.param = "v"}) -> tensor<8x16xf32> {
      %0 = pd.matmul %x, %w : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
      %1 = pd.matmul %0, %v : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    // after
    dist.mesh @mesh = <["mp"=2]>
    func.func @main(%x: tensor<8x16xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {} ]>, pd.feed = "x"},
                    %w: tensor<16x64xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"} ]>, pd.param = "w"},
                    %v: tensor<64x16xf32> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {} ]>, pd.param = "v"})
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", "\"\"", "Components separated by commas: dp2,mp2,zero1">,
    Option<"function", "function", "std::string", "\"main\"", "The function to annotate">
  ];
  let dependentDialects = ["::proa::dist::DistDialect"];
}

//===-- Partitioner -----------------------------------------------------------------------------------------------===//

def Partition : Pass<"dist-partition", "::mlir::ModuleOp"> {
  let summary = "Turn a program in sharded form into the program of one device";
  let description = [{
    Changes the types of all values to the types of local tensors. Before the pass the program is in sharded form: each
    tensor has a final sharding (`dist.sharding` of arguments and results of functions, `dist.shardings` of ops), and
    `dist.reshard` is wherever an op needs another sharding than the value has. docs/dist/partitioner.md, lists the
    ops that run on shards. After the pass `dist.reshard` is a sequence of collectives, as by `--dist-expand-reshard`,
    with the same options, and arguments and results of functions have `dist.global`, the type of the single-device
    program.

    Without `rank` the program is the same for all devices: a dim of shards of different sizes is dynamic. With `rank`
    it is the program of one device, with its sizes. If the meshes of a module have different devices, `rank` is
    required: the device runs the ops of the meshes that have it, and functions lose the arguments and results of the
    others. Values move between meshes by `dist.send` and `dist.recv`.

    An op whose results are split and whose operands are replicated, but which has no rule for it (random numbers, a
    constant), runs whole on each device, which keeps its shard; so does an op whose local types inference does not
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
    Option<"rank", "rank", "int64_t", "-1", "The device; -1: one program for all devices">
  ] # ReshardOptions;
  let dependentDialects = ["::proa::dist::DistDialect", "::proa::pd::PdDialect", "::mlir::tensor::TensorDialect"];
}

//===-- Optimizations of collectives on local tensors -------------------------------------------------------------===//

def MergeCollectives : Pass<"dist-merge-collectives", "::mlir::ModuleOp"> {
  let summary = "Merge small collectives into buckets";
  let description = [{
    Replaces `dist.all_reduce`, `dist.reduce_scatter` or `dist.all_gather` ops of one block by one op, if they have the
    same axes, reduction and element type and do not depend on each other. Their local tensors are flattened and
    concatenated, up to `bucket-bytes`. The merged op is at the last of them; ops that use earlier results move after
    it. So the gradients of data parallelism need one reduction. Each element is combined as before. A gathered
    argument is taken out of its bucket before its first use.

    Not merged: collectives over sub-axes, over several dimensions, with blocks, or with shards of different sizes; and
    collectives between which an op with effects uses a result.

    ```mlir
    // before
    %2 = dist.all_reduce %0 of tensor<4x5xf32> from <@m, [{}, {} ], partial = [sum {"dp"} ]> to <@m, [{}, {} ]>
           : tensor<4x5xf32> -> tensor<4x5xf32>
    %3 = dist.all_reduce %1 of tensor<6xf32> from <@m, [{} ], partial = [sum {"dp"} ]> to <@m, [{} ]>
           : tensor<6xf32> -> tensor<6xf32>
    // after
    %4 = pd.reshape %0 {shape = array<i64: 1, 20>} : (tensor<4x5xf32>) -> tensor<1x20xf32>
    %5 = pd.reshape %1 {shape = array<i64: 1, 6>} : (tensor<6xf32>) -> tensor<1x6xf32>
    %6 = pd.concat %4, %5 {axis = 1 : i64} : (tensor<1x20xf32>, tensor<1x6xf32>) -> tensor<1x26xf32>
    %7 = dist.all_reduce %6 of tensor<1x26xf32> from <@m, [{}, {} ], partial = [sum {"dp"} ]> to <@m, [{}, {} ]>
           : tensor<1x26xf32> -> tensor<1x26xf32>
    %8 = pd.slice %7 {axes = array<i64: 1>, starts = array<i64: 0>, ends = array<i64: 20>}
           : (tensor<1x26xf32>) -> tensor<1x20xf32>
    %2 = pd.reshape %8 {shape = array<i64: 4, 5>} : (tensor<1x20xf32>) -> tensor<4x5xf32>
    // and %3 from the other 6 elements
    ```
  }];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "int64_t", "26214400",
           "The most bytes of a merged local tensor; larger collectives are not merged">
  ];
  let dependentDialects = ["::proa::dist::DistDialect", "::proa::pd::PdDialect"];
}

def SplitAllReduce : Pass<"dist-split-all-reduce", "::mlir::ModuleOp"> {
  let summary = "Replace all_reduce by reduce_scatter, and all_gather of what is needed whole";
  let description = [{
    - An all_reduce whose users are all slices to one sharding is a reduce_scatter; so is one after which elementwise
      ops can run on shards, of whose results only slices are used. An example is the mean over micro-batches of a
      gradient of ZeRO 1. An op between them that is linear in its only operand, as the reshape of the gradient of a
      bias, runs before the reduction.
    - An all_reduce is a reduce_scatter if the elementwise ops after it can run on shards and one of their results is
      needed whole, which an all_gather joins. The bytes moved are the same, and each device computes its
      shard only. An example is the update of a parameter. Other operands of the ops are sliced; they must be equal on
      the devices that reduce. The dimension that is split is the first one with equal shards. Reductions of less than
      `min-bytes` stay: two collectives have a larger latency than one.

    ```mlir
    // before
    %1 = dist.all_reduce %g of tensor<8xf32> from <@m, [{} ], partial = [sum {"dp"} ]> to <@m, [{} ]>
           : tensor<8xf32> -> tensor<8xf32>
    %2 = pd.subtract %w, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    // after
    %1 = dist.reduce_scatter %g of tensor<8xf32> from <@m, [{} ], partial = [sum {"dp"} ]> to <@m, [{"dp"} ]>
           : tensor<8xf32> -> tensor<4xf32>
    %3 = dist.slice %w of tensor<8xf32> from <@m, [{} ]> to <@m, [{"dp"} ]> : tensor<8xf32> -> tensor<4xf32>
    %4 = pd.subtract %3, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = dist.all_gather %4 of tensor<8xf32> from <@m, [{"dp"} ]> to <@m, [{} ]> : tensor<4xf32> -> tensor<8xf32>
    ```
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", "65536", "The fewest bytes of a reduction that is split for ops">
  ];
  let dependentDialects = ["::proa::dist::DistDialect", "::proa::pd::PdDialect"];
}

def HoistCollectives : Pass<"dist-hoist-collectives", "::mlir::ModuleOp"> {
  let summary = "Move collectives with the same operands in each iteration out of loops";
  let description = [{
    Moves a collective that each iteration of a loop runs, and whose operands do not change, before the loop, with the
    ops without effects that compute the operands. All devices of a group run a collective of a loop equally often, so
    they run the loop equally often, and the moved collective once. A collective in a branch inside of the loop stays.
    If the loop has no iterations, the collective runs although nothing uses it.

    ```mlir
    // before
    scf.while (%i = %0) : (tensor<i32>) -> tensor<i32> {
      ...
    } do {
    ^bb0(%i: tensor<i32>):
      %1 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"} ]> to <@m, [{} ]> : tensor<4xf32> -> tensor<8xf32>
      ...
    // after
    %1 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"} ]> to <@m, [{} ]> : tensor<4xf32> -> tensor<8xf32>
    scf.while ...
    ```
  }];
}

def SinkReductions : Pass<"dist-sink-reductions", "::mlir::ModuleOp"> {
  let summary = "Reduce sums after their terms are added up";
  let description = [{
    Moves an all_reduce after a loop, if each iteration adds its result to a carried value that is zero at first and is
    not used otherwise. Ops between the all_reduce and the addition must be linear. Each device then adds up its own
    terms, and the sum of all devices is computed once: gradients of micro-batches are reduced once in a step. A sum of
    two all_reduces with the same placements, or of one and zero, is reduced in the same way, as in the jobs of a
    pipeline.

    ```mlir
    // before
    %0 = scf.while (%s = %zero) : (tensor<8xf32>) -> tensor<8xf32> {
      scf.condition(%p) %s : tensor<8xf32>
    } do {
    ^bb0(%s: tensor<8xf32>):
      %1 = dist.all_reduce %x of tensor<8xf32> from <@m, [{} ], partial = [sum {"x"} ]> to <@m, [{} ]>
             : tensor<8xf32> -> tensor<8xf32>
      %2 = pd.add %s, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      scf.yield %2 : tensor<8xf32>
    }
    // after
    %0 = scf.while (%s = %zero) : (tensor<8xf32>) -> tensor<8xf32> {
      ...
      %2 = pd.add %s, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      scf.yield %2 : tensor<8xf32>
    }
    %1 = dist.all_reduce %0 of tensor<8xf32> from <@m, [{} ], partial = [sum {"x"} ]> to <@m, [{} ]>
           : tensor<8xf32> -> tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::proa::dist::DistDialect"];
}

def GatherAtUses : Pass<"dist-gather-at-uses", "::mlir::ModuleOp"> {
  let summary = "Gather arguments before their uses, again for later ones";
  let description = [{
    An all_gather of an argument of the function, such as a parameter of ZeRO 3, moves before its first use. Uses that
    are more than `span` ops apart, in the forward and in the backward pass, have a gather each: the whole tensor does
    not live between them. A gather for uses in a loop whose body has more than `span` ops is in the body; in a
    short loop each iteration would gather for little work.

    Gathers whose first uses are within `span` ops are next to each other, up to `bucket-bytes`, for
    `dist-merge-collectives`. A bucket starts at the first use of the bucket before it: the weights of the next layer
    arrive while one computes.

    A slice of an argument, such as the shard of a parameter that an update of ZeRO 1 changes, moves before its first
    use too, but not into loops: it would be copied in each iteration.

    Not moved: gathers of other values, which live only as long as they are needed.

    ```mlir
    // before
    %1 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"} ]> to <@m, [{} ]> : tensor<4xf32> -> tensor<8xf32>
    ...
    %2 = pd.multiply %x, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ... // more than `span` ops
    %3 = pd.multiply %y, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    // after
    ...
    %1 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"} ]> to <@m, [{} ]> : tensor<4xf32> -> tensor<8xf32>
    %2 = pd.multiply %x, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ...
    %4 = dist.all_gather %w of tensor<8xf32> from <@m, [{"x"} ]> to <@m, [{} ]> : tensor<4xf32> -> tensor<8xf32>
    %3 = pd.multiply %y, %4 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let options = [
    Option<"span", "span", "int64_t", "32", "The most ops that compute between uses of one gather">,
    Option<"bucketBytes", "bucket-bytes", "int64_t", "26214400", "The most bytes of gathers that start together">
  ];
  let dependentDialects = ["::proa::dist::DistDialect"];
}

def DecomposeRings : Pass<"dist-decompose-rings", "::mlir::ModuleOp"> {
  let summary = "Replace all_gather and reduce_scatter of contractions by steps around a ring";
  let description = [{
    The devices of a collective are a ring. In each of n - 1 steps a device sends a shard to the previous device while
    it computes with the shard that it has.

    - An all_gather along rows of an operand, if a contraction is its only user: the device computes the rows of its
      own shard, then the rows of the shards that it gets.
    - A reduce_scatter (a sum of f32 or f64) along rows of a contraction: the device computes its term of the rows of
      one shard after the other, and adds it to the sum that travels with them.

    Attention over a split sequence has a ring of its own, the local form of pd.fused_attention (dist-choose-rings).

    Rows are a dimension that one operand and the result share. Bytes are of the collective's tensor; the gathered
    operand is not held as a whole. The local tensors must have equal static dims on all devices. Collectives of less
    than `min-bytes` stay: n - 1 messages have a larger latency. With `use=by-cost` a contraction becomes a ring if that
    takes less time, or saves memory, by lib/base/spmd/RingCost.h; a remark says both figures. Messages go to a second
    view of the mesh (`@m_ring`), in which the devices have moved by one.

    ```mlir
    // before
    %1 = dist.all_gather %x of tensor<8x4xf32> from <@m, [{"x"}, {} ]> to <@m, [{}, {} ]>
           : tensor<4x4xf32> -> tensor<8x4xf32>
    %2 = pd.matmul %1, %w : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    // after: x of the other device arrives after the first product; then the rows are put in order
    dist.mesh @m_ring = <["x"=2], devices = [1, 0]>
    dist.send %x of tensor<8x4xf32> from <@m, [{"x"}, {} ]> to <@m_ring, [{"x"}, {} ]> channel 0 : tensor<4x4xf32>
    %1 = pd.matmul %x, %w : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %2 = dist.recv of tensor<8x4xf32> from <@m, [{"x"}, {} ]> to <@m_ring, [{"x"}, {} ]> channel 0 : tensor<4x4xf32>
    %3 = pd.matmul %2, %w : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    ```
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", "65536", "The fewest bytes of a collective that becomes a ring">,
    RingUseOption<"::proa::spmd::RingUse::Always">, ringOverlapOption
  ];
  let dependentDialects = ["::proa::dist::DistDialect", "::proa::pd::PdDialect", "::mlir::tensor::TensorDialect"];
}

def ChooseRings : Pass<"dist-choose-rings", "::mlir::ModuleOp"> {
  let summary = "Choose ops whose operands are passed around a ring instead of gathered";
  let description = [{
    For each op of a program in sharded form whose local form can pass shards of operands around a ring of devices
    (attention over a split sequence), compares time and memory of a device with the time and memory of gathering the
    operands (lib/base/spmd/RingCost.h), and sets or clears the attribute `ring`. A remark says both figures. With
    `use=always` or `use=never` all such ops have one choice.
  }];
  let options = [RingUseOption<"::proa::spmd::RingUse::ByCost">, ringOverlapOption];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def OverlapCollectives : Pass<"dist-overlap-collectives", "::mlir::ModuleOp"> {
  let summary = "Start collectives early and wait for them late";
  let description = [{
    A collective becomes asynchronous: it gives a future, and `dist.wait` is before the first op that uses the result.
    At most `window` ops that compute are between them, which bounds the memory of operands and results under way:

    - An all_gather, and other collectives whose result is larger than the operand or whose operand is an argument, are
      late: they start at most `window` ops before the first use.
    - Others are early: they start after their operand, and the wait is at most `window` ops after that. Up to `window`
      users of the result that would end the overlap, such as the update of a weight that follows its gradient, move to
      the wait, if they have no effects.
    - An all_gather of arguments does not start before the wait of another one: only the next weights are under way.
    - A `dist.recv` starts after the `dist.send` of its channel, as in a step of a ring.

    A collective stays synchronous if nothing is computed between the operand and the first use, or if it has fewer than
    `min-bytes` bytes. Run it last: other passes match collectives with tensors as results. All devices must have the
    same ops, so that they keep one order of communication.

    ```mlir
    // before
    %1 = pd.exp %y : (tensor<9xf32>) -> tensor<9xf32>
    %2 = dist.all_gather %x of tensor<8xf32> from <@m, [{"x"} ]> to <@m, [{} ]> : tensor<4xf32> -> tensor<8xf32>
    // after
    %f = dist.all_gather %x of tensor<8xf32> from <@m, [{"x"} ]> to <@m, [{} ]>
           : tensor<4xf32> -> !dist.future<tensor<8xf32>>
    %1 = pd.exp %y : (tensor<9xf32>) -> tensor<9xf32>
    %2 = dist.wait %f : !dist.future<tensor<8xf32>> -> tensor<8xf32>
    ```
  }];
  let options = [
    Option<"window", "window", "int64_t", "16", "The most ops that run between the start and the wait">,
    Option<"minBytes", "min-bytes", "int64_t", "0", "The fewest bytes of a collective that becomes asynchronous">
  ];
  let dependentDialects = ["::proa::dist::DistDialect"];
}

def Propagate : Pass<"dist-propagate", "::mlir::ModuleOp"> {
  let summary = "Choose the shardings of all values from annotations of some";
  let description = [{
    Input: a program of global types with shardings on some arguments and results of functions (`dist.sharding`), on
    some ops (`dist.shardings`), or in `dist.constrain`. Output: the sharded form, in which

    - each tensor argument and result of a function, and each tensor result of an op, has a final sharding,
    - the shardings of operands and results of each op follow from mesh axes of the factors of its rule
      (`pd-annotate-sharding-rules`), also of one that the op's local form splits, or are all replicated, or the op is
      linear and passes a partial operand to its results,
    - `dist.reshard` changes the sharding of a value for the uses that need another one; each change of a value is
      written once.

    Axes pass through ops in both directions, into functions and regions, until nothing changes. Closed dimensions,
    priorities and `replicated` limit them. If operands and results of an op contradict each other, the alpha-beta
    model of `lib/base/spmd` decides by the time of the reshards. An op that is split along a factor that it needs whole
    runs its local form if the collectives inside of it take less time than the reshards without it, if `memory-limit`
    excludes these, or if its operands and the annotation of its results (`dist.shardings`) split the factor. A new
    value of a parameter (`pd.state`) has the sharding of the parameter. An op without a rule runs whole on each device;
    a remark names it (`--remarks=dist-propagate`).

    `explain` prints the chain of decisions that gave a value its sharding, to the standard error output. The value is
    the name of a feed, parameter, fetch or state, or a result as in `pd.matmul#2`: result 0 of the op with this index
    among the ops of its name, from 0 (`pd.split#0:1`: its result 1).

    Errors: an annotation does not fit the mesh or the type; annotations name several meshes.

    ```mlir
    // before
    func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32> {dist.sharding = #dist.sharding<@m, [{"mp"}, {} ]>})
        -> tensor<8x6xf32> {
      %0 = pd.matmul %x, %w : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      return %0 : tensor<8x6xf32>
    }
    // after: x and w are split along the contracted dimension, and the partial products are added
      %0 = pd.matmul %x, %w {dist.shardings = [#dist.sharding<@m, [{}, {} ], partial = [sum {"mp"} ]>]} : ...
      %1 = dist.reshard %0 from <@m, [{}, {} ], partial = [sum {"mp"} ]> to <@m, [{}, {} ]> : tensor<8x6xf32>
    ```
  }];
  let options = [
    ListOption<"explain", "explain", "std::string", "Values whose shardings are explained">,
    Option<"check", "check", "bool", "false", "Check that each op of the result matches its rule">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "The most bytes of a device that source and result of a reshard's step may take; 0: no limit">
  ];
  let dependentDialects = ["::proa::dist::DistDialect"];
}

def Annotate : Pass<"dist-annotate", "::mlir::ModuleOp"> {
  let summary = "Annotate named arguments and results with shardings";
  let description = [{
    Adds `dist.mesh @mesh` and sets `dist.sharding` on arguments and results of functions by their names (`pd.feed`,
    `pd.param`, `pd.fetch`, `pd.state`). The file is JSON:

    ```
    {"mesh": {"dp": 2, "mp": 4},
     "shardings": [{"name": "linear_*.w_0", "sharding": "[{}, {mp} ]"}, {"name": "x", "sharding": "[{dp, ?}, {} ]"} ]}
    ```

    A name may have the wildcards `*`, `?` and `[ ]`; the last matching entry applies. A sharding is written as the
    attribute (`dialects/dist/Attributes.td`), without the mesh; quotes around axes may be omitted, and axes of size 1
    are left out. The mesh comes from the option, the file (both must agree), or the module.

    Errors: an entry matches nothing, or does not fit the mesh or a type; all are reported.
  }];
  let options = [
    Option<"mesh", "mesh", "std::string", [{""}], "Axes and sizes: dp=2,mp=4">,
    Option<"shardings", "shardings", "std::string", [{""}], "JSON file of shardings by name, or its content">
  ];
  let dependentDialects = ["::proa::dist::DistDialect"];
}

//===-- Legacy collective programs --------------------------------------------------------------------------------===//

defvar ringsOption = ListOption<"rings", "rings", "std::string",
  "Axes of each process group by its ring_id: 0=dp,1=mp,2=dp+mp; default: the only axis of the mesh for all groups, "
  "or all axes for group 0">;
defvar processRankOption = Option<"rank", "rank", "int64_t", "0", "Position of the mesh whose program it is">;

def FromProcessGroups : Pass<"dist-from-process-groups", "::mlir::ModuleOp"> {
  let summary = "Replace ops of legacy collective programs by ops of dist";
  let description = [{
    A legacy collective program is written for one process: `ring_id` of an op names a process group. The pass maps
    process groups to axes of the mesh of the module, and the ops to ops of dist on local tensors, which are the same on
    all devices. Process i of a group is the device with the i-th coordinates on its axes.

    | ops | become |
    |---|---|
    | c_allreduce_sum, max, min, prod, mp_allreduce_sum, c_reduce_*, all_reduce, reduce | dist.all_reduce |
    | c_allgather, c_concat | dist.all_gather along the first, the last dimension |
    | c_reducescatter | dist.reduce_scatter |
    | c_split, of values that are equal on all processes | dist.slice |
    | c_broadcast; c_scatter | dist.broadcast; and dist.slice |
    | alltoall | dist.all_to_all between reshapes |
    | partial_allgather | pd.gather of the process's shard, dist.all_gather |
    | send_v2, recv_v2 | dist.send, dist.recv between meshes of one device |
    | partial_send, partial_recv | the same for the shard; the other shards of what is received are zero |
    | global_scatter, global_gather | dist.exchange_rows, and pd.gather to or from the order of experts |
    | pd.vjp of these ops | the ops of the gradient, which are other ops of the group |
    | with `expand`: c_embedding | dist.slice of a constant for the first index |
    | with `expand`: c_softmax_with_cross_entropy | the same, and dist.all_reduce |

    c_identity and barrier stay: they do not communicate, or only wait. An op of dist that replaces one op keeps its
    name and attributes as `legacy_op`, from which `dist-to-process-groups` restores it.

    A `dist.sharding` of an argument or result says which shard of a tensor the process has. So does `dist.global`,
    the type of the whole tensor, if only one choice of axes makes shards of that size: of the axes of tensor
    parallelism, or of all if the program has none. The others are replicated. All get `dist.global`.

    Errors: a process group without axes; nranks, root or peer that does not fit the size of the axes; rank or
    start_index of another process than `rank`; a whole tensor that no axes, or several choices of them, split into such
    shards; an op without a derivative (broadcast, c_scatter) in pd.vjp; no mesh, or several.

    ```mlir
    // before
    %1 = pd.mp_allreduce_sum %0 {ring_id = 1 : i64} : (tensor<4x16xf32>) -> tensor<4x16xf32>
    // after: rings=1=mp
    %1 = dist.all_reduce %0 of tensor<4x16xf32> from <@mesh, [{}, {} ], partial = [sum {"mp"} ]> to <@mesh, [{}, {} ]>
           {legacy_op = {name = "pd.mp_allreduce_sum", ring_id = 1 : i64}} : tensor<4x16xf32> -> tensor<4x16xf32>
    ```
  }];
  let options = [
    ringsOption, processRankOption,
    Option<"expand", "expand", "bool", "false", "Replace ops that are several collectives too, to run the program">
  ];
  let dependentDialects = ["::proa::dist::DistDialect", "::proa::pd::PdDialect", "::mlir::tensor::TensorDialect"];
}

def ToProcessGroups : Pass<"dist-to-process-groups", "::mlir::ModuleOp"> {
  let summary = "Replace ops of dist by ops of legacy collective programs";
  let description = [{
    The reverse of `dist-from-process-groups`: the program of the process at position `rank` of the mesh, which can be
    exported. An op with `legacy_op` becomes that op; others become the ops of the table there. A slice of another
    dimension than the last is a `pd.slice` of the shard of `rank`. Shardings of the interface and meshes are removed.

    Errors: an op of the global form, or one that legacy programs lack (permute, started collectives, a gather of
    another dimension than the first or last); axes without a process group.

    ```mlir
    // before
    %1 = dist.all_gather %0 of tensor<8x16xf32> from <@mesh, [{}, {"mp"} ]> to <@mesh, [{}, {} ]>
           : tensor<8x8xf32> -> tensor<8x16xf32>
    // after: rings=1=mp rank=1
    %1 = pd.c_concat %0 {nranks = 2 : i64, rank = 1 : i64, ring_id = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x16xf32>
    ```
  }];
  let options = [ringsOption, processRankOption];
  let dependentDialects = ["::proa::dist::DistDialect", "::proa::pd::PdDialect"];
}

def LowerCollectives : Pass<"dist-lower-collectives", "::mlir::ModuleOp"> {
  let summary = "Replace ops of dist on local tensors by calls of the runtime";
  let description = [{
    Replaces collectives, `dist.slice`, `dist.to_partial`, `dist.broadcast`, `dist.send` and `dist.recv` by the ops of
    rt of the same names, which carry the mesh itself. They keep their order on all ranks: ops of rt that communicate
    have an effect. A future that a `dist.wait` of the same block takes becomes one of an op of rt, which communicates
    until `rt.wait`; other ops with a future as result communicate where they start. `dist.mesh` and the sharding
    attributes of functions stay.

    It is an error if an op of the global form is left: `dist.reshard`, `dist.to_local`, `dist.to_global`.
    `dist.constrain` is replaced by its operand, and `dist.schedule` is removed: `dist-pipeline` has applied it, or one
    device runs the program.

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
