// Attributes and types of the dist dialect.
#ifndef PROA_DIALECTS_DIST_ATTRIBUTES
#define PROA_DIALECTS_DIST_ATTRIBUTES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "dialects/dist/Dialect.td"

// The same order as in proa::spmd::Reduction.
def Dist_Reduction : I32Enum<"Reduction", "how the local tensors of a partial value combine", [
  I32EnumCase<"Sum", 0, "sum">, I32EnumCase<"Max", 1, "max">, I32EnumCase<"Min", 2, "min">,
  I32EnumCase<"Prod", 3, "prod">, I32EnumCase<"Avg", 4, "avg">, I32EnumCase<"Any", 5, "any">,
  I32EnumCase<"All", 6, "all">
]> {
  let cppNamespace = "::proa::dist";
}

// Numbered constraints are checked by the attribute's verifier; messages cite the number.
class Dist_Attr<string name, string mnemonic_> : AttrDef<Dist_Dialect, name> {
  let mnemonic = mnemonic_;
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

def Dist_AxisAttr : Dist_Attr<"Axis", "axis"> {
  let summary = "A mesh axis or a sub-axis";
  let description = [{
    `"x"` is the axis x. `"x":(m)k` is a sub-axis: the axis of size n is viewed as [m, k, n / (m * k)], and the sub-axis
    is the middle, of size k. In C++ the full axis has `pre` = 0 and `size` = 0.

    Constraints:
    - C1. the name is not empty
    - C2. a sub-axis has a pre-size of at least 1 and a size of at least 2
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$pre, "int64_t":$size);
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$name), "return $_get($_ctxt, name, 0, 0);">];
  let extraClassDeclaration = "bool isFull() const { return getSize() == 0; }";
}

def Dist_MeshAttr : Dist_Attr<"Mesh", "mesh"> {
  let summary = "Devices in a grid with named axes";
  let description = [{
    `<["x"=2, "y"=4]>` is a grid of 2 x 4 devices, numbered in row-major order: the device at (i, j) is 4 * i + j.
    `<["x"=2], devices = [6, 7]>` lists the devices in that order. Meshes of several pipeline stages list disjoint
    devices. A mesh without axes is one device.

    Constraints:
    - C1. names of axes are not empty and unique
    - C2. sizes of axes are positive, and the mesh has at most 16,777,216 devices
    - C3. a list of devices has one entry for each device; entries are not negative and unique
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names, ArrayRefParameter<"int64_t">:$sizes,
    OptionalArrayRefParameter<"int64_t">:$devices);
  let extraClassDeclaration = [{
    /// The same mesh, independent of the context.
    ::proa::spmd::Mesh toMesh() const;
  }];
}

def Dist_DimShardingAttr : Dist_Attr<"DimSharding", "dim"> {
  let summary = "The split of one dimension";
  let description = [{
    `{"x", "y"}` splits the dimension over the axes x (major) and y (minor): a dimension of size S has n = |x| * |y|
    shards, and the device at (i, j) holds shard c = i * |y| + j, the indices from ceil(c * S / n) to
    ceil((c + 1) * S / n) - 1. `{}` is a whole dimension.

    `{"x", ?}` is open: propagation may append axes. Without `?` it is closed. `{"x"}p1` has priority 1: propagation
    uses all dimensions of priority 0 first. The default is 0.

    `{"x"} blocks(8, 4, 4)` splits each block of the dimension, which has the sizes 8, 4 and 4: the local tensor is the
    concatenation of the shards of all blocks. It describes fused weights (query, key and value), and a dimension that
    is outer and inner ones, of which an inner one is split. `blocks(3 * 16)` are three blocks of 16.

    Constraints:
    - C1. a priority is not negative; a closed dimension without axes has none
    - C2. there are 2 to 4,096 blocks, with positive sizes; a closed dimension without axes has none
  }];
  let parameters = (ins ArrayRefParameter<"::proa::dist::AxisAttr">:$axes, "bool":$isClosed, "int64_t":$priority,
    OptionalArrayRefParameter<"int64_t">:$blocks);
}

def Dist_PartialAttr : Dist_Attr<"Partial", "partial"> {
  let summary = "Axes over which local tensors combine to the value";
  let description = [{
    `sum {"x"}`: the value is the elementwise sum of the local tensors of the devices along x. The kinds are sum, max,
    min, prod, avg (the mean), any and all (logical or and and).

    Constraints:
    - C1. there is at least one axis
  }];
  let parameters = (ins "::proa::dist::Reduction":$reduction, ArrayRefParameter<"::proa::dist::AxisAttr">:$axes);
}

def Dist_ShardingAttr : Dist_Attr<"Sharding", "sharding"> {
  let summary = "The distribution of a tensor over a mesh";
  let description = [{
    ```
    #dist.sharding<@mesh, [{"x"}, {"y", "z":(1)2, ?}p1], replicated = {"w"}, partial = [sum {"u"} ]>
    ```

    One entry for each dimension of the tensor. `replicated` lists axes that propagation must not use for this value.
    A value is also replicated over all axes that the sharding does not name. `partial` lists reductions that are still
    to be done.

    Constraints:
    - C1. no axis occurs twice; sub-axes of an axis do not overlap, and nest: the pre-size of the minor one is a
      multiple of the pre-size times the size of the major one
    - C2. each reduction of `partial` occurs once
    - C3. several reductions of `partial` are sum and avg, the only ones that commute
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh, ArrayRefParameter<"::proa::dist::DimShardingAttr">:$dims,
    OptionalArrayRefParameter<"::proa::dist::AxisAttr">:$replicated,
    OptionalArrayRefParameter<"::proa::dist::PartialAttr">:$partial);
  let extraClassDeclaration = [{
    /// Whether it leaves nothing to propagation: all dimensions are closed and without priority, and no axes are listed
    /// as replicated.
    bool isFinal() const;
  }];
}

def Dist_GroupAttr : Dist_Attr<"Group", "group"> {
  let summary = "Axes of a mesh";
  let description = [{
    `<@mesh, {"x"}>`. Devices with equal coordinates on all other axes are a group.

    Constraints:
    - C1. there is at least one axis, and no axis occurs twice
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh, ArrayRefParameter<"::proa::dist::AxisAttr">:$axes);
}

def Dist_FutureType : TypeDef<Dist_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "The result of a communication that has started";
  let description = [{
    `!dist.future<tensor<4xf32>>` is a tensor that `dist.wait` gives when it has arrived. `!dist.future<>` is a started
    `dist.send`: `dist.wait` returns when the sent tensor may be overwritten.
  }];
  let parameters = (ins OptionalParameter<"::mlir::RankedTensorType">:$tensor);
  let hasCustomAssemblyFormat = 1;
}

#endif
