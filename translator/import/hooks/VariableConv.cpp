//! The hook of convolutions whose images have different extents.
#include "translator/import/LegacyTable.h"
#include "translator/import/hooks/Formula.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// The elements of a list of matrices, image after image: of each the number of its image and its place in
/// it.
struct Elements {
  Value image, place, offsets;

  explicit operator bool() const { return image && place && offsets; }
};

struct VariableConv {
  Formula f;
  int64_t channels, filters, kernelHeight, kernelWidth, strideHeight, strideWidth;
  Value heights, widths, starts; ///< of each image

  Value whole(int64_t number) { return f.importer.constantInts({number}); }
  Value lengths(Value offsets) {
    return f.binary("pd.subtract", f.slice(offsets, 0, 1, std::numeric_limits<int64_t>::max()),
                    f.slice(offsets, 0, 0, -1));
  }
  Value times(Value x, int64_t factor) { return f.multiply(x, whole(factor)); }
  Value divided(Value x, Value by) { return f.binary("pd.floor_divide", x, by); }

  /// How many windows start in so many elements.
  Value windows(Value extents, int64_t stride) {
    return divided(f.add(extents, whole(stride - 1)), whole(stride));
  }

  Elements elementsOf(Value counts) {
    Value zeros = f.make("pd.full_like", {{counts}, {}});
    if (!zeros)
      return {};
    Operands ranges = f.importer.create("pd.ranges", {{zeros}, {counts}});
    Operands places =
        ranges.empty() ? Operands() : f.importer.create("pd.row_positions", {{ranges[0]}, {ranges[1]}});
    return places.empty() ? Elements() : Elements{places[0], ranges[0], ranges[1]};
  }

  /// The numbers 0 to `count` - 1, each divided by `by` and modulo `extent`, as a row.
  Value kernelRow(int64_t by, int64_t extent) {
    llvm::SmallVector<int64_t> numbers;
    for (int64_t k = 0; k < channels * kernelHeight * kernelWidth; ++k)
      numbers.push_back(k / by % extent);
    return f.reshape(f.importer.constantInts(numbers), {1, static_cast<int64_t>(numbers.size())});
  }

  /// All windows of all images as rows.
  Value patches(Value x, const Elements &windows, Value windowsAcross) {
    auto column = [&](Value perImage) { return f.reshape(f.gather(perImage, windows.image), {-1, 1}); };
    Value place = f.reshape(windows.place, {-1, 1}), across = column(windowsAcross);
    Value height = column(heights), width = column(widths);
    Value y = f.add(times(divided(place, across), strideHeight),
                    f.add(kernelRow(kernelWidth, kernelHeight), whole(-(kernelHeight / 2))));
    Value z = f.add(times(f.binary("pd.remainder", place, across), strideWidth),
                    f.add(kernelRow(1, kernelWidth), whole(-(kernelWidth / 2))));
    auto isWithin = [&](Value position, Value extent) {
      return f.make("pd.logical_and", {{f.binary("pd.greater_equal", position, whole(0))},
                                       {f.binary("pd.less_than", position, extent)}});
    };
    Value isInside = f.make("pd.logical_and", {{isWithin(y, height)}, {isWithin(z, width)}});
    Value line = f.add(f.multiply(kernelRow(kernelHeight * kernelWidth, channels), height), y);
    Value index = f.add(column(starts), f.add(f.multiply(line, width), z));
    int64_t size = channels * kernelHeight * kernelWidth;
    Value inside = f.make("pd.where", {{isInside}, {index}, {times(index, 0)}});
    Value rows = f.reshape(f.gather(f.reshape(x, {-1}), f.reshape(inside, {-1})), {-1, size});
    Value zeros = f.make("pd.full_like", {{rows}, {}});
    return f.make("pd.where", {{isInside}, {rows}, {zeros}});
  }

  /// The columns of a matrix of windows, image after image, each column from the first window to the last.
  void setByColumns(llvm::StringRef slot, Value matrix, int64_t width, Value counts,
                    const Elements &windows) {
    Elements all = elementsOf(times(counts, width));
    if (!all || !matrix)
      return;
    auto ofImage = [&](Value perImage) { return f.gather(perImage, all.image); };
    Value count = ofImage(counts);
    Value window =
        f.add(ofImage(f.slice(windows.offsets, 0, 0, -1)), f.binary("pd.remainder", all.place, count));
    Value index = f.add(times(window, width), divided(all.place, count));
    Value out = f.reshape(f.gather(f.reshape(matrix, {-1}), index), {-1, 1});
    f.importer.setOutput(slot, out);
    if (out)
      f.importer.setOutputLod(slot, {all.offsets});
  }
};

} // namespace

/// Images of different extents, each a sequence of x of InputChannel planes, are convolved with w
/// [OutputChannel, InputChannel * KernelH * KernelW]; a window's middle starts at the first element, outside
/// of an image is 0. The sequences of ROW and COLUMN have as many rows as the images have rows and columns.
void importVarConv2d(OpImporter &importer) {
  Value x = importer.requiredInput("X"), w = importer.requiredInput("W");
  Operands images = importer.lod("X"), rows = importer.lod("ROW"), columns = importer.lod("COLUMN");
  if (!x || !w)
    return;
  if (images.empty() || rows.empty() || columns.empty())
    return importer.report("inputs 'X', 'ROW' and 'COLUMN' must have LoDs");
  auto extent = [&](llvm::StringRef name) { return importer.intAttribute(name, 1); };
  VariableConv conv{Formula(importer),
                    extent("InputChannel"),
                    extent("OutputChannel"),
                    extent("KernelH"),
                    extent("KernelW"),
                    extent("StrideH"),
                    extent("StrideW"),
                    {},
                    {},
                    {}};
  for (int64_t number : {conv.channels, conv.filters, conv.kernelHeight, conv.kernelWidth, conv.strideHeight,
                         conv.strideWidth})
    if (number < 1)
      return importer.report("expected channels, kernel extents and strides above 0, found " +
                             llvm::Twine(number));
  conv.heights = conv.lengths(rows[0]);
  conv.widths = conv.lengths(columns[0]);
  conv.starts = conv.f.slice(images[0], 0, 0, -1);
  Value down = conv.windows(conv.heights, conv.strideHeight),
        across = conv.windows(conv.widths, conv.strideWidth);
  Value counts = conv.f.multiply(down, across);
  Elements windows = counts ? conv.elementsOf(counts) : Elements();
  if (!windows)
    return;
  Value patches = conv.patches(x, windows, across);
  if (!patches)
    return;
  Value product =
      importer.createOne("pd.matmul", {{patches}, {w}},
                         {importer.named("transpose_y", importer.getBuilder().getBoolAttr(true))});
  conv.setByColumns("Out", product, conv.filters, counts, windows);
  conv.setByColumns("Col", patches, conv.channels * conv.kernelHeight * conv.kernelWidth, counts, windows);
}

} // namespace proa::import::hooks
