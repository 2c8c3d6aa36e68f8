#include "lib/check/SimulatedForm.h"
#include "lib/check/TensorShards.h"
#include "lib/compiler/numerics/Interpreter.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/sharding/LocalForm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa::check {
namespace {

/// A collective between the positions that differ only in the axes of a factor.
struct Collective {
  enum class Kind : uint8_t { Gather, Reduce, Window, Permute } kind;
  unsigned factor;
  int64_t dim = 0, size = 0;
  pd::ReductionKind reduction = pd::ReductionKind::Sum;
  std::vector<std::pair<int64_t, int64_t>> ranges = {};
  double fill = 0;
  std::vector<int64_t> sources = {};
};

/// Creates the local form of one position. A collective is a cast with its number in an attribute.
class PositionForm : public pd::LocalFormBuilder {
public:
  PositionForm(OpBuilder &builder, Operation *op, const pd::ShardingRule &rule, ValueRange operands,
               const MeshAxes &mesh, const FactorAxes &axes, int64_t position,
               llvm::ArrayRef<RankedTensorType> resultTypes)
      : LocalFormBuilder(builder, op, rule, operands), mesh(mesh), axes(axes), position(position),
        resultTypes(resultTypes) {}

  RankedTensorType localResultType(unsigned result) const override { return resultTypes[result]; }
  int64_t shardCount(unsigned factor) const override { return spmd::shardCount(axes[factor]); }
  llvm::ArrayRef<int64_t> blocksOf(unsigned factor) const override { return axes[factor].blocks; }
  std::optional<int64_t> ownShard(unsigned factor) const override {
    return mesh.mesh.shardOf(axes[factor], position);
  }

  Value byShard(unsigned factor, llvm::ArrayRef<int64_t> values) override {
    auto type = RankedTensorType::get({}, getBuilder().getI64Type());
    int64_t own = values[static_cast<size_t>(mesh.mesh.shardOf(axes[factor], position))];
    return pd::ConstantOp::create(getBuilder(), op()->getLoc(), type, DenseElementsAttr::get(type, own));
  }

  Value gather(Value local, int64_t dim, unsigned factor, int64_t size) override {
    return collective(local, dim, size, {Collective::Kind::Gather, factor, dim, size});
  }
  Value reduce(Value local, pd::ReductionKind kind, unsigned factor) override {
    return collective(local, -1, 0, {Collective::Kind::Reduce, factor, 0, 0, kind});
  }
  Value reduceScatter(Value local, int64_t dim, unsigned factor, int64_t size) override {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (int64_t shard = 0; shard < shardCount(factor); ++shard)
      ranges.push_back({pd::beginOfShard(size, shardCount(factor), shard),
                        pd::beginOfShard(size, shardCount(factor), shard + 1)});
    auto [begin, end] = ranges[static_cast<size_t>(mesh.mesh.shardOf(axes[factor], position))];
    return collective(local, dim, end - begin,
                      {Collective::Kind::Reduce, factor, dim, size, pd::ReductionKind::Sum, ranges});
  }
  Value permute(Value local, unsigned factor, llvm::ArrayRef<int64_t> sources) override {
    Collective what{Collective::Kind::Permute, factor};
    what.sources = sources.vec();
    return collective(local, -1, 0, std::move(what));
  }
  Value window(Value local, int64_t dim, unsigned factor, int64_t size,
               llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges, double fill) override {
    auto [begin, end] = ranges[static_cast<size_t>(mesh.mesh.shardOf(axes[factor], position))];
    return collective(local, dim, end - begin,
                      {Collective::Kind::Window, factor, dim, size, {}, ranges.vec(), fill});
  }

  std::vector<Collective> collectives;

private:
  Value collective(Value local, int64_t dim, int64_t size, Collective &&what) {
    auto type = cast<RankedTensorType>(local.getType());
    llvm::SmallVector<int64_t> dims(type.getShape());
    if (dim >= 0)
      dims[static_cast<size_t>(dim)] = size;
    auto cast = UnrealizedConversionCastOp::create(getBuilder(), op()->getLoc(), type.clone(dims), local);
    cast->setAttr("proa.collective",
                  getBuilder().getI64IntegerAttr(static_cast<int64_t>(collectives.size())));
    collectives.push_back(std::move(what));
    return cast.getResult(0);
  }

