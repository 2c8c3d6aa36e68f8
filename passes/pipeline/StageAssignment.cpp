#include "passes/pipeline/StageAssignment.h"

#include "lib/base/pipeline/Cuts.h"

#include "dialects/pd/autodiff/Seeds.h"
#include "dialects/pd/ir/Arithmetic.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ops/attention/FusedAttention.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/optimizer/ScalingOps.h"
#include "dialects/proa/MatmulRate.h"
#include "dialects/proa/Proa.h"
#include "passes/pipeline/GivenStages.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>

using namespace mlir;

namespace proa {

bool isCreatedAnywhere(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

double bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  Type element = tensor.getElementType();
  double bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 128;
  return static_cast<double>(tensor.getNumElements()) * std::max(bits / 8, 1.0);
}

double secondsOf(Operation *op) {
  const DeviceFacts &device = targetOf(op).device();
  double bytes = 0, computing = 0;
  for (Value value : valuesReadBy(op))
    bytes += bytesOf(value.getType());
  for (Type type : op->getResultTypes())
    bytes += bytesOf(type);
  op->walk([&](Operation *inner) {
    bool isMatmul = isa<pd::ContractionOpInterface, pd::RingOpInterface>(inner);
    computing += static_cast<double>(pd::operationsOf(inner).value_or(0)) /
                 (isMatmul ? matmulFlopsPerSecond(inner) : device.flopsPerSecond());
  });
  return std::max(computing, bytes / (2 * device.copiedBytesPerSecond()));
}

class StageAssignment::Builder {
public:
  Builder(func::FuncOp function, const MicroBatchLoop &loop, int64_t stageCount)
      : function(function), loop(loop), stageCount(stageCount) {
    assignment.jobs.resize(stageCount);
  }

  FailureOr<StageAssignment> run() {
    findParameterValues();
    findForward();
    findShared();
    if (failed(cutForward()))
      return failure();
    assignBackward();
    assignSums();
    moveToReaders();
    writeJobs();
    if (failed(checkTransfers()))
      return failure();
    return std::move(assignment);
  }

private:
  /// Values outside of the loop that depend on parameters.
  void findParameterValues() {
    for (BlockArgument argument : function.getArguments())
      if (!function.getArgAttr(argument.getArgNumber(), pd::feedAttribute))
        ofParameters.insert(argument);
    for (Operation &op : function.getBody().front()) {
      if (&op == loop.loop)
        break;
      if (llvm::any_of(valuesReadBy(&op), [&](Value value) { return ofParameters.contains(value); }))
        ofParameters.insert(op.result_begin(), op.result_end());
    }
  }

  bool isOfBody(Operation *op) const { return op && op->getBlock() == &loop.body(); }

  /// Ops of the body that are no constants and compute neither sums nor the index.
  bool isStep(Operation *op) const { return isOfBody(op) && !isCreatedAnywhere(op) && !others.contains(op); }

  void findForward() {
    others.insert(loop.nextIndex);
    SmallVector<Value> left;
    for (const MicroBatchSum &sum : loop.sums)
      for (Operation *op : sum.ops)
        others.insert(op);
    for (const MicroBatchSum &sum : loop.sums)
      for (Operation *op : sum.ops)
        for (Value value : valuesReadBy(op))
          if (isStep(value.getDefiningOp()) && !loop.dependent.contains(value.getDefiningOp()))
            left.push_back(value);
    bool isNamed = !left.empty();
    while (!left.empty()) {
      Operation *op = left.pop_back_val().getDefiningOp();
      if (isStep(op) && forward.insert(op).second)
        llvm::append_range(left, valuesReadBy(op));
    }
    if (!isNamed)
      for (Operation &op : loop.body().without_terminator())
        if (isStep(&op) && !loop.dependent.contains(&op))
          forward.insert(&op);
  }

  /// Ops that each stage may compute by itself, since they need neither parameters nor values of other
  /// stages.
  void findShared() {
    for (Operation &op : loop.body().without_terminator())
      if (isStep(&op) && !loop.dependent.contains(&op) && isMemoryEffectFree(&op) &&
          llvm::all_of(valuesReadBy(&op), [&](Value value) { return isOfEachStage(value); }))
        shared.insert(&op);
  }

  bool isOfEachStage(Value value) const {
    Operation *op = value.getDefiningOp();
    if (isOfBody(op))
      return isCreatedAnywhere(op) || shared.contains(op);
    return value == loop.indexArgument() || !ofParameters.contains(value);
  }

