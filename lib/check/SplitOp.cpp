#include "lib/check/SplitOp.h"
#include "lib/base/tensors/Compare.h"
#include "lib/check/SimulatedForm.h"
#include "lib/compiler/numerics/Interpreter.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

using namespace mlir;

namespace proa::check {
namespace {

/// The dims of the local tensors, and which elements they are.
std::string keyOf(const std::vector<Held> &operands, const std::vector<Held> &results) {
  std::string key;
  for (const auto *all : {&operands, &results})
    for (const Held &held : *all)
      for (const std::vector<int64_t> &indices : held) {
        int64_t count = static_cast<int64_t>(indices.size());
        key.append(reinterpret_cast<const char *>(&count), sizeof(count));
        key.append(reinterpret_cast<const char *>(indices.data()), indices.size() * sizeof(int64_t));
      }
  return key;
}

/// The indices that a position holds of operands or results.
std::vector<Held> heldOfAll(const spmd::Mesh &mesh, llvm::ArrayRef<spmd::Placement> placements,
                            llvm::ArrayRef<Tensor> tensors, int64_t position) {
  std::vector<Held> all;
  for (auto [placement, tensor] : llvm::zip_equal(placements, tensors))
    all.push_back(heldBy(mesh, placement, tensor.dims(), position));
  return all;
}

/// Whether some device has no elements of a tensor that has elements.
bool hasEmptyShard(const spmd::Mesh &mesh, llvm::ArrayRef<spmd::Placement> placements,
                   llvm::ArrayRef<Tensor> tensors) {
  for (int64_t position = 0; position < mesh.size(); ++position)
    for (auto [held, tensor] : llvm::zip_equal(heldOfAll(mesh, placements, tensors, position), tensors))
      if (tensor.size() > 0 && llvm::is_contained(dimsOf(held), 0))
        return true;
  return false;
}

/// Terms of a sum that is the tensor.
llvm::SmallVector<Tensor> termsOf(const Tensor &whole, int64_t count, std::mt19937 &random) {
  llvm::SmallVector<Tensor> terms;
  for (int64_t i = 0; i < count; ++i)
    terms.emplace_back(whole.dtype(), whole.dims());
  pd::HostScalarBuilder builder(whole.dtype());
  std::uniform_int_distribution<int> draw(-4, 4);
  for (int64_t at = 0; at < whole.size(); ++at) {
    pd::HostScalar rest = pd::loadScalar(whole, at);
    for (int64_t i = 0; i + 1 < count; ++i) {
      int term = draw(random);
      pd::storeScalar(terms[i], at,
                      rest.isInteger() ? pd::HostScalar::of(int64_t(term)) : pd::HostScalar::of(term * 0.25));
      rest = builder.subtract(rest, pd::loadScalar(terms[i], at));
    }
    pd::storeScalar(terms.back(), at, rest);
  }
  return terms;
}

} // namespace

/// Whether a rule may depend on the value: it is constant, or zeros that an op without operands creates.
static bool isConstant(Value value, const Tensor &tensor) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() > 0)
    return false;
  const char *data = static_cast<const char *>(tensor.data());
  return isa<pd::ConstantOp>(op) ||
         std::all_of(data, data + tensor.bytes(), [](char byte) { return byte == 0; });
}

Operation *cloneOn(Block &block, Operation *op, llvm::ArrayRef<Tensor> operands) {
  MLIRContext *context = op->getContext();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  llvm::SmallVector<Value> values; // one for each operand, also if operands are the same value
  for (auto [operand, tensor] : llvm::zip(op->getOperands(), operands)) {
    auto type = RankedTensorType::get(tensor.dims(), pd::elementTypeOf(context, tensor.dtype()));
    if (isConstant(operand, tensor))
      values.push_back(
          pd::ConstantOp::create(builder, op->getLoc(), type, pd::attributeFromTensor(context, tensor)));
    else
      values.push_back(block.addArgument(type, op->getLoc()));
  }
  Operation *clone = builder.clone(*op);
  clone->setOperands(values);
  return clone;
}

