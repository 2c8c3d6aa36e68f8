//! Reference kernels of interpolations: along each axis an output element is a weighted sum of input
//! elements.
#include "dialects/pd/ops/image/InterpolateOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

struct Share {
  int64_t position;
  double weight;
};

using Shares = llvm::SmallVector<Share, 4>;

/// One axis. Positions are computed in float32 as in Paddle, because float64 would round some to another
/// element.
struct Axis {
  int64_t in, out;
  float ratio;
  bool alignCorners, alignMode1;

  Shares nearest(int64_t o) const {
    auto at = static_cast<int64_t>(alignCorners ? ratio * static_cast<float>(o) + 0.5f
                                                : ratio * static_cast<float>(o));
    return {{std::min(at, in - 1), 1.0}};
  }

  Shares linear(int64_t o) const {
    float at = alignCorners || alignMode1 ? ratio * static_cast<float>(o)
                                          : ratio * (static_cast<float>(o) + 0.5f) - 0.5f;
    at = std::max(at, 0.0f);
    int64_t first = std::min(static_cast<int64_t>(at), in - 1), second = std::min(first + 1, in - 1);
    float fraction = at - static_cast<float>(first); // and so are these weights
    return {{first, 1 - fraction}, {second, fraction}};
  }

  /// The Keys kernel.
  Shares cubic(int64_t o) const {
    double at = alignCorners ? static_cast<double>(ratio * static_cast<float>(o))
                             : static_cast<double>(ratio) * (static_cast<double>(o) + 0.5) - 0.5;
    double first = std::floor(at), fraction = at - first;
    constexpr double a = -0.75;
    auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    double weights[] = {far(fraction + 1), near(fraction), near(1 - fraction), far(2 - fraction)};
    Shares shares;
    for (int64_t k = 0; k < 4; ++k)
      shares.push_back({std::clamp<int64_t>(static_cast<int64_t>(first) - 1 + k, 0, in - 1), weights[k]});
    return shares;
  }
};

template <class Op> llvm::SmallVector<double> scalesOf(Op op, llvm::ArrayRef<Tensor> operands) {
  llvm::SmallVector<double> scales(op.getScale());
  if (!op.getSizeTensor().empty())
    return {};
  for (auto [value, tensor] : llvm::zip(op->getOperands(), operands))
    if (op.getScaleTensor() && value == op.getScaleTensor()) {
      scales.clear();
      for (int64_t i = 0; i < tensor.size(); ++i)
        scales.push_back(realAt(tensor, i));
    }
  return scales;
}

/// Calls `f(input element, output element, weight)` for each term of the weighted sums.
template <class Op>
LogicalResult forEachShare(Op op, llvm::ArrayRef<Tensor> operands, const Tensor &small, const Tensor &large,
                           llvm::function_ref<void(int64_t, int64_t, double)> f) {
  Images in(small, op.getDataFormat()), out(large, op.getDataFormat());
  llvm::SmallVector<double> scales = scalesOf(op, operands);
  size_t count = in.spatial().size();
  if ((!scales.empty() && scales.size() != 1 && scales.size() != count) ||
      llvm::is_contained(in.spatial(), 0))
    return failure();
  if (llvm::equal(in.spatial(), out.spatial())) // as Paddle: equal sizes copy, whatever the scale
    scales.clear();
  llvm::SmallVector<llvm::SmallVector<Shares>> shares(count);
  Interpolation method = op.getInterpMethod();
  for (size_t d = 0; d < count; ++d) {
    Axis axis{in.spatial()[d], out.spatial()[d], 0, op.getAlignCorners(), op.getAlignMode() != 0};
    double scale = scales.empty() ? 0 : scales[scales.size() == 1 ? 0 : d];
    if (axis.out <= 1)
      axis.ratio = 0;
    else if (op.getAlignCorners())
      axis.ratio = static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1);
    else
      axis.ratio = scale > 0 ? 1 / static_cast<float>(scale)
                             : static_cast<float>(axis.in) / static_cast<float>(axis.out);
    for (int64_t o = 0; o < axis.out; ++o)
      shares[d].push_back(method == Interpolation::Nearest   ? axis.nearest(o)
                          : method == Interpolation::Bicubic ? axis.cubic(o)
                                                             : axis.linear(o));
  }
  llvm::SmallVector<int64_t> position(count), choices(count);
  for (int64_t batch = 0; batch < in.dims()[0]; ++batch)
    for (int64_t channel = 0; channel < in.dims()[1]; ++channel)
      forEachIndex(out.spatial(), [&](llvm::ArrayRef<int64_t> at, int64_t) {
        for (size_t d = 0; d < count; ++d)
          choices[d] = static_cast<int64_t>(shares[d][at[d]].size());
        forEachIndex(choices, [&](llvm::ArrayRef<int64_t> choice, int64_t) {
          double weight = 1;
          for (size_t d = 0; d < count; ++d) {
            const Share &share = shares[d][at[d]][choice[d]];
            position[d] = share.position;
            weight *= share.weight;
          }
          f(in.at(batch, channel, position), out.at(batch, channel, at), weight);
        });
      });
  return success();
}

template <class Op>
LogicalResult interpolate(Op op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  std::vector<double> sums(static_cast<size_t>(results[0].size()), 0.0);
  auto add = [&](int64_t in, int64_t out, double weight) {
    if (weight != 0)
      sums[out] += weight * realAt(operands[0], in);
  };
  if (failed(forEachShare(op, operands, operands[0], results[0], add)))
    return failure();
  for (auto [i, sum] : llvm::enumerate(sums)) {
    auto position = static_cast<int64_t>(i);
    // An integer is truncated, after values within float precision of a whole number are rounded.
    if (loadScalar(results[0], position).isInteger())
      storeScalar(results[0], position, HostScalar::of(static_cast<int64_t>(static_cast<float>(sum))));
    else
      setReal(results[0], position, sum);
  }
  return success();
}

} // namespace

LogicalResult LinearInterpOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                               llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return interpolate(*this, operands, results);
}

LogicalResult BilinearInterpOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                 llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return interpolate(*this, operands, results);
}

LogicalResult TrilinearInterpOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                  llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return interpolate(*this, operands, results);
}

LogicalResult BicubicInterpOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return interpolate(*this, operands, results);
}

LogicalResult NearestInterpOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return interpolate(*this, operands, results);
}

LogicalResult InterpolateGradientOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                      llvm::MutableArrayRef<Tensor> results, RandomState *) {
  std::vector<double> sums(static_cast<size_t>(results[0].size()), 0.0);
  auto add = [&](int64_t in, int64_t out, double weight) { sums[in] += weight * realAt(operands[1], out); };
  if (failed(forEachShare(*this, operands, operands[0], operands[1], add)))
    return failure();
  for (auto [i, sum] : llvm::enumerate(sums))
    setReal(results[0], static_cast<int64_t>(i), sum);
  return success();
}

} // namespace proa::pd
