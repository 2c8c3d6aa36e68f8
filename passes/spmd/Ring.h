/// Devices as a ring, and contractions whose shards are computed in steps around it.
#pragma once

#include "passes/spmd/Collectives.h"

namespace proa {

/// A dimension of a result of a contraction that follows from a dimension of one operand: shards of the
/// operand give shards of the result.
struct Rows {
  unsigned operand = 0;
  int64_t operandDim = 0, resultDim = 0;
};

/// The rows of the only result of a contraction; none if `isWanted` accepts none.
std::optional<Rows> rowsOf(mlir::Operation *op, llvm::function_ref<bool(const Rows &)> isWanted);

/// The op with another operand, of inferred types.
mlir::Value onShard(mlir::OpBuilder &builder, mlir::Operation *op, unsigned operand, mlir::Value shard);

/// The first channel of messages around rings. Other messages between meshes use channels below.
inline constexpr int64_t firstRingChannel = 1 << 19;

/// The next free channel for messages around rings.
int64_t nextRingChannel(mlir::ModuleOp module);

/// The devices that differ only on some mesh axes, in the order of the shards that the axes make, from major
/// to minor. Each gets tensors from the next one, or from the next one in a permutation, by messages to a
/// mesh in which the devices have moved.
class Ring {
public:
  /// `channel` is the next free one of the module. Without a module the mesh is not created. Shard i gets
  /// tensors of shard `sources[i]`; empty: of shard i + 1.
  Ring(mlir::ModuleOp module, mlir::FlatSymbolRefAttr symbol, llvm::ArrayRef<spmd::AxisRef> axes,
       const spmd::Mesh &mesh, int64_t &channel, llvm::ArrayRef<int64_t> sources = {});

  int64_t size() const { return shards; }

  void send(mlir::OpBuilder &builder, mlir::Location location, mlir::Value x);
  /// The tensor that the next device sent last.
  mlir::Value receive(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type);

  /// `length` elements of a dimension, from `begins[i]` on the devices of shard i.
  mlir::Value range(mlir::OpBuilder &builder, mlir::Location location, mlir::Value x, int64_t dim,
                    llvm::ArrayRef<int64_t> begins, int64_t length);

private:
  mlir::Value byShard(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<int64_t> values);
  mlir::RankedTensorType globalType(mlir::Type local) const;
  dist::ShardingAttr shardingOf(mlir::Type local, mlir::FlatSymbolRefAttr ofMesh) const;
  mlir::StringAttr movedMesh(mlir::ModuleOp module, llvm::ArrayRef<int64_t> targets) const;

  llvm::SmallVector<spmd::AxisRef> axes;
  int64_t shards;
  const spmd::Mesh &mesh;
  mlir::FlatSymbolRefAttr symbol, moved;
  int64_t &channel;
};

} // namespace proa