std::optional<llvm::SmallVector<Tensor>> evaluateClone(Operation *clone, llvm::ArrayRef<Tensor> operands) {
  OpBuilder builder(clone->getContext());
  builder.setInsertionPointAfter(clone);
  // A use of the results, because a decomposition may skip unused results.
  UnrealizedConversionCastOp::create(builder, clone->getLoc(), TypeRange{builder.getI1Type()},
                                     clone->getResults());
  numerics::Interpreter interpreter;
  for (auto [operand, tensor] : llvm::zip_equal(clone->getOperands(), operands))
    interpreter.define(operand, tensor);
  if (!interpreter.evaluate(*clone).empty())
    return std::nullopt;
  return llvm::map_to_vector(clone->getResults(), [&](Value result) { return interpreter.valueOf(result); });
}

std::string difference(const Tensor &joined, const Tensor &expected) {
  double greatest = 1;
  for (int64_t i = 0; i < expected.size(); ++i)
    if (double value = std::abs(pd::loadScalar(expected, i).value); std::isfinite(value))
      greatest = std::max(greatest, value);
  double tolerance = sizeOf(expected.dtype()) <= 2 ? 2e-2 : 1e-5;
  return compare(joined, expected, {.rtol = tolerance, .atol = tolerance * greatest}).reason;
}

std::optional<SplitOp::Values> SplitOp::evaluate(llvm::ArrayRef<Tensor> inputs,
                                                 const std::vector<Held> &resultShards) const {
  Block block;
  Operation *clone = cloneOn(block, op, inputs);
  pd::setLocalShape(clone, dimsOf(resultShards.front()));
  if (failed(pd::inferAgain(clone)))
    return std::nullopt;
  return evaluateClone(clone, inputs);
}

const SplitOp::Values *SplitOp::runShard(llvm::ArrayRef<Tensor> values,
                                         const std::vector<Held> &operandShards,
                                         const std::vector<Held> &resultShards, Cache &cache) {
  auto [entry, isNew] = cache.try_emplace(keyOf(operandShards, resultShards));
  if (isNew) {
    Values inputs;
    for (auto [value, shard] : llvm::zip_equal(values, operandShards))
      inputs.push_back(shardOf(value, shard));
    entry->second = evaluate(inputs, resultShards);
  }
  return entry->second ? &*entry->second : nullptr;
}

/// Puts a result together from what each position computed. Returns what is wrong with the shards.
std::string SplitOp::join(const spmd::Mesh &mesh, const spmd::Placement &placement, size_t index,
                          llvm::ArrayRef<const Values *> locals, Tensor &joined) const {
  std::map<int64_t, Joined> terms;
  for (int64_t position = 0; position < mesh.size(); ++position) {
    const Tensor &local = (*locals[position])[index];
    Held shard = heldBy(mesh, placement, results[index].dims(), position);
    if (local.dims() != dimsOf(shard) || local.dtype() != results[index].dtype())
      return fmt::format("the local result is {}, expected {}", local.describe(),
                         describe(results[index].dtype(), dimsOf(shard)));
    auto &term = terms
                     .try_emplace(spmd::partialCoordinate(mesh, placement, position), results[index].dtype(),
                                  results[index].dims())
                     .first->second;
    if (!term.add(local, shard))
      return "devices that hold the same shard computed different values";
  }
  for (auto &[coordinate, term] : terms) {
    if (!term.isComplete())
      return "no device holds some elements";
    joined = coordinate == 0 ? term.tensor()
                             : combined(joined, term.tensor(), placement.partial.front().reduction);
  }
  return "";
}

