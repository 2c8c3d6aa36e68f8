//! Slices of the new IR, and assignments to them.
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "translator/import/AlignedAxes.h"

#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace proa::import {

void ModelImporter::addBounds(const newir::Operation &op, size_t number, const char *name,
                              llvm::SmallVectorImpl<Values> &operands,
                              llvm::SmallVectorImpl<NamedAttribute> &attributes) {
  Values given = operand(op.inputs[number]);
  operands.emplace_back();
  if (given.empty())
    return;
  DenseIntElementsAttr known;
  if (!matchPattern(given[0], m_Constant(&known)))
    return void(operands.back() = given);
  llvm::SmallVector<int64_t> numbers;
  for (const APInt &value : known.getValues<APInt>())
    numbers.push_back(value.getSExtValue());
  attributes.push_back(builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(numbers)));
}

namespace {

constexpr int64_t toTheEnd = std::numeric_limits<int64_t>::max();

/// Backwards, -1 is the last element as an end here, and a start before the first element takes nothing. In
/// pd.slice an end past the last element does so.
void takeNothingBackwards(RankedTensorType type, llvm::ArrayRef<int64_t> axes,
                          std::optional<llvm::ArrayRef<int64_t>> starts, llvm::MutableArrayRef<int64_t> ends,
                          llvm::ArrayRef<int64_t> strides) {
  for (size_t i = 0; i < std::min({axes.size(), ends.size(), strides.size()}); ++i) {
    int64_t axis = axes[i] < 0 ? axes[i] + type.getRank() : axes[i];
    if (strides[i] >= 0 || axis < 0 || axis >= type.getRank())
      continue;
    bool isBeforeTheFirst =
        starts && i < starts->size() && !type.isDynamicDim(axis) && (*starts)[i] < -type.getDimSize(axis);
    if (ends[i] == -1 || isBeforeTheFirst)
      ends[i] = toTheEnd;
  }
}

} // namespace

/// The same of ends that only the run knows.
Value ModelImporter::backwardEnds(Value ends, llvm::ArrayRef<int64_t> strides) {
  if (llvm::none_of(strides, [](int64_t stride) { return stride < 0; }))
    return ends;
  auto constant = [&](llvm::ArrayRef<int64_t> numbers) {
    auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, builder.getI64Type());
    return pd::ConstantOp::create(builder, location(), type, DenseElementsAttr::get(type, numbers));
  };
  llvm::SmallVector<int64_t> lasts; // what means the last element; forwards there is nothing to replace
  for (int64_t stride : strides)
    lasts.push_back(stride < 0 ? -1 : toTheEnd);
  auto wide = [&](Value value) {
    return make("pd.cast", {{value}}, {builder.getNamedAttr("dtype", TypeAttr::get(builder.getI64Type()))});
  };
  Value given = wide(ends);
  Value isLast = given ? make("pd.equal", {{given}, {constant(lasts)}}) : Value();
  return isLast ? make("pd.where", {{isLast}, {constant({toTheEnd})}, {given}}) : Value();
}

void ModelImporter::addSlice(const newir::Operation &op, Value x, size_t first, const char *strides,
                             llvm::SmallVectorImpl<Values> &operands,
                             llvm::SmallVectorImpl<NamedAttribute> &attributes) {
  const newir::Literal *literal = op.attribute("axes");
  std::vector<int64_t> axes = literal ? newir::integersOf(*literal) : std::vector<int64_t>();
  attributes.push_back(builder.getNamedAttr("axes", builder.getDenseI64ArrayAttr(axes)));
  const char *const names[] = {"starts", "ends", strides};
  for (auto [i, name] : llvm::enumerate(names))
    addBounds(op, first + i, name, operands, attributes);
  NamedAttrList known(attributes);
  auto list = [&](llvm::StringRef name) { return dyn_cast_or_null<DenseI64ArrayAttr>(known.get(name)); };
  auto steps = list(strides);
  Values &ends = operands[operands.size() - 2];
  if (!steps || isBlocked)
    return;
  if (auto numbers = list("ends")) {
    llvm::SmallVector<int64_t> changed(numbers.asArrayRef());
    std::optional<llvm::ArrayRef<int64_t>> starts;
    if (auto given = list("starts"))
      starts = given.asArrayRef();
    takeNothingBackwards(pd::tensorType(x), axes, starts, changed, steps);
    known.set("ends", builder.getDenseI64ArrayAttr(changed));
    attributes.assign(known.begin(), known.end());
  } else if (ends.size() == 1) {
    ends = {backwardEnds(ends[0], steps)};
  }
}

void ModelImporter::importStridedSlice(const newir::Operation &op) {
  Values x = op.inputs.size() == 4 ? operand(op.inputs[0]) : Values();
  if (x.size() != 1 || !op.attribute("axes"))
    return isBlocked ? void() : report("expected four operands and the attribute 'axes'");
  llvm::SmallVector<Values> operands{x};
  llvm::SmallVector<NamedAttribute> attributes;
  addSlice(op, x[0], 1, "strides", operands, attributes);
  if (Value out = isBlocked ? Value() : make("pd.slice", operands, attributes))
    define(op, 0, {out});
}

void ModelImporter::importSetValue(const newir::Operation &op) {
  bool hasTensor = llvm::StringRef(op.name).contains("with_tensor");
  if (op.inputs.size() != (hasTensor ? 5U : 4U))
    return report(llvm::Twine(op.inputs.size()) + " operands, expected " + llvm::Twine(hasTensor ? 5 : 4));
  Values x = operand(op.inputs[0]);
  if (x.size() != 1)
    return;
  auto type = cast<RankedTensorType>(x[0].getType());
  Values given = hasTensor ? operand(op.inputs[1]) : Values{literalValues(op, type.getElementType())};
  if (given.size() != 1 || !given[0])
    return;
  auto axesNamed = [&](const char *name) {
    const newir::Literal *literal = op.attribute(name);
    return literal ? newir::integersOf(*literal) : std::vector<int64_t>();
  };
  Value value = given[0];
  if (pd::tensorType(value).getElementType() != type.getElementType())
    value = make("pd.cast", {{value}}, {builder.getNamedAttr("dtype", TypeAttr::get(type.getElementType()))});
  if (value)
    value = alignedValue(value, type.getRank(), axesNamed("decrease_axes"), axesNamed("none_axes"));
  if (!value)
    return;
  llvm::SmallVector<Values> operands{x, {value}};
  llvm::SmallVector<NamedAttribute> attributes;
  addSlice(op, x[0], hasTensor ? 2 : 1, "steps", operands, attributes);
  if (!isBlocked)
    if (Value out = make("pd.set_value", operands, attributes))
      define(op, 0, {out});
}

Value ModelImporter::alignedValue(Value value, int64_t rank, llvm::ArrayRef<int64_t> decreased,
                                  llvm::ArrayRef<int64_t> none) {
  AlignedAxes axes = alignedAxes(pd::tensorType(value).getRank(), rank, decreased, none);
  auto named = [&](llvm::ArrayRef<int64_t> list) {
    return builder.getNamedAttr("axis", builder.getDenseI64ArrayAttr(list));
  };
  if (!axes.dropped.empty())
    value = make("pd.squeeze", {{value}, {}}, {named(axes.dropped)});
  return value && !axes.inserted.empty() ? make("pd.unsqueeze", {{value}, {}}, {named(axes.inserted)})
                                         : value;
}

} // namespace proa::import