  const MeshAxes &mesh;
  const FactorAxes &axes;
  int64_t position;
  llvm::ArrayRef<RankedTensorType> resultTypes;
};

/// The local program of a position, and its values.
struct Position {
  OwningOpRef<ModuleOp> module; // evaluation of composites needs a function
  Block *block = nullptr;
  std::unique_ptr<PositionForm> form;
  llvm::SmallVector<Value> results;
  numerics::Interpreter interpreter;
};

class Simulation {
public:
  Simulation(Operation *op, const MeshAxes &mesh, const pd::ShardingRule &rule, const FactorAxes &axes)
      : op(op), mesh(mesh), rule(rule), axes(axes), positions(static_cast<size_t>(mesh.mesh.size())) {}

  /// Creates the program of each position.
  std::string create(llvm::ArrayRef<llvm::SmallVector<Tensor>> operands, llvm::ArrayRef<Tensor> results) {
    auto whole = placementsOf(rule, axes);
    for (size_t at = 0; at < positions.size(); ++at) {
      Position &own = positions[at];
      OpBuilder builder(op->getContext());
      own.module = ModuleOp::create(op->getLoc());
      builder.setInsertionPointToEnd(own.module->getBody());
      llvm::SmallVector<Type> types;
      for (const Tensor &tensor : operands[at])
        types.push_back(typeOf(tensor.dtype(), tensor.dims()));
      auto function = func::FuncOp::create(builder, op->getLoc(), "main", builder.getFunctionType(types, {}));
      own.block = function.addEntryBlock();
      builder.setInsertionPointToEnd(own.block);
      for (auto [argument, tensor] : llvm::zip_equal(own.block->getArguments(), operands[at]))
        own.interpreter.define(argument, tensor);
      llvm::SmallVector<RankedTensorType> resultTypes;
      for (auto [placement, tensor] : llvm::zip_equal(whole.results, results))
        resultTypes.push_back(typeOf(
            tensor.dtype(), spmd::localDims(mesh.mesh, placement, tensor.dims(), static_cast<int64_t>(at))));
      own.form = std::make_unique<PositionForm>(builder, op, rule, own.block->getArguments(), mesh, axes,
                                                static_cast<int64_t>(at), resultTypes);
      auto created = rule.localForm(*own.form);
      if (failed(created))
        return "the local form does not cover the shards";
      own.results.assign(created->begin(), created->end());
    }
    return "";
  }

  /// Evaluates the ops of all positions in turn.
  std::string evaluate() {
    llvm::SmallVector<Block::iterator> next;
    for (Position &own : positions)
      next.push_back(own.block->begin());
    while (next[0] != positions[0].block->end()) {
      if (auto cast = dyn_cast<UnrealizedConversionCastOp>(*next[0])) {
        if (std::string reason = communicate(next); !reason.empty())
          return reason;
      } else {
        for (auto [own, at] : llvm::zip_equal(positions, next)) {
          if (at->getName() != next[0]->getName())
            return "positions have different programs";
          if (std::string reason = own.interpreter.evaluate(*at); !reason.empty())
            return reason;
        }
      }
      for (auto &at : next)
        ++at;
    }
    return "";
  }

  llvm::SmallVector<Tensor> resultsOf(size_t position) {
    Position &own = positions[position];
    return llvm::map_to_vector(own.results, [&](Value value) { return own.interpreter.valueOf(value); });
  }

private:
  RankedTensorType typeOf(DType dtype, llvm::ArrayRef<int64_t> dims) const {
    return RankedTensorType::get(dims, pd::elementTypeOf(op->getContext(), dtype));
  }

  /// The positions that differ from this one only in the axes of the factor, in the order of shards.
  std::vector<size_t> groupOf(size_t position, unsigned factor) const {
    std::vector<size_t> group(static_cast<size_t>(spmd::shardCount(axes[factor])));
    for (size_t other = 0; other < positions.size(); ++other) {
      bool isInGroup = llvm::all_of(mesh.axes, [&](const spmd::AxisRef &axis) {
        return llvm::is_contained(axes[factor], axis) ||
               mesh.mesh.coordinate(axis, static_cast<int64_t>(position)) ==
                   mesh.mesh.coordinate(axis, static_cast<int64_t>(other));
      });
      if (isInGroup)
        group[static_cast<size_t>(mesh.mesh.shardOf(axes[factor], static_cast<int64_t>(other)))] = other;
    }
    return group;
  }

