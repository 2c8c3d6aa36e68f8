//! dist-apply-strategy: annotates a program for a strategy of parallel training.
#include "passes/spmd/DimComponents.h"
#include "passes/spmd/OptimizerUpdates.h"
#include "passes/spmd/Passes.h"

#include "dialects/dist/InterfaceAttributes.h"
#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/proa/Proa.h"
#include "lib/base/spmd/Strategy.h"
#include "passes/remarks/Remarks.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_APPLYSTRATEGY
#include "passes/spmd/Passes.h.inc"

namespace {

using Id = DimComponents::Id;

/// Annotates one function.
class Annotator {
public:
  Annotator(func::FuncOp function, const spmd::Strategy &strategy, dist::MeshOp mesh, PassRemarks &remarks)
      : function(function), strategy(strategy), mesh(mesh.getMesh().toMesh()),
        symbol(FlatSymbolRefAttr::get(mesh.getSymNameAttr())), remarks(remarks), dims(function),
        componentAxes(dims.components().size()) {}

  LogicalResult run() {
    if (failed(checkAnnotations()))
      return failure();
    for (const spmd::MeshAxis &axis : mesh.axes)
      if (axis.size > 1 && strategy.sizeOf(axis.name) == 1)
        remarks.missed(function) << "the strategy does not use the axis '" << axis.name << "' of the mesh";
    splitFeeds();
    splitExperts();
    chooseComponents("mp", [&](const ValueDim &dim) {
      return cast<RankedTensorType>(dim.value.getType()).getRank() >= 2;
    });
    for (BlockArgument argument : function.getArguments())
      if (isa<RankedTensorType>(argument.getType())) {
        dist::ShardingAttr own = annotationOf(argument);
        arguments[argument] = own ? dist::placementOf(own, mesh) : placementOf(argument);
      }
    if (strategy.zero != spmd::ZeroStage::None)
      splitStates();
    dist::InterfaceAttributes attributes(function);
    for (BlockArgument argument : function.getArguments())
      if (auto found = arguments.find(argument); found != arguments.end() && !annotationOf(argument))
        attributes.setArgument(argument.getArgNumber(), dist::shardingAttribute, shardingOf(found->second));
    attributes.apply();
    if (strategy.sequence)
      splitSequence();
    return success();
  }

private:
  dist::ShardingAttr annotationOf(BlockArgument argument) {
    return dist::argumentSharding(function, argument.getArgNumber());
  }

  /// Shardings that arguments already have must be of the mesh of the strategy.
  LogicalResult checkAnnotations() {
    for (BlockArgument argument : function.getArguments()) {
      dist::ShardingAttr sharding = annotationOf(argument);
      if (!sharding)
        continue;
      auto emit = [&] {
        return function.emitError() << "sharding of argument " << argument.getArgNumber() << ": ";
      };
      if (sharding.getMesh() != symbol)
        return emit() << "expected the mesh " << symbol << " of the strategy, found " << sharding.getMesh();
      if (failed(dist::verifySharding(emit, sharding, mesh, cast<RankedTensorType>(argument.getType()))))
        return failure();
    }
    return success();
  }

