//! Reference kernels of counting and of unique elements.
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::pd {
namespace {

bool isLess(const HostScalar &a, const HostScalar &b) {
  return a.isInteger() ? a.isLessInteger(b) : a.value.real() < b.value.real();
}

/// The elements of one slice in row-major order; one element if x is taken as a vector.
using Slice = std::vector<HostScalar>;

bool isBefore(const Slice &a, const Slice &b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), isLess);
}

bool isEqual(const Slice &a, const Slice &b) { return !isBefore(a, b) && !isBefore(b, a); }

/// The slices of a tensor along a dimension, or its elements.
class Slices {
public:
  Slices(const Tensor &x, llvm::ArrayRef<int64_t> axes) : x(x), dims(x.dims()) {
    if (!axes.empty())
      axis = axes[0] < 0 ? axes[0] + static_cast<int64_t>(dims.size()) : axes[0];
    for (size_t d = 0; axis && d < dims.size(); ++d)
      inner *= static_cast<int64_t>(d) > *axis ? dims[d] : 1;
  }

  int64_t count() const { return axis ? dims[static_cast<size_t>(*axis)] : x.size(); }

  Slice at(int64_t index) const {
    Slice slice;
    int64_t size = axis ? x.size() / std::max<int64_t>(1, count()) : 1;
    for (int64_t i = 0; i < size; ++i)
      slice.push_back(loadScalar(x, position(index, i, count())));
    return slice;
  }

  void set(Tensor &result, const std::vector<Slice> &values) const {
    std::vector<int64_t> dimSizes = axis ? dims : std::vector<int64_t>{0};
    auto count = static_cast<int64_t>(values.size());
    dimSizes[static_cast<size_t>(axis.value_or(0))] = count;
    result = Tensor(result.dtype(), dimSizes);
    for (auto [index, slice] : llvm::enumerate(values))
      for (auto [i, value] : llvm::enumerate(slice))
        storeScalar(result, position(static_cast<int64_t>(index), static_cast<int64_t>(i), count), value);
  }

private:
  int64_t position(int64_t index, int64_t i, int64_t dimSize) const {
    return (i / inner * dimSize + index) * inner + i % inner;
  }

  const Tensor &x;
  std::vector<int64_t> dims;
  std::optional<int64_t> axis;
  int64_t inner = 1;
};

struct Distinct {
  std::vector<Slice> values;
  std::vector<int64_t> firsts, inverse, counts;

  /// Slice `index` equals value `place`; the index after the last value adds a new one.
  void add(size_t position, const Slice &value, int64_t index) {
    if (position == values.size()) {
      values.push_back(value);
      firsts.push_back(index);
      counts.push_back(0);
    }
    inverse.push_back(static_cast<int64_t>(position));
    ++counts[position];
  }
};

/// The distinct slices in the order of their first occurrence. A slice is compared with the distinct ones
/// before it from index candidates(number of distinct ones) on.
template <class Candidates> Distinct distinct(const Slices &slices, Candidates candidates) {
  Distinct out;
  for (int64_t i = 0; i < slices.count(); ++i) {
    Slice value = slices.at(i);
    size_t position = candidates(out.values.size());
    while (position < out.values.size() && !isEqual(out.values[position], value))
      ++position;
    out.add(position, value, i);
  }
  return out;
}

size_t fromTheFirst(size_t) { return 0; }

size_t fromTheLast(size_t count) { return count == 0 ? 0 : count - 1; }

LogicalResult setDistinct(const Slices &slices, const Distinct &found,
                          llvm::MutableArrayRef<Tensor> results) {
  slices.set(results[0], found.values);
  results[1] = vectorOf(results[1].dtype(), found.inverse);
  results[2] = vectorOf(results[2].dtype(), found.counts);
  return success();
}

} // namespace

LogicalResult BincountOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                           llvm::MutableArrayRef<Tensor> results, RandomState *) {
  std::vector<int64_t> values = integersOf(operands[0]);
  auto dimSize = static_cast<int64_t>(getMinlength());
  for (int64_t index : values) {
    if (index < 0)
      return failure();
    dimSize = std::max(dimSize, index + 1);
  }
  bool isWeighted = operands.size() > 1;
  std::vector<double> sums(static_cast<size_t>(dimSize));
  for (auto [i, index] : llvm::enumerate(values))
    sums[static_cast<size_t>(index)] += isWeighted ? realAt(operands[1], static_cast<int64_t>(i)) : 1;
  results[0] = Tensor(results[0].dtype(), {dimSize});
  for (auto [i, sum] : llvm::enumerate(sums))
    setReal(results[0], static_cast<int64_t>(i), sum);
  return success();
}

LogicalResult UniqueOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                         llvm::MutableArrayRef<Tensor> results, RandomState *) {
  Slices slices(operands[0], getAxis());
  Distinct found = distinct(slices, fromTheFirst);
  std::vector<size_t> order(found.values.size()), rank(found.values.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t a, size_t b) { return isBefore(found.values[a], found.values[b]); });
  Distinct sorted;
  for (size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    sorted.values.push_back(found.values[order[i]]);
    sorted.firsts.push_back(found.firsts[order[i]]);
    sorted.counts.push_back(found.counts[order[i]]);
  }
  for (int64_t position : found.inverse)
    sorted.inverse.push_back(static_cast<int64_t>(rank[static_cast<size_t>(position)]));
  slices.set(results[0], sorted.values);
  results[1] = vectorOf(results[1].dtype(), sorted.firsts);
  results[2] = vectorOf(results[2].dtype(), sorted.inverse);
  results[3] = vectorOf(results[3].dtype(), sorted.counts);
  return success();
}

LogicalResult UniqueConsecutiveOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                    llvm::MutableArrayRef<Tensor> results, RandomState *) {
  Slices slices(operands[0], getAxis());
  return setDistinct(slices, distinct(slices, fromTheLast), results);
}

LogicalResult UniqueWithCountsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                   llvm::MutableArrayRef<Tensor> results, RandomState *) {
  Slices slices(operands[0], {});
  return setDistinct(slices, distinct(slices, fromTheFirst), results);
}

} // namespace proa::pd
