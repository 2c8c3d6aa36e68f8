//! Extents, bytes, counts, distinct elements, and labels by trying everything.
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/StridedOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::pd {
namespace {

LogicalResult dim(Operation *op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  storeScalar(results[0], 0, HostScalar::of(operands[0].dims()[cast<DimOp>(op).getIndex()]));
  return success();
}

LogicalResult shape(Operation *, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  results[0] = vectorOf(results[0].dtype(), operands[0].dims());
  return success();
}

/// The same bytes in their order, whatever they mean.
LogicalResult viewDtype(Operation *, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  if (operands[0].bytes() != results[0].bytes())
    return failure();
  std::memcpy(results[0].data(), operands[0].data(), results[0].bytes());
  return success();
}

LogicalResult holds(Operation *, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor>) {
  return success(loadScalar(operands[0], 0).integer != 0);
}

/// An evaluation that comes here ends.
LogicalResult fails(Operation *op, llvm::ArrayRef<Tensor>, llvm::MutableArrayRef<Tensor>) {
  return op->emitError() << cast<FailOp>(op).getMessage();
}

/// What is shown is no result.
LogicalResult shown(Operation *, llvm::ArrayRef<Tensor>, llvm::MutableArrayRef<Tensor>) { return success(); }

LogicalResult bincount(Operation *op, llvm::ArrayRef<Tensor> operands,
                       llvm::MutableArrayRef<Tensor> results) {
  std::vector<int64_t> numbers = integersOf(operands[0]);
  auto extent = static_cast<int64_t>(cast<BincountOp>(op).getMinlength());
  for (int64_t number : numbers) {
    if (number < 0)
      return failure();
    extent = std::max(extent, number + 1);
  }
  bool isWeighted = operands.size() > 1;
  std::vector<double> sums(static_cast<size_t>(extent));
  for (auto [i, number] : llvm::enumerate(numbers))
    sums[static_cast<size_t>(number)] += isWeighted ? realAt(operands[1], static_cast<int64_t>(i)) : 1;
  results[0] = Tensor(results[0].dtype(), {extent});
  for (auto [i, sum] : llvm::enumerate(sums))
    setReal(results[0], static_cast<int64_t>(i), sum);
  return success();
}

//===-- Distinct elements -------------------------------------------------------------------------------===//

bool isLess(const HostScalar &a, const HostScalar &b) {
  return a.isInteger() ? a.integer < b.integer : a.number.real() < b.number.real();
}

/// The elements of one slice in row-major order; of an x as a vector, one element.
using Slice = std::vector<HostScalar>;

bool isBefore(const Slice &a, const Slice &b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), isLess);
}

bool isEqual(const Slice &a, const Slice &b) { return !isBefore(a, b) && !isBefore(b, a); }

/// What a tensor is made of along a dimension, or without one its elements.
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
      slice.push_back(loadScalar(x, place(index, i, count())));
    return slice;
  }

  void set(Tensor &result, const std::vector<Slice> &values) const {
    std::vector<int64_t> extents = axis ? dims : std::vector<int64_t>{0};
    auto count = static_cast<int64_t>(values.size());
    extents[static_cast<size_t>(axis.value_or(0))] = count;
    result = Tensor(result.dtype(), extents);
    for (auto [index, slice] : llvm::enumerate(values))
      for (auto [i, value] : llvm::enumerate(slice))
        storeScalar(result, place(static_cast<int64_t>(index), static_cast<int64_t>(i), count), value);
  }

private:
  int64_t place(int64_t index, int64_t i, int64_t extent) const {
    return (i / inner * extent + index) * inner + i % inner;
  }

  const Tensor &x;
  std::vector<int64_t> dims;
  std::optional<int64_t> axis;
  int64_t inner = 1;
};

struct Distinct {
  std::vector<Slice> values;
  std::vector<int64_t> firsts, inverse, counts;

  /// Slice number `index` is like value number `place`; one more than there are makes a new one.
  void add(size_t place, const Slice &value, int64_t index) {
    if (place == values.size()) {
      values.push_back(value);
      firsts.push_back(index);
      counts.push_back(0);
    }
    inverse.push_back(static_cast<int64_t>(place));
    ++counts[place];
  }
};

/// The distinct slices in the order of their first appearance; one is compared with those found before from
/// number candidates(how many there are) on.
template <class Candidates> Distinct distinct(const Slices &slices, Candidates candidates) {
  Distinct out;
  for (int64_t i = 0; i < slices.count(); ++i) {
    Slice value = slices.at(i);
    size_t place = candidates(out.values.size());
    while (place < out.values.size() && !isEqual(out.values[place], value))
      ++place;
    out.add(place, value, i);
  }
  return out;
}

size_t fromTheFirst(size_t) { return 0; }
size_t fromTheLast(size_t count) { return count == 0 ? 0 : count - 1; }

LogicalResult unique(Operation *op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  Slices slices(operands[0], cast<UniqueOp>(op).getAxis());
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
  for (int64_t place : found.inverse)
    sorted.inverse.push_back(static_cast<int64_t>(rank[static_cast<size_t>(place)]));
  slices.set(results[0], sorted.values);
  results[1] = vectorOf(results[1].dtype(), sorted.firsts);
  results[2] = vectorOf(results[2].dtype(), sorted.inverse);
  results[3] = vectorOf(results[3].dtype(), sorted.counts);
  return success();
}