  StringAttr nameOf(BlockArgument argument, StringRef attribute) {
    return function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), attribute);
  }
  bool isFeed(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &function.getBody().front() &&
           nameOf(argument, pd::feedAttribute);
  }
  dist::ShardingAttr shardingOf(const spmd::Placement &placement) {
    return dist::shardingOf(placement, symbol, mesh);
  }
  /// The axis of the mesh, if the strategy uses it.
  std::optional<unsigned> axis(std::string_view name) const {
    return strategy.sizeOf(name) > 1 ? mesh.indexOf(name) : std::nullopt;
  }

  /// Data parallelism splits the batch, context parallelism the sequence: by convention dimensions 0 and 1 of
  /// the feeds. Dimensions of other feeds that belong to the same component, or have the same position and
  /// size, are split with them.
  void splitFeeds() {
    splitFeedDim("dp", 0);
    splitFeedDim("cp", 1);
  }

  void splitFeedDim(StringRef name, int64_t position) {
    std::optional<unsigned> split = axis(name);
    if (!split)
      return;
    std::optional<Id> most;
    int64_t size = 0;
    for (BlockArgument argument : function.getArguments())
      if (auto type = feedType(argument); type && type.getRank() > position) {
        Id id = *dims.of(argument, position);
        if (componentAxes[id].empty() && (!most || workOf(id) > workOf(*most)))
          most = id, size = type.getDimSize(position);
      }
    if (!most) {
      warn(name) << "no feed has dimension " << position;
      return;
    }
    componentAxes[*most] = {*split};
    for (BlockArgument argument : function.getArguments())
      if (auto type = feedType(argument);
          type && type.getRank() > position && type.getDimSize(position) == size)
        if (Id id = *dims.of(argument, position); componentAxes[id].empty())
          componentAxes[id] = {*split};
  }

  /// Expert parallelism splits the experts: the first dimensions of parameters of rank 3 over which a
  /// contraction is batched. It splits the batch too, after data parallelism, so that each device routes its
  /// own tokens, and tokens move to the devices of their experts (all_to_all).
  void splitExperts() {
    std::optional<unsigned> split = axis("ep");
    if (!split)
      return;
    llvm::SmallDenseSet<Id> experts;
    for (const DimComponents::OpUses &uses : dims.ops())
      for (auto [operand, tensor] : llvm::zip_equal(uses.op->getOperands(), uses.rule.operands))
        if (uses.isContraction && isExpertParameter(operand, mesh.axes[*split].size) &&
            isBatch(uses.rule, tensor[0]))
          experts.insert(*dims.of(operand, 0));
    for (BlockArgument argument : function.getArguments())
      if (isExpertParameter(argument, mesh.axes[*split].size) && experts.contains(*dims.of(argument, 0)))
        expertArguments.insert(argument);
    if (expertArguments.empty()) {
      warn("ep") << "no contraction is batched over the first dimension of a parameter that "
                 << mesh.axes[*split].size << " divides";
      return;
    }
    std::optional<unsigned> data = axis("dp");
    if (!data)
      return splitFeedDim("ep", 0);
    for (SmallVector<unsigned, 2> &axes : componentAxes)
      if (llvm::is_contained(axes, *data))
        axes.push_back(*split);
  }

  /// Whether a value is a parameter, or a state of an optimizer, with a divisible number of matrices.
  bool isExpertParameter(Value value, int64_t shards) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return argument && argument.getOwner() == &function.getBody().front() &&
           nameOf(argument, pd::parameterAttribute) && type && type.getRank() == 3 && !type.isDynamicDim(0) &&
           type.getDimSize(0) % shards == 0;
  }

  /// Whether all operands and results of a contraction have the factor of a dimension.
  static bool isBatch(const pd::ShardingRule &rule, const pd::DimFactors &dim) {
    auto hasFactor = [&](const pd::TensorFactors &tensor) {
      return llvm::any_of(tensor,
                          [&](const pd::DimFactors &own) { return llvm::is_contained(own, dim.front()); });
    };
    return dim.size() == 1 && rule.factors[dim.front()].kind == pd::FactorKind::PassThrough &&
           llvm::all_of(rule.operands, hasFactor) && llvm::all_of(rule.results, hasFactor);
  }

  RankedTensorType feedType(BlockArgument argument) {
    return isFeed(argument) ? dyn_cast<RankedTensorType>(argument.getType()) : RankedTensorType();
  }
  double workOf(Id id) const { return dims.components()[id].work; }

  /// Splits components of parameters over an axis, those with the least traffic for their work first. An op
  /// is split by at most one of them.
  void chooseComponents(StringRef name, function_ref<bool(const ValueDim &)> isCandidate) {
    std::optional<unsigned> split = axis(name);
    if (!split)
      return;
    SmallVector<Id> candidates;
    std::optional<Id> missed; // the one with the most work
    for (auto [index, component] : llvm::enumerate(dims.components())) {
      Id id = static_cast<Id>(index);
      if (!componentAxes[id].empty() || (!component.hasContraction && !component.isVocabulary) ||
          llvm::none_of(component.arguments, isCandidate))
        continue;
      if (whyWhole(id, mesh.axes[*split].size).empty())
        candidates.push_back(id);
      else if (areParameters(component) && (!missed || workOf(id) > workOf(*missed)))
        missed = id;
    }
    SmallVector<Id> chosen = independentSet(candidates);
    for (Id id : chosen)
      componentAxes[id] = {*split};
    if (chosen.empty() && missed)
      warn(name) << "of dimension " << dims.components()[*missed].arguments.front().dim << " of parameter "
                 << nameOf(cast<BlockArgument>(dims.components()[*missed].arguments.front().value),
                           pd::parameterAttribute)
                 << ", which has the most work: " << whyWhole(*missed, mesh.axes[*split].size);
    else if (chosen.empty())
      warn(name) << "no contraction has a parameter with two dimensions";
  }

  /// A warning that a component of the strategy has no effect; the reason follows.
  InFlightDiagnostic warn(StringRef component) {
    return function.emitWarning() << "'" << component << "' of the strategy splits nothing: ";
  }

  /// Why a component cannot be split into shards, or should not be; empty if it can.
  std::string whyWhole(Id id, int64_t shards) {
    const DimComponents::Component &component = dims.components()[id];
    if (component.isAmbiguous)
      return "an op has two dimensions that would be split together";
    if (!areParameters(component))
      return "a feed has it";
    for (unsigned op : component.ops)
      for (const DimComponents::Use &use : dims.ops()[op].uses)
        if (use.component == id)
          if (std::string reason = whyWhole(dims.ops()[op], use, shards, component.isVocabulary);
              !reason.empty())
            return reason;
    if (valueOf(id) > 0)
      return "";
    return fmt::format(
        "its traffic takes longer than the work that a split saves ({:.3g} multiply-adds of float32, "
        "{:.3g} bytes; the device computes {:.3g} in the time of a byte)",
        component.work, component.traffic, stepsOfByte());
  }

  /// The same for one op. A vocabulary, whose size is given by the data, may have uneven shards, and ops on
  /// the scores of its words, such as softmax, combine one value for each row.
  static std::string whyWhole(const DimComponents::OpUses &uses, const DimComponents::Use &use,
                              int64_t shards, bool isVocabulary) {
    std::string name = uses.op->getName().getStringRef().str();
    if (use.kind == pd::FactorKind::Replicated && !(isVocabulary && use.hasLocalForm))
      return name + " needs it whole";
    if (ShapedType::isDynamic(use.size))
      return "its size in " + name + " is dynamic";
    bool fits = use.size % shards == 0 || (isVocabulary && use.size >= shards && use.isOnlyFactor);
    return fits ? "" : fmt::format("its size in {}, {}, is not divisible by {}", name, use.size, shards);
  }

  /// The steps of loop nests, each a multiplication and an addition, that splitting a component saves, less
  /// the steps in the time that its traffic takes: an all-reduce moves each byte twice.
  double valueOf(Id id) const {
    return dims.components()[id].work - stepsOfByte() * dims.components()[id].traffic;
  }
  double stepsOfByte() const {
    const DeviceFacts &device = targetOf(function).device();
    return device.flopsPerSecond() / device.linkBytesPerSecond();
  }

  /// Components of large value in sum, such that no op has two of them: those with the least traffic for
  /// their work, then exchanges that increase the sum.
  SmallVector<Id> independentSet(SmallVector<Id> candidates) const {
    auto ratio = [&](Id id) { return dims.components()[id].traffic / dims.components()[id].work; };
    llvm::stable_sort(candidates, [&](Id a, Id b) { return ratio(a) < ratio(b); });
    llvm::DenseMap<unsigned, Id> componentOfOp;
    auto ownersOf = [&](Id id) {
      llvm::SmallSetVector<Id, 4> owners;
      for (unsigned op : dims.components()[id].ops)
        if (auto found = componentOfOp.find(op); found != componentOfOp.end())
          owners.insert(found->second);
      return owners;
    };
    constexpr int mostRounds = 8;
    bool hasChanged = true;
    for (int round = 0; round < mostRounds && hasChanged; ++round) {
      hasChanged = false;
      for (Id id : candidates) {
        llvm::SmallSetVector<Id, 4> owners = ownersOf(id);
        double lost = 0;
        for (Id owner : owners)
          lost += valueOf(owner);
        if (owners.contains(id) || valueOf(id) <= lost)
          continue;
        for (Id owner : owners)
          for (unsigned op : dims.components()[owner].ops)
            componentOfOp.erase(op);
        for (unsigned op : dims.components()[id].ops)
          componentOfOp[op] = id;
        hasChanged = true;
      }
    }
    return llvm::to_vector(llvm::make_filter_range(
        candidates, [&](Id id) { return componentOfOp.lookup(dims.components()[id].ops.front()) == id; }));
  }

  bool areParameters(const DimComponents::Component &component) {
    return llvm::none_of(component.arguments, [&](const ValueDim &dim) { return isFeed(dim.value); });
  }

  /// The blocks of a split dimension of a fused weight.
  void setBlocks(spmd::DimPlacement &target, Value value, int64_t dim) {
    llvm::SmallVector<int64_t> blocks;
    if (!target.axes.empty())
      blocks = dims.blocksOf(value, dim);
    target.blocks.assign(blocks.begin(), blocks.end());
  }

  spmd::Placement placementOf(Value value) {
    spmd::Placement placement;
    llvm::SmallDenseSet<unsigned> used;
    for (int64_t dim = 0; dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim) {
      spmd::DimPlacement &target = placement.dims.emplace_back();
      if (dim == 0 && expertArguments.contains(value) && used.insert(*axis("ep")).second)
        target.axes.push_back(mesh.full(*axis("ep")));
      if (std::optional<Id> id = dims.of(value, dim))
        for (unsigned own : componentAxes[*id])
          if (used.insert(own).second)
            target.axes.push_back(mesh.full(own));
      setBlocks(target, value, dim);
    }
    return placement;
  }

  void splitStates() {
    unsigned data = *axis("dp");
    SmallVector<OptimizerUpdate> updates = optimizerUpdatesOf(function);
    if (updates.empty())
      warn("zero") << "the function has no optimizer";
    llvm::DenseSet<Operation *> updateOps;
    for (const OptimizerUpdate &update : updates)
      updateOps.insert(update.op);
    for (const OptimizerUpdate &update : updates) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(update.parameter.getType()).getShape();
      spmd::Placement whole = arguments[update.parameter];
      spmd::Placement split = withAxis(whole, shape, data);
      for (BlockArgument state : update.states)
        if (cast<RankedTensorType>(state.getType()).getShape() == shape)
          arguments[state] = split;
      constrainGradients(update, strategy.zero == spmd::ZeroStage::Optimizer ? whole : split);
      if (strategy.zero == spmd::ZeroStage::Parameters) {
        arguments[update.parameter] = split;
        for (OpOperand &use : llvm::make_early_inc_range(update.parameter.getUses()))
          if (!updateOps.contains(use.getOwner()) && !isa<dist::ConstrainOp>(use.getOwner()))
            constrain(use, whole);
      }
    }
  }

  /// The placement split over one more axis: along the largest dimension that is not split and is divisible,
  /// else along one that stays divisible, else along the largest one that is not split.
  spmd::Placement withAxis(spmd::Placement placement, ArrayRef<int64_t> shape, unsigned added) {
    int64_t shards = mesh.axes[added].size;
    auto usesAxis = [&](const spmd::DimPlacement &dim) {
      return llvm::any_of(dim.axes, [&](const spmd::AxisRef &axis) { return axis.axis == added; });
    };
    if (llvm::any_of(placement.dims, usesAxis)) // by an annotation
      return placement;
    std::optional<size_t> best;
    std::array<int64_t, 2> bestRank{};
    for (auto [dim, target] : llvm::enumerate(placement.dims)) {
      if (ShapedType::isDynamic(shape[dim]) || shape[dim] < shards * target.shardCount())
        continue;
      auto isEven = [&](int64_t size) { return size % (shards * target.shardCount()) == 0; };
      bool isDivisible = target.blocks.empty() ? isEven(shape[dim]) : llvm::all_of(target.blocks, isEven);
      int64_t preference = isDivisible ? (target.axes.empty() ? 3 : 2) : (target.axes.empty() ? 1 : 0);
      std::array rank{preference, shape[dim]};
      if (preference > 0 && (!best || rank > bestRank))
        best = dim, bestRank = rank;
    }
    if (best)
      placement.dims[*best].axes.push_back(mesh.full(added));
    return placement;
  }

  /// Operands that are computed and have the dims of the parameter.
  void constrainGradients(const OptimizerUpdate &update, const spmd::Placement &placement) {
    Type type = update.parameter.getType();
    for (OpOperand &operand : update.op->getOpOperands())
      if (operand.get().getDefiningOp() &&
          cast<ShapedType>(operand.get().getType()).getShape() == cast<ShapedType>(type).getShape())
        constrain(operand, placement);
  }

  void constrain(OpOperand &operand, const spmd::Placement &placement) {
    OpBuilder builder(operand.getOwner());
    operand.set(dist::ConstrainOp::create(builder, operand.getOwner()->getLoc(), operand.get(),
                                          shardingOf(placement)));
  }

  /// Sequence parallelism: what tensor parallelism does not split is split along the sequence over the same
  /// axis. An op of tensor parallelism gathers such operands, and its partial results are reduced and
  /// scattered.
  void splitSequence() {
    std::optional<Id> sequence = sequenceComponent();
    if (!sequence) {
      warn("sp") << "no feed has a sequence dimension";
      return;
    }
    unsigned model = *axis("mp");
    for (const DimComponents::OpUses &uses : dims.ops()) {
      bool isSplit = llvm::any_of(uses.uses, [&](const DimComponents::Use &use) {
        return llvm::is_contained(componentAxes[use.component], model);
      });
      if (isSplit && uses.isContraction)
        splitSequenceAround(uses.op, *sequence, model);
    }
  }

  std::optional<Id> sequenceComponent() {
    std::optional<Id> most;
    for (BlockArgument argument : function.getArguments())
      if (auto type = feedType(argument); type && type.getRank() > 1)
        if (Id id = *dims.of(argument, 1); !most || workOf(id) > workOf(*most))
          most = id;
    return most;
  }

  void splitSequenceAround(Operation *op, Id sequence, unsigned model) {
    auto sequenceDim = [&](Value value, const spmd::Placement &placement) -> std::optional<int64_t> {
      auto uses = [&](const spmd::DimPlacement &dim) {
        return llvm::is_contained(dim.axes, mesh.full(model));
      };
      if (!llvm::any_of(placement.dims, uses))
        for (int64_t dim = 0; dim < static_cast<int64_t>(placement.dims.size()); ++dim)
          if (dims.of(value, dim) == sequence)
            return dim;
      return std::nullopt;
    };
    for (OpOperand &operand : op->getOpOperands())
      if (spmd::Placement placement = placementOf(operand.get()); sequenceDim(operand.get(), placement))
        constrain(operand, placement);
    for (Value result : op->getResults()) {
      spmd::Placement placement = placementOf(result);
      std::optional<int64_t> dim = sequenceDim(result, placement);
      if (!dim)
        continue;
      placement.dims[*dim].axes.push_back(mesh.full(model));
      setBlocks(placement.dims[*dim], result, *dim);
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      auto constrained = dist::ConstrainOp::create(builder, op->getLoc(), result, shardingOf(placement));
      result.replaceAllUsesExcept(constrained, constrained);
    }
  }

  func::FuncOp function;
  const spmd::Strategy &strategy;
  spmd::Mesh mesh;
  FlatSymbolRefAttr symbol;
  PassRemarks &remarks;
  DimComponents dims;
  /// By component, from major to minor.
  SmallVector<SmallVector<unsigned, 2>> componentAxes;
  llvm::DenseSet<Value> expertArguments;
  llvm::DenseMap<Value, spmd::Placement> arguments;
};

