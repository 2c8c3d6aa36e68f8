#include "passes/spmd/Ring.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/sharding/ShardingRule.h"
#include "lib/base/spmd/Exchange.h"
#include "lib/base/spmd/Refine.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {

static const pd::DimFactors *dimOf(const pd::TensorFactors &tensor, unsigned factor) {
  const auto *found =
      llvm::find_if(tensor, [&](const pd::DimFactors &dim) { return llvm::is_contained(dim, factor); });
  return found == tensor.end() ? nullptr : found;
}

std::optional<Rows> rowsOf(Operation *op, llvm::function_ref<bool(const Rows &)> isWanted) {
  if (!isa_and_present<pd::PdDialect>(op->getDialect()) || op->getNumResults() != 1)
    return std::nullopt;
  std::optional<pd::ShardingRule> rule = pd::shardingRuleOf(op);
  if (!rule || llvm::none_of(llvm::seq<unsigned>(0, rule->factors.size()), [&](unsigned factor) {
        return rule->factors[factor].kind == pd::FactorKind::Reduction &&
               llvm::count_if(rule->operands, [&](const auto &own) { return dimOf(own, factor); }) > 1;
      }))
    return std::nullopt;
  for (unsigned factor = 0; factor < rule->factors.size(); ++factor) {
    const pd::DimFactors *result = dimOf(rule->results[0], factor);
    if (!result || result->size() != 1 || rule->factors[factor].kind != pd::FactorKind::PassThrough)
      continue;
    Rows rows{0, -1, result - rule->results[0].begin()};
    size_t count = 0;
    for (auto [index, tensor] : llvm::enumerate(rule->operands))
      if (const pd::DimFactors *dim = dimOf(tensor, factor)) {
        ++count;
        if (dim->size() == 1)
          rows = {static_cast<unsigned>(index), dim - tensor.begin(), rows.resultDim};
      }
    if (count == 1 && rows.operandDim >= 0 && isWanted(rows))
      return rows;
  }
  return std::nullopt;
}

Value onShard(OpBuilder &builder, Operation *op, unsigned operand, Value shard) {
  Operation *clone = builder.clone(*op);
  clone->setOperand(operand, shard);
  [[maybe_unused]] LogicalResult isInferred = pd::inferAgain(clone);
  return clone->getResult(0);
}

int64_t nextRingChannel(ModuleOp module) {
  int64_t channel = firstRingChannel;
  module.walk(
      [&](dist::SendOp op) { channel = std::max(channel, static_cast<int64_t>(op.getChannel()) + 1); });
  return channel;
}

Ring::Ring(ModuleOp module, FlatSymbolRefAttr symbol, llvm::ArrayRef<spmd::AxisRef> axes,
           const spmd::Mesh &mesh, int64_t &channel, llvm::ArrayRef<int64_t> sources)
    : axes(axes), shards(spmd::shardCount(axes)), mesh(mesh), symbol(symbol), channel(channel) {
  SmallVector<int64_t> targets(static_cast<size_t>(shards));
  for (int64_t shard = 0; shard < shards; ++shard)
    targets[static_cast<size_t>(sources.empty() ? (shard + 1) % shards
                                                : sources[static_cast<size_t>(shard)])] = shard;
  moved = module ? FlatSymbolRefAttr::get(movedMesh(module, targets)) : symbol;
}

void Ring::send(OpBuilder &builder, Location location, Value x) {
  dist::SendOp::create(builder, location, Type(), x, globalType(x.getType()), shardingOf(x.getType(), symbol),
                       shardingOf(x.getType(), moved), channel);
}

Value Ring::receive(OpBuilder &builder, Location location, Type type) {
  return dist::RecvOp::create(builder, location, type, globalType(type), shardingOf(type, symbol),
                              shardingOf(type, moved), channel++);
}

/// `values[i]` on the devices of shard i, as a tensor of one element.
Value Ring::byShard(OpBuilder &builder, Location location, llvm::ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({size()}, builder.getI64Type());
  Value all = pd::ConstantOp::create(builder, location, type, DenseElementsAttr::get(type, values));
  spmd::Placement whole = spmd::Placement::replicated(1), split = whole;
  split.dims[0].axes.assign(axes.begin(), axes.end());
  return dist::createStep(builder, location, spmd::StepKind::Slice, all, type.clone({1}), type,
                          dist::shardingOf(whole, symbol, mesh), dist::shardingOf(split, symbol, mesh));
}

Value Ring::range(OpBuilder &builder, Location location, Value x, int64_t dim, llvm::ArrayRef<int64_t> begins,
                  int64_t length) {
  auto ends = llvm::map_to_vector(begins, [&](int64_t begin) { return begin + length; });
  Value first = byShard(builder, location, begins), last = byShard(builder, location, ends);
  auto none = builder.getDenseI64ArrayAttr({});
  Value piece = pd::SliceOp::create(builder, location, x, first, last, Value(),
                                    builder.getDenseI64ArrayAttr({dim}), none, none, none);
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> dims(type.getShape());
  dims[static_cast<size_t>(dim)] = length;
  return tensor::CastOp::create(builder, location, type.clone(dims), piece);
}

/// Local tensors as shards of one tensor over all devices: no two devices have the same shard.
RankedTensorType Ring::globalType(Type local) const {
  auto type = cast<RankedTensorType>(local);
  SmallVector<int64_t> dims(type.getShape());
  dims[0] *= mesh.size();
  return type.clone(dims);
}

dist::ShardingAttr Ring::shardingOf(Type local, FlatSymbolRefAttr ofMesh) const {
  auto placement = spmd::Placement::replicated(cast<RankedTensorType>(local).getRank());
  for (unsigned axis = 0; axis < mesh.axes.size(); ++axis)
    placement.dims[0].axes.push_back(mesh.full(axis));
  return dist::shardingOf(spmd::canonical(mesh, placement), ofMesh, mesh);
}

/// The mesh with the device of shard `targets[i]` at the positions of shard i.
StringAttr Ring::movedMesh(ModuleOp module, llvm::ArrayRef<int64_t> targets) const {
  auto original = module.lookupSymbol<dist::MeshOp>(symbol.getAttr());
  SmallVector<int64_t> devices;
  for (int64_t position = 0; position < mesh.size(); ++position) {
    int64_t shard = targets[static_cast<size_t>(mesh.shardOf(axes, position))];
    devices.push_back(mesh.deviceAt(spmd::rootOf(mesh, axes, spmd::coordinatesOf(axes, shard), position)));
  }
  auto attribute = dist::MeshAttr::get(module.getContext(), original.getMesh().getNames(),
                                       original.getMesh().getSizes(), devices);
  for (auto known : module.getOps<dist::MeshOp>())
    if (known.getMesh() == attribute)
      return known.getSymNameAttr();
  OpBuilder builder(module.getContext());
  builder.setInsertionPointAfter(original);
  auto created =
      dist::MeshOp::create(builder, original.getLoc(), symbol.getValue().str() + "_ring", attribute);
  created->remove();
  return SymbolTable(module).insert(created, Block::iterator(std::next(original->getIterator())));
}

} // namespace proa
