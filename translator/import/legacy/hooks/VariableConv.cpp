//! The hook of convolutions whose images have different dim sizes.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/sequence/RowsOps.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// The elements of a list of matrices, image after image: the image of each element and its position in it.
struct Elements {
  Expression image, position, offsets;
};

struct VariableConv {
  OpImporter &importer;
  TensorBuilder &e;
  int64_t channels, filters, kernelHeight, kernelWidth, strideHeight, strideWidth;
  Expression heights, widths, starts; ///< of each image

  Expression whole(int64_t value) { return importer.integers({value}); }
  Expression times(Expression x, int64_t factor) { return x * whole(factor); }
  Expression divided(Expression x, Expression by) { return apply<pd::FloorDivideOp>(x, by); }

  /// The number of windows along dims of these sizes.
  Expression windows(Expression sizes, int64_t stride) {
    return divided(sizes + whole(stride - 1), whole(stride));
  }

  Elements elementsOf(Expression counts) {
    auto ranges =
        pd::RangesOp::create(importer.getBuilder(), importer.getLocation(), fullLike(counts, 0), counts);
    Expression position = e.wrap(ranges.getRows()), offsets = e.wrap(ranges.getOffsets());
    return {apply<pd::RowPositionsOp>(position, offsets), position, offsets};
  }

  /// The integers k < the number of weights of a filter as a row, as (k / divisor) mod `modulus`.
  Expression kernelRow(int64_t divisor, int64_t modulus) {
    llvm::SmallVector<int64_t> values;
    for (int64_t k = 0; k < channels * kernelHeight * kernelWidth; ++k)
      values.push_back(k / divisor % modulus);
    return e.reshape(importer.integers(values), {1, static_cast<int64_t>(values.size())});
  }

  /// All windows of all images as rows.
  Expression patches(Value x, const Elements &windows, Expression windowsAcross) {
    auto column = [&](Expression perImage) { return e.reshape(gather(perImage, windows.image), {-1, 1}); };
    Expression position = e.reshape(windows.position, {-1, 1}), across = column(windowsAcross);
    Expression height = column(heights), width = column(widths);
    Expression y = times(divided(position, across), strideHeight) +
                   (kernelRow(kernelWidth, kernelHeight) + whole(-(kernelHeight / 2)));
    Expression z = times(apply<pd::RemainderOp>(position, across), strideWidth) +
                   (kernelRow(1, kernelWidth) + whole(-(kernelWidth / 2)));
    auto isWithin = [&](Expression at, Expression size) {
      return apply<pd::LogicalAndOp>(at >= whole(0), at < size);
    };
    Expression isInside = apply<pd::LogicalAndOp>(isWithin(y, height), isWithin(z, width));
    Expression line = kernelRow(kernelHeight * kernelWidth, channels) * height + y;
    Expression index = column(starts) + (line * width + z);
    int64_t size = channels * kernelHeight * kernelWidth;
    Expression inside = e.select(isInside, index, times(index, 0));
    Expression rows = e.reshape(gather(e.reshape(e.wrap(x), {-1}), e.reshape(inside, {-1})), {-1, size});
    return e.select(isInside, rows, fullLike(rows, 0));
  }

  /// Defines an output as the columns of a matrix of windows, image after image, each column from the first
  /// window to the last.
  void setByColumns(llvm::StringRef slot, Expression matrix, int64_t width, Expression counts,
                    const Elements &windows) {
    Elements all = elementsOf(times(counts, width));
    auto ofImage = [&](Expression perImage) { return gather(perImage, all.image); };
    Expression count = ofImage(counts);
    Expression window = ofImage(startsOf(windows.offsets)) + apply<pd::RemainderOp>(all.position, count);
    Expression index = times(window, width) + divided(all.position, count);
    importer.setOutput(slot, e.reshape(gather(e.reshape(matrix, {-1}), index), {-1, 1}));
    importer.setOutputLod(slot, {all.offsets});
  }
};

} // namespace

/// Images of different sizes, each a sequence of x of InputChannel planes, are convolved with w
/// [OutputChannel, InputChannel * KernelH * KernelW]. The middle of the first window is at the first element;
/// elements outside of an image are 0. The sequences of ROW and COLUMN have as many rows as the images have
/// rows and columns.
void importVarConv2d(OpImporter &importer) {
  Value x = importer.requiredInput("X"), w = importer.requiredInput("W");
  Operands images = importer.lod("X"), rows = importer.lod("ROW"), columns = importer.lod("COLUMN");
  if (!x || !w)
    return;
  if (images.empty() || rows.empty() || columns.empty())
    return importer.report("inputs 'X', 'ROW' and 'COLUMN' must have LoDs");
  auto size = [&](llvm::StringRef name) { return importer.intAttribute(name, 1); };
  TensorBuilder &e = importer.tensors();
  VariableConv conv{importer,
                    e,
                    size("InputChannel"),
                    size("OutputChannel"),
                    size("KernelH"),
                    size("KernelW"),
                    size("StrideH"),
                    size("StrideW"),
                    lengthsOf(e.wrap(rows[0])),
                    lengthsOf(e.wrap(columns[0])),
                    startsOf(e.wrap(images[0]))};
  for (int64_t index : {conv.channels, conv.filters, conv.kernelHeight, conv.kernelWidth, conv.strideHeight,
                        conv.strideWidth})
    if (index < 1)
      return importer.report("channels, kernel sizes and strides must be positive, found " +
                             llvm::Twine(index));
  Expression down = conv.windows(conv.heights, conv.strideHeight),
             across = conv.windows(conv.widths, conv.strideWidth);
  Expression counts = down * across;
  Elements windows = conv.elementsOf(counts);
  Expression patches = conv.patches(x, windows, across);
  Expression product = e.matmul(patches, e.wrap(w), /*transposeX=*/false, /*transposeY=*/true);
  conv.setByColumns("Out", product, conv.filters, counts, windows);
  conv.setByColumns("Col", patches, conv.channels * conv.kernelHeight * conv.kernelWidth, counts, windows);
}

} // namespace proa::import::hooks