class ApplyStrategyPass : public impl::ApplyStrategyBase<ApplyStrategyPass> {
public:
  using ApplyStrategyBase::ApplyStrategyBase;

  void runOnOperation() override {
    Result<spmd::Strategy> parsed = spmd::parseStrategy(strategy);
    if (!parsed)
      return fail(parsed.diagnostics());
    auto target = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        getOperation(), StringAttr::get(&getContext(), function));
    if (!target || target.isExternal()) {
      getOperation()->emitError() << getArgumentName() << ": expected a function '" << function << "'";
      return signalPassFailure();
    }
    if (!llvm::hasSingleElement(target.getBody())) {
      target.emitError() << getArgumentName() << ": expected a function with one block";
      return signalPassFailure();
    }
    SmallVector<dist::MeshOp> meshes(getOperation().getOps<dist::MeshOp>());
    if (meshes.size() > 1) {
      getOperation()->emitError() << getArgumentName() << ": expected at most one dist.mesh, found "
                                  << meshes.size();
      return signalPassFailure();
    }
    std::optional<spmd::Mesh> mesh;
    if (!meshes.empty())
      mesh = meshes.front().getMesh().toMesh();
    Result<spmd::Strategy> complete = spmd::strategyOnMesh(*parsed, mesh ? &*mesh : nullptr);
    if (!complete)
      return fail(complete.diagnostics());
    if (complete->mesh().axes.empty())
      return;
    if (meshes.empty()) {
      if (Operation *other = SymbolTable::lookupSymbolIn(getOperation(), meshName)) {
        other->emitError() << getArgumentName() << ": expected that the symbol '" << meshName
                           << "' is free or a mesh";
        return signalPassFailure();
      }
      meshes.push_back(createMesh(complete->mesh()));
    }
    PassRemarks remarks(getArgumentName());
    if (failed(Annotator(target, *complete, meshes.front(), remarks).run()))
      signalPassFailure();
  }

private:
  static constexpr StringLiteral meshName = "mesh";

  void fail(const Diagnostics &diagnostics) {
    for (const proa::Diagnostic &diagnostic : diagnostics)
      getOperation()->emitError() << getArgumentName() << ": " << diagnostic.message;
    signalPassFailure();
  }

  dist::MeshOp createMesh(const spmd::Mesh &mesh) {
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    SmallVector<StringAttr> names;
    SmallVector<int64_t> sizes;
    for (const spmd::MeshAxis &axis : mesh.axes) {
      names.push_back(builder.getStringAttr(axis.name));
      sizes.push_back(axis.size);
    }
    return dist::MeshOp::create(builder, getOperation().getLoc(), meshName,
                                dist::MeshAttr::get(&getContext(), names, sizes, {}));
  }
};

} // namespace
} // namespace proa
