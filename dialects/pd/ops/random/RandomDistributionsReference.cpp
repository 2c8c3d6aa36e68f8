//! Reference kernels that sample known distributions, one element at a time.
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>
#include <limits>
#include <random>

using namespace mlir;

namespace proa::pd {
namespace {

constexpr double pi = 3.14159265358979323846;

double numberOf(const llvm::APFloat &attribute) { return attribute.convertToDouble(); }

/// Allocates the result of an op that has a shape alone, and returns the sequence that it samples.
template <class Op>
Sequence begin(Op op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
               RandomState &draws) {
  std::vector<int64_t> dims(op.getShape().begin(), op.getShape().end());
  if (const Tensor *given = operandOf(op, operands, op.getShapeTensor()))
    dims = integersOf(*given);
  results[0] = Tensor(results[0].dtype(), dims);
  auto seed = static_cast<uint64_t>(op.getSeed());
  if (const Tensor *given = operandOf(op, operands, op.getSeedTensor())) {
    seed = static_cast<uint64_t>(loadScalar(*given, 0).integer);
    if (given->size() == 2)
      return Sequence(seed, static_cast<uint64_t>(loadScalar(*given, 1).integer));
  }
  return draws.next(seed);
}

/// The indices of elements in the tensor that a result is a shard of.
class WholeIndex {
public:
  template <class Op>
  WholeIndex(Op op, llvm::ArrayRef<Tensor> operands, const Tensor &shard)
      : dims(shard.dims()), whole(op.getWholeShape()) {
    if (const Tensor *given = operandOf(op, operands, op.getPartBegin()))
      begin = integersOf(*given);
  }

  uint64_t operator()(int64_t linear) const {
    if (whole.empty())
      return static_cast<uint64_t>(linear);
    uint64_t index = 0, stride = 1;
    for (size_t d = dims.size(); d-- > 0; linear /= dims[d]) {
      index += static_cast<uint64_t>(begin[d] + linear % dims[d]) * stride;
      stride *= static_cast<uint64_t>(whole[d]);
    }
    return index;
  }

private:
  std::vector<int64_t> dims, begin;
  llvm::SmallVector<int64_t> whole;
};

/// The Box-Muller transform: two normal numbers from two uniform ones.
std::array<double, 2> normalNumbers(double first, double second) {
  double radius = std::sqrt(-2 * std::log1p(-first)), angle = 2 * pi * second;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

double shareBelow(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// The quantile of the normal distribution, by bisection; negative results are more precise.
double numberAbove(double share) {
  double low = -38.5, high = 38.5;
  while (true) {
    double middle = (low + high) / 2;
    if (middle <= low || middle >= high || high - low < 1e-15)
      return middle;
    (shareBelow(middle) < share ? low : high) = middle;
  }
}

/// Samples until a number is in [a, b]; where that takes long, inverts the distribution function.
double truncatedNumber(Stream stream, double a, double b) {
  constexpr double rare = 0.05;
  if (shareBelow(b) - shareBelow(a) < rare) {
    double sign = a > 0 ? -1 : 1, from = a > 0 ? -b : a, to = a > 0 ? -a : b;
    double share = shareBelow(from) + (shareBelow(to) - shareBelow(from)) * stream.unit();
    return sign * std::min(std::max(numberAbove(share), from), to);
  }
  while (true) {
    double first = stream.unit(), second = stream.unit();
    for (double x : normalNumbers(first, second))
      if (a <= x && x <= b)
        return x;
  }
}

/// Samples each element from a distribution of the standard library whose parameter is the element of x.
template <class Op, class Draw>
LogicalResult drawEach(Op op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                       RandomState &draws, Draw draw) {
  Sequence sequence = draws.next(static_cast<uint64_t>(op.getSeed()));
  WholeIndex index(op, operands, operands[0]);
  for (int64_t i = 0; i < operands[0].size(); ++i) {
    double parameter = realAt(operands[0], i);
    if (!(parameter >= 0) || std::isinf(parameter))
      return failure();
    Stream stream(sequence, index(i));
    setReal(results[0], i, parameter == 0 ? 0 : draw(parameter, stream));
  }
  return success();
}

} // namespace

LogicalResult UniformOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                          llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  Sequence sequence = begin(*this, operands, results, *state);
  bool isDouble = results[0].dtype() == DType::Float64;
  auto end = [&](const llvm::APFloat &value) {
    return isDouble ? numberOf(value) : static_cast<double>(static_cast<float>(numberOf(value)));
  };
  double low = end(getMin()), high = end(getMax());
  WholeIndex index(*this, operands, results[0]);
  for (int64_t i = 0; i < results[0].size(); ++i) {
    uint64_t position = index(i);
    // 32 bits are enough for a number that is not a double.
    double unit = isDouble ? sequence.unit(position / 2, position % 2)
                           : static_cast<double>(sequence.block(position / 4)[position % 4] >> 8) * 0x1p-24;
    double value = low + (high - low) * unit;
    if (!isDouble && static_cast<float>(value) >= static_cast<float>(high))
      value = std::nextafter(static_cast<float>(high), static_cast<float>(low));
    setReal(results[0], i, value);
  }
  auto step = static_cast<int64_t>(getDiagStep()) + 1;
  for (int64_t i = 0; i < static_cast<int64_t>(getDiagNum()); ++i) {
    if (step < 1 || i * step >= results[0].size())
      return failure();
    setReal(results[0], i * step, numberOf(getDiagVal()));
  }
  return success();
}

LogicalResult GaussianOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                           llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  Sequence sequence = begin(*this, operands, results, *state);
  double mean = numberOf(getMean()), deviation = numberOf(getStd());
  DType dtype = results[0].dtype();
  bool isComplex = dtype == DType::Complex64 || dtype == DType::Complex128;
  WholeIndex index(*this, operands, results[0]);
  for (int64_t i = 0; i < results[0].size(); ++i) {
    uint64_t position = index(i);
    if (isComplex) { // the standard deviation is of both components together
      std::array<double, 2> pair = normalNumbers(sequence.unit(position, 0), sequence.unit(position, 1));
      double scale = deviation / std::sqrt(2.0);
      storeScalar(results[0], i,
                  HostScalar::of(std::complex<double>(mean + scale * pair[0], mean + scale * pair[1])));
    } else {
      std::array<double, 2> pair =
          normalNumbers(sequence.unit(position / 2, 0), sequence.unit(position / 2, 1));
      setReal(results[0], i, mean + deviation * pair[position % 2]);
    }
  }
  return success();
}

LogicalResult TruncatedGaussianRandomOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                          llvm::MutableArrayRef<Tensor> results,
                                                          RandomState *state) {
  if (!state)
    return failure();
  double a = numberOf(getA()), b = numberOf(getB());
  if (!(a < b))
    return failure();
  Sequence sequence = begin(*this, operands, results, *state);
  WholeIndex index(*this, operands, results[0]);
  for (int64_t i = 0; i < results[0].size(); ++i)
    setReal(results[0], i,
            numberOf(getMean()) + numberOf(getStd()) * truncatedNumber(Stream(sequence, index(i)), a, b));
  return success();
}

