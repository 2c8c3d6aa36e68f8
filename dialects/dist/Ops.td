// Ops of the dist dialect.
#ifndef PROA_DIALECTS_DIST_OPS
#define PROA_DIALECTS_DIST_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/dist/Attributes.td"
include "dialects/dist/Interfaces.td"

// Fields of an op:
//   text           the description without the constraints
//   constraints    conditions of the verifier beyond the types of operands and attributes: "C<number>. <text>";
//                  messages cite the number. test/dialects/dist/ops-invalid.mlir has a negative test of each
class Dist_Op<string mnemonic, list<Trait> traits = []> : Op<Dist_Dialect, mnemonic, traits> {
  string text = "";
  list<string> constraints = [];
  // With the indentation of the text, which mlir-tblgen removes.
  let description = text # !if(!empty(constraints), "", "\n    Constraints:\n\n    - "
    # !interleave(constraints, "\n    - ") # "\n");
}

// Of a sharding of a tensor type; verifySharding checks them.
defvar ShardingConstraints = [
  "C1. the mesh of a sharding is the symbol of a dist.mesh",
  "C2. a sharding has one entry for each dimension of the tensor",
  "C3. each axis is one of the mesh; the pre-size times the size of a sub-axis divides the axis, and a sub-axis is not "
    "the whole axis; each axis occurs once (C1 of the attribute)",
  "C4. a sharding is in canonical form: adjacent sub-axes are written as one, partial and replicated axes are in the "
    "order of the mesh, axes of size 1 are left out",
  "C5. blocks add up to the size of the dimension",
  "C6. `any` and `all` are reductions of i1, max and min of integers and floats, avg of floats and complex numbers, "
    "sum and prod of all but i1"
];
defvar FinalConstraint = "C7. the sharding is final: closed dimensions, no priorities, no replicated axes";
defvar LocalConstraint = 
  "C8. the type of a local tensor has the element type and the rank of the global type, and each static dim"
  " is the size of a shard";

// Verified with its mesh, when all symbols are known.
def Dist_UsesMesh : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

def Dist_Tensor : AnyTypeOf<[AnyRankedTensor], "ranked tensor", "::mlir::RankedTensorType">;
def Dist_TensorOrFuture : AnyTypeOf<[AnyRankedTensor, Dist_FutureType]>;
def Dist_GlobalType : TypeAttrOf<AnyRankedTensor>;
def Dist_Network : Resource<"::proa::dist::Network">;
def Dist_Communicates : MemoryEffects<[MemRead<Dist_Network>, MemWrite<Dist_Network>]>;

//===-- Meshes ----------------------------------------------------------------------------------------------------===//

