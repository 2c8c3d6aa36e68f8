//! Sequences of labels, and beams of them: aligned, compared and continued as their definitions say.
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/search/Tables.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

//===-- ctc_align ---------------------------------------------------------------------------------------===//

LogicalResult ctcAlign(Operation *op, llvm::ArrayRef<Tensor> operands,
                       llvm::MutableArrayRef<Tensor> results) {
  auto align = cast<CtcAlignOp>(op);
  const Tensor *offsets = operandOf(op, operands, align.getOffsets());
  auto rows = sequencesOf(operands[0], operandOf(op, operands, align.getLength()), offsets);
  if (failed(rows))
    return failure();
  std::vector<int64_t> tokens = integersOf(operands[0]), joined, ends{0}, counts;
  int64_t width = offsets ? 0 : operands[0].dims()[1];
  std::vector<int64_t> padded(offsets ? 0 : tokens.size(), static_cast<int64_t>(align.getPaddingValue()));
  for (auto [n, row] : llvm::enumerate(*rows)) {
    int64_t count = 0;
    for (int64_t i = row.begin; i < row.end; ++i) {
      int64_t token = tokens[static_cast<size_t>(i)];
      bool isRepeated =
          align.getMergeRepeated() && i > row.begin && token == tokens[static_cast<size_t>(i) - 1];
      if (token == static_cast<int64_t>(align.getBlank()) || isRepeated)
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

//===-- edit_distance -----------------------------------------------------------------------------------===//

/// The number of changes that make b of a: by what becomes of the first elements that are left.
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

LogicalResult editDistance(Operation *op, llvm::ArrayRef<Tensor> operands,
                           llvm::MutableArrayRef<Tensor> results) {
  auto distance = cast<EditDistanceOp>(op);
  auto hyps = sequencesOf(operands[0], operandOf(op, operands, distance.getHypsLength()),
                          operandOf(op, operands, distance.getHypsOffsets())),
       refs = sequencesOf(operands[1], operandOf(op, operands, distance.getRefsLength()),
                          operandOf(op, operands, distance.getRefsOffsets()));
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
    if (distance.getNormalized() && ref.empty())
      return failure();
    double scale = distance.getNormalized() ? static_cast<double>(ref.size()) : 1;
    Distance changes(tokens(operands[0], (*hyps)[static_cast<size_t>(i)]), ref);
    setReal(results[1], i, static_cast<double>(changes.from(0, 0)) / scale);
  }
  return success();
}

//===-- crf_decoding ------------------------------------------------------------------------------------===//

/// The heaviest path through the rows: what is gained from a tag on to the end, the last row first.
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

LogicalResult crfDecoding(Operation *op, llvm::ArrayRef<Tensor> operands,
                          llvm::MutableArrayRef<Tensor> results) {
  auto decoding = cast<CrfDecodingOp>(op);
  int64_t tags = operands[1].dims()[1];
  auto sequences = sequencesOf(operands[0], operandOf(op, operands, decoding.getLength()),
                               operandOf(op, operands, decoding.getOffsets()));
  if (failed(sequences) || tags == 0)
    return failure();
  const Tensor *label = operandOf(op, operands, decoding.getLabel());
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

//===-- beam_search -------------------------------------------------------------------------------------===//

/// How a prefix may go on.
struct Continuation {
  int64_t prefix, id;
  double score;
  bool wasOver;
};

LogicalResult beamSearch(Operation *op, llvm::ArrayRef<Tensor> operands,
                         llvm::MutableArrayRef<Tensor> results) {
  auto search = cast<BeamSearchOp>(op);
  const Tensor *ids = operandOf(op, operands, search.getIds());
  std::vector<int64_t> previous = integersOf(operands[0]), offsets = integersOf(operands[3]);
  auto endId = static_cast<int64_t>(search.getEndId());
  auto beam = static_cast<size_t>(search.getBeamSize());
  int64_t width = operands[2].dims()[1];
  std::vector<Continuation> selected;
  for (size_t source = 0; source + 1 < offsets.size(); ++source) {
    std::vector<Continuation> all;
    for (int64_t prefix = offsets[source]; prefix < offsets[source + 1]; ++prefix) {
      double before = realAt(operands[1], prefix);
      if (previous[static_cast<size_t>(prefix)] == endId) {
        all.push_back({prefix, endId, before, true});
        continue;
      }
      for (int64_t place = prefix * width; place < (prefix + 1) * width; ++place) {
        double score = realAt(operands[2], place);
        all.push_back({prefix, ids ? loadScalar(*ids, place).integer : place - prefix * width,
                       search.getIsAccumulated() ? score : before + std::log(score), false});
      }
    }
    auto isBetter = [](const Continuation &a, const Continuation &b) {
      return std::pair(a.score, a.prefix) > std::pair(b.score, b.prefix);
    };
    llvm::stable_sort(all, isBetter);
    if (all.size() > beam) {
      if (!isBetter(all[beam - 1], all[beam])) // the definition does not say which one stays
        return failure();
      all.resize(beam);
    }
    llvm::stable_sort(all, [](const Continuation &a, const Continuation &b) { return a.prefix < b.prefix; });
    if (!llvm::all_of(all, [&](const Continuation &one) { return one.wasOver && one.id == endId; }))
      selected.insert(selected.end(), all.begin(), all.end());
  }
  auto count = static_cast<int64_t>(selected.size());
  std::vector<int64_t> chosen, parents, ends(previous.size() + 1);
  results[1] = Tensor(results[1].dtype(), {count, 1});
  for (auto [i, one] : llvm::enumerate(selected)) {
    chosen.push_back(one.id);
    parents.push_back(one.prefix);
    setReal(results[1], static_cast<int64_t>(i), one.score);
  }
  for (size_t prefix = 0; prefix < previous.size(); ++prefix)
    ends[prefix + 1] = ends[prefix] + llvm::count(parents, static_cast<int64_t>(prefix));
  results[0] = vectorOf(results[0].dtype(), chosen).reshaped({count, 1});
  results[2] = vectorOf(results[2].dtype(), parents);
  results[3] = vectorOf(results[3].dtype(), ends);
  return success();
}

} // namespace

void addLabels(ReferenceKernels &kernels) {
  kernels.add<CtcAlignOp>(ctcAlign);
  kernels.add<EditDistanceOp>(editDistance);
  kernels.add<CrfDecodingOp>(crfDecoding);
  kernels.add<BeamSearchOp>(beamSearch);
}

} // namespace proa::pd