  std::string communicate(llvm::ArrayRef<Block::iterator> ops) {
    for (size_t at = 0; at < positions.size(); ++at) {
      auto index = ops[at]->getAttrOfType<IntegerAttr>("proa.collective");
      if (!index)
        return "positions have different programs";
      const Collective &what = positions[at].form->collectives[static_cast<size_t>(index.getInt())];
      llvm::SmallVector<Tensor> group;
      for (size_t other : groupOf(at, what.factor))
        group.push_back(positions[other].interpreter.valueOf(ops[other]->getOperand(0)));
      Tensor out = resultOf(what, group, mesh.mesh.shardOf(axes[what.factor], static_cast<int64_t>(at)));
      Value value = ops[at]->getResult(0);
      if (llvm::ArrayRef<int64_t>(out.dims()) != cast<RankedTensorType>(value.getType()).getShape())
        return fmt::format("a collective gave {}", out.describe());
      positions[at].interpreter.define(value, out);
    }
    return "";
  }

  static Tensor joined(llvm::ArrayRef<Tensor> group, int64_t dim) {
    std::vector<int64_t> dims = group[0].dims();
    auto at = static_cast<size_t>(dim);
    dims[at] = 0;
    for (const Tensor &shard : group)
      dims[at] += shard.dims()[at];
    Joined out(group[0].dtype(), dims);
    int64_t begin = 0;
    for (const Tensor &shard : group) {
      Held held = allOf(shard.dims());
      for (int64_t &index : held[at])
        index += begin;
      begin += shard.dims()[at];
      out.add(shard, held);
    }
    return out.tensor();
  }

  static Held allOf(const std::vector<int64_t> &dims) {
    Held held;
    for (int64_t size : dims) {
      auto indices = llvm::seq<int64_t>(size);
      held.emplace_back(indices.begin(), indices.end());
    }
    return held;
  }

  static Tensor resultOf(const Collective &what, llvm::ArrayRef<Tensor> group, int64_t shard) {
    if (what.kind == Collective::Kind::Reduce) {
      Tensor out = group[0];
      for (const Tensor &term : group.drop_front())
        out = combined(out, term, reductionOf({0, pd::FactorKind::Reduction, what.reduction}));
      return what.ranges.empty() ? out : rangeOf(out, what, shard);
    }
    if (what.kind == Collective::Kind::Permute)
      return group[static_cast<size_t>(what.sources[static_cast<size_t>(shard)])];
    Tensor whole = joined(group, what.dim);
    return what.kind == Collective::Kind::Gather ? whole : rangeOf(whole, what, shard);
  }

  /// The range of a shard, with `fill` outside of the tensor.
  static Tensor rangeOf(const Tensor &whole, const Collective &what, int64_t shard) {
    auto at = static_cast<size_t>(what.dim);
    auto [begin, end] = what.ranges[static_cast<size_t>(shard)];
    std::vector<int64_t> dims = whole.dims();
    dims[at] = end - begin;
    Tensor out(whole.dtype(), dims);
    for (int64_t i = 0; i < out.size(); ++i)
      pd::storeScalar(out, i, pd::HostScalar::of(what.fill));
    Held from = allOf(whole.dims());
    std::vector<int64_t> &kept = from[at];
    std::erase_if(kept, [&](int64_t index) { return index < begin || index >= end; });
    Tensor piece = check::shardOf(whole, from);
    for (int64_t &index : kept)
      index -= begin;
    copyInto(out, piece, from);
    return out;
  }

  Operation *op;
  const MeshAxes &mesh;
  const pd::ShardingRule &rule;
  const FactorAxes &axes;
  std::vector<Position> positions;
};

} // namespace

SimulatedResults runLocalForm(Operation *op, const MeshAxes &mesh, const pd::ShardingRule &rule,
                              const FactorAxes &axes, llvm::ArrayRef<llvm::SmallVector<Tensor>> operands,
                              llvm::ArrayRef<Tensor> results) {
  Simulation simulation(op, mesh, rule, axes);
  SimulatedResults out{{}, simulation.create(operands, results)};
  out.isNotCovered = !out.refused.empty();
  if (out.refused.empty())
    out.refused = simulation.evaluate();
  if (out.refused.empty())
    for (size_t position = 0; position < operands.size(); ++position)
      out.ofPosition.push_back(simulation.resultsOf(position));
  return out;
}

} // namespace proa::check
