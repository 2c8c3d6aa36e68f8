//! Reference kernels of poolings of regions. Gradients are derivatives of the same computation.
#include "dialects/pd/ops/detection/RoiPool.h"
#include "dialects/pd/reference/ComplexStep.h"
#include "dialects/pd/reference/Evaluate.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace complexstep;

/// Images and the boxes in them.
struct Pooled {
  Numbers x, moves;
  llvm::SmallVector<int64_t> dims; ///< of x
  std::vector<std::array<double, 4>> boxes;
  std::vector<int64_t> images; ///< of each box
  int64_t rows, columns;
  double scale;

  /// Whether each box has an image, and x has at least that many channels.
  bool isWhole(int64_t channels) const {
    return images.size() == boxes.size() && dims[1] >= channels && dims[2] > 0 && dims[3] > 0 &&
           llvm::all_of(images, [&](int64_t image) { return image < dims[0]; });
  }
  Number at(int64_t image, int64_t channel, int64_t row, int64_t column) const {
    return x[static_cast<size_t>(((image * dims[1] + channel) * dims[2] + row) * dims[3] + column)];
  }
  /// Interpolates between the elements around a point within the plane; the last element is repeated after
  /// itself.
  Number between(int64_t image, int64_t channel, Number y, Number z) const {
    auto low = [](Number p, int64_t dimSize) {
      return std::min(static_cast<int64_t>(std::floor(p.real())), dimSize - 1);
    };
    int64_t top = low(y, dims[2]), left = low(z, dims[3]);
    int64_t bottom = std::min(top + 1, dims[2] - 1), right = std::min(left + 1, dims[3] - 1);
    Number down = y - double(top), across = z - double(left);
    return (1.0 - down) *
               ((1.0 - across) * at(image, channel, top, left) + across * at(image, channel, top, right)) +
           down * ((1.0 - across) * at(image, channel, bottom, left) +
                   across * at(image, channel, bottom, right));
  }
};

template <class Op> Pooled pooledOf(Op op, llvm::ArrayRef<Tensor> operands) {
  Pooled in;
  in.x = numbersOf(operands[0]);
  in.dims.assign(operands[0].dims().begin(), operands[0].dims().end());
  in.rows = static_cast<int64_t>(op.getPooledHeight());
  in.columns = static_cast<int64_t>(op.getPooledWidth());
  in.scale = op.getSpatialScale().convertToDouble();
  int64_t count = operands[1].dims()[0];
  for (int64_t i = 0; i < count; ++i) {
    auto corner = [&](int64_t k) { return realAt(operands[1], 4 * i + k); };
    in.boxes.push_back({corner(0), corner(1), corner(2), corner(3)});
  }
  in.images.assign(static_cast<size_t>(count), 0);
  if (op.getBoxesNum()) {
    in.images.clear();
    const Tensor &counts = operands.back(); // the last operand of all these ops
    for (int64_t n = 0; n < counts.size(); ++n)
      in.images.insert(in.images.end(),
                       static_cast<size_t>(std::clamp<int64_t>(loadScalar(counts, n).integer, 0, count)), n);
  }
  return in;
}

/// Calls element(box, channel, row, column) for the elements of the result in their order.
template <class Element> Numbers forEachCell(const Pooled &in, int64_t channels, Element element) {
  Numbers out;
  for (size_t box = 0; box < in.boxes.size(); ++box)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < in.rows; ++i)
        for (int64_t j = 0; j < in.columns; ++j)
          out.push_back(element(box, c, i, j));
  return out;
}

