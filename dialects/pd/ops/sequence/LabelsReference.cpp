//! Reference kernels of sequences of labels, by their definitions.
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// The edit distance from a to b, by recursion on the first remaining elements.
class Distance {
public:
  Distance(std::vector<int64_t> a, std::vector<int64_t> b)
      : a(std::move(a)), b(std::move(b)), known((this->a.size() + 1) * (this->b.size() + 1), -1) {}

  int64_t from(size_t i, size_t j) {
    if (i == a.size() || j == b.size())
      return static_cast<int64_t>(a.size() - i + b.size() - j);
    int64_t &out = known[i * (b.size() + 1) + j];
    if (out < 0)
      out = a[i] == b[j] ? from(i + 1, j + 1)
                         : 1 + std::min({from(i + 1, j), from(i, j + 1), from(i + 1, j + 1)});
    return out;
  }

private:
  std::vector<int64_t> a, b, known;
};

/// The path of greatest weight through the rows, by the weight from each tag to the end, last row first.
std::vector<int64_t> heaviestPath(const Tensor &emission, const Tensor &moves, Rows rows, int64_t tags) {
  int64_t length = rows.end - rows.begin;
  std::vector<std::vector<double>> gain(static_cast<size_t>(length),
                                        std::vector<double>(static_cast<size_t>(tags)));
  auto best = [&](int64_t t, auto weight) {
    int64_t out = 0;
    for (int64_t tag = 1; tag < tags; ++tag)
      if (weight(tag) + gain[static_cast<size_t>(t)][static_cast<size_t>(tag)] >
          weight(out) + gain[static_cast<size_t>(t)][static_cast<size_t>(out)])
        out = tag;
    return out;
  };
  auto move = [&](int64_t from) {
    return [&moves, from, tags](int64_t to) { return realAt(moves, (2 + from) * tags + to); };
  };
  for (int64_t t = length; t-- > 0;)
    for (int64_t tag = 0; tag < tags; ++tag) {
      double &own = gain[static_cast<size_t>(t)][static_cast<size_t>(tag)];
      own = realAt(emission, (rows.begin + t) * tags + tag);
      if (t + 1 == length) {
        own += realAt(moves, tags + tag);
        continue;
      }
      int64_t next = best(t + 1, move(tag));
      own += move(tag)(next) + gain[static_cast<size_t>(t) + 1][static_cast<size_t>(next)];
    }
  std::vector<int64_t> path;
  for (int64_t t = 0; t < length; ++t)
    path.push_back(t == 0 ? best(0, [&](int64_t tag) { return realAt(moves, tag); })
                          : best(t, move(path.back())));
  return path;
}

/// All paths are tried, if there are at most that many.
constexpr int64_t maxPaths = 200000;

} // namespace

LogicalResult CtcAlignOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                           llvm::MutableArrayRef<Tensor> results, RandomState *) {
  const Tensor *offsets = operandOf(getOperation(), operands, getOffsets());
  auto rows = sequencesOf(operands[0], operandOf(getOperation(), operands, getLength()), offsets);
  if (failed(rows))
    return failure();
  std::vector<int64_t> tokens = integersOf(operands[0]), joined, ends{0}, counts;
  int64_t width = offsets ? 0 : operands[0].dims()[1];
  std::vector<int64_t> padded(offsets ? 0 : tokens.size(), static_cast<int64_t>(getPaddingValue()));
  for (auto [n, row] : llvm::enumerate(*rows)) {
    int64_t count = 0;
    for (int64_t i = row.begin; i < row.end; ++i) {
      int64_t token = tokens[static_cast<size_t>(i)];
      bool isRepeated = getMergeRepeated() && i > row.begin && token == tokens[static_cast<size_t>(i) - 1];
      if (token == static_cast<int64_t>(getBlank()) || isRepeated)
        continue;
      if (!offsets)
        padded[n * static_cast<size_t>(width) + static_cast<size_t>(count)] = token;
      joined.push_back(token);
      ++count;
    }
    counts.push_back(count);
    ends.push_back(static_cast<int64_t>(joined.size()));
  }
  if (!offsets) {
    results[0] = vectorOf(results[0].dtype(), padded).reshaped(operands[0].dims());
    results[1] = vectorOf(results[1].dtype(), counts).reshaped({static_cast<int64_t>(counts.size()), 1});
    return success();
  }
  if (joined.empty())
    joined = {-1};
  results[0] = vectorOf(results[0].dtype(), joined).reshaped({static_cast<int64_t>(joined.size()), 1});
  results[1] = vectorOf(results[1].dtype(), ends);
  return success();
}

LogicalResult EditDistanceOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                               llvm::MutableArrayRef<Tensor> results, RandomState *) {
  auto hyps = sequencesOf(operands[0], operandOf(getOperation(), operands, getHypsLength()),
                          operandOf(getOperation(), operands, getHypsOffsets())),
       refs = sequencesOf(operands[1], operandOf(getOperation(), operands, getRefsLength()),
                          operandOf(getOperation(), operands, getRefsOffsets()));
  if (failed(hyps) || failed(refs) || hyps->size() != refs->size())
    return failure();
  auto tokens = [](const Tensor &of, const Rows &rows) {
    std::vector<int64_t> all = integersOf(of);
    return std::vector<int64_t>(all.begin() + rows.begin, all.begin() + rows.end);
  };
  auto count = static_cast<int64_t>(hyps->size());
  results[0] = vectorOf(results[0].dtype(), {count});
  results[1] = Tensor(results[1].dtype(), {count, 1});
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> ref = tokens(operands[1], (*refs)[static_cast<size_t>(i)]);
    if (getNormalized() && ref.empty())
      return failure();
    double scale = getNormalized() ? static_cast<double>(ref.size()) : 1;
    Distance changes(tokens(operands[0], (*hyps)[static_cast<size_t>(i)]), ref);
    setReal(results[1], i, static_cast<double>(changes.from(0, 0)) / scale);
  }
  return success();
}

LogicalResult CrfDecodingOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                              llvm::MutableArrayRef<Tensor> results, RandomState *) {
  int64_t tags = operands[1].dims()[1];
  auto sequences = sequencesOf(operands[0], operandOf(getOperation(), operands, getLength()),
                               operandOf(getOperation(), operands, getOffsets()));
  if (failed(sequences) || tags == 0)
    return failure();
  const Tensor *label = operandOf(getOperation(), operands, getLabel());
  std::vector<int64_t> labels = label ? integersOf(*label) : std::vector<int64_t>(),
                       out(static_cast<size_t>(operands[0].size() / tags));
  if (label && labels.size() != out.size())
    return failure();
  for (Rows rows : *sequences) {
    std::vector<int64_t> path = heaviestPath(operands[0], operands[1], rows, tags);
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      int64_t tag = path[static_cast<size_t>(row - rows.begin)];
      out[static_cast<size_t>(row)] = label ? int64_t(tag == labels[static_cast<size_t>(row)]) : tag;
    }
  }
  std::vector<int64_t> dims(operands[0].dims().begin(), operands[0].dims().end() - 1);
  if (dims.size() == 1)
    dims.push_back(1);
  results[0] = vectorOf(results[0].dtype(), out).reshaped(dims);
  return success();
}

LogicalResult GatherTreeOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                             llvm::MutableArrayRef<Tensor> results, RandomState *) {
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

LogicalResult ViterbiDecodeOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                llvm::MutableArrayRef<Tensor> results, RandomState *) {
  bool isFramed = getIncludeBosEosTag();
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
    for (int64_t index = 0; index < paths; ++index) {
      int64_t rest = index;
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

} // namespace proa::pd
