#include "dialects/pd/ops/conv/Window.h"

using namespace mlir;

namespace proa::pd {
namespace {

std::string listed(llvm::ArrayRef<int64_t> values) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(values, os);
  os << "]";
  return text;
}

LogicalResult checkPositive(std::optional<Location> location, llvm::StringRef constraint,
                            llvm::StringRef name, int64_t count, llvm::ArrayRef<int64_t> values) {
  if (static_cast<int64_t>(values.size()) == count && llvm::all_of(values, [](int64_t v) { return v > 0; }))
    return success();
  return inferenceError(location, constraint + ": " + name + " must be " + llvm::Twine(count) +
                                      " positive numbers, found " + listed(values));
}

} // namespace

llvm::SmallVector<int64_t> Window::resolvedPaddings(llvm::ArrayRef<int64_t> input) const {
  llvm::SmallVector<int64_t> out;
  bool isPairs = static_cast<int64_t>(paddings.size()) == 2 * spatial;
  for (int64_t i = 0; i < spatial; ++i) {
    if (paddingAlgorithm == PaddingAlgorithm::Valid) {
      out.append({0, 0});
    } else if (paddingAlgorithm != PaddingAlgorithm::Same) {
      out.push_back(paddings[isPairs ? 2 * i : i]);
      out.push_back(paddings[isPairs ? 2 * i + 1 : i]);
    } else if (ShapedType::isDynamic(input[i]) || ShapedType::isDynamic(kernel[i])) {
      out.append({ShapedType::kDynamic, ShapedType::kDynamic});
    } else {
      int64_t windows = (input[i] + strides[i] - 1) / strides[i];
      int64_t total = std::max<int64_t>((windows - 1) * strides[i] + kernel[i] - input[i], 0);
      out.append({total / 2, total - total / 2});
    }
  }
  return out;
}

llvm::SmallVector<int64_t> Window::paddingsThatFit(llvm::ArrayRef<int64_t> input) const {
  llvm::SmallVector<int64_t> out = resolvedPaddings(input);
  for (int64_t i = 0; i < spatial; ++i) {
    if (ShapedType::isDynamic(input[i]) || ShapedType::isDynamic(kernel[i]) ||
        ShapedType::isDynamic(out[2 * i]))
      continue;
    int64_t missing = dilation(i) * (kernel[i] - 1) + 1 - (input[i] + out[2 * i] + out[2 * i + 1]);
    if (missing > 0 && missing < strides[i])
      out[2 * i + 1] += missing;
  }
  return out;
}

LogicalResult checkWindow(std::optional<Location> location, const Window &window,
                          llvm::StringRef constraint) {
  int64_t n = window.spatial;
  if (failed(checkPositive(location, constraint, "strides", n, window.strides)) ||
      failed(checkPositive(location, constraint, "dilations", n, window.dilations)))
    return failure();
  auto count = static_cast<int64_t>(window.paddings.size());
  if (window.paddingAlgorithm == PaddingAlgorithm::Explicit &&
      ((count != n && count != 2 * n) || llvm::any_of(window.paddings, [](int64_t v) { return v < 0; })))
    return inferenceError(location, constraint + ": paddings must be " + llvm::Twine(n) + " or " +
                                        llvm::Twine(2 * n) + " numbers, none below 0, found " +
                                        listed(window.paddings));
  return success();
}

LogicalResult checkUnusedStrides(std::optional<Location> location, const Window &window, bool isGlobal,
                                 llvm::StringRef constraint) {
  bool isCountGood = static_cast<int64_t>(window.strides.size()) == window.spatial;
  if (isCountGood && !(isGlobal && llvm::is_contained(window.strides, 0)))
    return success();
  return inferenceError(location, constraint + ": strides must be " + llvm::Twine(window.spatial) +
                                      (isGlobal ? " numbers other than 0" : " numbers") + ", found " +
                                      listed(window.strides));
}

llvm::SmallVector<int64_t> spatialDims(llvm::ArrayRef<int64_t> shape, DataFormat dataFormat) {
  return llvm::SmallVector<int64_t>(channelsAreLast(dataFormat) ? shape.drop_front().drop_back()
                                                                : shape.drop_front(2));
}

llvm::SmallVector<int64_t> shapeOf(int64_t batch, int64_t channels, llvm::ArrayRef<int64_t> spatial,
                                   DataFormat dataFormat) {
  llvm::SmallVector<int64_t> shape{batch};
  if (!channelsAreLast(dataFormat))
    shape.push_back(channels);
  llvm::append_range(shape, spatial);
  if (channelsAreLast(dataFormat))
    shape.push_back(channels);
  return shape;
}

FailureOr<llvm::SmallVector<int64_t>> windowCounts(std::optional<Location> location, const Window &window,
                                                   llvm::ArrayRef<int64_t> input, bool ceilMode,
                                                   llvm::StringRef constraint) {
  llvm::SmallVector<int64_t> paddings = window.paddingsThatFit(input), out;
  for (int64_t i = 0; i < window.spatial; ++i) {
    int64_t before = paddings[2 * i], after = paddings[2 * i + 1];
    if (ShapedType::isDynamic(input[i]) || ShapedType::isDynamic(window.kernel[i]) ||
        ShapedType::isDynamic(before)) {
      out.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t dimSize = window.dilation(i) * (window.kernel[i] - 1) + 1;
    int64_t room = input[i] + before + after - dimSize;
    // Paddle divides towards zero: a window that exceeds the input by less than a stride still counts. An
    // empty input may give an empty result.
    int64_t count = (room + (ceilMode ? window.strides[i] - 1 : 0)) / window.strides[i] + 1;
    if (count < 0 || (count == 0 && input[i] > 0))
      return inferenceError(location, constraint +
                                          ": the window must fit into the padded input, found a window of " +
                                          llvm::Twine(dimSize) + " and an input of " + llvm::Twine(input[i]) +
                                          " with paddings " + llvm::Twine(before) + " and " +
                                          llvm::Twine(after) + " in spatial dimension " + llvm::Twine(i));
    out.push_back(count);
  }
  return out;
}

} // namespace proa::pd
