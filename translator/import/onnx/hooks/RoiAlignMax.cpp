//! RoiAlign in mode max: of each sample the largest of its four weighted elements, then of the samples of a
//! cell.
#include "translator/import/onnx/hooks/RoiAlignMax.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <cmath>

using namespace mlir;

namespace proa::import {

using pd::DimSize;
using pd::Expression;

namespace {

/// One of the two elements beside each sample along a dimension.
struct RoiTap {
  Expression index, weight; ///< [regions, cells, samples]
};

/// The samples along a dimension of the image.
struct RoiLine {
  llvm::SmallVector<RoiTap> taps;
  Expression exists; ///< [regions, 1, samples]: whether a region has this sample
};

class RoiAlignMax {
public:
  RoiAlignMax(NodeImporter &node, bool isAligned, int64_t ratio)
      : node(node), e(node.tensors()), isAligned(isAligned), ratio(ratio), x(node.operand("X")),
        boxes(e.computed(node.operand("rois"))), type(boxes.type().getElementType()) {}

  Expression run() {
    RoiLine rows = lineOf(1, node.intAttribute("output_height", 1)),
            columns = lineOf(0, node.intAttribute("output_width", 1));
    llvm::SmallVector<DimSize> shape = dimSizesOf(x);
    DimSize pixels = multiply(e, shape[2], shape[3]);
    Expression channels =
        reshapeTo(e.cast(e.transpose(x, {0, 2, 3, 1}), type), {multiply(e, shape[0], pixels), shape[1]});
    Expression image = e.cast(node.operand("batch_indices"), i64()) * e.wrap(pixels.getValue(e));
    Expression width = e.wrap(shape[3].getValue(e));
    std::optional<Expression> best; // [regions, rows, samples, columns, samples, channels]
    for (const RoiTap &row : rows.taps)
      for (const RoiTap &column : columns.taps) {
        Expression index =
            e.reshape(image, {-1, 1, 1, 1, 1}) + acrossColumns(row.index * width) + acrossRows(column.index);
        Expression weight = acrossColumns(row.weight) * acrossRows(column.weight);
        Expression value = node.create<pd::GatherOp>(channels, index, Value(), 0) * insertDim(weight, 5);
        best = best ? e.maximum(*best, value) : value;
      }
    if (ratio <= 0) {
      Expression exists =
          node.create<pd::LogicalAndOp>(acrossColumns(rows.exists), acrossRows(columns.exists));
      best = e.select(insertDim(exists, 5), *best, -INFINITY);
    }
    Expression out = e.max(*best, {2, 4}, false);
    out = e.select(e.equal(out, -INFINITY), 0.0, out); // a region without samples
    return e.cast(e.transpose(out, {0, 3, 1, 2}), x.type().getElementType());
  }

private:
  Type i64() { return node.getBuilder().getI64Type(); }
  /// [regions, cells, samples] as dims of rows or columns of [regions, rows, samples, columns, samples].
  Expression acrossColumns(Expression line) { return insertDim(insertDim(line, 3), 4); }
  Expression acrossRows(Expression line) { return insertDim(insertDim(line, 1), 2); }
  Expression column(int64_t i) { return e.reshape(slice(boxes, 1, i, i + 1), {-1, 1, 1}); }

  /// The samples along columns (0) or rows (1) of the image.
  RoiLine lineOf(int64_t direction, int64_t cells) {
    double scale = node.floatAttribute("spatial_scale");
    Expression start = column(direction) * scale - (isAligned ? 0.5 : 0.0);
    Expression size = (column(direction + 2) - column(direction)) * scale;
    if (!isAligned)
      size = e.maximum(size, 1.0);
    Expression cell = size / static_cast<double>(cells);
    Expression count = ratio > 0 ? node.scalar(static_cast<double>(ratio), type) : -e.floor(-cell);
    DimSize samples = ratio > 0 ? DimSize(ratio) : mostOf(count);
    Expression sample = e.reshape(e.cast(iota(e, samples, i64()), type), {1, 1, -1});
    Expression cellIndex = e.reshape(e.cast(iota(e, DimSize(cells), i64()), type), {1, -1, 1});
    Expression position = start + cellIndex * cell + (sample + 0.5) * cell / e.maximum(count, 1.0);
    return {tapsAt(position, DimSize(x, direction == 1 ? 2 : 3)), sample < count};
  }

  /// The largest count as a dim; 1 if there are no regions.
  DimSize mostOf(Expression count) {
    Expression all = pd::concat({e.reshape(e.cast(count, i64()), {-1}), node.integers({1})}, 0);
    return DimSize::element(e.max(all, {0}), 0);
  }

  llvm::SmallVector<RoiTap> tapsAt(Expression position, const DimSize &length) {
    Expression end = e.cast(e.wrap(length.getValue(e)), type), last = end - 1.0;
    Expression isInside = node.create<pd::LogicalAndOp>(position >= -1.0, position <= end);
    Expression from = e.maximum(position, 0.0), low = e.minimum(e.floor(from), last);
    Expression fraction = e.select(low >= last, 0.0, from - low), high = e.minimum(low + 1.0, last);
    Expression counts = e.indicator(isInside, position);
    auto index = [&](Expression value) { return e.cast(e.select(isInside, value, 0.0), i64()); };
    return {{index(low), (1.0 - fraction) * counts}, {index(high), fraction * counts}};
  }

  NodeImporter &node;
  pd::TensorBuilder &e;
  bool isAligned;
  int64_t ratio;
  Expression x, boxes;
  Type type;
};

} // namespace

Expression roiAlignMax(NodeImporter &node, bool isAligned, int64_t ratio) {
  return RoiAlignMax(node, isAligned, ratio).run();
}

} // namespace proa::import