template <class Op> Numbers runRoiAlign(Op op, const Pooled &in) {
  double shift = op.getAligned() ? 0.5 : 0;
  return forEachCell(in, in.dims[1], [&](size_t box, int64_t c, int64_t i, int64_t j) {
    const auto &b = in.boxes[box];
    double left = b[0] * in.scale - shift, top = b[1] * in.scale - shift;
    double width = b[2] * in.scale - shift - left, height = b[3] * in.scale - shift - top;
    if (!op.getAligned()) {
      width = std::max(width, 1.0);
      height = std::max(height, 1.0);
    }
    double cellHeight = height / double(in.rows), cellWidth = width / double(in.columns);
    auto ratio = static_cast<int64_t>(op.getSamplingRatio());
    auto samples = [&](double dimSize) {
      return ratio > 0 ? ratio : static_cast<int64_t>(std::ceil(dimSize));
    };
    int64_t down = samples(cellHeight), across = samples(cellWidth);
    Number sum = 0;
    for (int64_t s = 0; s < down; ++s)
      for (int64_t t = 0; t < across; ++t) {
        double y = top + cellHeight * (double(i) + (double(s) + 0.5) / double(down)),
               z = left + cellWidth * (double(j) + (double(t) + 0.5) / double(across));
        if (y < -1 || y > double(in.dims[2]) || z < -1 || z > double(in.dims[3]))
          continue;
        sum += in.between(in.images[box], c, std::clamp(y, 0.0, double(in.dims[2] - 1)),
                          std::clamp(z, 0.0, double(in.dims[3] - 1)));
      }
    return sum / double(std::max<int64_t>(1, down * across));
  });
}

/// The whole elements of a cell of a box from `from` to `to`, within the plane.
std::pair<int64_t, int64_t> wholeRange(double from, double to, int64_t cell, int64_t cells, int64_t dimSize) {
  double size = (to - from) / double(cells);
  auto within = [&](double position) {
    return std::clamp(static_cast<int64_t>(position), int64_t(0), dimSize);
  };
  return {within(std::floor(double(cell) * size + from)), within(std::ceil(double(cell + 1) * size + from))};
}

template <class Op> Numbers runPsroiPool(Op op, const Pooled &in) {
  return forEachCell(
      in, static_cast<int64_t>(op.getOutputChannels()), [&](size_t box, int64_t c, int64_t i, int64_t j) {
        const auto &b = in.boxes[box];
        auto range = [&](size_t axis, int64_t cell, int64_t cells, int64_t dimSize) {
          double from = std::round(b[axis]) * in.scale, to = (std::round(b[axis + 2]) + 1) * in.scale;
          return wholeRange(from, from + std::max(to - from, 0.1), cell, cells, dimSize);
        };
        auto [top, bottom] = range(1, i, in.rows, in.dims[2]);
        auto [left, right] = range(0, j, in.columns, in.dims[3]);
        Number sum = 0;
        for (int64_t y = top; y < bottom; ++y)
          for (int64_t z = left; z < right; ++z)
            sum += in.at(in.images[box], (c * in.rows + i) * in.columns + j, y, z);
        int64_t count = (bottom - top) * (right - left);
        return count > 0 ? sum / double(count) : Number(0);
      });
}

/// Maxima, and where they are in their planes.
template <class Op> std::pair<Numbers, std::vector<int64_t>> runRoiPool(Op, const Pooled &in) {
  std::vector<int64_t> positions;
  Numbers maxima = forEachCell(in, in.dims[1], [&](size_t box, int64_t c, int64_t i, int64_t j) {
    const auto &b = in.boxes[box];
    auto range = [&](size_t axis, int64_t cell, int64_t cells, int64_t dimSize) {
      double from = std::round(b[axis] * in.scale), to = std::round(b[axis + 2] * in.scale);
      double size = std::max(to - from + 1, 1.0) / double(cells);
      auto within = [&](double position) {
        return std::clamp(static_cast<int64_t>(position), int64_t(0), dimSize);
      };
      return std::pair(within(std::floor(double(cell) * size) + from),
                       within(std::ceil(double(cell + 1) * size) + from));
    };
    auto [top, bottom] = range(1, i, in.rows, in.dims[2]);
    auto [left, right] = range(0, j, in.columns, in.dims[3]);
    int64_t best = -1;
    Number most = 0;
    for (int64_t y = top; y < bottom; ++y)
      for (int64_t z = left; z < right; ++z)
        if (Number value = in.at(in.images[box], c, y, z); best < 0 || value.real() > most.real()) {
          best = y * in.dims[3] + z;
          most = value;
        }
    positions.push_back(best);
    return most;
  });
  return {maxima, positions};
}

