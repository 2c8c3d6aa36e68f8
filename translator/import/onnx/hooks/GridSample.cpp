//! The hook of ONNX's GridSample, for any number of spatial dimensions.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

namespace {

/// Elements of a dimension that positions combine: their indices within it, and weights.
struct GridTap {
  Expression index, weight;
};

class GridSampling {
public:
  explicit GridSampling(NodeImporter &node)
      : node(node), e(node.tensors()), x(node.operand("X")), grid(e.computed(node.operand("grid|Grid"))),
        spatial(x.rank() - 2), mode(node.stringAttribute("mode")),
        padding(node.stringAttribute("padding_mode")), alignsCorners(node.boolAttribute("align_corners")),
        type(grid.type().getElementType()) {}

  void run() {
    llvm::SmallVector<llvm::SmallVector<GridTap>> taps;
    for (int64_t d = 0; d < spatial; ++d)
      taps.push_back(tapsOf(d));
    llvm::SmallVector<DimSize> shape = dimSizesOf(x), gridShape = dimSizesOf(grid);
    // [batch, points, channels]: a row of channels for each point.
    Expression sum = combined(taps);
    llvm::SmallVector<DimSize> result{shape[0], shape[1]};
    result.append(gridShape.begin() + 1, gridShape.end() - 1);
    Expression out = reshapeTo(e.transpose(sum, {0, 2, 1}), result);
    node.setOutput("Y", e.cast(out, x.type().getElementType()));
  }

private:
  Expression lengthOf(int64_t d) { return e.cast(e.wrap(DimSize(x, d + 2).getValue(e)), type); }

  /// The positions along dimension d of the image, as [batch, points].
  Expression positions(int64_t d) {
    Expression given = slice(grid, grid.rank() - 1, spatial - 1 - d, spatial - d);
    given = e.reshape(given, {0, -1});
    Expression length = lengthOf(d);
    return alignsCorners ? (given + 1.0) * 0.5 * (length - 1) : ((given + 1.0) * length - 1) * 0.5;
  }

  Expression clamped(Expression position, int64_t d) {
    return e.minimum(e.maximum(position, 0.0), lengthOf(d) - 1);
  }

  /// Positions mirrored at the ends of the dimension.
  Expression reflected(Expression position, int64_t d) {
    double least = alignsCorners ? 0 : -0.5;
    Expression range = alignsCorners ? lengthOf(d) - 1 : lengthOf(d);
    range = e.select(e.equal(range, 0.0), 1.0, range);
    Expression offset = position - least, period = range * 2.0;
    Expression phase = offset - e.floor(offset / period) * period;
    return range - e.abs(range - phase) + least;
  }

  /// Halves to the even neighbor.
  Expression rounded(Expression position) {
    Expression up = e.floor(position + 0.5), half = up * 0.5;
    Expression isOdd = (half - e.floor(half)) > 0, isTie = e.equal(up - position, 0.5);
    return up - e.indicator(isTie, up) * e.indicator(isOdd, up);
  }

  llvm::SmallVector<GridTap> tapsOf(int64_t d) {
    Expression position = positions(d);
    if (mode == "nearest")
      position = rounded(position);
    bool isCubic = mode == "cubic" || mode == "bicubic"; // its elements are clamped, not its positions
    if (padding == "border" && !isCubic)
      position = clamped(position, d);
    else if (padding == "reflection")
      position = reflected(position, d);
    Expression first = e.floor(position), ratio = position - first;
    Expression one = ratio * 0.0 + 1.0;
    if (mode == "nearest")
      return {tap(first, one, d)};
    if (mode == "linear" || mode == "bilinear")
      return {tap(first, one - ratio, d), tap(first + 1.0, ratio, d)};
    constexpr double a = -0.75;
    llvm::SmallVector<GridTap> taps;
    for (int64_t i = -1; i <= 2; ++i) {
      Expression distance = e.abs(ratio - static_cast<double>(i));
      Expression weight = i == 0 || i == 1 ? ((a + 2) * distance - (a + 3)) * distance * distance + 1
                                           : ((distance - 5) * distance + 8) * distance * a - 4 * a;
      taps.push_back(tap(first + static_cast<double>(i), weight, d));
    }
    return taps;
  }

  GridTap tap(Expression index, Expression weight, int64_t d) {
    if (padding == "reflection")
      index = reflected(index, d);
    Expression inside = clamped(index, d);
    if (padding == "zeros")
      weight = weight * e.indicator(inside == index, weight);
    return {e.cast(inside, node.getBuilder().getI64Type()), weight};
  }

  /// The sum over all combinations of one tap for each dimension.
  Expression combined(llvm::ArrayRef<llvm::SmallVector<GridTap>> taps) {
    Type i64 = node.getBuilder().getI64Type();
    llvm::SmallVector<int64_t> channelsLast{0};
    for (int64_t d = 2; d < x.rank(); ++d)
      channelsLast.push_back(d);
    channelsLast.push_back(1);
    llvm::SmallVector<DimSize> shape = dimSizesOf(x);
    DimSize pixels(1);
    for (int64_t d = 2; d < x.rank(); ++d)
      pixels = multiply(e, pixels, shape[d]);
    Expression rows =
        reshapeTo(e.cast(e.transpose(x, channelsLast), type), {multiply(e, shape[0], pixels), shape[1]});
    Expression images = insertDim(iota(e, shape[0], i64) * e.wrap(pixels.getValue(e)), 1);
    std::optional<Expression> sum;
    size_t count = 1;
    for (llvm::ArrayRef<GridTap> list : taps)
      count *= list.size();
    for (size_t position = 0; position < count; ++position) {
      std::optional<Expression> index, weight;
      size_t rest = position;
      for (auto [d, list] : llvm::enumerate(taps)) {
        const GridTap &one = list[rest % list.size()];
        rest /= list.size();
        Expression length = e.wrap(DimSize(x, static_cast<int64_t>(d) + 2).getValue(e));
        index = index ? *index * length + one.index : one.index;
        weight = weight ? *weight * one.weight : one.weight;
      }
      Expression values = node.create<pd::GatherOp>(rows, *index + images, Value(), 0);
      Expression term = values * insertDim(*weight, 2);
      sum = sum ? *sum + term : term;
    }
    return *sum;
  }

  NodeImporter &node;
  pd::TensorBuilder &e;
  Expression x, grid;
  int64_t spatial;
  std::string mode, padding;
  bool alignsCorners;
  Type type;
};

} // namespace

void importGridSample(NodeImporter &node) {
  Expression x = node.operand("X"), grid = node.operand("grid|Grid");
  if (x.rank() < 3 || grid.rank() != x.rank()) {
    node.report("its inputs have ranks " + llvm::Twine(x.rank()) + " and " + llvm::Twine(grid.rank()) +
                ", expected equal ranks of 3 or more");
    node.stop();
  }
  GridSampling(node).run();
}

} // namespace proa::import::onnxhooks