SplitOp::Outcome SplitOp::runAll(const spmd::Mesh &mesh, const OpPlacements &placements,
                                 llvm::ArrayRef<Tensor> values, Cache &cache, Values &joined) {
  llvm::SmallVector<const Values *> locals;
  for (int64_t position = 0; position < mesh.size(); ++position) {
    locals.push_back(runShard(values, heldOfAll(mesh, placements.operands, operands, position),
                              heldOfAll(mesh, placements.results, results, position), cache));
    if (!locals.back()) {
      why = fmt::format("the shard of position {} is refused", position);
      return hasEmptyShard(mesh, placements.operands, operands) ? Outcome::Empty : Outcome::Refused;
    }
  }
  return joinAll(mesh, placements, locals, joined);
}

SplitOp::Outcome SplitOp::runLocalForms(const MeshAxes &mesh, const pd::ShardingRule &rule,
                                        const FactorAxes &axes) {
  OpPlacements placements = placementsOf(rule, axes);
  std::vector<Values> shards;
  for (int64_t position = 0; position < mesh.mesh.size(); ++position) {
    Values &own = shards.emplace_back();
    for (auto [tensor, held] :
         llvm::zip_equal(operands, heldOfAll(mesh.mesh, placements.operands, operands, position)))
      own.push_back(shardOf(tensor, held));
  }
  SimulatedResults ran = runLocalForm(op, mesh, rule, axes, shards, results);
  if (why = ran.refused; !why.empty() && ran.isNotCovered)
    return Outcome::NotCovered;
  if (!why.empty())
    return hasEmptyShard(mesh.mesh, placements.operands, operands) ||
                   hasEmptyShard(mesh.mesh, placements.results, results)
               ? Outcome::Empty
               : Outcome::Refused;
  llvm::SmallVector<const Values *> locals;
  for (const Values &own : ran.ofPosition)
    locals.push_back(&own);
  Values joined;
  Outcome outcome = joinAll(mesh.mesh, placements, locals, joined);
  return outcome == Outcome::Equal ? compareAll(joined) : outcome;
}

SplitOp::Outcome SplitOp::joinAll(const spmd::Mesh &mesh, const OpPlacements &placements,
                                  llvm::ArrayRef<const Values *> locals, Values &joined) {
  joined.resize(results.size());
  for (size_t index = 0; index < results.size(); ++index) {
    why = join(mesh, placements.results[index], index, locals, joined[index]);
    if (!why.empty()) {
      why = fmt::format("result {}: {}", index, why);
      return Outcome::Different;
    }
  }
  return Outcome::Equal;
}

SplitOp::Outcome SplitOp::compareAll(llvm::ArrayRef<Tensor> joined) {
  for (size_t index = 0; index < results.size(); ++index)
    if (std::string found = difference(joined[index], results[index]); !found.empty()) {
      why = fmt::format("result {}: {}", index, found);
      return Outcome::Different;
    }
  return Outcome::Equal;
}

SplitOp::Outcome SplitOp::run(const spmd::Mesh &mesh, const OpPlacements &placements) {
  Values joined;
  Outcome outcome = runAll(mesh, placements, operands, known, joined);
  return outcome == Outcome::Equal ? compareAll(joined) : outcome;
}

SplitOp::Outcome SplitOp::runPartial(const spmd::Mesh &mesh, const OpPlacements &placements,
                                     llvm::ArrayRef<unsigned> group, int64_t terms) {
  std::mt19937 random(7);
  llvm::SmallVector<Values> values(static_cast<size_t>(terms), Values(operands));
  for (unsigned operand : group)
    for (auto [own, term] : llvm::zip_equal(values, termsOf(operands[operand], terms, random)))
      own[operand] = term;
  Values sums;
  for (const Values &own : values) {
    Values joined;
    Cache cache;
    if (Outcome outcome = runAll(mesh, placements, own, cache, joined); outcome != Outcome::Equal)
      return outcome;
    for (size_t index = 0; index < sums.size(); ++index)
      joined[index] = combined(sums[index], joined[index], spmd::Reduction::Sum);
    sums = std::move(joined);
  }
  return compareAll(sums);
}

} // namespace proa::check