  LogicalResult cutForward() {
    SmallVector<Operation *> ops;
    for (Operation &op : loop.body().without_terminator())
      if (forward.contains(&op) && !shared.contains(&op))
        ops.push_back(&op);
    if (static_cast<int64_t>(ops.size()) < stageCount)
      return loop.loop.emitError() << "the forward function has " << ops.size()
                                   << " ops that use parameters, expected at "
                                   << "least one for each of " << stageCount << " stages";
    FailureOr<std::vector<int64_t>> given = sortByGivenStages(ops, stageCount);
    if (failed(given))
      return failure();
    // The gradients of an op take about twice its time; a cotangent moves back for each value that moves
    // forward.
    constexpr double passes = 3, directions = 2;
    std::vector<double> work, transfer = transfersBefore(ops);
    for (Operation *op : ops)
      work.push_back(passes * secondsOf(op));
    for (double &time : transfer)
      time *= directions;
    std::vector<size_t> begins = pipeline::balancedCuts({work, transfer, *given}, stageCount);
    if (begins.empty())
      return loop.loop.emitError()
             << "the given stages of ops leave no op that uses parameters for one of the " << stageCount
             << " stages, expected at least one for each";
    for (auto [i, op] : llvm::enumerate(ops)) {
      int64_t stage = std::ranges::upper_bound(begins, i) - begins.begin() - 1;
      assignment.stageOfOp[op] = stage;
    }
    return success();
  }

  /// The time to move, at each op, the values that ops before it compute and that it or later ops read.
  std::vector<double> transfersBefore(ArrayRef<Operation *> ops) const {
    llvm::DenseMap<Operation *, size_t> positions;
    for (auto [i, op] : llvm::enumerate(ops))
      positions[op] = i;
    std::vector<double> bytes(ops.size() + 1);
    for (auto [i, op] : llvm::enumerate(ops))
      for (Value result : op->getResults()) {
        size_t last = i;
        for (Operation *user : result.getUsers())
          if (auto found = positions.find(loop.body().findAncestorOpInBlock(*user)); found != positions.end())
            last = std::max(last, found->second);
        for (size_t position = i + 1; position <= last; ++position)
          bytes[position] += bytesOf(result.getType());
      }
    for (double &amount : bytes)
      amount /= targetOf(function).device().linkBytesPerSecond();
    return bytes;
  }

  void addReader(Value value, int64_t stage) {
    SmallVector<int64_t, 2> &stages = assignment.readers[value];
    if (!llvm::is_contained(stages, stage))
      stages.push_back(stage);
  }

  /// The stages that have a forward value or a parameter after the forward jobs; empty: no forward op reads
  /// it.
  SmallVector<int64_t, 2> holdersOf(Value value) const {
    Operation *op = value.getDefiningOp();
    if (isOfBody(op) && !forward.contains(op) && !shared.contains(op))
      return {};
    SmallVector<int64_t, 2> stages(forwardReaders.lookup(value));
    if (isOfBody(op) && assignment.stageOfOp.contains(op) &&
        !llvm::is_contained(stages, assignment.stageOfOp.lookup(op)))
      stages.push_back(assignment.stageOfOp.lookup(op));
    return stages;
  }

  void assignBackward() {
    for (auto [op, stage] : assignment.stageOfOp)
      for (Value value : valuesReadBy(op))
        if (SmallVector<int64_t, 2> &stages = forwardReaders[value]; !llvm::is_contained(stages, stage))
          stages.push_back(stage);
    for (Operation &op : loop.body().without_terminator())
      if (isStep(&op) && !shared.contains(&op) && !assignment.stageOfOp.contains(&op))
        assignment.stageOfOp[&op] = backwardStageOf(&op);
  }

  int64_t backwardStageOf(Operation *op) const {
    int64_t last = stageCount - 1;
    SmallVector<std::pair<SmallVector<int64_t, 2>, double>> held;
    for (Value value : valuesReadBy(op)) {
      Operation *definition = value.getDefiningOp();
      if (isOfBody(definition) && !forward.contains(definition) && assignment.stageOfOp.contains(definition))
        last = std::min(last, assignment.stageOfOp.lookup(definition));
      if (SmallVector<int64_t, 2> stages = holdersOf(value); !stages.empty())
        held.emplace_back(std::move(stages), bytesOf(value.getType()));
    }
    // The stage to which the fewest bytes move; the last one of several.
    int64_t best = last;
    double fewest = std::numeric_limits<double>::infinity();
    for (int64_t stage = last; stage >= 0 && fewest > 0; --stage) {
      double missing = 0;
      for (const auto &[stages, bytes] : held)
        missing += llvm::is_contained(stages, stage) ? 0 : bytes;
      if (missing < fewest)
        best = stage, fewest = missing;
    }
    return best;
  }

