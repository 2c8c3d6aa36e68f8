#include "passes/spmd/RingAttention.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include <limits>

using namespace mlir;

namespace proa {

static Operation *onlyUser(Operation *op) {
  Operation *user = op->getNumResults() == 1 && op->hasOneUse() ? *op->getUsers().begin() : nullptr;
  return user && user->getBlock() == op->getBlock() ? user : nullptr;
}

static int64_t lastDim(Value value) { return cast<RankedTensorType>(value.getType()).getRank() - 1; }

bool RingAttention::match(dist::StepOpInterface gatherOfKeys, const EvenCollective &collective,
                          MeshPlacements &meshes) {
  keys = gatherOfKeys;
  scores = onlyUser(keys);
  if (!scores)
    return false;
  auto found = rowsOf(scores, [&](const Rows &own) {
    return scores->getOperand(own.operand) == keys->getResult(0) &&
           own.operandDim == static_cast<int64_t>(collective.dim) &&
           own.resultDim == lastDim(scores->getResult(0));
  });
  if (!found)
    return false;
  rows = *found;
  auto type = cast<RankedTensorType>(scores->getResult(0).getType());
  bool isSingle = type.getElementType().isF32() || type.getElementType().isF64();
  return isSingle && type.hasStaticShape() && matchChain(onlyUser(scores)) &&
         matchValues(collective, meshes) && !scores->hasAttr(dist::unevenAttribute) &&
         !product->hasAttr(dist::unevenAttribute);
}

static bool isAlongKeys(pd::SoftmaxOp op) {
  auto axis = static_cast<int64_t>(op.getAxis());
  return axis == -1 || axis == lastDim(op.getX());
}

/// The ops on elements up to the softmax along the keys.
bool RingAttention::matchChain(Operation *op) {
  Value previous = scores->getResult(0);
  for (; op && !isa<pd::SoftmaxOp>(op); previous = op->getResult(0), op = onlyUser(op)) {
    std::optional<pd::ShardingRule> rule;
    if (isa_and_present<pd::PdDialect>(op->getDialect()) && op->getNumResults() == 1)
      rule = pd::shardingRuleOf(op);
    if (!rule || op->getResult(0).getType() != previous.getType() || rule->results[0].back().size() != 1)
      return false;
    unsigned factor = rule->results[0].back().front();
    if (rule->factors[factor].kind != pd::FactorKind::PassThrough)
      return false;
    Link link{op, ~0u, {}};
    for (auto [number, tensor] : llvm::enumerate(rule->operands)) {
      auto operand = static_cast<unsigned>(number);
      for (auto [dim, factors] : llvm::enumerate(tensor)) {
        if (!llvm::is_contained(factors, factor))
          continue;
        if (factors.size() != 1)
          return false;
        if (op->getOperand(operand) == previous)
          link.operand = static_cast<int64_t>(dim) == lastDim(previous) ? operand : ~0u;
        else
          link.others.push_back({operand, static_cast<int64_t>(dim)});
      }
    }
    if (link.operand == ~0u)
      return false;
    chain.push_back(link);
  }
  softmax = op;
  return softmax && isAlongKeys(cast<pd::SoftmaxOp>(softmax));
}

/// The product of the softmax with values that are gathered as the keys are.
bool RingAttention::matchValues(const EvenCollective &ofKeys, MeshPlacements &meshes) {
  product = onlyUser(softmax);
  if (!product || product->getNumOperands() != 2 || product->getOperand(0) != softmax->getResult(0))
    return false;
  values = dyn_cast_or_null<dist::AllGatherOp>(product->getOperand(1).getDefiningOp());
  if (!values || onlyUser(values) != product || !collectiveOf(values))
    return false;
  std::optional<pd::ShardingRule> rule = pd::shardingRuleOf(product);
  auto ofValues = evenCollectiveOf(values, meshes);
  if (!rule || !ofValues || ofValues->axes != ofKeys.axes ||
      values.getFrom().getMesh() != keys.getFrom().getMesh() || !values.getX().getType().hasStaticShape() ||
      dist::localType(values.getGlobal(), meshes.placementOf(values.getFrom())) != values.getX().getType())
    return false;
  const pd::DimFactors &contracted = rule->operands[0].back();
  return contracted.size() == 1 && rule->factors[contracted.front()].kind == pd::FactorKind::Reduction &&
         rule->operands[1][ofValues->dim] == contracted;
}

/// f(q k^T) for the keys of a part.
Value RingAttention::scoresOfPart(OpBuilder &builder, Ring &ring, Value ofPart, int64_t step) {
  int64_t length = cast<RankedTensorType>(ofPart.getType()).getDimSize(rows.operandDim);
  llvm::SmallVector<int64_t> begins;
  for (int64_t part = 0; part < ring.size(); ++part)
    begins.push_back((part + step) % ring.size() * length);
  Value value = onPart(builder, scores, rows.operand, ofPart);
  for (const Link &link : chain) {
    SmallVector<Value> operands(link.op->getOperands());
    operands[link.operand] = value;
    for (auto [operand, dim] : link.others)
      operands[operand] = ring.range(builder, link.op->getLoc(), operands[operand], dim, begins, length);
    Operation *clone = builder.clone(*link.op);
    clone->setOperands(operands);
    [[maybe_unused]] LogicalResult isInferred = pd::inferAgain(clone);
    value = clone->getResult(0);
  }
  return value;
}

void RingAttention::rewrite(Ring ring) {
  OpBuilder builder(product);
  Location location = product->getLoc();
  Value ofKeys = keys.getX(), ofValues = values.getX();
  Partial sofar;
  for (int64_t step = 0; step < ring.size(); ++step) {
    bool isLast = step + 1 == ring.size();
    // Two messages are on their way at a time, so that each has a channel of its own.
    if (!isLast)
      ring.send(builder, location, ofKeys);
    Value own = scoresOfPart(builder, ring, ofKeys, step);
    if (!isLast) {
      ofKeys = ring.receive(builder, location, ofKeys.getType());
      ring.send(builder, location, ofValues);
    }
    sofar = combined(builder, sofar, own, ofValues);
    if (!isLast)
      ofValues = ring.receive(builder, location, ofValues.getType());
  }
  pd::TensorBuilder e(builder, product);
  product->getResult(0).replaceAllUsesWith(e.wrap(sofar.weighted) / e.wrap(sofar.sum));
  product->erase();
  softmax->erase();
  for (const Link &link : llvm::reverse(chain))
    link.op->erase();
  scores->erase();
  values->erase();
  keys->erase();
}

RingAttention::Partial RingAttention::combined(OpBuilder &builder, const Partial &before, Value own,
                                               Value ofValues) {
  pd::TensorBuilder e(builder, product);
  int64_t axis = lastDim(own);
  pd::Expression x = e.wrap(own), largest = e.max(x, axis);
  if (before.sum)
    largest = e.maximum(e.wrap(before.maximum), largest);
  // Where all scores so far are -inf, their exponentials are 0.
  pd::Expression shift = e.select(largest < -std::numeric_limits<float>::max(), 0.0, largest);
  pd::Expression terms = e.exp(x - shift), sum = e.sum(terms, axis);
  Operation *clone = builder.clone(*product);
  clone->setOperands({terms, ofValues});
  [[maybe_unused]] LogicalResult isInferred = pd::inferAgain(clone);
  pd::Expression weighted = e.wrap(clone->getResult(0));
  if (before.sum) {
    pd::Expression factor = e.exp(e.wrap(before.maximum) - shift);
    sum = sum + e.wrap(before.sum) * factor;
    weighted = weighted + e.wrap(before.weighted) * factor;
  }
  return {largest, sum, weighted};
}

} // namespace proa
