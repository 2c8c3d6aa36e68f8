//! Reference kernels of convolutions: one sum of products, read in three ways.
#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/conv/IntegerConvOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The convolution that takes `image` to `out` by a filter.
struct Shape {
  Images image, out;
  llvm::SmallVector<int64_t> kernel, strides, dilations, before;
  int64_t groups;

  template <class Op>
  Shape(Op op, const Tensor &image, const Tensor &out, llvm::ArrayRef<int64_t> kernel,
        llvm::ArrayRef<int64_t> padded)
      : image(image, op.getDataFormat()), out(out, op.getDataFormat()), kernel(kernel),
        strides(op.getStrides()), dilations(op.getDilations()),
        before(paddingsBefore(op.getPaddingAlgorithm(), op.getPaddings(), padded, kernel, op.getStrides())),
        groups(op.getGroups()) {
    if (op.getPaddingAlgorithm() == PaddingAlgorithm::Same)
      dilations.assign(kernel.size(), 1);
  }

  int64_t inPerGroup() const { return image.dims()[1] / groups; }
  int64_t outPerGroup() const { return out.dims()[1] / groups; }

  /// Calls `f(image element, filter tap, out element)` for each pair of an output position and a tap that
  /// meet inside the image, for one batch element, image channel and out channel.
  void forEachPair(int64_t batch, int64_t in, int64_t to,
                   llvm::function_ref<void(int64_t, int64_t, int64_t)> f) const {
    llvm::SmallVector<int64_t> position(kernel.size());
    forEachIndex(out.spatial(), [&](llvm::ArrayRef<int64_t> at, int64_t) {
      forEachIndex(kernel, [&](llvm::ArrayRef<int64_t> tap, int64_t index) {
        for (size_t axis = 0; axis < kernel.size(); ++axis) {
          position[axis] = at[axis] * strides[axis] + tap[axis] * dilations[axis] - before[axis];
          if (position[axis] < 0 || position[axis] >= image.spatial()[axis])
            return;
        }
        f(image.at(batch, in, position), index, out.at(batch, to, at));
      });
    });
  }

  /// The same for all batch elements and channels; taps are positions in a filter [out channels, in channels
  /// / groups, ...].
  void forEach(llvm::function_ref<void(int64_t, int64_t, int64_t)> f) const {
    int64_t taps = 1;
    for (int64_t dimSize : kernel)
      taps *= dimSize;
    for (int64_t batch = 0; batch < image.dims()[0]; ++batch)
      for (int64_t to = 0; to < out.dims()[1]; ++to)
        for (int64_t c = 0; c < inPerGroup(); ++c)
          forEachPair(
              batch, to / outPerGroup() * inPerGroup() + c, to,
              [&](int64_t a, int64_t tap, int64_t b) { f(a, (to * inPerGroup() + c) * taps + tap, b); });
  }
};

LogicalResult store(llvm::ArrayRef<double> sums, Tensor &result) {
  for (auto [i, sum] : llvm::enumerate(sums))
    setReal(result, static_cast<int64_t>(i), sum);
  return success();
}

llvm::SmallVector<int64_t> spatialOf(const Tensor &filter) {
  return llvm::SmallVector<int64_t>(llvm::drop_begin(filter.dims(), 2));
}

template <class Op>
LogicalResult convolve(Op conv, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  Images image(operands[0], conv.getDataFormat());
  Shape shape(conv, operands[0], results[0], spatialOf(operands[1]), image.spatial());
  std::vector<double> sums(static_cast<size_t>(results[0].size()), 0.0);
  shape.forEach([&](int64_t in, int64_t tap, int64_t out) {
    sums[out] += realAt(operands[0], in) * realAt(operands[1], tap);
  });
  return store(sums, results[0]);
}

/// Here the result is the image of the convolution that it is transposed to, whose filter is [in, out /
/// groups, ...].
template <class Op>
LogicalResult convolveTransposed(Op conv, llvm::ArrayRef<Tensor> operands,
                                 llvm::MutableArrayRef<Tensor> results) {
  Images given(operands[0], conv.getDataFormat());
  Shape shape(conv, results[0], operands[0], spatialOf(operands[1]), given.spatial());
  std::vector<double> sums(static_cast<size_t>(results[0].size()), 0.0);
  shape.forEach([&](int64_t in, int64_t tap, int64_t out) {
    sums[in] += realAt(operands[0], out) * realAt(operands[1], tap);
  });
  return store(sums, results[0]);
}

template <class Op>
LogicalResult filterGradient(Op conv, llvm::ArrayRef<Tensor> operands,
                             llvm::MutableArrayRef<Tensor> results) {
  Images image(operands[0], conv.getDataFormat());
  Shape shape(conv, operands[0], operands[1], spatialOf(results[0]), image.spatial());
  std::vector<double> sums(static_cast<size_t>(results[0].size()), 0.0);
  shape.forEach([&](int64_t in, int64_t tap, int64_t out) {
    sums[tap] += realAt(operands[0], in) * realAt(operands[1], out);
  });
  return store(sums, results[0]);
}

} // namespace

LogicalResult Conv2dOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                         llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return convolve(*this, operands, results);
}

LogicalResult IntegerConv2dOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return convolve(*this, operands, results);
}

LogicalResult Conv3dOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                         llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return convolve(*this, operands, results);
}

LogicalResult Conv2dTransposeOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                  llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return convolveTransposed(*this, operands, results);
}

LogicalResult Conv3dTransposeOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                  llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return convolveTransposed(*this, operands, results);
}

LogicalResult Conv2dWeightGradientOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                       llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return filterGradient(*this, operands, results);
}

LogicalResult Conv3dWeightGradientOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                       llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return filterGradient(*this, operands, results);
}

} // namespace proa::pd
