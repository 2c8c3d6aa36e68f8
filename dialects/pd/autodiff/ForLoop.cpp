#include "dialects/pd/autodiff/ForLoop.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/autodiff/LoopStep.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// An index as an int64 vector of one element; null if it is neither a constant nor a tensor element.
Value tensorOf(OpBuilder &builder, Value index) {
  if (APInt constant; matchPattern(index, m_ConstantInt(&constant)))
    return oneInt(builder, index.getLoc(), constant.getSExtValue());
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  auto extract = cast ? cast.getIn().getDefiningOp<tensor::ExtractOp>() : tensor::ExtractOp();
  if (!extract || !extract.getIndices().empty())
    return {};
  Value tensor = extract.getTensor();
  if (!tensorType(tensor).getElementType().isInteger(64))
    tensor = CastOp::create(builder, index.getLoc(), tensor, TypeAttr::get(builder.getI64Type()));
  return ReshapeOp::create(builder, index.getLoc(), tensor, Value(), builder.getDenseI64ArrayAttr({1}));
}

/// The tensor.from_elements ops on the induction variable; failure, after an error, for any other use.
FailureOr<SmallVector<tensor::FromElementsOp>> indexTensors(scf::ForOp loop) {
  SmallVector<tensor::FromElementsOp> tensors;
  for (Operation *user : llvm::make_early_inc_range(loop.getInductionVar().getUsers())) {
    if (isOpTriviallyDead(user)) {
      user->erase();
      continue;
    }
    if (!isa<arith::IndexCastOp>(user))
      return user->emitError()
             << "expected the induction variable of scf.for to be used as the element of a tensor only "
                "(arith.index_cast, tensor.from_elements)";
    for (Operation *reader : user->getUsers()) {
      auto fromElements = dyn_cast<tensor::FromElementsOp>(reader);
      if (!fromElements || fromElements.getElements().size() != 1)
        return reader->emitError()
               << "expected the induction variable of scf.for to be used as the element of a tensor "
                  "only (arith.index_cast, tensor.from_elements)";
      tensors.push_back(fromElements);
    }
  }
  return tensors;
}

/// Erases unused casts of tensor elements to loop bounds: the transforms have no rules for these index
/// values.
void eraseUnusedBounds(Operation *root) {
  SmallVector<arith::IndexCastOp> casts;
  root->walk([&](arith::IndexCastOp cast) { casts.push_back(cast); });
  for (arith::IndexCastOp cast : casts) {
    Operation *extract = cast.getIn().getDefiningOp();
    if (!isOpTriviallyDead(cast))
      continue;
    cast.erase();
    if (isa_and_present<tensor::ExtractOp>(extract) && isOpTriviallyDead(extract))
      extract->erase();
  }
}

} // namespace

FailureOr<LoopStep> LoopStep::create(scf::ForOp loop) {
  auto tensors = indexTensors(loop);
  if (failed(tensors))
    return failure();
  return LoopStep(loop, std::move(*tensors));
}

SmallVector<Value> LoopStep::write(OpBuilder &builder, Value iteration, IRMapping mapping) const {
  scf::ForOp loop = this->loop;
  Location location = loop.getLoc();
  Value lower = tensorOf(builder, loop.getLowerBound()), step = tensorOf(builder, loop.getStep());
  Value index =
      AddOp::create(builder, location, lower, MultiplyOp::create(builder, location, iteration, step));
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  for (tensor::FromElementsOp original : tensors) {
    auto clone = mapping.lookup(original.getResult()).getDefiningOp<tensor::FromElementsOp>();
    OpBuilder before(clone);
    Value value = index;
    if (Type element = clone.getType().getElementType(); !element.isInteger(64))
      value = CastOp::create(before, location, value, TypeAttr::get(element));
    value = ReshapeOp::create(before, location, value, Value(),
                              before.getDenseI64ArrayAttr(clone.getType().getShape()));
    Operation *cast = clone.getElements().front().getDefiningOp();
    clone.replaceAllUsesWith(value);
    mapping.map(original.getResult(), value);
    clone.erase();
    if (cast->use_empty())
      cast->erase();
  }
  return llvm::map_to_vector(loop.getBody()->getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

LogicalResult checkBounds(OpBuilder &builder, scf::ForOp loop) {
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    if (!tensorOf(builder, bound))
      return loop.emitError()
             << "expected bounds and a step of scf.for that are constants or elements of tensors "
                "(arith.index_cast of tensor.extract)";
  for (Type type : loop.getResultTypes())
    if (!isa<RankedTensorType, ArrayType>(type))
      return loop.emitError() << "expected scf.for to carry tensors, found " << type;
  return success();
}

std::optional<int64_t> iterationsOf(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.getSExtValue() <= 0)
    return std::nullopt;
  int64_t length = upper.getSExtValue() - lower.getSExtValue();
  return length <= 0 ? 0 : (length + step.getSExtValue() - 1) / step.getSExtValue();
}

Value iterationCount(OpBuilder &builder, scf::ForOp loop) {
  Location location = loop.getLoc();
  if (auto tripCount = iterationsOf(loop))
    return oneInt(builder, location, *tripCount);
  Value lower = tensorOf(builder, loop.getLowerBound()), upper = tensorOf(builder, loop.getUpperBound()),
        width = tensorOf(builder, loop.getStep());
  Value length = SubtractOp::create(builder, location, upper, lower);
  length = AddOp::create(builder, location, length, width);
  length = SubtractOp::create(builder, location, length, oneInt(builder, location, 1));
  return FloorDivideOp::create(builder, location, length, width);
}

LogicalResult lowerFor(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  auto step = LoopStep::create(loop);
  if (failed(step) || failed(checkBounds(builder, loop)))
    return failure();
  auto results = countedLoop(builder, location, iterationCount(builder, loop), loop.getInitArgs(),
                             [&](OpBuilder &inside, Value index, ValueRange carried) {
                               IRMapping mapping;
                               mapping.map(loop.getRegionIterArgs(), carried);
                               return step->write(inside, index, mapping);
                             });
  loop.replaceAllUsesWith(results);
  loop.erase();
  return success();
}

LogicalResult lowerForLoops(Operation *root, bool keepSnapshots) {
  if (!keepSnapshots && failed(expandLoopGradients(root)))
    return failure();
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { // post-order: inner loops first
    if (!keepSnapshots || !loop->hasAttr(snapshotsAttribute))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    if (failed(lowerFor(loop)))
      return failure();
  eraseUnusedBounds(root);
  return success();
}

} // namespace proa::pd
