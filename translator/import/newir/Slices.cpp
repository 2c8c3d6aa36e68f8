//! Slices of the new IR, and assignments to them.
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "translator/import/common/AlignedAxes.h"

#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace proa::import {

/// The axes of a slice, and for starts, ends and strides constants or a tensor.
struct ModelImporter::SliceOperands {
  std::vector<int64_t> axes;
  llvm::SmallVector<int64_t> constants[3];
  Value tensors[3];
};

namespace {

constexpr int64_t toTheEnd = std::numeric_limits<int64_t>::max();

/// For a negative stride the new IR has -1 for the last element as an end, and a start before the first
/// element gives an empty slice. In pd.slice an end after the last element gives an empty slice.
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

/// The same for ends that are unknown before the run.
Value ModelImporter::backwardEnds(Value ends, llvm::ArrayRef<int64_t> strides) {
  if (llvm::none_of(strides, [](int64_t stride) { return stride < 0; }))
    return ends;
  llvm::SmallVector<int64_t> lasts; // ends that mean the last element; no end does for positive strides
  for (int64_t stride : strides)
    lasts.push_back(stride < 0 ? -1 : toTheEnd);
  return build([&](pd::TensorBuilder &e) {
    pd::Expression wide = e.cast(e.wrap(ends), builder.getI64Type());
    return e.select(wide == e.wrap(integers(lasts)), e.wrap(integers({toTheEnd})), wide);
  });
}

ModelImporter::SliceOperands ModelImporter::sliceOperands(const newir::Operation &op, Value x, size_t first) {
  SliceOperands slice;
  if (const newir::Literal *literal = op.attribute("axes"))
    slice.axes = newir::integersOf(*literal);
  bool isKnown[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    Values bound = operand(op.inputs[first + i]);
    DenseIntElementsAttr elements;
    isKnown[i] = !bound.empty() && matchPattern(bound[0], m_Constant(&elements));
    if (isKnown[i])
      for (const APInt &value : elements.getValues<APInt>())
        slice.constants[i].push_back(value.getSExtValue());
    else if (!bound.empty())
      slice.tensors[i] = bound[0];
  }
  auto &[starts, ends, strides] = slice.constants;
  if (!isKnown[2] || isBlocked)
    return slice;
  if (isKnown[1])
    takeNothingBackwards(pd::tensorType(x), slice.axes,
                         isKnown[0] ? std::optional(llvm::ArrayRef<int64_t>(starts)) : std::nullopt, ends,
                         strides);
  else if (slice.tensors[1])
    slice.tensors[1] = backwardEnds(slice.tensors[1], strides);
  return slice;
}

void ModelImporter::importStridedSlice(const newir::Operation &op) {
  Values x = op.inputs.size() == 4 ? operand(op.inputs[0]) : Values();
  if (x.size() != 1 || !op.attribute("axes"))
    return isBlocked ? void() : report("expected four operands and the attribute 'axes'");
  SliceOperands slice = sliceOperands(op, x[0], 1);
  auto &[starts, ends, strides] = slice.tensors;
  Value out = build([&](pd::TensorBuilder &e) {
    return e.create<pd::SliceOp>(x[0], starts, ends, strides, slice.axes, slice.constants[0],
                                 slice.constants[1], slice.constants[2]);
  });
  if (out)
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
    value = castElements(value, type.getElementType());
  if (value)
    value = alignedValue(value, type.getRank(), axesNamed("decrease_axes"), axesNamed("none_axes"));
  if (!value)
    return;
  SliceOperands slice = sliceOperands(op, x[0], hasTensor ? 2 : 1);
  auto &[starts, ends, strides] = slice.tensors;
  Value out = build([&](pd::TensorBuilder &e) {
    return e.create<pd::SetValueOp>(x[0], value, starts, ends, strides, slice.axes, slice.constants[0],
                                    slice.constants[1], slice.constants[2]);
  });
  if (out)
    define(op, 0, {out});
}

Value ModelImporter::alignedValue(Value value, int64_t rank, llvm::ArrayRef<int64_t> decreased,
                                  llvm::ArrayRef<int64_t> none) {
  AlignedAxes axes = alignedAxes(pd::tensorType(value).getRank(), rank, decreased, none);
  return build([&](pd::TensorBuilder &e) {
    Value aligned = value;
    if (!axes.dropped.empty())
      aligned = e.create<pd::SqueezeOp>(aligned, Value(), axes.dropped);
    if (!axes.inserted.empty())
      aligned = e.create<pd::UnsqueezeOp>(aligned, Value(), axes.inserted);
    return aligned;
  });
}

} // namespace proa::import
