#include "passes/spmd/CollectiveForm.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "lib/base/spmd/Refine.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <array>

using namespace mlir;

namespace proa {

CollectiveForm::CollectiveForm(OpBuilder &builder, Operation *op, const pd::ShardingRule &rule,
                               ValueRange operands, const FactorAxes &axes, FlatSymbolRefAttr symbol,
                               LocalTypes types, llvm::ArrayRef<RankedTensorType> resultTypes)
    : LocalFormBuilder(builder, op, rule, operands), axes(axes), symbol(symbol), types(types),
      mesh(*types.meshes.meshOf(symbol)), resultTypes(resultTypes) {}

std::optional<int64_t> CollectiveForm::ownShard(unsigned factor) const {
  auto position = types.device ? types.meshes.positionOf(symbol, *types.device) : std::nullopt;
  if (!position)
    return std::nullopt;
  return mesh.shardOf(axes[factor], *position);
}

/// Terms over the sub-axes that the factor does not use.
spmd::Placement CollectiveForm::otherTerms(RankedTensorType type, unsigned factor,
                                           spmd::Reduction reduction) const {
  spmd::Placement others = spmd::Placement::replicated(type.getRank());
  for (unsigned axis = 0; axis < mesh.axes.size(); ++axis) {
    // Cut the axis at the ends of the sub-axes of the factor.
    llvm::SmallVector<spmd::AxisRef> used;
    for (const spmd::AxisRef &own : axes[factor])
      if (own.axis == axis)
        used.push_back(own);
    llvm::sort(used, [](const spmd::AxisRef &a, const spmd::AxisRef &b) { return a.pre < b.pre; });
    int64_t pre = 1;
    used.push_back({axis, mesh.axes[axis].size, 1});
    for (const spmd::AxisRef &next : used) {
      if (next.pre > pre)
        others.partial.push_back({{axis, pre, next.pre / pre}, reduction});
      pre = next.pre * next.size;
    }
  }
  return others;
}

Value CollectiveForm::createStep(spmd::StepKind kind, Value local, RankedTensorType result,
                                 RankedTensorType global, const spmd::Placement &from,
                                 const spmd::Placement &to) {
  auto shardingOf = [&](const spmd::Placement &placement) {
    return dist::shardingOf(spmd::canonical(mesh, placement), symbol, mesh);
  };
  return dist::createStep(getBuilder(), op()->getLoc(), kind, local, result, global, shardingOf(from),
                          shardingOf(to));
}

/// The dims of a value in a collective. With the types of one device, others may have other dims, and all
/// devices must state the same: those that the collective does not change are dynamic.
static RankedTensorType statedType(RankedTensorType local, bool isOfDevice) {
  if (!isOfDevice)
    return local;
  return local.clone(SmallVector<int64_t>(static_cast<size_t>(local.getRank()), ShapedType::kDynamic));
}

Value CollectiveForm::byShard(unsigned factor, llvm::ArrayRef<int64_t> values) {
  OpBuilder &builder = getBuilder();
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
  Value all = pd::ConstantOp::create(builder, op()->getLoc(), type, DenseElementsAttr::get(type, values));
  spmd::Placement whole = spmd::Placement::replicated(1), split = whole;
  split.dims[0].axes.assign(axes[factor].begin(), axes[factor].end());
  Value own = createStep(spmd::StepKind::Slice, all, type.clone({1}), type, whole, split);
  return pd::ReshapeOp::create(builder, op()->getLoc(), own, Value(), builder.getDenseI64ArrayAttr({}));
}

static spmd::Reduction neutralReduction(Type element) {
  return element.isInteger(1) ? spmd::Reduction::Any : spmd::Reduction::Sum;
}

Value CollectiveForm::gather(Value local, int64_t dim, unsigned factor, int64_t size) {
  auto type = cast<RankedTensorType>(local.getType());
  SmallVector<int64_t> joined(type.getShape());
  joined[static_cast<size_t>(dim)] = size;
  SmallVector<int64_t> global(statedType(type, types.device.has_value()).getShape());
  global[static_cast<size_t>(dim)] = size;
  spmd::Placement to = otherTerms(type, factor, neutralReduction(type.getElementType())), from = to;
  from.dims[static_cast<size_t>(dim)].axes.assign(axes[factor].begin(), axes[factor].end());
  return createStep(spmd::StepKind::AllGather, local, type.clone(joined), type.clone(global), from, to);
}

Value CollectiveForm::reduce(Value local, pd::ReductionKind kind, unsigned factor) {
  auto type = cast<RankedTensorType>(local.getType());
  spmd::Reduction reduction = reductionOf({0, pd::FactorKind::Reduction, kind});
  spmd::Placement to = otherTerms(type, factor, reduction), from = to;
  for (const spmd::AxisRef &axis : axes[factor])
    from.partial.push_back({axis, reduction});
  return createStep(spmd::StepKind::AllReduce, local, type, statedType(type, types.device.has_value()), from,
                    to);
}

Value CollectiveForm::reduceScatter(Value local, int64_t dim, unsigned factor, int64_t size) {
  auto type = cast<RankedTensorType>(local.getType());
  SmallVector<int64_t> global(statedType(type, types.device.has_value()).getShape()), own(type.getShape());
  global[static_cast<size_t>(dim)] = size;
  spmd::Placement to = otherTerms(type, factor, spmd::Reduction::Sum), from = to;
  for (const spmd::AxisRef &axis : axes[factor])
    from.partial.push_back({axis, spmd::Reduction::Sum});
  to.dims[static_cast<size_t>(dim)].axes.assign(axes[factor].begin(), axes[factor].end());
  auto split = spmd::evenLocalSize(to.dims[static_cast<size_t>(dim)], size);
  if (auto position = types.device ? types.meshes.positionOf(symbol, *types.device) : std::nullopt)
    own[static_cast<size_t>(dim)] =
        spmd::localDims(mesh, {{to.dims[static_cast<size_t>(dim)]}}, std::array{size}, *position)[0];
  else
    own[static_cast<size_t>(dim)] = split ? *split : ShapedType::kDynamic;
  return createStep(spmd::StepKind::ReduceScatter, local, type.clone(own), type.clone(global), from, to);
}

Value CollectiveForm::permute(Value local, unsigned factor, llvm::ArrayRef<int64_t> sources) {
  int64_t channel = 0;
  return sendAround(local, factor, sources, channel).receive(getBuilder(), op()->getLoc(), local.getType());
}

/// Sends a value to the shard that takes it by `sources`. `channel` is set to a free channel, which the ring
/// uses.
Ring CollectiveForm::sendAround(Value local, unsigned factor, llvm::ArrayRef<int64_t> sources,
                                int64_t &channel) {
  OpBuilder &builder = getBuilder();
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto module = parent ? parent->getParentOfType<ModuleOp>() : ModuleOp();
  channel = module ? nextRingChannel(module) : 0;
  Ring ring(module, symbol, axes[factor], mesh, channel, sources);
  ring.send(builder, op()->getLoc(), local);
  return ring;
}

namespace {

/// How far the ranges of shards reach into the shards before and after them.
struct Halo {
  int64_t before = 0, after = 0;
  /// The least number of elements of a shard.
  int64_t leastShard = 0;
};

/// The border that a shard gets of the shard before it (offset -1) or after it (offset 1).
struct Neighbour {
  int64_t offset, length;
  /// The border that the device sends.
  Value border;
  int64_t channel = 0;
  std::optional<Ring> ring = std::nullopt;

