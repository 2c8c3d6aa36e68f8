//! CropAndResize (com.microsoft): regions of images, resized to one size by samples whose corners are
//! aligned.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

namespace {

/// The samples of all regions along a dimension of the image; tensors are [regions, samples].
struct CropLine {
  Expression isInside;
  Expression low, high; ///< indices of the elements beside a sample
  Expression fraction;  ///< the distance of a sample from `low`
};

class CropAndResize {
public:
  CropAndResize(NodeImporter &node, bool isNearest)
      : node(node), e(node.tensors()), isNearest(isNearest), x(node.operand("X")),
        regions(e.computed(node.operand("rois"))), type(regions.type().getElementType()) {}

  Expression run() {
    Dims size = dimsInput(node, "crop_size"), shape = pd::dimSizesOf(x);
    CropLine rows = lineOf(0, shape[2], size[0]), columns = lineOf(1, shape[3], size[1]);
    DimSize pixels = multiply(e, shape[2], shape[3]);
    Expression channels =
        reshapeTo(e.transpose(e.cast(x, type), {0, 2, 3, 1}), {multiply(e, shape[0], pixels), shape[1]});
    Expression image = e.cast(node.operand("batch_indices"), i64()) * e.wrap(pixels.getValue(e));
    Expression width = e.wrap(shape[3].getValue(e));
    auto pixel = [&](Expression row, Expression column) {
      Expression index = e.reshape(image, {-1, 1, 1}) + insertDim(row * width, 2) + insertDim(column, 1);
      return node.create<pd::GatherOp>(channels, index, Value(), 0); // [regions, rows, columns, channels]
    };
    auto between = [](Expression low, Expression high, Expression fraction) {
      return low + (high - low) * fraction;
    };
    Expression sampled = pixel(rows.low, columns.low);
    if (!isNearest) {
      Expression across = insertDim(insertDim(columns.fraction, 1), 3);
      Expression top = between(sampled, pixel(rows.low, columns.high), across);
      Expression bottom = between(pixel(rows.high, columns.low), pixel(rows.high, columns.high), across);
      sampled = between(top, bottom, insertDim(insertDim(rows.fraction, 2), 3));
    }
    Expression isInside =
        node.create<pd::LogicalAndOp>(insertDim(rows.isInside, 2), insertDim(columns.isInside, 1));
    Expression out = e.select(insertDim(isInside, 3), sampled, node.floatAttribute("extrapolation_value"));
    return e.cast(e.transpose(out, {0, 3, 1, 2}), x.type().getElementType());
  }

private:
  Type i64() { return node.getBuilder().getI64Type(); }
  Expression column(int64_t i) { return slice(regions, 1, i, i + 1); }
  Expression numberOf(const DimSize &size) { return e.cast(e.wrap(size.getValue(e)), type); }

  /// `direction`: 0 for rows, 1 for columns. A region is (y1, x1, y2, x2), in units of the length - 1.
  CropLine lineOf(int64_t direction, const DimSize &length, const DimSize &samples) {
    Expression last = numberOf(length) - 1.0, count = numberOf(samples);
    Expression start = column(direction), end = column(direction + 2);
    Expression sample = e.reshape(e.cast(iota(e, samples, i64()), type), {1, -1});
    Expression step = (end - start) * last / e.maximum(count - 1.0, 1.0);
    Expression position =
        e.select(count > 1.0, start * last + sample * step, 0.5 * (start + end) * last + 0.0 * sample);
    Expression isInside = node.create<pd::LogicalAndOp>(position >= 0.0, position <= last);
    Expression from = e.select(isInside, position, 0.0);
    Expression low = e.floor(isNearest ? from + 0.5 : from);
    Expression high = -e.floor(-from);
    return {isInside, e.cast(low, i64()), e.cast(high, i64()), from - low};
  }

  NodeImporter &node;
  TensorBuilder &e;
  bool isNearest;
  Expression x, regions;
  Type type;
};

} // namespace

void importCropAndResize(NodeImporter &node) {
  std::string mode = node.stringAttribute("mode");
  if (mode != "bilinear" && mode != "nearest")
    return node.report("attribute 'mode' is \"" + mode + "\", expected bilinear or nearest");
  node.setOutput("Y", CropAndResize(node, mode == "nearest").run());
}

} // namespace proa::import::onnxhooks
