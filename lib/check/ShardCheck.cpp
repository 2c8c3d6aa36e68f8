#include "lib/check/ShardCheck.h"
#include "lib/check/ReferenceRun.h"
#include "lib/check/SplitOp.h"
#include "lib/compiler/numerics/Interpreter.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/sharding/Formula.h"

#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

using namespace mlir;

namespace proa::check {
namespace {

/// Dims that are smaller than the meshes, or that their sizes do not divide.
constexpr int64_t oddSizes[] = {5, 7, 9, 11, 3, 10};

std::string describe(const MeshAxes &mesh, const OpPlacements &placements) {
  auto text = [&](llvm::ArrayRef<spmd::Placement> all) {
    std::string out;
    for (const spmd::Placement &placement : all)
      out += (out.empty() ? "" : ", ") + spmd::toText(mesh.mesh, placement);
    return out;
  };
  return fmt::format("({}) -> ({})", text(placements.operands), text(placements.results));
}

std::string describe(const spmd::Mesh &mesh) {
  std::string text;
  for (const spmd::MeshAxis &axis : mesh.axes)
    text += (text.empty() ? "" : "x") + std::to_string(axis.size);
  return text;
}

int64_t countOf(llvm::ArrayRef<Tensor> tensors) {
  return std::accumulate(tensors.begin(), tensors.end(), int64_t(0),
                         [](int64_t sum, const Tensor &tensor) { return sum + tensor.size(); });
}

/// Whether type inference gives the results the dims of these tensors.
bool fits(Operation *clone, llvm::ArrayRef<Tensor> tensors) {
  return succeeded(pd::inferAgain(clone)) &&
         llvm::all_of(llvm::zip(clone->getResultTypes(), tensors), [](auto pair) {
           auto type = dyn_cast<RankedTensorType>(std::get<0>(pair));
           return type && type.getShape() == llvm::ArrayRef<int64_t>(std::get<1>(pair).dims());
         });
}

/// Whether sums of terms do not lose the elements: they are finite and not large.
bool isModest(const Tensor &tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (double size = std::abs(pd::loadScalar(tensor, i).value); !(size < 1e6))
      return false;
  return true;
}

/// The tensor with small numbers added to equal elements: pd.topk orders equal elements as the result of
/// an algorithm, which local forms do not keep.
Tensor withoutTies(const Tensor &tensor) {
  if (tensor.dtype() != DType::Float32 && tensor.dtype() != DType::Float64)
    return tensor;
  Tensor out(tensor.dtype(), tensor.dims());
  std::set<double> seen;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double value = pd::loadScalar(tensor, i).real();
    while (std::isfinite(value) && !seen.insert(value).second)
      value += std::max(1.0, std::abs(value)) / 1024; // a constant would not change a large number
    pd::storeScalar(out, i, pd::HostScalar::of(value));
  }
  return out;
}

/// Runs the splits of one op.
class OpCheck {
public:
  OpCheck(Operation *op, const pd::ShardingRule &rule, llvm::ArrayRef<Tensor> operands,
          llvm::ArrayRef<Tensor> results, const ShardCheckOptions &options, ShardCheck &check)
      : op(op), rule(rule), operands(operands), options(options), check(check), split(op, operands, results) {
  }

