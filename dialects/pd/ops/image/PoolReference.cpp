//! Reference kernels of poolings.
#include "dialects/pd/ops/image/PoolOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace proa::pd {
namespace {

/// The windows of a pooling of an image whose result has the given spatial dims.
class PoolWindows {
public:
  template <class Op>
  PoolWindows(Op op, const Tensor &x, llvm::ArrayRef<int64_t> out, DataFormat format,
              PaddingAlgorithm algorithm, llvm::ArrayRef<int64_t> kernelSize)
      : image(x, format), out(out), adaptive(op.getAdaptive()) {
    llvm::ArrayRef<int64_t> dimSizes = image.spatial();
    kernel.assign(kernelSize.begin(), kernelSize.end());
    strides.assign(op.getStrides().begin(), op.getStrides().end());
    if (op.getGlobalPooling())
      kernel.assign(dimSizes.begin(), dimSizes.end());
    if (strides.empty())
      strides.assign(dimSizes.size(), 1);
    before.assign(dimSizes.size(), 0);
    if (!op.getGlobalPooling() && !adaptive)
      before = paddingsBefore(algorithm,
                              op.getPaddings().empty() ? llvm::ArrayRef<int64_t>(before) : op.getPaddings(),
                              dimSizes, kernel, strides);
  }

  /// The elements of the window at an output position, in row-major order, as positions in the plane.
  void forEach(llvm::ArrayRef<int64_t> at, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> f) const {
    llvm::SmallVector<int64_t> begin(at.size()), dimSizes(at.size()), position(at.size());
    for (size_t axis = 0; axis < at.size(); ++axis) {
      int64_t in = image.spatial()[axis], first = at[axis] * strides[axis] - before[axis],
              last = first + kernel[axis];
      if (adaptive) {
        first = at[axis] * in / out[axis];
        last = ((at[axis] + 1) * in + out[axis] - 1) / out[axis];
      }
      begin[axis] = std::max<int64_t>(0, first);
      dimSizes[axis] = std::max<int64_t>(0, std::min(last, in) - begin[axis]);
    }
    forEachIndex(dimSizes, [&](llvm::ArrayRef<int64_t> offset, int64_t) {
      for (size_t axis = 0; axis < at.size(); ++axis)
        position[axis] = begin[axis] + offset[axis];
      f(position);
    });
  }

  /// How many elements an average that counts the padding divides by. Paddle assumes that the padding after
  /// the input is as large as the one before it.
  int64_t paddedSize(llvm::ArrayRef<int64_t> at) const {
    int64_t size = 1;
    for (size_t axis = 0; axis < at.size(); ++axis) {
      int64_t first = at[axis] * strides[axis] - before[axis];
      size *= std::min(first + kernel[axis], image.spatial()[axis] + before[axis]) - first;
    }
    return size;
  }