def Dist_MeshOp : Dist_Op<"mesh", [Symbol, Dist_UsesMesh]> {
  let summary = "Names a mesh of devices";
  let text = [{
    Shardings refer to the mesh by its symbol, so that one edit changes the mesh of a program. A module may have several
    meshes: one for each pipeline stage, or several views of the same devices.

    ```mlir
    dist.mesh @mesh = <["dp"=2, "mp"=4]>
    ```

    It verifies the attributes `dist.sharding` and `dist.shardings` that name it, by C1 to C6 of `dist.constrain`. The
    first mesh of a module also reports those that name no mesh.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Dist_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

//===-- Ops of the global form ------------------------------------------------------------------------------------===//

def Dist_ConstrainOp : Dist_Op<"constrain", [Pure, SameOperandsAndResultType, Dist_UsesMesh]> {
  let summary = "Requires a sharding of a value";
  let text = [{
    The identity. Its result has the sharding, except for axes that propagation appends to open dimensions.

    ```mlir
    %1 = dist.constrain %0 to <@mesh, [{"dp", ?}, {} ]> : tensor<8x16xf32>
    ```
  }];
  let constraints = ShardingConstraints;
  let arguments = (ins Dist_Tensor:$x, Dist_ShardingAttr:$sharding);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$x `to` $sharding attr-dict `:` type($x)";
}

def Dist_ReshardOp : Dist_Op<"reshard", [Pure, SameOperandsAndResultType, Dist_UsesMesh]> {
  let summary = "Changes the sharding of a value";
  let text = [{
    The identity on the global value: `result = x`. The local tensors change from the shards in `from` to the shards in
    `to`. The shardings may be on different meshes, for example the meshes of two pipeline stages.

    `--dist-expand-reshard` replaces it by the cheapest sequence of collectives.

    ```mlir
    %1 = dist.reshard %0 from <@mesh, [{"x"}, {} ]> to <@mesh, [{}, {"x"} ]> : tensor<8x16xf32>
    ```

    Folds: a reshard to the same sharding is its operand; a reshard of a reshard is one reshard.
  }];
  let constraints = ShardingConstraints # [FinalConstraint];
  let arguments = (ins Dist_Tensor:$x, Dist_ShardingAttr:$from, Dist_ShardingAttr:$to);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$x `from` $from `to` $to attr-dict `:` type($x)";
  let hasFolder = 1;
}

//===-- Between the forms -----------------------------------------------------------------------------------------===//

def Dist_ToLocalOp : Dist_Op<"to_local", [Pure, Dist_UsesMesh]> {
  let summary = "The local tensor of a global value";
  let text = [{
    `result` is the shard of `x` that the device holds under `sharding`; of a partial value, the term of the device. A
    dim of the local type is static if it is the same on all devices, otherwise dynamic.

    ```mlir
    %1 = dist.to_local %0 with <@mesh, [{"x"}, {} ]> : tensor<8x16xf32> -> tensor<4x16xf32>
    ```

    Folds: of a dist.to_global with the same sharding, the operand of that op.
  }];
  let constraints = ShardingConstraints # [FinalConstraint, LocalConstraint];
  let arguments = (ins Dist_Tensor:$x, Dist_ShardingAttr:$sharding);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$x `with` $sharding attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
}

def Dist_ToGlobalOp : Dist_Op<"to_global", [Pure, Dist_UsesMesh]> {
  let summary = "The global value of local tensors";
  let text = [{
    The value whose local tensors under `sharding` are `x`. Devices that hold the same shard must have equal tensors.

    ```mlir
    %1 = dist.to_global %0 with <@mesh, [{"x"}, {} ]> : tensor<4x16xf32> -> tensor<8x16xf32>
    ```

    Folds: of a dist.to_local with the same sharding, the operand of that op.
  }];
  let constraints = ShardingConstraints # [FinalConstraint, LocalConstraint];
  let arguments = (ins Dist_Tensor:$x, Dist_ShardingAttr:$sharding);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$x `with` $sharding attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
}

//===-- Ops of the local form -------------------------------------------------------------------------------------===//

defvar StepConstraints = ShardingConstraints # [FinalConstraint, LocalConstraint, "C9. from and to are on one mesh"];

// A step between two shardings of a value of the type `global`. It has no effect on memory, so an unused one may be
// removed and equal ones may be merged, on all devices at once. It is not speculatable: no pass may move it to where
// only some devices would reach it.
class Dist_StepOp<string mnemonic, string kind, list<Trait> traits>
    : Dist_Op<mnemonic, [DeclareOpInterfaceMethods<StepOpInterface, ["getStepKind"]>, Dist_UsesMesh] # traits> {
  let assemblyFormat = [{
    $x `of` $global `from` $from `to` $to attr-dict `:` type($x) `->` type($result)
  }];
  let extraClassDefinition = "::proa::spmd::StepKind $cppClass::getStepKind() { return ::proa::spmd::StepKind::" # kind
    # "; }";
  let hasFolder = 1;
}

class Dist_LocalStepOp<string mnemonic, string kind> : Dist_StepOp<mnemonic, kind, [Pure]> {
  let arguments = (ins Dist_Tensor:$x, Dist_GlobalType:$global, Dist_ShardingAttr:$from, Dist_ShardingAttr:$to);
  let results = (outs Dist_Tensor:$result);
}

// If the result is a future, the op only starts the communication.
class Dist_CollectiveOp<string mnemonic, string kind> : Dist_StepOp<mnemonic, kind, [NoMemoryEffect]> {
  let arguments = (ins Dist_Tensor:$x, Dist_GlobalType:$global, Dist_ShardingAttr:$from, Dist_ShardingAttr:$to);
  let results = (outs Dist_TensorOrFuture:$result);
}

def Dist_SliceOp : Dist_LocalStepOp<"slice", "Slice"> {
  let summary = "Splits dimensions further, without communication";
  let text = [{
    The device keeps its shard of `x` under `to`.

    ```mlir
    %1 = dist.slice %0 of tensor<8x16xf32> from <@m, [{}, {} ]> to <@m, [{"x"}, {} ]>
      : tensor<8x16xf32> -> tensor<4x16xf32>
    ```

    Folds: of a gather that the slice reverses, the operand of the gather.
  }];
  let constraints = StepConstraints # [
    "C10. `to` adds to dimensions of `from` minor axes that `from` does not use; dimensions that are split "
    "keep their blocks; partial axes are equal"];
}

def Dist_ToPartialOp : Dist_LocalStepOp<"to_partial", "ToPartial"> {
  let summary = "Makes a value a term of a partial value, without communication";
  let text = [{
    Axes become partial. Over an axis that `from` does not use, the device at coordinate 0 keeps `x`, and the others
    have the neutral element of the reduction (0 of sum, 1 of prod); for the other reductions all keep `x`. Over an
    axis that splits a dimension, the result is `x` at its indices of the joined dimension, and the neutral element
    elsewhere (max: the least value of the type, min: the largest; any: false, all: true).

    ```mlir
    %1 = dist.to_partial %0 of tensor<8xf32> from <@m, [{"x"} ]> to <@m, [{} ], partial = [sum {"x"} ]>
      : tensor<4xf32> -> tensor<8xf32>
    ```
  }];
  let constraints = StepConstraints # [
    "C10. axes become partial that `from` does not use, or that are the minor ones of its dimensions and are "
    "removed there; avg: not the latter; other axes are equal"];
}

