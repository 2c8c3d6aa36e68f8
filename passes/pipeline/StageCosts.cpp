#include "passes/pipeline/StageCosts.h"

#include "lib/base/pipeline/Builders.h"

#include "dialects/dist/Placements.h"
#include "dialects/dist/StageMark.h"
#include "dialects/proa/Proa.h"
#include "passes/remarks/Remarks.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace proa {
namespace {

/// Bytes of a value on a device.
double localBytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  dist::ShardingAttr sharding = shardingOf(value);
  Operation *scope = value.getParentRegion()->getParentOp();
  dist::MeshAttr mesh = sharding ? dist::lookupMesh(scope, sharding.getMesh()) : dist::MeshAttr();
  if (!type || !mesh)
    return bytesOf(value.getType());
  spmd::Mesh whole = mesh.toMesh();
  return bytesOf(dist::localType(type, dist::placementOf(sharding, whole), whole, 0));
}

class CostReader {
public:
  CostReader(func::FuncOp function, const MicroBatchLoop &loop, const StageAssignment &assignment,
             const pipeline::Shape &shape)
      : function(function), loop(loop), assignment(assignment), shape(shape),
        device(targetOf(function).device()) {}

  StageCosts read() {
    StageCosts result;
    result.costs.times.clear();
    result.costs.activations.clear();
    result.reserved.assign(static_cast<size_t>(shape.ranks), 0);
    for (const StageJobs &stage : assignment.stages())
      for (Operation *op : stage.ops[static_cast<size_t>(pipeline::Step::Forward)])
        forward.insert(op);
    std::vector<double> working(result.reserved.size());
    for (auto [i, stage] : llvm::enumerate(assignment.stages())) {
      auto rank = static_cast<size_t>(shape.rankOf(static_cast<int64_t>(i)));
      result.costs.times.push_back({secondsOf(stage, pipeline::Step::Forward),
                                    secondsOf(stage, pipeline::Step::InputGradient),
                                    secondsOf(stage, pipeline::Step::WeightGradient)});
      result.costs.activations.push_back(keptBytes(stage));
      working[rank] = std::max(working[rank], workingBytes(stage));
    }
    result.costs.latency = device.linkLatency() + largestMessage() / device.linkBytesPerSecond();
    addArguments(result.reserved);
    for (auto [i, sum] : llvm::enumerate(loop.sums))
      result.reserved[static_cast<size_t>(shape.rankOf(assignment.stageOfSum(i)))] +=
          localBytesOf(loop.loop.getResult(sum.index));
    for (size_t rank = 0; rank < working.size(); ++rank)
      result.reserved[rank] += working[rank];
    return result;
  }

private:
  /// The largest share of an op's values that a device has.
  static double localShareOf(Operation *op) {
    double share = 1;
    auto add = [&](Value value) {
      if (double whole = bytesOf(value.getType()); whole > 0)
        share = std::min(share, localBytesOf(value) / whole);
    };
    llvm::for_each(valuesReadBy(op), add);
    llvm::for_each(op->getResults(), add);
    return share;
  }

  double secondsOf(const StageJobs &stage, pipeline::Step step) const {
    double seconds = 0;
    for (Operation *op : stage.ops[static_cast<size_t>(step)])
      seconds += proa::secondsOf(op) * localShareOf(op);
    return seconds;
  }

  double keptBytes(const StageJobs &stage) const {
    llvm::SetVector<Value> kept;
    for (pipeline::Step step : {pipeline::Step::InputGradient, pipeline::Step::WeightGradient})
      for (Operation *op : stage.ops[static_cast<size_t>(step)])
        for (Value value : valuesReadBy(op))
          if (forward.contains(value.getDefiningOp()))
            kept.insert(value);
    double bytes = 0;
    for (Value value : kept)
      bytes += localBytesOf(value);
    return bytes;
  }

  static double workingBytes(const StageJobs &stage) {
    double most = 0;
    for (const auto &ops : stage.ops)
      for (Operation *op : ops) {
        double bytes = 0;
        for (Value value : op->getResults())
          bytes += localBytesOf(value);
        most = std::max(most, 2 * bytes); // one that is computed from another
      }
    return most;
  }

  double largestMessage() const {
    double most = 0;
    for (auto [i, stage] : llvm::enumerate(assignment.stages())) {
      double bytes = 0;
      for (Operation *op : stage.ops[static_cast<size_t>(pipeline::Step::Forward)])
        for (Value value : op->getResults())
          if (assignment.stageOf(value) == static_cast<int64_t>(i) &&
              llvm::any_of(assignment.readersOf(value), [&](int64_t reader) {
                return shape.rankOf(reader) != shape.rankOf(static_cast<int64_t>(i));
              }))
            bytes += localBytesOf(value);
      most = std::max(most, bytes);
    }
    return most;
  }

