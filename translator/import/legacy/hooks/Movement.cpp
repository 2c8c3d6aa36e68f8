//! Hooks of gather and scatter ops.
#include "translator/import/common/AlignedAxes.h"
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// The one-element tensors in a slot, stacked; null for an empty slot.
Value stacked(OpImporter &importer, llvm::StringRef slot) {
  return importer.stackScalars(importer.inputs(slot));
}

} // namespace

void importGather(OpImporter &importer) {
  Value index = importer.requiredInput("Index");
  if (!index)
    return;
  // A matrix of one column is used as a vector.
  auto type = pd::tensorType(index);
  if (type.getRank() == 2 && type.getDimSize(1) == 1)
    importer.overrideInput(
        "Index",
        importer.tensors().reshape(importer.wrap(index), {type.isDynamicDim(0) ? -1 : type.getDimSize(0)}));
  importer.importByTable();
}

std::optional<PutAlongAxis> PutAlongAxis::of(llvm::StringRef reduce, bool includesSelf) {
  bool isMean = reduce == "mean";
  auto kind = isMean ? pd::ScatterReduce::Add : pd::symbolizeScatterReduce(reduce);
  if (!kind || (!isMean && (includesSelf || kind == pd::ScatterReduce::Assign)))
    return std::nullopt;
  return PutAlongAxis{*kind, isMean, includesSelf};
}

/// x with the addressed elements replaced by the neutral element of the reduction.
static Expression withoutAddressed(pd::ScatterReduce reduce, Expression x, Value indices, Expression values,
                                   int64_t axis) {
  Type element = x.type().getElementType();
  bool isExtreme = reduce == pd::ScatterReduce::Amin || reduce == pd::ScatterReduce::Amax;
  // Of integers any of the values is neutral in an extreme of them.
  if (isExtreme && !isa<FloatType>(element))
    return apply<pd::PutAlongAxisOp>(x, indices, values, axis);
  double infinity = std::numeric_limits<double>::infinity();
  double neutral = reduce == pd::ScatterReduce::Amin       ? infinity
                   : reduce == pd::ScatterReduce::Amax     ? -infinity
                   : reduce == pd::ScatterReduce::Multiply ? 1
                                                           : 0;
  return apply<pd::PutAlongAxisOp>(x, indices, fullLike(x.owner().wrap(indices), neutral, element), axis);
}

Expression PutAlongAxis::build(Expression x, Value indices, Expression values, int64_t axis) const {
  TensorBuilder &e = x.owner();
  Type element = x.type().getElementType();
  auto put = [&](Expression to, Expression what) {
    return apply<pd::PutAlongAxisOp>(to, indices, what, axis, reduce);
  };
  // Sums and counts are more than 16 bits hold.
  bool isHalf = isMean && isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  Type wide = isHalf ? Type(e.getBuilder().getF32Type()) : element;
  x = e.cast(x, wide);
  values = e.cast(values, wide);
  Expression start = includesSelf ? x : withoutAddressed(reduce, x, indices, values, axis);
  Expression out = put(start, values);
  if (!isMean)
    return out;
  Expression ones = fullLike(x, 1), updates = fullLike(e.wrap(indices), 1, wide);
  Expression counts =
      put(includesSelf ? ones : withoutAddressed(reduce, ones, indices, updates, axis), updates);
  bool floors = floorsMeans && isa<IntegerType>(wide);
  return e.cast(floors ? apply<pd::FloorDivideOp>(out, counts) : out / counts, element);
}

/// Drops values outside of the shape of the indices.
static void trimValues(OpImporter &importer) {
  Value given = importer.requiredInput("Value"), index = importer.requiredInput("Index");
  if (!given || !index || pd::tensorType(given).getRank() != pd::tensorType(index).getRank())
    return;
  auto from = pd::tensorType(given), to = pd::tensorType(index);
  Expression values = importer.wrap(given);
  if (from.hasStaticShape() && to.hasStaticShape()) {
    for (auto [axis, size] : llvm::enumerate(to.getShape()))
      if (from.getDimSize(axis) > size)
        values = slice(values, axis, 0, size);
  } else {
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, to.getRank()));
    llvm::SmallVector<int64_t> starts(axes.size(), 0);
    Expression ends = apply<pd::ShapeOp>(importer.wrap(index));
    values = apply<pd::SliceOp>(values, Value(), ends, Value(), axes, starts);
  }
  importer.overrideInput("Value", values);
}