  void run() {
    for (const MeshAxes &mesh : options.meshes) {
      forEachSplit(mesh, rule, [&](const FactorAxes &axes) {
        OpPlacements placements = placementsOf(rule, axes);
        SplitOp::Outcome outcome = split.run(mesh.mesh, placements);
        count(outcome, mesh, placements, ": " + split.reason());
      });
      if (rule.localForm)
        runLocalForms(mesh);
      if (llvm::all_of(operands, isModest))
        for (const llvm::SmallVector<unsigned> &group : pd::partialGroupsOf(op))
          runPartial(mesh, group);
    }
  }

private:
  /// The splits for which devices compute the local form.
  void runLocalForms(const MeshAxes &mesh) {
    pd::ShardingRule local = pd::withLocalForm(rule);
    llvm::SmallVector<Tensor> inputs;
    for (auto [operand, tensor] : llvm::zip_equal(op->getOperands(), operands)) {
      Operation *source = operand.getDefiningOp();
      bool isConstant = source && source->getNumOperands() == 0; // the rule may depend on it
      inputs.push_back(isConstant ? tensor : withoutTies(tensor));
    }
    Block block;
    Operation *whole = cloneOn(block, op, inputs);
    auto expected = succeeded(pd::inferAgain(whole)) ? evaluateClone(whole, inputs) : std::nullopt;
    if (!expected)
      return;
    SplitOp split(whole, inputs, *expected);
    std::vector<FactorAxes> all;
    forEachSplit(mesh, local, [&](const FactorAxes &axes) {
      if (needsLocalForm(rule, axes))
        all.push_back(axes);
    });
    size_t most = rule.localForm == pd::localDecomposition ? options.decomposedSplits : options.localSplits;
    size_t step = most ? (all.size() + most - 1) / most : 1;
    for (size_t i = 0; i < all.size(); i += step) {
      SplitOp::Outcome outcome = split.runLocalForms(mesh, local, all[i]);
      check.localForms += outcome != SplitOp::Outcome::NotCovered;
      count(outcome, mesh, placementsOf(local, all[i]), " by local form: " + split.reason());
    }
  }

  /// One axis holds terms of the operands of the group, the others split factors.
  void runPartial(const MeshAxes &mesh, llvm::ArrayRef<unsigned> group) {
    llvm::SmallVector<int64_t> others;
    for (size_t axis = 1; axis < mesh.axes.size(); ++axis)
      others.push_back(mesh.axes[axis].size);
    auto run = [&](const MeshAxes &rest, const OpPlacements &placements) {
      ++check.partialCases;
      SplitOp::Outcome outcome = split.runPartial(rest.mesh, placements, group, mesh.axes[0].size);
      count(outcome, rest, placements, fmt::format(", operand {} partial: {}", group[0], split.reason()));
    };
    MeshAxes rest = meshOf(others);
    run(rest, placementsOf(rule, FactorAxes(rule.factors.size())));
    forEachSplit(rest, rule, [&](const FactorAxes &axes) { run(rest, placementsOf(rule, axes)); });
  }

  void count(SplitOp::Outcome outcome, const MeshAxes &mesh, const OpPlacements &placements,
             const std::string &more) {
    std::string name = op->getName().getStringRef().str();
    if (outcome == SplitOp::Outcome::Empty) {
      ++check.empty;
      ++check.emptyOf[name];
      return;
    }
    if (outcome == SplitOp::Outcome::NotCovered) {
      ++check.notCovered;
      return;
    }
    ++check.cases;
    ++check.casesOf[name];
    if (outcome != SplitOp::Outcome::Equal)
      check.differences.push_back(fmt::format("{} {} on mesh {}, {}{}", name, rule.text(),
                                              describe(mesh.mesh), describe(mesh, placements), more));
  }

