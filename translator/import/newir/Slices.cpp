//! Slices of the new IR, and assignments to them.
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/Infer.h"
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

void ModelImporter::importStridedSlice(const newir::Operation &op) {
  Values x = op.inputs.size() == 4 ? operand(op.inputs[0]) : Values();
  const newir::Literal *literal = op.attribute("axes");
  if (x.size() != 1 || !literal)
    return isBlocked ? void() : report("expected four operands and the attribute 'axes'");
  llvm::ArrayRef<int64_t> dims = pd::tensorType(x[0]).getShape();
  std::vector<int64_t> axes = newir::integersOf(*literal);
  llvm::SmallVector<Values> operands{x};
  llvm::SmallVector<NamedAttribute> attributes{
      builder.getNamedAttr("axes", builder.getDenseI64ArrayAttr(axes))};
  constexpr const char *bounds[] = {"starts", "ends", "strides"};
  for (auto [i, name] : llvm::enumerate(bounds))
    addBounds(op, 1 + i, name, operands, attributes);
  auto listNamed = [&](llvm::StringRef name) {
    for (NamedAttribute attribute : attributes)
      if (attribute.getName() == name)
        return llvm::SmallVector<int64_t>(cast<DenseI64ArrayAttr>(attribute.getValue()).asArrayRef());
    return llvm::SmallVector<int64_t>();
  };
  llvm::SmallVector<int64_t> ends = listNamed("ends"), strides = listNamed("strides");
  for (size_t i = 0; i < std::min({ends.size(), strides.size(), axes.size()}); ++i) {
    int64_t axis = axes[i] < 0 ? axes[i] + static_cast<int64_t>(dims.size()) : axes[i];
    if (strides[i] >= 0 || ends[i] >= 0 || axis < 0 || axis >= static_cast<int64_t>(dims.size()))
      continue;
    if (ShapedType::isDynamic(dims[axis]) && ends[i] > std::numeric_limits<int32_t>::min())
      return report("an end counted from the end of an open dimension, backwards, is not supported");
    ends[i] = ShapedType::isDynamic(dims[axis]) ? -1 : std::max<int64_t>(ends[i] + dims[axis], -1);
  }
  for (NamedAttribute &attribute : attributes)
    if (attribute.getName() == "ends")
      attribute = builder.getNamedAttr("ends", builder.getDenseI64ArrayAttr(ends));
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
  llvm::SmallVector<NamedAttribute> attributes{
      builder.getNamedAttr("axes", builder.getDenseI64ArrayAttr(axesNamed("axes")))};
  size_t first = hasTensor ? 2 : 1;
  constexpr const char *bounds[] = {"starts", "ends", "steps"};
  for (auto [i, name] : llvm::enumerate(bounds))
    addBounds(op, first + i, name, operands, attributes);
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