  /// The operands of the additions that compute an addend, each of which has one reader.
  void splitAddend(Value addend, SmallVector<Value> &terms, SmallVector<Operation *> &additions) const {
    Operation *op = addend.getDefiningOp();
    bool isAddition =
        op && isa<pd::AddOp, pd::AddNOp>(op) && isStep(op) && !shared.contains(op) && addend.hasOneUse();
    if (!isAddition ||
        llvm::any_of(op->getOperandTypes(), [&](Type type) { return type != addend.getType(); }))
      return terms.push_back(addend);
    additions.push_back(op);
    for (Value operand : op->getOperands())
      splitAddend(operand, terms, additions);
  }

  void assignSums() {
    for (const MicroBatchSum &sum : loop.sums) {
      SmallVector<Value> terms;
      SmallVector<Operation *> additions;
      if (sum.addend)
        splitAddend(sum.addend, terms, additions);
      if (llvm::any_of(terms,
                       [&](Value term) { return assignment.stageOf(term) != assignment.stageOf(terms[0]); }))
        for (Operation *op : additions)
          assignment.stageOfOp.erase(op);
      else
        terms.clear();
      int64_t stage = stageCount - 1;
      auto limit = [&](Value value) { stage = std::min(stage, assignment.stageOf(value).value_or(stage)); };
      llvm::for_each(terms, limit);
      for (Operation *op : sum.ops)
        llvm::for_each(terms.empty() ? valuesReadBy(op) : llvm::SetVector<Value>(), limit);
      assignment.sumStages.push_back(stage);
      assignment.sumTerms.push_back(std::move(terms));
    }
  }

  /// Moves backward ops whose results only stages before read to the last of these, if fewer bytes move then:
  /// a reshape of a cotangent that moves there too.
  void moveToReaders() {
    for (Operation &op : llvm::reverse(loop.body().without_terminator())) {
      auto own = assignment.stageOfOp.find(&op);
      if (own == assignment.stageOfOp.end() || forward.contains(&op) || !isMemoryEffectFree(&op))
        continue;
      int64_t target = -1;
      forEachReader(&op, [&](int64_t stage, pipeline::Step) { target = std::max(target, stage); });
      if (target >= 0 && target < own->second && bytesMissing(&op, target) < resultBytes(&op))
        own->second = target;
    }
  }

  static double resultBytes(Operation *op) {
    double bytes = 0;
    for (Type type : op->getResultTypes())
      bytes += bytesOf(type);
    return bytes;
  }

  /// The bytes that would move for an op on another stage, without the bytes that move there anyway.
  double bytesMissing(Operation *op, int64_t stage) const {
    double bytes = 0;
    for (Value value : valuesReadBy(op)) {
      SmallVector<int64_t, 2> holders = holdersOf(value);
      bool isThere = isOfEachStage(value) || llvm::is_contained(holders, stage);
      Operation *definition = value.getDefiningOp();
      if (!isThere && assignment.stageOfOp.contains(definition))
        forEachReader(definition, [&](int64_t reader, pipeline::Step) { isThere |= reader == stage; });
      bytes += isThere ? 0 : bytesOf(value.getType());
    }
    return bytes;
  }

  /// Calls `visit` with the stage and the step of each op, and of each sum, that reads a value of an op. The
  /// values of sums are read in the last step.
  template <class Visit> void forEachReader(Operation *op, Visit visit) const {
    for (Operation *user : op->getUsers()) {
      Operation *reader = loop.body().findAncestorOpInBlock(*user);
      if (auto found = assignment.stageOfOp.find(reader); found != assignment.stageOfOp.end())
        visit(found->second, steps.lookup(reader));
      for (auto [i, sum] : llvm::enumerate(loop.sums))
        if (sum.ops.contains(reader) && assignment.sumTerms[i].empty())
          visit(assignment.sumStages[i], pipeline::Step::WeightGradient);
    }
    for (auto [i, terms] : llvm::enumerate(assignment.sumTerms))
      for (Value term : terms)
        if (term.getDefiningOp() == op)
          visit(assignment.stageOf(term).value_or(assignment.sumStages[i]), pipeline::Step::WeightGradient);
  }