  Operation *op;
  const pd::ShardingRule &rule;
  llvm::ArrayRef<Tensor> operands;
  const ShardCheckOptions &options;
  ShardCheck &check;
  SplitOp split;
};

/// The elements of a tensor with other dims; where a dim grows, they repeat.
Tensor resized(const Tensor &tensor, llvm::ArrayRef<int64_t> dims) {
  Held held;
  for (auto [from, to] : llvm::zip_equal(tensor.dims(), dims)) {
    std::vector<int64_t> &indices = held.emplace_back();
    for (int64_t i = 0; i < to; ++i)
      indices.push_back(i % from);
  }
  return shardOf(tensor, held);
}

/// The operands with new sizes of the factors that are alone in their dimensions.
llvm::SmallVector<Tensor> withOddSizes(llvm::ArrayRef<Tensor> operands, const pd::ShardingRule &rule) {
  llvm::SmallVector<Tensor> out;
  for (auto [tensor, factors] : llvm::zip_equal(operands, rule.operands)) {
    llvm::SmallVector<int64_t> dims(llvm::ArrayRef<int64_t>(tensor.dims()));
    for (auto [dim, own] : llvm::zip_equal(dims, factors))
      if (own.size() == 1 && dim > 1 && rule.factors[own[0]].kind != pd::FactorKind::Replicated)
        dim = oddSizes[own[0] % std::size(oddSizes)];
    out.push_back(resized(tensor, dims));
  }
  return out;
}

/// Checks the rule of an op with the types of these operands, if it has one that was not yet checked.
void checkTyped(Operation *op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results,
                const ShardCheckOptions &options, ShardCheck &check) {
  if (options.maxElements && countOf(operands) + countOf(results) > options.maxElements)
    return;
  Block block;
  Operation *whole = cloneOn(block, op, operands);
  auto alone = fits(whole, results) ? evaluateClone(whole, operands) : std::nullopt;
  // Outside of its program an op may compute less, such as a derivative, or draw other random numbers.
  if (!alone || !llvm::all_of(llvm::zip_equal(*alone, results), [](auto pair) {
        return difference(std::get<0>(pair), std::get<1>(pair)).empty();
      }))
    return;
  auto rule = pd::shardingRuleOf(whole);
  if (!rule)
    return;
  if (options.opsOfKind) {
    auto &rules = check.rulesOf[op->getName().getStringRef().str()];
    if (rules.size() >= options.opsOfKind || !rules.insert(rule->text()).second)
      return;
  }
  checkRule(op, *rule, operands, results, options, check);
}

} // namespace

void checkRule(Operation *op, const pd::ShardingRule &rule, llvm::ArrayRef<Tensor> operands,
               llvm::ArrayRef<Tensor> results, const ShardCheckOptions &options, ShardCheck &check) {
  OpCheck(op, rule, operands, results, options, check).run();
}

void checkSharding(Operation *op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results,
                   const ShardCheckOptions &options, ShardCheck &check) {
  ScopedDiagnosticHandler silent(op->getContext(), [](mlir::Diagnostic &) { return success(); });
  if (options.resize) {
    Block block;
    Operation *whole = cloneOn(block, op, operands);
    if (auto rule = fits(whole, results) ? pd::shardingRuleOf(whole) : std::nullopt) {
      auto other = withOddSizes(operands, *rule);
      Operation *changed = cloneOn(block, op, other);
      if (succeeded(pd::inferAgain(changed)))
        if (auto ran = evaluateClone(changed, other))
          checkTyped(op, other, *ran, options, check);
    }
  }
  checkTyped(op, operands, results, options, check);
}

Result<void> checkShardings(const std::string &folder, const CaseMeta &meta, const Tensors &feeds,
                            const ShardCheckOptions &options, ShardCheck &check, std::string &notEvaluated) {
  auto afterEach = [&](Operation &op, const numerics::Interpreter &interpreter) {
    auto tensorsOf = [&](ValueRange values) -> std::optional<llvm::SmallVector<Tensor>> {
      llvm::SmallVector<Tensor> tensors;
      for (Value value : values) {
        if (!interpreter.hasTensor(value))
          return std::nullopt;
        tensors.push_back(interpreter.valueOf(value));
      }
      return tensors;
    };
    auto operands = tensorsOf(op.getOperands()), results = tensorsOf(op.getResults());
    if (operands && results && !results->empty() && isa_and_present<pd::PdDialect>(op.getDialect()))
      checkSharding(&op, *operands, *results, options, check);
  };
  Result<ReferenceRun> run = runReference(folder, meta, feeds, false, afterEach);
  if (!run)
    return run.diagnostics();
  notEvaluated = run->notEvaluated;
  return {};
}

} // namespace proa::check
