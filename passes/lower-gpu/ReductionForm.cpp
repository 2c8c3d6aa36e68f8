#include "passes/lower-gpu/ReductionForm.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa {

bool isReductionLoop(linalg::LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

bool reducesColumns(linalg::LinalgOp op) {
  return op.getNumReductionLoops() > 0 && !isReductionLoop(op, op.getNumLoops() - 1) && Combiner::of(op);
}

bool canShuffle(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF32() || type.isF64();
}

SmallVector<Type> Combiner::types() const {
  return llvm::map_to_vector(accumulators, [](Value value) { return value.getType(); });
}

SmallVector<Value> Combiner::neutral(OpBuilder &builder, Location loc) const {
  return llvm::map_to_vector(neutrals, [&](TypedAttr attribute) -> Value {
    return arith::ConstantOp::create(builder, loc, attribute);
  });
}

SmallVector<Value> Combiner::build(OpBuilder &builder, ValueRange left, ValueRange right) const {
  IRMapping map;
  map.map(ValueRange(accumulators), left);
  map.map(ValueRange(terms), right);
  for (Operation *op : code)
    builder.clone(*op, map);
  return llvm::map_to_vector(yielded, [&](Value value) { return map.lookup(value); });
}

/// Each result is an op on its accumulator and a term.
bool Combiner::readSeparate(linalg::LinalgOp op) {
  for (auto [argument, result] : llvm::zip(op.getRegionOutputArgs(), yielded)) {
    Operation *combine = result.getDefiningOp();
    if (!combine || combine->getNumOperands() != 2 || !argument.hasOneUse() || !result.hasOneUse() ||
        *argument.user_begin() != combine)
      return false;
    // Subtraction and division have no neutral element here, so the op commutes.
    std::optional<TypedAttr> neutral = arith::getNeutralElement(combine);
    if (!neutral)
      return false;
    terms.push_back(combine->getOperand(combine->getOperand(0) == argument ? 1 : 0));
    neutrals.push_back(*neutral);
    code.push_back(combine);
  }
  return true;
}

/// Each result is selected from its accumulator and a term; conditions depend on accumulators and terms.
bool Combiner::readTogether(linalg::LinalgOp op) {
  auto loops = op->getAttrOfType<LoopsAttr>(loopsAttribute);
  ArrayAttr given = loops ? loops.getNeutral() : ArrayAttr();
  if (!given || given.size() != yielded.size())
    return false;
  for (auto [accumulator, result, attribute] : llvm::zip(accumulators, yielded, given)) {
    auto select = result.getDefiningOp<arith::SelectOp>();
    auto neutral = dyn_cast<TypedAttr>(attribute);
    bool isFirst = select && select.getTrueValue() == accumulator;
    if (!select || (!isFirst && select.getFalseValue() != accumulator) || !neutral ||
        neutral.getType() != accumulator.getType())
      return false;
    terms.push_back(isFirst ? select.getFalseValue() : select.getTrueValue());
    neutrals.push_back(neutral);
  }
  llvm::SmallPtrSet<Operation *, 16> needed;
  for (Value result : yielded)
    if (!addCode(result, op.getBlock(), needed))
      return false;
  for (Operation &inner : op.getBlock()->without_terminator())
    if (needed.contains(&inner))
      code.push_back(&inner);
  return true;
}

/// A maximum m and a sum s relative to it; the sum with the smaller m is rescaled (proa-form-online-sums):
/// s = select(c, t, s) + select(c, s, t) * f, where c and f depend on maxima only.
bool Combiner::readOnline(linalg::LinalgOp op) {
  Operation *greatest = yielded.size() == 2 ? yielded[0].getDefiningOp() : nullptr;
  auto sum = yielded.back().getDefiningOp<arith::AddFOp>();
  if (!isa_and_present<arith::MaximumFOp, arith::MaxNumFOp>(greatest) ||
      greatest->getOperand(0) != accumulators[0] || !sum)
    return false;
  auto larger = sum.getLhs().getDefiningOp<arith::SelectOp>();
  auto product = sum.getRhs().getDefiningOp<arith::MulFOp>();
  auto smaller = product ? product.getLhs().getDefiningOp<arith::SelectOp>() : arith::SelectOp();
  if (!larger || !smaller || larger.getCondition() != smaller.getCondition() ||
      larger.getFalseValue() != accumulators[1] || smaller.getTrueValue() != accumulators[1] ||
      larger.getTrueValue() != smaller.getFalseValue())
    return false;
  terms = {greatest->getOperand(1), larger.getTrueValue()};
  Builder builder(op.getContext());
  Type type = accumulators[0].getType();
  const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
  neutrals = {builder.getFloatAttr(type, APFloat::getInf(semantics, /*Negative=*/true)),
              builder.getFloatAttr(accumulators[1].getType(), 0)};
  llvm::SmallPtrSet<Operation *, 16> needed;
  if (!llvm::all_of(yielded, [&](Value result) { return addCode(result, op.getBlock(), needed); }))
    return false;
  for (Operation &inner : op.getBlock()->without_terminator())
    if (needed.contains(&inner))
      code.push_back(&inner);
  isOnline = true;
  return true;
}

/// Adds the ops that compute `value` from accumulators and terms. False if it depends on something else of
/// the body.
bool Combiner::addCode(Value value, Block *body, llvm::SmallPtrSetImpl<Operation *> &needed) const {
  if (llvm::is_contained(accumulators, value) || llvm::is_contained(terms, value))
    return true;
  Operation *op = value.getDefiningOp();
  if (value.getParentBlock() != body)
    return true; // of the kernel
  if (!op || op->getNumRegions() > 0 || isa<linalg::IndexOp>(op))
    return false;
  if (!needed.insert(op).second)
    return true;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return addCode(operand, body, needed); });
}

std::optional<Combiner> Combiner::of(linalg::LinalgOp op) {
  Combiner combiner;
  for (BlockArgument argument : op.getRegionOutputArgs()) {
    if (!canShuffle(argument.getType()))
      return std::nullopt;
    combiner.accumulators.push_back(argument);
  }
  llvm::append_range(combiner.yielded, op.getBlock()->getTerminator()->getOperands());
  if (combiner.readSeparate(op))
    return combiner;
  for (auto read : {&Combiner::readTogether, &Combiner::readOnline}) {
    combiner.terms.clear(), combiner.neutrals.clear(), combiner.code.clear();
    if ((combiner.*read)(op))
      return combiner;
  }
  return std::nullopt;
}

} // namespace proa
