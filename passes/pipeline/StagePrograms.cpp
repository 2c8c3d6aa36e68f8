#include "passes/pipeline/StagePrograms.h"

#include "lib/base/pipeline/Emission.h"

#include "dialects/dist/InterfaceAttributes.h"
#include "dialects/dist/JobMark.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "passes/pipeline/StageCosts.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <limits>

using namespace mlir;

namespace proa {
namespace {

class Writer {
public:
  Writer(func::FuncOp function, const MicroBatchLoop &loop, const StageAssignment &assignment,
         const pipeline::Schedule &schedule, const RankMeshes &meshes)
      : function(function), loop(loop), assignment(assignment), schedule(schedule), meshes(meshes),
        builder(function.getContext()), values(schedule.shape.microBatches) {}

  LogicalResult run() {
    Block &block = function.getBody().front();
    hoistSmallOps();
    placeReadByLoop();
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (failed(&op == loop.loop ? writeJobs() : placeOp(&op)))
        return failure();
      mark(&op);
    }
    if (failed(placeResults()))
      return failure();
    for (BlockArgument argument : block.getArguments())
      rankOfValue.try_emplace(argument, 0);
    placeInterface();
    scf::WhileOp erased = loop.loop;
    erased->erase();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isCreatedAnywhere(&op) && op.use_empty())
        op.erase();
    return success();
  }

private:
  int64_t rankOf(int64_t stage) const { return schedule.shape.rankOf(stage); }

  //===-- Values outside of the loop --------------------------------------------------------------------===//

  /// Moves ops that need no result of the loop before it, such as the ops of a schedule of learning rates:
  /// their results are small, and other ranks need not wait for the end of the jobs. Ops on a state that
  /// updates of parameters read too stay: they are on the rank of the parameter.
  void hoistSmallOps() {
    llvm::SmallPtrSet<Operation *, 16> dependent{loop.loop};
    Operation *end = function.getBody().front().getTerminator();
    dependent.insert(end);
    for (Operation *op = loop.loop->getNextNode(); op != end; op = op->getNextNode())
      if (llvm::any_of(valuesReadBy(op),
                       [&](Value value) { return dependent.contains(value.getDefiningOp()); }))
        dependent.insert(op);
    for (Operation *op = loop.loop->getNextNode(), *next; op != end; op = next) {
      next = op->getNextNode();
      bool stays =
          dependent.contains(op) || !isSmall(op) || !isMemoryEffectFree(op) ||
          llvm::any_of(valuesReadBy(op), [&](Value value) {
            return dependent.contains(value.getDefiningOp()) ||
                   (isa<BlockArgument>(value) && llvm::any_of(value.getUsers(), [&](Operation *user) {
                      return user != end && dependent.contains(user);
                    }));
          });
      if (stays)
        dependent.insert(op);
      else
        op->moveBefore(loop.loop);
    }
  }