void importPutAlongAxis(OpImporter &importer) {
  std::string reduce = importer.stringAttribute("Reduce", "assign");
  if (reduce == "mul")
    importer.overrideAttribute("Reduce", importer.getBuilder().getStringAttr(reduce = "multiply"));
  trimValues(importer);
  auto form = PutAlongAxis::of(reduce, importer.boolAttribute("Include_self", true));
  if (!form)
    return importer.importByTable();
  Value x = importer.requiredInput("Input"), index = importer.requiredInput("Index"),
        values = importer.requiredInput("Value");
  if (x && index && values)
    importer.setOutput("Result", form->build(importer.wrap(x), index, importer.wrap(values),
                                             importer.intAttribute("Axis", 0)));
}

namespace {

/// The literal values of a set_value, from the attribute that has them, as a constant.
Value literalValues(OpImporter &importer, Type element) {
  llvm::SmallVector<double> values;
  llvm::SmallVector<int64_t> integers, shape = importer.intsAttribute("shape");
  for (const char *name :
       {"values", "bool_values", "int32_values", "int64_values", "fp32_values", "fp64_values", "fp16_values"})
    if (values.empty()) {
      values = importer.floatsAttribute(name);
      integers = importer.intsAttribute(name);
    }
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  if (values.empty() || count != static_cast<int64_t>(values.size())) {
    importer.report("set_value holds " + llvm::Twine(values.size()) + " values for a shape of " +
                    llvm::Twine(count) + " elements");
    return {};
  }
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<Attribute> elements;
  for (auto [value, integer] : llvm::zip(values, integers)) {
    if (isa<FloatType>(element))
      elements.push_back(builder.getFloatAttr(element, value));
    else if (isa<IntegerType>(element))
      elements.push_back(builder.getIntegerAttr(element, integer));
  }
  if (elements.empty()) {
    importer.report("literal values of a set_value on complex numbers are not supported");
    return {};
  }
  return importer.constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), elements));
}

/// The value aligned with the slice that it replaces.
Value alignedValue(OpImporter &importer, Value value, int64_t rank) {
  AlignedAxes axes =
      alignedAxes(pd::tensorType(value).getRank(), rank, importer.intsAttribute("decrease_axes"),
                  importer.intsAttribute("none_axes"));
  TensorBuilder &e = importer.tensors();
  if (!axes.dropped.empty())
    value = e.create<pd::SqueezeOp>(value, Value(), axes.dropped);
  return axes.inserted.empty() ? value : e.create<pd::UnsqueezeOp>(value, Value(), axes.inserted);
}

} // namespace

void importSetValue(OpImporter &importer) {
  Value x = importer.requiredInput("Input");
  if (!x)
    return;
  auto type = pd::tensorType(x);
  Value value = importer.input("ValueTensor");
  if (!value)
    value = literalValues(importer, type.getElementType());
  if (!value)
    return;
  TensorBuilder &e = importer.tensors();
  value = alignedValue(importer, e.cast(e.wrap(value), type.getElementType()), type.getRank());
  Value starts = stacked(importer, "StartsTensorList"), ends = stacked(importer, "EndsTensorList"),
        steps = stacked(importer, "StepsTensorList");
  // A tensor replaces the attribute.
  auto literal = [&](Value tensor, llvm::StringRef name) {
    return tensor ? llvm::SmallVector<int64_t>() : importer.intsAttribute(name);
  };
  importer.setOutput("Out", e.create<pd::SetValueOp>(
                                x, value, starts, ends, steps, importer.intsAttribute("axes"),
                                literal(starts, "starts"), literal(ends, "ends"), literal(steps, "steps")));
}

Operands withoutMasks(TensorBuilder &e, ValueRange indices) {
  Operands coordinates;
  for (Value index : indices) {
    auto type = pd::tensorType(index);
    if (!type.getElementType().isInteger(1)) {
      coordinates.push_back(index);
      continue;
    }
    Expression positions = apply<pd::NonzeroOp>(e.wrap(index));
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      coordinates.push_back(e.reshape(columns(positions, axis, axis + 1), {-1}));
  }
  return coordinates;
}

void importIndexPut(OpImporter &importer) {
  importer.overrideInputs("indices", withoutMasks(importer.tensors(), importer.inputs("indices")));
  importer.importByTable();
}

} // namespace proa::import::hooks
