#include "test/unit/partition/RandomShardings.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/Pd.h"
#include "lib/base/spmd/Refine.h"

#include <algorithm>

using namespace mlir;

namespace proa::test {

/// Axes, some of them cut into two sub-axes, in random order.
std::vector<spmd::AxisRef> RandomShardings::subAxes() {
  std::vector<spmd::AxisRef> all;
  for (unsigned axis = 0; axis < mesh.axes.size(); ++axis) {
    int64_t size = mesh.axes[axis].size;
    std::vector<int64_t> cuts;
    for (int64_t cut = 2; cut < size; ++cut)
      if (size % cut == 0)
        cuts.push_back(cut);
    if (cuts.empty() || below(2)) {
      all.push_back(mesh.full(axis));
      continue;
    }
    int64_t cut = cuts[below(cuts.size())];
    all.push_back({axis, 1, cut});
    all.push_back({axis, cut, size / cut});
  }
  std::ranges::shuffle(all, random);
  return all;
}

/// Two or three positive numbers with this sum; none if there are no such.
llvm::SmallVector<int64_t> RandomShardings::blocksOf(int64_t size) {
  llvm::SmallVector<int64_t> blocks;
  auto count = static_cast<int64_t>(2 + below(2));
  if (size < count)
    return blocks;
  if (size % count == 0 && below(2))
    return llvm::SmallVector<int64_t>(static_cast<size_t>(count), size / count);
  for (; count > 1; --count) {
    blocks.push_back(static_cast<int64_t>(1 + below(static_cast<size_t>(size - count + 1))));
    size -= blocks.back();
  }
  blocks.push_back(size);
  return blocks;
}

/// The dimension, which propagation may extend, sometimes later than others.
dist::DimShardingAttr RandomShardings::open(dist::DimShardingAttr dim) {
  return dist::DimShardingAttr::get(dim.getContext(), dim.getAxes(), /*isClosed=*/false, isOneOf(4) ? 1 : 0,
                                    dim.getBlocks());
}

dist::ShardingAttr RandomShardings::sharding(RankedTensorType type, bool mayBePartial) {
  auto rank = static_cast<size_t>(type.getRank());
  spmd::Placement placement{std::vector<spmd::DimPlacement>(rank)};
  bool isPartial = mayBePartial && isa<FloatType>(type.getElementType()) && isOneOf(8);
  std::vector<bool> isUsed(mesh.axes.size());
  for (const spmd::AxisRef &axis : subAxes()) {
    if (rank == 0 || isOneOf(3)) {
      if (!isPartial || below(2))
        continue;
      placement.partial.push_back({axis, spmd::Reduction::Sum});
    } else {
      placement.dims[below(rank)].axes.push_back(axis);
    }
    isUsed[axis.axis] = true;
  }
  for (auto [dim, size] : llvm::zip(placement.dims, type.getShape()))
    if (!dim.axes.empty() && isOneOf(6)) {
      auto blocks = blocksOf(size);
      dim.blocks.assign(blocks.begin(), blocks.end());
    }
  auto final = dist::shardingOf(canonical(mesh, placement), symbol, mesh);
  if (isPartial || below(2))
    return final;
  llvm::SmallVector<dist::DimShardingAttr> dims(final.getDims());
  for (dist::DimShardingAttr &dim : dims)
    if (below(2))
      dim = open(dim);
  llvm::SmallVector<dist::AxisAttr> replicated;
  for (unsigned axis = 0; axis < mesh.axes.size(); ++axis)
    if (!isUsed[axis] && isOneOf(4))
      replicated.push_back(dist::AxisAttr::get(type.getContext(), mesh.axes[axis].name, 0, 0));
  return dist::ShardingAttr::get(type.getContext(), symbol, dims, replicated, {});
}

void RandomShardings::annotate(func::FuncOp function) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!isOneOf(4))
      function.setArgAttr(static_cast<unsigned>(i), dist::shardingAttribute,
                          sharding(cast<RankedTensorType>(type), /*mayBePartial=*/true));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (below(2))
      function.setResultAttr(static_cast<unsigned>(i), dist::shardingAttribute,
                             sharding(cast<RankedTensorType>(type), /*mayBePartial=*/false));
  for (Operation &op : function.getBody().front()) {
    bool areTensors = llvm::all_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (!isa<pd::PdDialect>(op.getDialect()) || op.getNumResults() == 0 || op.getNumRegions() > 0 ||
        op.hasTrait<OpTrait::ConstantLike>() || !areTensors || !isOneOf(6))
      continue;
    llvm::SmallVector<Attribute> shardings;
    for (Type type : op.getResultTypes())
      shardings.push_back(sharding(cast<RankedTensorType>(type), /*mayBePartial=*/false));
    op.setAttr(dist::shardingsAttribute, ArrayAttr::get(function.getContext(), shardings));
  }
}

} // namespace proa::test
