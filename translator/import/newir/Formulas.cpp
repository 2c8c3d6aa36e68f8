//! Ops of the new IR that are formulas of pd ops and have no record of their own.
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "translator/import/CreateOp.h"

#include <utility>

using namespace mlir;

namespace proa::import {

Value ModelImporter::formula(llvm::StringRef name, llvm::ArrayRef<Values> operands,
                             llvm::ArrayRef<NamedAttribute> attributes) {
  for (const Values &group : operands)
    if (llvm::is_contained(group, Value()))
      return {};
  return isBlocked ? Value() : make(name, operands, attributes);
}

void ModelImporter::importTruncDivide(const newir::Operation &op) {
  if (op.inputs.size() != 2)
    return report(llvm::Twine(op.inputs.size()) + " operands, expected 2");
  Values x = operand(op.inputs[0]), y = operand(op.inputs[1]);
  if (x.size() != 1 || y.size() != 1)
    return;
  Value quotient = formula("pd.divide", {x, y}); // that of integers is rounded towards zero
  if (quotient && isa<FloatType>(pd::tensorType(quotient).getElementType()))
    quotient = formula("pd.trunc", {{quotient}});
  if (quotient)
    define(op, 0, {quotient});
}

void ModelImporter::importAssignOut(const newir::Operation &op) {
  Values x = op.inputs.size() == 2 ? operand(op.inputs[0]) : Values();
  if (x.size() == 1)
    define(op, 0, x);
  else if (!isBlocked)
    report(llvm::Twine(op.inputs.size()) + " operands, expected two tensors");
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
  auto named = [&](llvm::StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  auto flag = [&](llvm::StringRef name) { return builder.getNamedAttr(name, builder.getBoolAttr(true)); };
  NamedAttribute wide = typeNamed("dtype", builder.getI64Type());
  NamedAttribute along = builder.getNamedAttr("axis", builder.getDenseI64ArrayAttr({axis}));
  auto number = [&](int64_t value) -> Values {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    return {pd::ConstantOp::create(builder, location(), type, DenseElementsAttr::get(type, value))};
  };
  Operation *sorted = createOp(builder, location(), "pd.argsort", {x}, {named("axis", axis), flag("stable")});
  if (!sorted)
    return report(std::exchange(diagnostics, {}));
  // NaNs follow the `count` numbers.
  Value isNan = formula("pd.isnan", {x});
  Value count = formula("pd.sum", {{formula("pd.cast", {{formula("pd.logical_not", {{isNan}})}}, {wide})}},
                        {along, flag("keepdim")});
  Value before = formula("pd.maximum", {{formula("pd.subtract", {{count}, number(1)})}, number(0)});
  Value place = formula("pd.divide", {{before}, number(2)});
  bool passesOverNan = op.name == "1.nanmedian";
  if (!passesOverNan) {
    Value hasNan = formula("pd.any", {{isNan}}, {along, flag("keepdim")});
    place = formula("pd.where", {{hasNan}, {count}, {place}});
  }
  Value where = formula("pd.take_along_axis", {{sorted->getResult(1)}, {place}}, {named("axis", axis)});
  if (passesOverNan)
    where = formula("pd.where", {{formula("pd.equal", {{count}, number(0)})}, number(-1), {where}});
  const bool *keeps = keepdim ? std::get_if<bool>(&keepdim->value) : nullptr;
  if (!keeps || !*keeps)
    where = formula("pd.squeeze", {{where}, {}}, {along});
  if (where)
    define(op, 1, {where});
}

void ModelImporter::importRange(const newir::Operation &op) {
  if (op.inputs.size() != 3)
    return report(llvm::Twine(op.inputs.size()) + " operands, expected 3");
  Type dtype = elementType(op, "dtype");
  Value bounds[3];
  for (auto [bound, id] : llvm::zip(bounds, op.inputs)) {
    Values given = operand(id);
    if (given.size() != 1)
      return;
    bound = formula("pd.cast", {given}, {typeNamed("dtype", dtype)});
  }
  auto [start, end, step] = bounds;
  // pd.arange leaves its end out. Of integers that end is the next one, of floats half a step behind the
  // last.
  Value behind, steps = formula("pd.subtract", {{end}, {start}});
  if (isa<FloatType>(dtype)) {
    auto number = [&](llvm::StringRef name, double value) {
      return builder.getNamedAttr(name, builder.getF64FloatAttr(value));
    };
    steps = formula("pd.trunc", {{formula("pd.divide", {{steps}, {step}})}});
    steps = formula("pd.scale", {{steps}, {}, {}}, {number("scale", 1), number("bias", 0.5)});
    behind = formula("pd.add", {{start}, {formula("pd.multiply", {{steps}, {step}})}});
  } else {
    behind = formula("pd.add", {{end}, {formula("pd.sign", {{step}})}});
  }
  if (Value out = formula("pd.arange", {{start}, {behind}, {step}}, {typeNamed("dtype", dtype)}))
    define(op, 0, {out});
}

} // namespace proa::import