/// Results, then the number of points of each.
template <class Op> std::pair<Numbers, Numbers> runMovedCells(Op op, const Pooled &in, int64_t classes) {
  Numbers counts;
  auto channels = static_cast<int64_t>(op.getOutputDim()),
       samples = static_cast<int64_t>(op.getSamplePerPart());
  llvm::ArrayRef<int64_t> groups = op.getGroupSize(), bins = op.getPartSize();
  Numbers out = forEachCell(in, channels, [&](size_t box, int64_t c, int64_t i, int64_t j) {
    const auto &b = in.boxes[box];
    auto start = [&](size_t axis) { return std::round(b[axis]) * in.scale - 0.5; };
    auto dimSize = [&](size_t axis) {
      return std::max((std::round(b[axis + 2]) + 1) * in.scale - 0.5 - start(axis), 0.1);
    };
    double width = dimSize(0), height = dimSize(1), cellWidth = width / double(in.columns),
           cellHeight = height / double(in.rows);
    Number left = start(0) + double(j) * cellWidth, top = start(1) + double(i) * cellHeight;
    if (!op.getNoTrans()) {
      int64_t kind = c / (channels / classes), row = i * bins[0] / in.rows, column = j * bins[1] / in.columns;
      auto move = [&](int64_t axis) {
        int64_t plane = (static_cast<int64_t>(box) * classes + kind) * 2 + axis;
        return in.moves[static_cast<size_t>((plane * bins[0] + row) * bins[1] + column)] *
               op.getTransStd().convertToDouble();
      };
      left += move(0) * width;
      top += move(1) * height;
    }
    int64_t group = i * groups[0] / in.rows * groups[1] + j * groups[1] / in.columns;
    Number sum = 0;
    double count = 0;
    auto bounded = [](Number p, int64_t dimSize) {
      return p.real() < 0 ? Number(0) : p.real() > double(dimSize - 1) ? Number(double(dimSize - 1)) : p;
    };
    for (int64_t s = 0; s < samples; ++s)
      for (int64_t t = 0; t < samples; ++t) {
        Number y = top + double(s) * cellHeight / double(samples),
               z = left + double(t) * cellWidth / double(samples);
        if (y.real() < -0.5 || y.real() > double(in.dims[2]) - 0.5 || z.real() < -0.5 ||
            z.real() > double(in.dims[3]) - 0.5)
          continue;
        sum += in.between(in.images[box], c * groups[0] * groups[1] + group, bounded(y, in.dims[2]),
                          bounded(z, in.dims[3]));
        count += 1;
      }
    counts.push_back(count);
    return count > 0 ? sum / count : Number(0);
  });
  return {out, counts};
}

/// The derivative of <result, cotangent> by each of the inputs.
template <class Run>
LogicalResult derive(Pooled in, Numbers Pooled::*input, const Tensor &cotangent, Tensor &result, Run run) {
  Numbers &numbers = in.*input, weights = numbersOf(cotangent);
  if (static_cast<int64_t>(numbers.size()) * cotangent.size() > maxWork)
    return failure();
  store(result, derivative(numbers, [&] {
          Number sum = 0;
          for (auto [value, weight] : llvm::zip(run(in), weights))
            sum += value * weight;
          return sum;
        }));
  return success();
}

using Operands = llvm::ArrayRef<Tensor>;

/// The channels of x that a position-sensitive pooling reads.
template <class Op> int64_t channelsOf(Op op) {
  return static_cast<int64_t>(op.getOutputChannels() * op.getPooledHeight() * op.getPooledWidth());
}