def Dist_AllGatherOp : Dist_CollectiveOp<"all_gather", "AllGather"> {
  let summary = "Joins the shards of dimensions";
  let text = [{
    Each device gets the shards of the devices that differ from it on the removed axes only. It receives
    (n - 1) / n of its result.

    ```mlir
    %1 = dist.all_gather %0 of tensor<8x16xf32> from <@m, [{"x"}, {} ]> to <@m, [{}, {} ]>
      : tensor<4x16xf32> -> tensor<8x16xf32>
    ```

    Folds: of a slice that the gather reverses, the operand of the slice.
  }];
  let constraints = StepConstraints # [
    "C10. `to` removes minor axes from dimensions of `from`; dimensions that stay split keep their blocks; "
    "partial axes are equal"];
}

def Dist_AllToAllOp : Dist_CollectiveOp<"all_to_all", "AllToAll"> {
  let summary = "Moves axes between dimensions";
  let text = [{
    Each device gets the elements of its shard under `to` that it does not hold. It gets an element from the device that
    holds it and has the same coordinates on all axes that do not move. The step may also add axes that `from` does not
    use: then only the elements of the finer shards move. Several axes and dimensions may change at once.

    ```mlir
    %1 = dist.all_to_all %0 of tensor<8x16xf32> from <@m, [{"x"}, {} ]> to <@m, [{}, {"x"} ]>
      : tensor<4x16xf32> -> tensor<8x8xf32>
    ```

    Folds: of an all_to_all or permute that it reverses, the operand of that op.
  }];
  let constraints = StepConstraints # [
    "C10. each axis that is removed from a dimension is added to one, other added axes are not used by "
    "`from`; an axis moves or blocks change; partial axes are equal"];
}