  Images image;

private:
  llvm::SmallVector<int64_t> out, kernel, strides, before;
  bool adaptive;
};

/// The window's sizes: from the attribute, or from the tensor that follows the first operands.
template <class Op>
llvm::SmallVector<int64_t> kernelOf(Op op, llvm::ArrayRef<Tensor> operands, size_t index) {
  llvm::SmallVector<int64_t> kernel(op.getKernelSize());
  if (operands.size() > index) {
    kernel.clear();
    for (int64_t i = 0; i < operands[index].size(); ++i)
      kernel.push_back(loadScalar(operands[index], i).integer);
  }
  return kernel;
}

/// Calls `f` with each window of each plane: batch, channel, output position.
void forEachWindow(const Images &out, llvm::function_ref<void(int64_t, int64_t, llvm::ArrayRef<int64_t>)> f) {
  for (int64_t batch = 0; batch < out.dims()[0]; ++batch)
    for (int64_t channel = 0; channel < out.dims()[1]; ++channel)
      forEachIndex(out.spatial(), [&](llvm::ArrayRef<int64_t> at, int64_t) { f(batch, channel, at); });
}

/// The maximum of a window without elements, one in the padding alone.
double lowestOf(DType dtype) {
  return dtype == DType::Float64   ? std::numeric_limits<double>::lowest()
         : dtype == DType::Float16 ? -65504.0
                                   : static_cast<double>(std::numeric_limits<float>::lowest());
}

template <class Op>
LogicalResult pool(Op op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  Images out(results[0], op.getDataFormat());
  PoolWindows windows(op, operands[0], out.spatial(), op.getDataFormat(), op.getPaddingAlgorithm(),
                      kernelOf(op, operands, 1));
  if (op.getGlobalPooling() && llvm::is_contained(windows.image.spatial(), 0))
    return failure();
  bool isMax = op.getPoolingType() == PoolingType::Max, hasNan = false;
  double lowest = lowestOf(results[0].dtype());
  forEachWindow(out, [&](int64_t batch, int64_t channel, llvm::ArrayRef<int64_t> at) {
    double sum = 0, greatest = lowest;
    int64_t count = 0;
    windows.forEach(at, [&](llvm::ArrayRef<int64_t> position) {
      double value = realAt(operands[0], windows.image.at(batch, channel, position));
      hasNan |= std::isnan(value);
      sum += value;
      greatest = std::max(greatest, value);
      ++count;
    });
    if (!op.getExclusive() && !op.getAdaptive())
      count = windows.paddedSize(at);
    setReal(results[0], out.at(batch, channel, at), isMax ? greatest : sum / static_cast<double>(count));
  });
  // Paddle's kernels order NaNs and numbers in their own way.
  return failure(hasNan && isMax);
}

template <class Op>
LogicalResult poolGradient(Op op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  Images out(operands[1], op.getDataFormat());
  PoolWindows windows(op, operands[0], out.spatial(), op.getDataFormat(), op.getPaddingAlgorithm(),
                      kernelOf(op, operands, 2));
  bool isMax = op.getPoolingType() == PoolingType::Max;
  std::vector<double> sums(static_cast<size_t>(results[0].size()), 0.0);
  forEachWindow(out, [&](int64_t batch, int64_t channel, llvm::ArrayRef<int64_t> at) {
    llvm::SmallVector<int64_t> positions;
    windows.forEach(at, [&](llvm::ArrayRef<int64_t> position) {
      positions.push_back(windows.image.at(batch, channel, position));
    });
    double given = realAt(operands[1], out.at(batch, channel, at));
    if (positions.empty())
      return;
    if (isMax) {
      int64_t first = positions[0];
      for (int64_t position : positions)
        if (realAt(operands[0], position) > realAt(operands[0], first))
          first = position;
      sums[first] += given;
      return;
    }
    int64_t count = op.getExclusive() || op.getAdaptive() ? static_cast<int64_t>(positions.size())
                                                          : windows.paddedSize(at);
    for (int64_t position : positions)
      sums[position] += given / static_cast<double>(count);
  });
  for (auto [i, sum] : llvm::enumerate(sums))
    setReal(results[0], static_cast<int64_t>(i), sum);
  return success();
}

template <class Op>
LogicalResult poolWithIndex(Op op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  Images out(results[0], DataFormat::AnyLayout);
  PoolWindows windows(op, operands[0], out.spatial(), DataFormat::AnyLayout, PaddingAlgorithm::Explicit,
                      op.getKernelSize());
  llvm::SmallVector<int64_t> strides = rowMajorStrides(windows.image.spatial());
  bool isCovered = true;
  forEachWindow(out, [&](int64_t batch, int64_t channel, llvm::ArrayRef<int64_t> at) {
    double greatest = -INFINITY;
    int64_t where = -1;
    windows.forEach(at, [&](llvm::ArrayRef<int64_t> position) {
      double value = realAt(operands[0], windows.image.at(batch, channel, position));
      isCovered &= !std::isnan(value);
      if (where >= 0 && value <= greatest)
        return;
      greatest = value;
      where = 0;
      for (size_t axis = 0; axis < position.size(); ++axis)
        where += position[axis] * strides[axis];
    });
    isCovered &= where >= 0;
    setReal(results[0], out.at(batch, channel, at), greatest);
    storeScalar(results[1], out.at(batch, channel, at), HostScalar::of(where));
  });
  return success(isCovered);
}

} // namespace

LogicalResult Pool2dOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                         llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return pool(*this, operands, results);
}

LogicalResult Pool3dOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                         llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return pool(*this, operands, results);
}

LogicalResult Pool2dGradientOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                 llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return poolGradient(*this, operands, results);
}

LogicalResult Pool3dGradientOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                 llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return poolGradient(*this, operands, results);
}

LogicalResult MaxPool2dWithIndexOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                     llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return poolWithIndex(*this, operands, results);
}

LogicalResult MaxPool3dWithIndexOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                     llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return poolWithIndex(*this, operands, results);
}

} // namespace proa::pd