/// Nullopt where the operands do not match.
template <class Op> std::optional<Pooled> movedOf(Op op, Operands operands) {
  Pooled in = pooledOf(op, operands);
  in.moves = numbersOf(operands[2]);
  llvm::ArrayRef<int64_t> groups = op.getGroupSize(), bins = op.getPartSize(), moves = operands[2].dims();
  auto channels = static_cast<int64_t>(op.getOutputDim());
  int64_t classes = moves[1] / 2;
  bool fits = op.getNoTrans() || (classes > 0 && channels % classes == 0 && moves[2] == bins[0] &&
                                  moves[3] == bins[1] && moves[0] == operands[1].dims()[0]);
  if (!fits || !in.isWhole(channels * groups[0] * groups[1]))
    return std::nullopt;
  return in;
}

} // namespace

LogicalResult RoiAlignOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                           llvm::MutableArrayRef<Tensor> results, RandomState *) {
  if (!pooledOf(*this, operands).isWhole(0))
    return failure();
  store(results[0], runRoiAlign(*this, pooledOf(*this, operands)));
  return success();
}

LogicalResult RoiAlignGradOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                               llvm::MutableArrayRef<Tensor> results, RandomState *) {
  if (!pooledOf(*this, operands).isWhole(0))
    return failure();
  return derive(pooledOf(*this, operands), &Pooled::x, operands[2], results[0],
                [&](const Pooled &in) { return runRoiAlign(*this, in); });
}

LogicalResult PsroiPoolOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                            llvm::MutableArrayRef<Tensor> results, RandomState *) {
  if (!pooledOf(*this, operands).isWhole(channelsOf(*this)))
    return failure();
  store(results[0], runPsroiPool(*this, pooledOf(*this, operands)));
  return success();
}

LogicalResult PsroiPoolGradOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                llvm::MutableArrayRef<Tensor> results, RandomState *) {
  if (!pooledOf(*this, operands).isWhole(channelsOf(*this)))
    return failure();
  return derive(pooledOf(*this, operands), &Pooled::x, operands[2], results[0],
                [&](const Pooled &in) { return runPsroiPool(*this, in); });
}

LogicalResult RoiPoolOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                          llvm::MutableArrayRef<Tensor> results, RandomState *) {
  if (!pooledOf(*this, operands).isWhole(0))
    return failure();
  auto [maxima, positions] = runRoiPool(*this, pooledOf(*this, operands));
  store(results[0], maxima);
  for (auto [i, position] : llvm::enumerate(positions))
    storeScalar(results[1], static_cast<int64_t>(i), HostScalar::of(position));
  return success();
}

LogicalResult RoiPoolGradOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                              llvm::MutableArrayRef<Tensor> results, RandomState *) {
  if (!pooledOf(*this, operands).isWhole(0))
    return failure();
  return derive(pooledOf(*this, operands), &Pooled::x, operands[2], results[0],
                [&](const Pooled &in) { return runRoiPool(*this, in).first; });
}

LogicalResult DeformablePsroiPoolingOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                         llvm::MutableArrayRef<Tensor> results,
                                                         RandomState *) {
  std::optional<Pooled> in = movedOf(*this, operands);
  if (!in)
    return failure();
  auto [out, counts] = runMovedCells(*this, *in, operands[2].dims()[1] / 2);
  store(results[0], out);
  store(results[1], counts);
  return success();
}

LogicalResult DeformablePsroiPoolingGradOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                             llvm::MutableArrayRef<Tensor> results,
                                                             RandomState *) {
  auto run = [&](const Pooled &in) { return runMovedCells(*this, in, operands[2].dims()[1] / 2).first; };
  std::optional<Pooled> in = movedOf(*this, operands);
  if (!in || failed(derive(*in, &Pooled::x, operands[3], results[0], run)))
    return failure();
  return derive(*in, &Pooled::moves, operands[3], results[1], run);
}

} // namespace proa::pd
