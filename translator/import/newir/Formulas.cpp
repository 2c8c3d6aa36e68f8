//! Ops of the new IR without a record, which are formulas of pd ops.
#include "translator/import/common/TensorOps.h"
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/View.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace proa::import {

/// Of float16 every difference but zero is larger; complex numbers are compared exactly (docs/known-gaps.md).
void ModelImporter::importEquality(const newir::Operation &op) {
  Values x = op.inputs.empty() ? Values() : operand(op.inputs[0]);
  auto type = x.size() == 1 ? dyn_cast<RankedTensorType>(x[0].getType()) : RankedTensorType();
  Type element = type ? type.getElementType() : Type();
  if (!element || !(element.isF32() || element.isF64() || element.isBF16()))
    return importByTable(op);
  importByTable(op, builder.getNamedAttr("tolerance", builder.getF64FloatAttr(1e-15)));
}

void ModelImporter::importTruncDivide(const newir::Operation &op) {
  if (op.inputs.size() != 2)
    return report(llvm::Twine(op.inputs.size()) + " operands, expected 2");
  Values x = operand(op.inputs[0]), y = operand(op.inputs[1]);
  if (x.size() != 1 || y.size() != 1)
    return;
  Value quotient = build([&](pd::TensorBuilder &e) -> Value {
    pd::Expression exact = e.wrap(x[0]) / e.wrap(y[0]); // integers are rounded towards zero
    bool isFloat = isa<FloatType>(exact.type().getElementType());
    return isFloat ? e.create<pd::TruncOp>(exact) : Value(exact);
  });
  if (quotient)
    define(op, 0, {quotient});
}

/// As the epilogue of CUDA's library, whose gelu is the one by tanh.
static Value activated(pd::Expression x, llvm::StringRef activation) {
  pd::TensorBuilder &e = x.owner();
  if (activation == "relu")
    return e.create<pd::ReluOp>(x);
  if (activation == "gelu")
    return e.create<pd::GeluOp>(x, /*approximate=*/true);
  return x;
}

void ModelImporter::importFloat8Product(const newir::Operation &op) {
  auto flag = [&](const char *name) {
    const newir::Literal *literal = op.attribute(name);
    const bool *value = literal ? std::get_if<bool>(&literal->value) : nullptr;
    return value && *value;
  };
  std::string activation = text(op, "activation_type");
  if (op.inputs.size() != 3)
    return report(llvm::Twine(op.inputs.size()) + " operands, expected 3");
  if (!llvm::is_contained({"", "identity", "relu", "gelu"}, activation))
    return report("attribute 'activation_type' is '" + activation + "', expected identity, relu or gelu");
  Values x = operand(op.inputs[0]), y = operand(op.inputs[1]);
  Values bias = op.inputs[2] ? operand(op.inputs[2]) : Values();
  Type dtype = elementType(op, "output_dtype");
  if (x.size() != 1 || y.size() != 1 || isBlocked)
    return;
  const newir::Literal *scale = op.attribute("scale");
  double factor = scale ? newir::numberOf(*scale).value_or(1) : 1;
  Value out = build([&](pd::TensorBuilder &e) {
    Type wide = builder.getF32Type();
    pd::Expression product = e.matmul(e.cast(e.wrap(x[0]), wide), e.cast(e.wrap(y[0]), wide),
                                      flag("transpose_x"), flag("transpose_y"));
    product = hooks::scale(product, factor);
    if (bias.size() == 1)
      product = product + e.cast(e.wrap(bias[0]), wide);
    return Value(e.cast(e.wrap(activated(product, activation)), dtype));
  });
  if (out)
    define(op, 0, {out});
}

void ModelImporter::importAssignOut(const newir::Operation &op) {
  Values x = op.inputs.size() == 2 ? operand(op.inputs[0]) : Values();
  if (x.size() == 1)
    define(op, 0, x);
  else if (!isBlocked)
    report(llvm::Twine(op.inputs.size()) + " operands, expected two tensors");
}

/// The index of the lower median along an axis. NaNs are the last elements of the sorted ones. With a NaN the
/// index of a NaN, or if NaNs are skipped, the index of the median of the others (-1: all are NaN).
static Value medianIndex(pd::Expression x, int64_t axis, bool keepsDim, bool skipsNan) {
  pd::TensorBuilder &e = x.owner();
  Type wide = e.getBuilder().getI64Type();
  auto constant = [&](int64_t value) { return e.constant(static_cast<double>(value), wide); };
  auto sorted = pd::ArgsortOp::create(e.getBuilder(), Value(x).getLoc(), x, axis, /*descending=*/false,
                                      /*stable=*/true);
  pd::Expression isNan = e.isnan(x), isNumber = e.wrap(e.create<pd::LogicalNotOp>(isNan));
  pd::Expression count = e.wrap(e.create<pd::SumOp>(e.cast(isNumber, wide), llvm::ArrayRef(axis),
                                                    /*keepdim=*/true, TypeAttr()));
  pd::Expression position = e.maximum(count - constant(1), constant(0)) / constant(2);
  if (!skipsNan)
    position =
        e.select(e.wrap(e.create<pd::AnyOp>(isNan, llvm::ArrayRef(axis), /*keepdim=*/true)), count, position);
  pd::Expression index = e.wrap(e.create<pd::TakeAlongAxisOp>(sorted.getIndices(), position, axis));
  if (skipsNan)
    index = e.select(count == constant(0), constant(-1), index);
  return keepsDim ? Value(index) : e.create<pd::SqueezeOp>(index, Value(), llvm::ArrayRef(axis));
}

void ModelImporter::importMedian(const newir::Operation &op) {
  importByTable(op);
  const newir::Literal *axes = op.attribute("axis"), *keepdim = op.attribute("keepdim");
  Values x = isBlocked || op.inputs.empty() ? Values() : operand(op.inputs[0]);
  if (x.size() != 1 || op.outputs.size() < 2 || text(op, "mode") != "min" || !axes ||
      newir::integersOf(*axes).size() != 1)
    return;
  int64_t rank = pd::tensorType(x[0]).getRank(), axis = newir::integersOf(*axes).front();
  axis += axis < 0 ? rank : 0;
  const bool *keeps = keepdim ? std::get_if<bool>(&keepdim->value) : nullptr;
  Value index = build([&](pd::TensorBuilder &e) {
    return medianIndex(e.wrap(x[0]), axis, keeps && *keeps, /*skipsNan=*/op.name == "1.nanmedian");
  });
  if (index)
    define(op, 1, {index});
}

void ModelImporter::importIndexPut(const newir::Operation &op) {
  Values indices = op.inputs.size() == 3 ? operand(op.inputs[1]) : Values();
  auto isMask = [](Value index) { return getElementTypeOrSelf(index.getType()).isInteger(1); };
  if (llvm::none_of(indices, isMask))
    return importByTable(op);
  Values coordinates;
  build([&](pd::TensorBuilder &e) {
    llvm::append_range(coordinates, hooks::withoutMasks(e, indices));
    return coordinates.front();
  });
  llvm::SaveAndRestore scope(values[op.inputs[1]], coordinates);
  importByTable(op);
}

void ModelImporter::importPutAlongAxis(const newir::Operation &op) {
  newir::Operation own = op;
  std::string reduce;
  bool includesSelf = true;
  for (newir::Attribute &attribute : own.attributes) {
    auto *kind = std::get_if<std::string>(&attribute.value.value);
    if (kind && attribute.name == "reduce")
      reduce = *kind = *kind == "mul" ? "multiply" : *kind;
    if (auto *flag = std::get_if<bool>(&attribute.value.value); flag && attribute.name == "include_self")
      includesSelf = std::exchange(*flag, true);
  }
  auto form = hooks::PutAlongAxis::of(reduce, includesSelf);
  if (!form)
    return importByTable(own);
  form->floorsMeans = true;
  llvm::SmallVector<Value> operands;
  for (int64_t id : op.inputs)
    llvm::append_range(operands, operand(id));
  if (isBlocked)
    return;
  if (operands.size() != 3)
    return report(llvm::Twine(operands.size()) + " operands, expected 3");
  Value out = build([&](pd::TensorBuilder &e) {
    return form->build(e.wrap(operands[0]), operands[1], e.wrap(operands[2]), integer(op, "axis", 0));
  });
  if (out)
    define(op, 0, {out});
}

void ModelImporter::importRange(const newir::Operation &op) {
  if (op.inputs.size() != 3)
    return report(llvm::Twine(op.inputs.size()) + " operands, expected 3");
  Type dtype = elementType(op, "dtype");
  Values bounds;
  for (int64_t id : op.inputs) {
    Values bound = operand(id);
    if (bound.size() != 1)
      return;
    bounds.push_back(bound[0]);
  }
  Value out = build([&](pd::TensorBuilder &e) {
    pd::Expression start = e.cast(e.wrap(bounds[0]), dtype), last = e.cast(e.wrap(bounds[1]), dtype),
                   step = e.cast(e.wrap(bounds[2]), dtype);
    // The end of pd.arange is not an element: for integers one beyond the last, for floats half a step.
    pd::Expression end = last;
    if (isa<FloatType>(dtype)) {
      pd::Expression steps = e.wrap(e.create<pd::TruncOp>((last - start) / step));
      end = start + hooks::scale(steps, 1, 0.5) * step;
    } else {
      end = last + e.wrap(e.create<pd::SignOp>(step));
    }
    return e.create<pd::ArangeOp>(start, end, step, dtype);
  });
  if (out)
    define(op, 0, {out});
}

} // namespace proa::import