  SmallVector<int64_t> sourcesOf(int64_t shards) const {
    return llvm::map_to_vector(llvm::seq<int64_t>(0, shards),
                               [&](int64_t shard) { return (shard + offset + shards) % shards; });
  }
};

} // namespace

static Halo haloOf(int64_t size, llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges) {
  Halo halo{0, 0, size};
  auto shards = static_cast<int64_t>(ranges.size());
  for (auto [shard, range] : llvm::enumerate(ranges)) {
    int64_t begin = pd::beginOfShard(size, shards, static_cast<int64_t>(shard)),
            end = pd::beginOfShard(size, shards, static_cast<int64_t>(shard) + 1);
    halo.before = std::max(halo.before, begin - range.first);
    halo.after = std::max(halo.after, range.second - end);
    halo.leastShard = std::min(halo.leastShard, end - begin);
  }
  return halo;
}

Value CollectiveForm::padded(Value x, int64_t dim, int64_t before, int64_t after, double fill) {
  if (before == 0 && after == 0)
    return x;
  OpBuilder &builder = getBuilder();
  SmallVector<int64_t> paddings(2 * static_cast<size_t>(cast<RankedTensorType>(x.getType()).getRank()), 0);
  paddings[2 * static_cast<size_t>(dim)] = before;
  paddings[2 * static_cast<size_t>(dim) + 1] = after;
  return pd::PadOp::create(builder, op()->getLoc(), x, builder.getDenseI64ArrayAttr(paddings),
                           builder.getF64FloatAttr(fill));
}

Value CollectiveForm::range(Value x, int64_t dim, int64_t begin, int64_t end) {
  OpBuilder &builder = getBuilder();
  auto list = [&](ArrayRef<int64_t> values) { return builder.getDenseI64ArrayAttr(values); };
  return pd::SliceOp::create(builder, op()->getLoc(), x, Value(), Value(), Value(), list({dim}),
                             list({begin}), list({end}), list({}));
}

/// The range that `ranges` gives for the shard of the device.
Value CollectiveForm::rangeByShard(Value x, int64_t dim, unsigned factor,
                                   llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges) {
  auto shard = llvm::all_equal(ranges) ? std::optional<int64_t>(0) : ownShard(factor);
  if (shard) {
    auto [begin, end] = ranges[static_cast<size_t>(*shard)];
    return range(x, dim, begin, end);
  }
  OpBuilder &builder = getBuilder();
  auto bound = [&](ArrayRef<int64_t> values) -> Value {
    return pd::ReshapeOp::create(builder, op()->getLoc(), byShard(factor, values), Value(),
                                 builder.getDenseI64ArrayAttr({1}));
  };
  SmallVector<int64_t> begins, ends;
  for (auto [begin, end] : ranges) {
    begins.push_back(begin);
    ends.push_back(end);
  }
  Value first = bound(begins), last = bound(ends);
  auto none = builder.getDenseI64ArrayAttr({});
  return pd::SliceOp::create(builder, op()->getLoc(), x, first, last, Value(),
                             builder.getDenseI64ArrayAttr({dim}), none, none, none);
}

/// Messages have static dims.
static bool isStaticBeside(Value x, int64_t dim) {
  auto shape = cast<RankedTensorType>(x.getType()).getShape();
  return llvm::none_of(llvm::enumerate(shape), [&](auto size) {
    return static_cast<int64_t>(size.index()) != dim && ShapedType::isDynamic(size.value());
  });
}

/// `length` elements of a dimension from `begin` on, with a static dim also where the dim of x is dynamic.
Value CollectiveForm::borderOf(Value x, int64_t dim, int64_t begin, int64_t end, int64_t length) {
  Value piece = range(x, dim, begin, end);
  auto type = cast<RankedTensorType>(piece.getType());
  SmallVector<int64_t> dims(type.getShape());
  dims[static_cast<size_t>(dim)] = length;
  if (dims == type.getShape())
    return piece;
  return tensor::CastOp::create(getBuilder(), op()->getLoc(), type.clone(dims), piece);
}

Value CollectiveForm::window(Value local, int64_t dim, unsigned factor, int64_t size,
                             llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges, double fill) {
  Halo halo = haloOf(size, ranges);
  bool isInNeighbours = std::max(halo.before, halo.after) <= halo.leastShard && isStaticBeside(local, dim);
  // A gather receives all other shards.
  auto shards = static_cast<int64_t>(ranges.size());
  bool isLess = (halo.before + halo.after) * shards < size * (shards - 1);
  return isInNeighbours && isLess ? windowOfBorders(local, dim, factor, size, ranges, fill)
                                  : windowOfWhole(local, dim, factor, size, ranges, fill);
}

/// Gathers the whole dimension, pads it, and takes the range of the device.
Value CollectiveForm::windowOfWhole(Value local, int64_t dim, unsigned factor, int64_t size,
                                    llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges, double fill) {
  int64_t before = 0, after = 0;
  for (auto [begin, end] : ranges) {
    before = std::max(before, -begin);
    after = std::max(after, end - size);
  }
  auto moved = llvm::map_to_vector(ranges, [before](std::pair<int64_t, int64_t> range) {
    return std::pair(range.first + before, range.second + before);
  });
  Value whole = gather(local, dim, factor, size);
  return rangeByShard(padded(whole, dim, before, after, fill), dim, factor, moved);
}

/// Exchanges borders with the neighbours, and joins them with the shard of the device. Each device receives
/// the same number of bytes, whatever the number of shards.
Value CollectiveForm::windowOfBorders(Value local, int64_t dim, unsigned factor, int64_t size,
                                      llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges, double fill) {
  Halo halo = haloOf(size, ranges);
  auto shards = static_cast<int64_t>(ranges.size());
  constexpr int64_t toEnd = std::numeric_limits<int64_t>::max();
  SmallVector<Neighbour, 2> neighbours; // rings refer to their channels: the elements do not move
  if (halo.before > 0)
    neighbours.push_back({-1, halo.before, borderOf(local, dim, -halo.before, toEnd, halo.before)});
  if (halo.after > 0)
    neighbours.push_back({1, halo.after, borderOf(local, dim, 0, halo.after, halo.after)});
  // Both messages are sent before one is waited for.
  for (Neighbour &neighbour : neighbours)
    neighbour.ring.emplace(
        sendAround(neighbour.border, factor, neighbour.sourcesOf(shards), neighbour.channel));
  SmallVector<Value> joined{local};
  for (Neighbour &neighbour : neighbours) {
    Value border = neighbour.ring->receive(getBuilder(), op()->getLoc(), neighbour.border.getType());
    // The first or the last shard, which has no such neighbour, takes the fill after the border.
    SmallVector<std::pair<int64_t, int64_t>> own(static_cast<size_t>(shards), {0, neighbour.length});
    own[neighbour.offset < 0 ? 0 : own.size() - 1] = {neighbour.length, 2 * neighbour.length};
    border = rangeByShard(padded(border, dim, 0, neighbour.length, fill), dim, factor, own);
    joined.insert(neighbour.offset < 0 ? joined.begin() : joined.end(), border);
  }
  SmallVector<std::pair<int64_t, int64_t>> own;
  for (int64_t shard = 0; shard < shards; ++shard) {
    auto [begin, end] = ranges[static_cast<size_t>(shard)];
    int64_t first = pd::beginOfShard(size, shards, shard) - halo.before;
    own.push_back({begin - first, end - first});
  }
  Value all = joined.size() == 1 ? local
                                 : pd::ConcatOp::create(getBuilder(), op()->getLoc(), joined, Value(),
                                                        getBuilder().getI64IntegerAttr(dim))
                                       .getResult();
  return rangeByShard(all, dim, factor, own);
}

} // namespace proa