LogicalResult RandintOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                          llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  Sequence sequence = begin(*this, operands, results, *state);
  auto low = static_cast<int64_t>(getLow());
  auto range = static_cast<unsigned __int128>(static_cast<int64_t>(getHigh()) - low);
  WholeIndex index(*this, operands, results[0]);
  for (int64_t i = 0; i < results[0].size(); ++i) {
    Sequence::Words words = sequence.block(index(i) / 2);
    size_t half = 2 * (index(i) % 2);
    uint64_t word = uint64_t(words[half + 1]) << 32 | words[half];
    storeScalar(results[0], i, HostScalar::of(low + static_cast<int64_t>((word * range) >> 64)));
  }
  return success();
}

LogicalResult PoissonOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                          llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  return drawEach(*this, operands, results, *state, [](double mean, Stream &stream) {
    return static_cast<double>(std::poisson_distribution<int64_t>(mean)(stream));
  });
}

LogicalResult StandardGammaOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  DType dtype = results[0].dtype();
  double least = dtype == DType::Float64   ? std::numeric_limits<double>::min()
                 : dtype == DType::Float16 ? 0x1p-14
                                           : 0x1p-126;
  LogicalResult drawn = drawEach(*this, operands, results, *state, [](double shape, Stream &stream) {
    return std::gamma_distribution<double>(shape)(stream);
  });
  for (int64_t i = 0; succeeded(drawn) && i < results[0].size(); ++i)
    setReal(results[0], i, std::max(least, realAt(results[0], i)));
  return drawn;
}

LogicalResult BinomialOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                           llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  Sequence sequence = state->next(static_cast<uint64_t>(getSeed()));
  WholeIndex index(*this, operands, operands[0]);
  for (int64_t i = 0; i < operands[0].size(); ++i) {
    double trials = realAt(operands[0], i), chance = realAt(operands[1], i);
    if (!(trials >= 0 && trials < 0x1p53 && chance >= 0 && chance <= 1))
      return failure();
    Stream stream(sequence, index(i));
    storeScalar(results[0], i,
                HostScalar::of(int64_t(
                    std::binomial_distribution<int64_t>(static_cast<int64_t>(trials), chance)(stream))));
  }
  return success();
}

} // namespace proa::pd