def Dist_PermuteOp : Dist_CollectiveOp<"permute", "Permute"> {
  let summary = "Exchanges whole local tensors";
  let text = [{
    Each device gets its local tensor from one device: itself if it has that tensor; otherwise the devices that have and
    the devices that need the tensor, among those that differ on the changed axes only, pair up in the order of the
    mesh.

    ```mlir
    %1 = dist.permute %0 of tensor<8x16xf32> from <@m, [{"x", "y"}, {} ]> to <@m, [{"y", "x"}, {} ]>
      : tensor<2x16xf32> -> tensor<2x16xf32>
    ```
  }];
  let constraints = StepConstraints # [
    "C10. each dimension has the same number of shards and the same blocks in `from` and `to`, which differ; "
    "partial axes are equal"];
}

def Dist_ReduceScatterOp : Dist_CollectiveOp<"reduce_scatter", "ReduceScatter"> {
  let summary = "Combines partial values and splits the result";
  let text = [{
    The terms of the devices along the reduced axes are combined by the reduction. Each device gets its shard. It
    receives (n - 1) / n of `x`, or less if other axes are added too. The order of the terms is not defined, so sums
    of floats may differ by rounding.

    ```mlir
    %1 = dist.reduce_scatter %0 of tensor<8xf32> from <@m, [{} ], partial = [sum {"x"} ]> to <@m, [{"x"} ]>
      : tensor<8xf32> -> tensor<4xf32>
    ```
  }];
  let constraints = StepConstraints # [
    "C10. axes of one reduction of `from` are not partial in `to`, where they are added to dimensions as the "
    "minor axes; other added axes are not used by `from`; dimensions that are split keep their blocks"];
}

def Dist_AllReduceOp : Dist_CollectiveOp<"all_reduce", "AllReduce"> {
  let summary = "Combines partial values";
  let text = [{
    Each device gets the combination of the terms of the devices along the reduced axes. It receives 2 * (n - 1) / n of
    `x`. The order of the terms is not defined, but the results of all devices are equal bit by bit.

    ```mlir
    %1 = dist.all_reduce %0 of tensor<8xf32> from <@m, [{} ], partial = [sum {"x"} ]> to <@m, [{} ]>
      : tensor<8xf32> -> tensor<8xf32>
    ```
  }];
  let constraints = StepConstraints # [
    "C10. axes of one reduction of `from` are not partial in `to`; dimensions are equal"];
}

def Dist_BroadcastOp : Dist_Op<"broadcast", [NoMemoryEffect, Dist_UsesMesh]> {
  let summary = "The local tensor of one device of each group, on all devices of the group";
  let text = [{
    Each device gets `x` of the device that has the coordinates `root` on the axes of `group` and otherwise the same
    coordinates. If the result is a future, the op only starts the communication.

    ```mlir
    %1 = dist.broadcast %0 over <@m, {"x"}> root [0] : tensor<4xf32> -> tensor<4xf32>
    ```
  }];
  let constraints = [
    "C1. the mesh of the group is the symbol of a dist.mesh",
    "C2. `root` has one coordinate for each axis of the group, not negative and less than the size of the axis",
    "C3. each axis is one of the mesh; the pre-size times the size of a sub-axis divides the axis, and a sub-axis is "
      "not the whole axis",
    "C4. the result is x's type or a future of it"
  ];
  let arguments = (ins Dist_Tensor:$x, Dist_GroupAttr:$group, DenseI64ArrayAttr:$root);
  let results = (outs Dist_TensorOrFuture:$result);
  let assemblyFormat = "$x `over` $group `root` $root attr-dict `:` type($x) `->` type($result)";
}