LogicalResult setDistinct(const Slices &slices, const Distinct &found,
                          llvm::MutableArrayRef<Tensor> results) {
  slices.set(results[0], found.values);
  results[1] = vectorOf(results[1].dtype(), found.inverse);
  results[2] = vectorOf(results[2].dtype(), found.counts);
  return success();
}

LogicalResult uniqueConsecutive(Operation *op, llvm::ArrayRef<Tensor> operands,
                                llvm::MutableArrayRef<Tensor> results) {
  Slices slices(operands[0], cast<UniqueConsecutiveOp>(op).getAxis());
  return setDistinct(slices, distinct(slices, fromTheLast), results);
}

LogicalResult uniqueWithCounts(Operation *, llvm::ArrayRef<Tensor> operands,
                               llvm::MutableArrayRef<Tensor> results) {
  Slices slices(operands[0], {});
  return setDistinct(slices, distinct(slices, fromTheFirst), results);
}

//===-- Labels ------------------------------------------------------------------------------------------===//

LogicalResult gatherTree(Operation *, llvm::ArrayRef<Tensor> operands,
                         llvm::MutableArrayRef<Tensor> results) {
  llvm::ArrayRef<int64_t> dims = operands[0].dims();
  for (int64_t parent : integersOf(operands[1]))
    if (parent < 0 || parent >= dims[2])
      return failure();
  forEachIndex({dims[1], dims[2]}, [&](llvm::ArrayRef<int64_t> index, int64_t) {
    int64_t beam = index[1];
    for (int64_t t = dims[0]; t-- > 0;) {
      auto at = [&](int64_t k) { return (t * dims[1] + index[0]) * dims[2] + k; };
      storeScalar(results[0], at(index[1]), loadScalar(operands[0], at(beam)));
      beam = loadScalar(operands[1], at(beam)).integer;
    }
  });
  return success();
}

/// Paths are all tried, where there are at most so many.
constexpr int64_t maxPaths = 200000;

LogicalResult viterbi(Operation *op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  bool isFramed = cast<ViterbiDecodeOp>(op).getIncludeBosEosTag();
  llvm::ArrayRef<int64_t> dims = operands[0].dims();
  std::vector<int64_t> lengths = integersOf(operands[2]);
  if (dims[2] < 1 || operands[1].dims() != std::vector<int64_t>{dims[2], dims[2]} ||
      static_cast<int64_t>(lengths.size()) != dims[0] || lengths.empty())
    return failure();
  int64_t tags = dims[2], longest = *std::max_element(lengths.begin(), lengths.end());
  results[1] = Tensor(results[1].dtype(), {dims[0], std::max<int64_t>(0, longest)});
  auto go = [&](int64_t from, int64_t to) { return realAt(operands[1], from * tags + to); };
  for (int64_t n = 0; n < dims[0]; ++n) {
    int64_t length = lengths[static_cast<size_t>(n)], paths = 1;
    for (int64_t t = 0; t < length && paths <= maxPaths; ++t)
      paths *= tags;
    if (paths > maxPaths || length < 1 || length > dims[1] || (isFramed && tags < 2))
      return failure();
    double best = -std::numeric_limits<double>::infinity();
    std::vector<int64_t> bestPath, path(static_cast<size_t>(length));
    for (int64_t number = 0; number < paths; ++number) {
      int64_t rest = number;
      for (int64_t &tag : path) {
        tag = rest % tags;
        rest /= tags;
      }
      double score = isFramed ? go(tags - 1, path.front()) + go(tags - 2, path.back()) : 0;
      for (int64_t t = 0; t < length; ++t)
        score += realAt(operands[0], (n * dims[1] + t) * tags + path[static_cast<size_t>(t)]) +
                 (t > 0 ? go(path[static_cast<size_t>(t) - 1], path[static_cast<size_t>(t)]) : 0);
      if (score > best) {
        best = score;
        bestPath = path;
      }
    }
    setReal(results[0], n, best);
    for (int64_t t = 0; t < longest; ++t)
      storeScalar(results[1], n * longest + t,
                  HostScalar::of(t < length ? bestPath[static_cast<size_t>(t)] : int64_t(0)));
  }
  return success();
}

} // namespace

void addCounts(ReferenceKernels &kernels) {
  kernels.add<DimOp>(dim);
  kernels.add<ShapeOp>(shape);
  kernels.add<AssertOp>(holds);
  kernels.add<FailOp>(fails);
  kernels.add<PrintOp>(shown);
  kernels.add<BincountOp>(bincount);
  kernels.add<ViewDtypeOp>(viewDtype);
  kernels.add<UniqueOp>(unique);
  kernels.add<UniqueConsecutiveOp>(uniqueConsecutive);
  kernels.add<UniqueWithCountsOp>(uniqueWithCounts);
  kernels.add<GatherTreeOp>(gatherTree);
  kernels.add<ViterbiDecodeOp>(viterbi);
}

} // namespace proa::pd
