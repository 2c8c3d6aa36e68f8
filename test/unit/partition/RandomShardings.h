/// Random annotations of programs.
#pragma once

#include "dialects/dist/Dist.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <random>

namespace proa::test {

/// Gives arguments, results and ops of a function random shardings: axes and sub-axes in any order, uneven
/// and empty shards, blocks, open and closed dimensions, priorities, replicated axes; arguments may be
/// partial.
class RandomShardings {
public:
  RandomShardings(std::mt19937 &random, const spmd::Mesh &mesh, mlir::FlatSymbolRefAttr symbol)
      : random(random), mesh(mesh), symbol(symbol) {}
  void annotate(mlir::func::FuncOp function);

private:
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); }
  bool isOneOf(size_t count) { return below(count) == 0; }
  std::vector<spmd::AxisRef> subAxes();
  llvm::SmallVector<int64_t> blocksOf(int64_t size);
  dist::ShardingAttr sharding(mlir::RankedTensorType type, bool mayBePartial);
  dist::DimShardingAttr open(dist::DimShardingAttr dim);

  std::mt19937 &random;
  const spmd::Mesh &mesh;
  mlir::FlatSymbolRefAttr symbol;
};

} // namespace proa::test