def Dist_ExchangeRowsOp : Dist_Op<"exchange_rows", [NoMemoryEffect, Dist_UsesMesh]> {
  let summary = "Rows for each device of a group, whose counts are known at run time";
  let text = [{
    A group is the devices that differ on the axes of `group` only, numbered in row-major order of their coordinates on
    them. Of the rows of `x`, the first send_counts[0] go to device 0 of the group, the next send_counts[1] to device 1,
    and so on. The result is recv_counts[0] rows from device 0, then the rows from the others. An exchange of rows
    between experts of a model (Paddle's global_scatter and global_gather) is this op and reorderings on each device.

    At run time: counts are not negative, send_counts add up to the rows of `x`, and what a device sends is what the
    other one expects.

    ```mlir
    %1 = dist.exchange_rows %0, %send, %recv over <@m, {"x"}>
      : tensor<6x8xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<?x8xf32>
    ```
  }];
  let constraints = [
    "C1. the mesh of the group is the symbol of a dist.mesh",
    "C2. the counts are int64 vectors with one count for each device of the group",
    "C3. each axis is one of the mesh; the pre-size times the size of a sub-axis divides the axis, and a sub-axis is "
      "not the whole axis",
    "C4. x has a dimension, and the result has its element type and its dims after the first one"
  ];
  let arguments = (ins Dist_Tensor:$x, Dist_Tensor:$send_counts, Dist_Tensor:$recv_counts, Dist_GroupAttr:$group);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $send_counts `,` $recv_counts `over` $group attr-dict
    `:` type($x) `,` type($send_counts) `,` type($recv_counts) `->` type($result)
  }];
}

// A channel is an id that a send and its receive share.
defvar ChannelConstraint = "C10. the channel is not negative";
defvar TransferConstraints = ShardingConstraints # [FinalConstraint, LocalConstraint, ChannelConstraint];

def Dist_SendOp : Dist_Op<"send", [Dist_UsesMesh, Dist_Communicates]> {
  let summary = "Sends a value to the devices of another mesh";
  let text = [{
    The devices of the mesh of `from` send their shards of the value to the devices of the mesh of `to` that need them:
    each receiving device gets an element from one device that holds it. A `dist.recv` with the same channel, type and
    shardings takes the value there. A result, `!dist.future<>`, says that the op only starts the communication.

    Sends and receives have an effect: they are neither removed nor reordered.

    ```mlir
    dist.send %0 of tensor<8xf32> from <@stage0, [{"x"} ]> to <@stage1, [{"y"} ]> channel 0 : tensor<4xf32>
    ```
  }];
  let constraints = TransferConstraints;
  let arguments = (ins Dist_Tensor:$x, Dist_GlobalType:$global, Dist_ShardingAttr:$from, Dist_ShardingAttr:$to,
    I64Attr:$channel);
  let results = (outs Optional<Dist_FutureType>:$started);
  let assemblyFormat = [{
    $x `of` $global `from` $from `to` $to `channel` $channel attr-dict `:` type($x) (`->` qualified(type($started))^)?
  }];
}

def Dist_RecvOp : Dist_Op<"recv", [Dist_UsesMesh, Dist_Communicates]> {
  let summary = "Receives a value from the devices of another mesh";
  let text = [{
    The local tensor, on a device of the mesh of `to`, of the value that `dist.send` with the same channel sends. If the
    result is a future, the op only starts the communication.

    ```mlir
    %0 = dist.recv of tensor<8xf32> from <@stage0, [{"x"} ]> to <@stage1, [{"y"} ]> channel 0 : tensor<4xf32>
    ```
  }];
  let constraints = TransferConstraints;
  let arguments = (ins Dist_GlobalType:$global, Dist_ShardingAttr:$from, Dist_ShardingAttr:$to, I64Attr:$channel);
  let results = (outs Dist_TensorOrFuture:$result);
  let assemblyFormat = [{
    `of` $global `from` $from `to` $to `channel` $channel attr-dict `:` type($result)
  }];
}

def Dist_WaitOp : Dist_Op<"wait", [Dist_Communicates]> {
  let summary = "The tensor of a future";
  let text = [{
    Waits until the communication that gave the future has ended. The type of the result follows from the type of the
    future. The wait of a `dist.send` has no result.

    ```mlir
    %f = dist.all_reduce %0 of tensor<8xf32> from <@m, [{} ], partial = [sum {"x"} ]> to <@m, [{} ]>
      : tensor<8xf32> -> !dist.future<tensor<8xf32>>
    %1 = dist.wait %f : !dist.future<tensor<8xf32>> -> tensor<8xf32>
    ```
  }];
  let constraints = ["C1. the result is the tensor of the future"];
  let arguments = (ins Dist_FutureType:$future);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = "$future attr-dict `:` qualified(type($future)) (`->` type($result)^)?";
  let hasVerifier = 1;
}

#endif