  static bool isSmall(Operation *op) {
    constexpr double mostBytes = 1024;
    return llvm::all_of(op->getResultTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && bytesOf(tensor) <= mostBytes;
    });
  }

  /// Puts values that the loop reads, and the ops that compute them, on the rank of the first stage that
  /// reads them.
  void placeReadByLoop() {
    llvm::DenseMap<Value, int64_t> firstStage;
    auto read = [&](Value value, int64_t stage) {
      auto [entry, isNew] = firstStage.try_emplace(value, stage);
      if (!isNew)
        entry->second = std::min(entry->second, stage);
    };
    for (Value value : valuesReadBy(loop.loop))
      for (int64_t stage : assignment.readersOf(value))
        read(value, stage);
    for (Operation *op = loop.loop->getPrevNode(); op; op = op->getPrevNode()) {
      if (isCreatedAnywhere(op))
        continue;
      std::optional<int64_t> stage;
      for (Value result : op->getResults())
        if (auto found = firstStage.find(result); found != firstStage.end())
          stage = std::min(stage.value_or(found->second), found->second);
      if (!stage)
        continue;
      for (Value value : valuesReadBy(op))
        read(value, *stage);
      rankOfOp[op] = rankOf(*stage);
    }
    for (auto [value, stage] : firstStage)
      if (isa<BlockArgument>(value))
        rankOfValue[value] = rankOf(stage);
  }

  static bool isConstant(Value value) {
    return value.getDefiningOp() && isCreatedAnywhere(value.getDefiningOp());
  }

  /// The rank to which the fewest bytes move; of several the first that has an operand.
  int64_t cheapestRank(Operation *op) const {
    llvm::SmallMapVector<int64_t, double, 4> bytes;
    double all = 0;
    for (Value value : valuesReadBy(op))
      if (auto found = rankOfValue.find(value); found != rankOfValue.end()) {
        bytes[found->second] += bytesOf(value.getType());
        all += bytesOf(value.getType());
      }
    int64_t best = 0;
    double fewest = std::numeric_limits<double>::infinity();
    for (auto [rank, own] : bytes)
      if (all - own < fewest)
        best = rank, fewest = all - own;
    return best;
  }

  /// Puts an op outside of the loop on a rank, and its operands, which move there.
  LogicalResult placeOp(Operation *op) {
    if (isCreatedAnywhere(op))
      return success();
    auto known = rankOfOp.find(op);
    int64_t rank = known != rankOfOp.end() ? known->second : cheapestRank(op);
    builder.setInsertionPoint(op);
    for (Value value : valuesReadBy(op)) {
      FailureOr<Value> own = valueOn(value, rank);
      if (failed(own))
        return failure();
      op->walk([&](Operation *inner) { inner->replaceUsesOfWith(value, *own); });
    }
    setMesh(op, rank);
    for (Value result : op->getResults())
      rankOfValue[result] = rank;
    return success();
  }

  /// New values of states are on the rank of the old ones.
  LogicalResult placeResults() {
    auto exit = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    llvm::StringMap<int64_t> ranks;
    for (BlockArgument argument : function.getArguments())
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::parameterAttribute))
        ranks[name] = rankOfValue.try_emplace(argument, 0).first->second;
    builder.setInsertionPoint(exit);
    for (OpOperand &operand : exit->getOpOperands()) {
      auto state = function.getResultAttrOfType<StringAttr>(operand.getOperandNumber(), pd::stateAttribute);
      auto found = state ? ranks.find(state) : ranks.end();
      int64_t rank =
          found != ranks.end() ? found->second : rankOfValue.try_emplace(operand.get(), 0).first->second;
      FailureOr<Value> own = valueOn(operand.get(), rank);
      if (failed(own))
        return failure();
      operand.set(*own);
      resultRanks.push_back(rank);
    }
    return success();
  }

  void placeInterface() {
    dist::InterfaceAttributes attributes(function);
    for (BlockArgument argument : function.getArguments())
      if (auto own =
              function.getArgAttrOfType<dist::ShardingAttr>(argument.getArgNumber(), dist::shardingAttribute))
        attributes.setArgument(argument.getArgNumber(), dist::shardingAttribute,
                               onMesh(own, rankOfValue.lookup(argument)));
    for (auto [i, rank] : llvm::enumerate(resultRanks))
      if (auto own = function.getResultAttrOfType<dist::ShardingAttr>(i, dist::shardingAttribute))
        attributes.setResult(static_cast<unsigned>(i), dist::shardingAttribute, onMesh(own, rank));
    attributes.apply();
  }

  //===-- Meshes ----------------------------------------------------------------------------------------===//

  AttrTypeReplacer replacerOf(int64_t rank) const {
    AttrTypeReplacer replacer;
    replacer.addReplacement([this, rank](FlatSymbolRefAttr symbol) {
      return symbol == meshes.whole || llvm::is_contained(meshes.ranks, symbol) ? meshes.ranks[rank] : symbol;
    });
    return replacer;
  }
  dist::ShardingAttr onMesh(dist::ShardingAttr sharding, int64_t rank) const {
    return cast<dist::ShardingAttr>(replacerOf(rank).replace(Attribute(sharding)));
  }
  void setMesh(Operation *op, int64_t rank) const {
    AttrTypeReplacer replacer = replacerOf(rank);
    replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/false);
  }

  /// Creates a copy on another rank.
  FailureOr<Value> moved(Value value, int64_t from, int64_t to) {
    dist::ShardingAttr sharding = shardingOf(value);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!sharding || !type || !type.hasStaticShape())
      return mlir::emitError(value.getLoc())
             << "a value of type " << value.getType()
             << " is needed by several ranks of the pipeline: expected a tensor with "
                "static dims and a sharding";
    return Value(dist::ReshardOp::create(builder, value.getLoc(), type, value, onMesh(sharding, from),
                                         onMesh(sharding, to)));
  }

  /// A value outside of the jobs on a rank: itself, or a copy that is created where the builder is.
  FailureOr<Value> valueOn(Value value, int64_t rank) {
    if (Value known = copies.lookup({value, rank}))
      return known;
    if (isConstant(value)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(value);
      if (value.getDefiningOp()->getBlock() == &loop.body())
        builder.setInsertionPoint(loop.loop);
      Operation *copy = builder.clone(*value.getDefiningOp());
      setMesh(copy, rank);
      for (auto [result, own] : llvm::zip_equal(value.getDefiningOp()->getResults(), copy->getResults())) {
        copies[{result, rank}] = own;
        rankOfValue[own] = rank;
        copies[{own, rank}] = own;
      }
      return copies.lookup({value, rank});
    }
    if (Operation *op = value.getDefiningOp();
        op && !isa<ShapedType>(value.getType()) && isMemoryEffectFree(op))
      return scalarOn(cast<OpResult>(value), rank);
    // Arguments that nothing else uses are where they are first needed.
    int64_t own = rankOfValue.try_emplace(value, rank).first->second;
    if (own == rank)
      return value;
    OpBuilder::InsertionGuard guard(builder);
    bool isEarly = isBeforeJobs(value);
    if (isEarly)
      builder.setInsertionPointAfter(lastBeforeJobs);
    FailureOr<Value> copy = moved(value, own, rank);
    if (failed(copy))
      return failure();
    if (isEarly)
      lastBeforeJobs = copy->getDefiningOp();
    return copies[{value, rank}] = *copy;
  }

  /// Whether the jobs are written, and the value does not depend on them: it moves before they run.
  bool isBeforeJobs(Value value) const {
    if (!lastBeforeJobs || isa<BlockArgument>(value))
      return lastBeforeJobs != nullptr;
    Operation *op = value.getDefiningOp();
    return op == lastBeforeJobs ||
           (op->getBlock() == lastBeforeJobs->getBlock() && op->isBeforeInBlock(lastBeforeJobs));
  }

  /// A scalar, such as a condition, is computed on each rank that reads it.
  FailureOr<Value> scalarOn(OpResult value, int64_t rank) {
    Operation *op = value.getOwner();
    if (auto found = rankOfValue.find(value); found != rankOfValue.end() && found->second == rank)
      return Value(value);
    IRMapping mapping;
    for (Value operand : valuesReadBy(op)) {
      FailureOr<Value> own = valueOn(operand, rank);
      if (failed(own))
        return failure();
      mapping.map(operand, *own);
    }
    Operation *copy = builder.clone(*op, mapping);
    setMesh(copy, rank);
    for (auto [result, own] : llvm::zip_equal(op->getResults(), copy->getResults())) {
      copies[{result, rank}] = own;
      rankOfValue[own] = rank;
    }
    return copies.lookup({value, rank});
  }

  //===-- Jobs ------------------------------------------------------------------------------------------===//

  /// The op belongs to the job that is being written.
  void mark(Operation *op) const {
    if (!job.empty())
      op->setLoc(dist::withJob(op->getLoc(), job));
  }

  LogicalResult writeJobs() {
    builder.setInsertionPoint(loop.loop);
    sums.resize(loop.sums.size());
    // Parameters and feeds move before the jobs, so that no job waits for them.
    for (Value value : valuesReadBy(loop.loop))
      for (int64_t stage : assignment.readersOf(value))
        if (failed(valueOn(value, rankOf(stage))))
          return failure();
    lastBeforeJobs = loop.loop->getPrevNode();
    for (const std::vector<pipeline::RankJob> &turn : pipeline::turnsOf(schedule)) {
      for (const pipeline::RankJob &ran : turn)
        if (failed(writeJob(ran)))
          return failure();
      for (const pipeline::RankJob &ran : turn)
        if (failed(sendResults(ran)))
          return failure();
    }
    return joinSums();
  }

  static SmallVector<pipeline::Step, 2> stepsOf(pipeline::JobKind kind) {
    if (kind == pipeline::JobKind::Backward)
      return {pipeline::Step::InputGradient, pipeline::Step::WeightGradient};
    return {pipeline::stepOf(kind)};
  }

  template <class Visit> LogicalResult forEachOp(const pipeline::RankJob &ran, Visit visit) {
    int64_t stage = schedule.shape.stageOf(ran.rank, ran.job.chunk);
    for (pipeline::Step step : stepsOf(ran.job.kind))
      for (Operation *op : assignment.stages()[stage].ops[static_cast<size_t>(step)])
        if (failed(visit(op, stage)))
          return failure();
    return success();
  }

  LogicalResult writeJob(const pipeline::RankJob &ran) {
    job = textOf(ran.job, schedule.shape.chunks);
    if (failed(forEachOp(ran,
                         [&](Operation *op, int64_t) { return writeOp(op, ran.rank, ran.job.microBatch); })))
      return failure();
    bool isLast = llvm::is_contained(stepsOf(ran.job.kind), pipeline::Step::WeightGradient);
    return isLast ? addToSums(schedule.shape.stageOf(ran.rank, ran.job.chunk), ran.job.microBatch)
                  : success();
  }

  using Values = llvm::DenseMap<std::pair<Value, int64_t>, Value>;

  /// A value of a micro-batch on a rank.
  FailureOr<Value> valueIn(Value value, int64_t rank, int64_t microBatch) {
    if (value == loop.indexArgument())
      return indexOn(rank, microBatch);
    if (value.getParentBlock() != &loop.body() || isConstant(value))
      return valueOn(value, rank);
    if (Value own = values[microBatch].lookup({value, rank}))
      return own;
    return mlir::emitError(value.getLoc()) << "micro-batch " << microBatch << " needs this value on rank "
                                           << rank << " before the schedule computes it";
  }

  Value indexOn(int64_t rank, int64_t microBatch) {
    Value &index = values[microBatch][{loop.indexArgument(), rank}];
    if (index)
      return index;
    auto type = cast<RankedTensorType>(loop.indexArgument().getType());
    Operation *op =
        pd::ConstantOp::create(builder, loop.loop.getLoc(), type, DenseElementsAttr::get(type, microBatch));
    auto all = loop.loop->getAttrOfType<ArrayAttr>(dist::shardingsAttribute);
    if (all && loop.index < all.size())
      op->setAttr(dist::shardingsAttribute, builder.getArrayAttr({all[loop.index]}));
    setMesh(op, rank);
    return index = op->getResult(0);
  }

  FailureOr<Operation *> cloneOn(Operation *op, int64_t rank, int64_t microBatch, IRMapping &mapping) {
    for (Value value : valuesReadBy(op)) {
      if (mapping.contains(value))
        continue;
      FailureOr<Value> own = valueIn(value, rank, microBatch);
      if (failed(own))
        return failure();
      mapping.map(value, *own);
    }
    Operation *copy = builder.clone(*op, mapping);
    setMesh(copy, rank);
    mark(copy);
    return copy;
  }

  LogicalResult writeOp(Operation *op, int64_t rank, int64_t microBatch) {
    IRMapping mapping;
    FailureOr<Operation *> copy = cloneOn(op, rank, microBatch, mapping);
    if (failed(copy))
      return failure();
    for (auto [result, own] : llvm::zip_equal(op->getResults(), (*copy)->getResults()))
      values[microBatch][{result, rank}] = own;
    return success();
  }

  /// Moves the results of a job to the ranks of other stages that need them.
  LogicalResult sendResults(const pipeline::RankJob &ran) {
    return forEachOp(ran, [&](Operation *op, int64_t stage) -> LogicalResult {
      for (Value result : op->getResults()) {
        if (assignment.stageOf(result) != stage)
          continue;
        for (int64_t reader : assignment.readersOf(result)) {
          int64_t to = rankOf(reader);
          Value own = values[ran.job.microBatch].lookup({result, ran.rank});
          if (to == ran.rank || values[ran.job.microBatch].contains({result, to}))
            continue;
          FailureOr<Value> copy = moved(own, ran.rank, to);
          if (failed(copy))
            return failure();
          values[ran.job.microBatch][{result, to}] = *copy;
        }
      }
      return success();
    });
  }

  //===-- Sums ------------------------------------------------------------------------------------------===//

  /// A sum of the addends of one stage.
  struct StageSum {
    int64_t stage = 0;
    Value value;
  };

  /// Adds the values of a micro-batch to the sums of a stage.
  LogicalResult addToSums(int64_t stage, int64_t microBatch) {
    for (auto [i, sum] : llvm::enumerate(loop.sums)) {
      ArrayRef<Value> terms = assignment.termsOfSum(i);
      if (terms.empty() && assignment.stageOfSum(i) == stage && failed(addOps(sum, i, stage, microBatch)))
        return failure();
      for (Value term : terms)
        if (assignment.stageOf(term).value_or(assignment.stageOfSum(i)) == stage &&
            failed(addTerm(sum, i, term, stage, microBatch)))
          return failure();
    }
    return success();
  }

  StageSum &sumOf(size_t index, int64_t stage) {
    auto found = llvm::find_if(sums[index], [&](const StageSum &sum) { return sum.stage == stage; });
    return found != sums[index].end() ? *found : sums[index].emplace_back(StageSum{stage, {}});
  }

  FailureOr<Value> initOf(const MicroBatchSum &sum, int64_t rank) {
    return valueOn(loop.loop.getInits()[sum.index], rank);
  }

  LogicalResult addOps(const MicroBatchSum &sum, size_t index, int64_t stage, int64_t microBatch) {
    StageSum &own = sumOf(index, stage);
    if (!own.value) {
      FailureOr<Value> init = initOf(sum, rankOf(stage));
      if (failed(init))
        return failure();
      own.value = *init;
    }
    IRMapping mapping;
    mapping.map(loop.body().getArgument(sum.index), own.value);
    for (Operation *op : sum.ops)
      if (failed(cloneOn(op, rankOf(stage), microBatch, mapping)))
        return failure();
    own.value = ended(mapping.lookup(loop.loop.getYieldOp().getOperand(sum.index)), rankOf(stage));
    return success();
  }

  /// The first stage of a sum has its first value.
  LogicalResult addTerm(const MicroBatchSum &sum, size_t index, Value term, int64_t stage,
                        int64_t microBatch) {
    StageSum &own = sumOf(index, stage);
    FailureOr<Value> value = valueIn(term, rankOf(stage), microBatch);
    if (failed(value))
      return failure();
    if (!own.value && stage == assignment.stageOfSum(index)) {
      FailureOr<Value> init = initOf(sum, rankOf(stage));
      if (failed(init))
        return failure();
      own.value = *init;
    }
    own.value = own.value ? ended(added(sum, own.value, *value, rankOf(stage)), rankOf(stage)) : *value;
    return success();
  }

  /// The sum after a micro-batch. Kernels do not join it with the additions of later jobs: the terms of all
  /// micro-batches would live until the last one, and the last job would contain the update.
  Value ended(Value sum, int64_t rank) {
    auto barrier = pd::OptimizationBarrierOp::create(builder, sum.getLoc(), sum.getType(), sum);
    if (dist::ShardingAttr sharding = shardingOf(sum))
      barrier->setAttr(dist::shardingsAttribute, builder.getArrayAttr(sharding));
    setMesh(barrier, rank);
    mark(barrier);
    return barrier.getOut();
  }

  Value added(const MicroBatchSum &sum, Value x, Value y, int64_t rank) {
    IRMapping mapping;
    mapping.map(sum.ops.front()->getOperand(0), x);
    mapping.map(sum.ops.front()->getOperand(1), y);
    Operation *copy = builder.clone(*sum.ops.front(), mapping);
    setMesh(copy, rank);
    mark(copy);
    return copy->getResult(0);
  }

  /// Adds the sums of stages, and replaces the results of the loop.
  LogicalResult joinSums() {
    job = dist::updateJob.str();
    for (auto [i, sum] : llvm::enumerate(loop.sums)) {
      int64_t rank = rankOf(assignment.stageOfSum(i));
      Value whole = sumOf(i, assignment.stageOfSum(i)).value;
      for (const StageSum &term : sums[i]) {
        if (term.stage == assignment.stageOfSum(i))
          continue;
        FailureOr<Value> own = term.value;
        if (rankOf(term.stage) != rank)
          own = moved(term.value, rankOf(term.stage), rank);
        if (failed(own))
          return failure();
        whole = added(sum, whole, *own, rank);
      }
      loop.loop.getResult(sum.index).replaceAllUsesWith(whole);
      rankOfValue[whole] = rank;
    }
    return success();
  }

  func::FuncOp function;
  const MicroBatchLoop &loop;
  const StageAssignment &assignment;
  const pipeline::Schedule &schedule;
  const RankMeshes &meshes;
  OpBuilder builder;
  std::vector<Values> values;              ///< by micro-batch: values of the body, by rank
  std::vector<std::vector<StageSum>> sums; ///< by index in MicroBatchLoop::sums
  llvm::DenseMap<Operation *, int64_t> rankOfOp;
  llvm::DenseMap<Value, int64_t> rankOfValue;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> copies;
  SmallVector<int64_t> resultRanks;
  std::string job;                     ///< of the ops that are being written; empty before the jobs
  Operation *lastBeforeJobs = nullptr; ///< the op before the jobs, if they are written and there is one
};

} // namespace

LogicalResult writeStagePrograms(func::FuncOp function, const MicroBatchLoop &loop,
                                 const StageAssignment &assignment, const pipeline::Schedule &schedule,
                                 const RankMeshes &meshes) {
  return Writer(function, loop, assignment, schedule, meshes).run();
}

} // namespace proa