  /// Parameters are on the ranks that read them, states of optimizers on the ranks of the values that they
  /// are combined with.
  void addArguments(std::vector<double> &bytes) const {
    llvm::DenseMap<Value, int64_t> rankOf;
    for (auto [i, sum] : llvm::enumerate(loop.sums))
      rankOf[loop.loop.getResult(sum.index)] = shape.rankOf(assignment.stageOfSum(i));
    for (BlockArgument argument : function.getArguments()) {
      llvm::SmallSetVector<int64_t, 2> ranks;
      for (int64_t stage : assignment.readersOf(argument))
        ranks.insert(shape.rankOf(stage));
      for (int64_t rank : ranks)
        bytes[static_cast<size_t>(rank)] += localBytesOf(argument);
      if (!ranks.empty())
        rankOf[argument] = ranks.front();
    }
    spreadRanks(rankOf);
    for (BlockArgument argument : function.getArguments())
      if (auto found = rankOf.find(argument); found != rankOf.end() && assignment.readersOf(argument).empty())
        bytes[static_cast<size_t>(found->second)] += localBytesOf(argument);
  }

  void spreadRanks(llvm::DenseMap<Value, int64_t> &rankOf) const {
    for (size_t before = 0; before != rankOf.size();) {
      before = rankOf.size();
      for (Operation *op = loop.loop->getNextNode(); op && !op->hasTrait<OpTrait::IsTerminator>();
           op = op->getNextNode()) {
        SmallVector<Value> values(op->getResults());
        llvm::append_range(values, valuesReadBy(op));
        const auto *known = llvm::find_if(values, [&](Value value) { return rankOf.contains(value); });
        if (known == values.end())
          continue;
        int64_t rank = rankOf.lookup(*known);
        for (Value value : values)
          rankOf.try_emplace(value, rank);
      }
    }
  }

  mutable func::FuncOp function; ///< a handle, whose accessors are not const
  const MicroBatchLoop &loop;
  const StageAssignment &assignment;
  const pipeline::Shape &shape;
  const DeviceFacts &device;
  llvm::DenseSet<Operation *> forward;
};

/// Chunks of each rank by the stages that ops are given; 0: none is given.
int64_t givenChunks(const MicroBatchLoop &loop, int64_t ranks) {
  int64_t chunks = 0;
  for (Operation &op : loop.body())
    if (std::optional<int64_t> stage = dist::stageOf(op.getLoc()))
      chunks = std::max(chunks, *stage / ranks + 1);
  return chunks;
}

class StageSearch {
public:
  StageSearch(func::FuncOp function, const MicroBatchLoop &loop, int64_t ranks, std::optional<double> memory)
      : function(function), loop(loop), ranks(ranks), memory(memory) {}

  FailureOr<SearchedSchedule> search(int64_t chunks) const {
    auto shape = pipeline::shapeFor(pipeline::ScheduleKind::Automatic, ranks, loop.count, chunks);
    if (!shape)
      return mlir::emitError(loop.loop.getLoc()) << shape.diagnostics()[0].message;
    FailureOr<StageAssignment> assignment = StageAssignment::create(function, loop, shape->stages());
    if (failed(assignment))
      return failure();
    StageCosts costs = stageCostsOf(function, loop, *assignment, *shape);
    pipeline::SearchOptions options{.costs = costs.costs, .memoryLimit = memory, .reserved = costs.reserved};
    Result<pipeline::SearchResult> result = pipeline::searchSchedule(*shape, options);
    if (!result)
      return mlir::emitError(loop.loop.getLoc())
             << "no schedule fits the memory: " << result.diagnostics()[0].location << ": "
             << result.diagnostics()[0].message;
    return SearchedSchedule{std::move(*result), std::move(*assignment)};
  }

  /// One chunk, or two in V shape.
  FailureOr<SearchedSchedule> searchBoth() const {
    FailureOr<SearchedSchedule> folded = failure(), one = failure();
    {
      ScopedDiagnosticHandler quiet(function.getContext(), [](mlir::Diagnostic &) { return success(); });
      folded = search(2);
      one = search(1);
    }
    if (failed(one) && failed(folded))
      return search(1); // with its errors
    bool isOne =
        failed(folded) || (succeeded(one) && one->result.timeline.period <= folded->result.timeline.period);
    return isOne ? std::move(one) : std::move(folded);
  }

private:
  mutable func::FuncOp function; ///< a handle, whose accessors are not const
  const MicroBatchLoop &loop;
  int64_t ranks;
  std::optional<double> memory;
};

} // namespace

StageCosts stageCostsOf(func::FuncOp function, const MicroBatchLoop &loop, const StageAssignment &assignment,
                        const pipeline::Shape &shape) {
  return CostReader(function, loop, assignment, shape).read();
}

dist::ShardingAttr shardingOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function ? function.getArgAttrOfType<dist::ShardingAttr>(argument.getArgNumber(),
                                                                    dist::shardingAttribute)
                    : dist::ShardingAttr();
  }
  Operation *op = value.getDefiningOp();
  if (auto reshard = dyn_cast<dist::ReshardOp>(op))
    return reshard.getTo();
  if (auto constrain = dyn_cast<dist::ConstrainOp>(op))
    return constrain.getSharding();
  auto all = op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute);
  unsigned index = cast<OpResult>(value).getResultNumber();
  return all && index < all.size() ? dyn_cast<dist::ShardingAttr>(all[index]) : dist::ShardingAttr();
}

FailureOr<SearchedSchedule> searchStages(func::FuncOp function, const MicroBatchLoop &loop, int64_t ranks,
                                         int64_t chunks, std::optional<double> memory) {
  StageSearch search(function, loop, ranks, memory);
  if (chunks == 0)
    chunks = givenChunks(loop, ranks);
  return chunks == 0 ? search.searchBoth() : search.search(chunks);
}

} // namespace proa