  /// Backward ops are B if a stage before needs them.
  void chooseSteps() {
    for (Operation &op : llvm::reverse(loop.body().without_terminator())) {
      auto found = assignment.stageOfOp.find(&op);
      if (found == assignment.stageOfOp.end())
        continue;
      pipeline::Step step = forward.contains(&op) ? pipeline::Step::Forward : pipeline::Step::WeightGradient;
      if (step != pipeline::Step::Forward)
        forEachReader(&op, [&](int64_t stage, pipeline::Step reader) {
          if (stage != found->second || reader == pipeline::Step::InputGradient)
            step = pipeline::Step::InputGradient;
        });
      steps[&op] = step;
    }
  }

  /// The first step in which each stage needs each shared op.
  void chooseSharedSteps() {
    for (Operation &op : llvm::reverse(loop.body().without_terminator())) {
      if (!shared.contains(&op))
        continue;
      auto need = [&](int64_t stage, pipeline::Step step) {
        auto [entry, isNew] = sharedSteps[&op].try_emplace(stage, step);
        if (!isNew)
          entry->second = std::min(entry->second, step);
      };
      forEachReader(&op, need);
      for (Operation *user : op.getUsers())
        for (auto [stage, step] : sharedSteps.lookup(loop.body().findAncestorOpInBlock(*user)))
          need(stage, step);
    }
  }

  void addToJob(Operation *op, int64_t stage, pipeline::Step step) {
    assignment.jobs[stage].ops[static_cast<size_t>(step)].push_back(op);
    for (Value value : valuesReadBy(op))
      addReader(value, stage);
  }

  void writeJobs() {
    chooseSteps();
    chooseSharedSteps();
    for (Operation &op : loop.body().without_terminator()) {
      if (auto found = assignment.stageOfOp.find(&op); found != assignment.stageOfOp.end())
        addToJob(&op, found->second, steps.lookup(&op));
      for (auto [stage, step] : sharedSteps.lookup(&op))
        addToJob(&op, stage, step);
    }
    for (auto [i, sum] : llvm::enumerate(loop.sums))
      for (Operation *op : sum.ops)
        for (Value value : assignment.sumTerms[i].empty() ? valuesReadBy(op) : llvm::SetVector<Value>())
          addReader(value, assignment.sumStages[i]);
  }

  LogicalResult checkTransfers() {
    for (Operation &op : loop.body().without_terminator())
      for (Value value : op.getResults()) {
        auto type = dyn_cast<RankedTensorType>(value.getType());
        std::optional<int64_t> stage = assignment.stageOf(value);
        bool isSent = stage && llvm::any_of(assignment.readersOf(value),
                                            [&](int64_t reader) { return reader != *stage; });
        if (isSent && (!type || !type.hasStaticShape()))
          return op.emitError() << "a value of type " << value.getType()
                                << " is needed by several stages of the "
                                << "pipeline: expected a tensor with static dims";
      }
    return success();
  }

  func::FuncOp function;
  const MicroBatchLoop &loop;
  int64_t stageCount;
  StageAssignment assignment;
  llvm::DenseSet<Value> ofParameters;
  llvm::DenseSet<Operation *> others, forward, shared;
  llvm::DenseMap<Value, SmallVector<int64_t, 2>> forwardReaders;
  llvm::DenseMap<Operation *, pipeline::Step> steps;                          ///< of all but shared ops
  llvm::DenseMap<Operation *, std::map<int64_t, pipeline::Step>> sharedSteps; ///< by stage
};

FailureOr<StageAssignment> StageAssignment::create(func::FuncOp function, const MicroBatchLoop &loop,
                                                   int64_t stageCount) {
  return Builder(function, loop, stageCount).run();
}

std::optional<int64_t> StageAssignment::stageOf(Value value) const {
  auto found = stageOfOp.find(value.getDefiningOp());
  return found == stageOfOp.end() ? std::nullopt : std::optional(found->second);
}

ArrayRef<int64_t> StageAssignment::readersOf(Value value) const {
  auto found = readers.find(value);
  return found == readers.end() ? ArrayRef<int64_t>() : ArrayRef<int64_t>(found->second);
}

} // namespace proa
