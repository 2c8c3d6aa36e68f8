/// The library kernels "chunk_eval" (inference, label, seq_length, offsets; num_chunk_types, chunk_scheme,
/// excluded_chunk_types) and "precision_recall" (max_probs, indices, labels, weights, states_info;
/// class_number). dialects/pd/ops/search/Metrics.td says what they compute.
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/search/Metrics.kernels.inc"

#include <algorithm>
#include <array>
#include <functional>

namespace proa::runtime {
namespace {

Result<void> writeOne(Call &call, size_t output, double value) {
  if (!call.hasOutput(output))
    return {};
  const int64_t one[] = {1};
  Result<View> out = call.output(output, one);
  if (!out)
    return out.diagnostics();
  if (out->dtype == DType::Int64)
    out->as<int64_t>()[0] = static_cast<int64_t>(value);
  else
    out->as<float>()[0] = static_cast<float>(value);
  return {};
}

//===-- chunk_eval -------------------------------------------------------------------------------------===//

/// The numbers of a scheme's tags; -1: it has no such tag.
struct ChunkTags {
  int64_t tags, begin, inside, end, single;
};

struct ChunkRules {
  ChunkTags scheme;
  int64_t types;
  std::vector<int64_t> excluded;
};

struct Chunk {
  int64_t begin, end, type;
  bool operator==(const Chunk &) const = default;
};

/// A label as tag and chunk type; the type `types` is outside of all chunks.
struct TaggedLabel {
  int64_t tag, type;
};

/// Whether a chunk ends between two labels, and whether one begins.
bool endsBetween(const ChunkRules &rules, TaggedLabel before, TaggedLabel now) {
  if (before.type == rules.types)
    return false;
  if (now.type != before.type)
    return true;
  bool isNew = now.tag == rules.scheme.begin || now.tag == rules.scheme.single;
  return before.tag == rules.scheme.end || before.tag == rules.scheme.single ||
         ((before.tag == rules.scheme.begin || before.tag == rules.scheme.inside) && isNew);
}
bool beginsBetween(const ChunkRules &rules, TaggedLabel before, TaggedLabel now) {
  if (before.type == rules.types || now.type == rules.types || now.type != before.type)
    return now.type != rules.types;
  bool wasOver = before.tag == rules.scheme.end || before.tag == rules.scheme.single;
  return now.tag == rules.scheme.begin || now.tag == rules.scheme.single ||
         ((now.tag == rules.scheme.inside || now.tag == rules.scheme.end) && wasOver);
}

Result<std::vector<Chunk>> chunksOf(const ChunkRules &rules, std::span<const int64_t> labels) {
  std::vector<Chunk> chunks;
  TaggedLabel before{-1, rules.types};
  int64_t begin = -1;
  auto length = static_cast<int64_t>(labels.size());
  for (int64_t i = 0; i < length; ++i) {
    int64_t label = labels[static_cast<size_t>(i)];
    if (label < 0 || label > rules.types * rules.scheme.tags)
      return failure("a label is {}, expected 0 to {}", label, rules.types * rules.scheme.tags);
    TaggedLabel now{label % rules.scheme.tags, label / rules.scheme.tags};
    if (begin >= 0 && endsBetween(rules, before, now)) {
      chunks.push_back({begin, i - 1, before.type});
      begin = -1;
    }
    if (beginsBetween(rules, before, now))
      begin = i;
    before = now;
  }
  if (begin >= 0)
    chunks.push_back({begin, length - 1, before.type});
  std::erase_if(chunks, [&](const Chunk &chunk) {
    return std::find(rules.excluded.begin(), rules.excluded.end(), chunk.type) != rules.excluded.end();
  });
  return chunks;
}

Result<void> chunkEval(Call &call, const ChunkRules &rules) {
  Result<std::vector<int64_t>> inferred = integersOf(call.input(0)), labels = integersOf(call.input(1));
  Result<std::vector<SequenceSpan>> spans = sequenceSpans(call.input(0), call.input(2), call.input(3));
  if (!inferred || !labels || !spans)
    return !inferred ? inferred.diagnostics() : !labels ? labels.diagnostics() : spans.diagnostics();
  if (inferred->size() != labels->size())
    return failure("there are {} inferred labels for {}", inferred->size(), labels->size());
  double found = 0, expected = 0, correct = 0;
  for (const SequenceSpan &span : *spans) {
    auto range = [&](const std::vector<int64_t> &all) {
      return std::span(all).subspan(static_cast<size_t>(span.begin), static_cast<size_t>(span.length));
    };
    Result<std::vector<Chunk>> ours = chunksOf(rules, range(*inferred)),
                               theirs = chunksOf(rules, range(*labels));
    if (!ours || !theirs)
      return !ours ? ours.diagnostics() : theirs.diagnostics();
    found += static_cast<double>(ours->size());
    expected += static_cast<double>(theirs->size());
    for (const Chunk &chunk : *ours)
      correct += std::find(theirs->begin(), theirs->end(), chunk) != theirs->end();
  }
  double precision = found > 0 ? correct / found : 0, recall = expected > 0 ? correct / expected : 0;
  double mean = correct > 0 ? 2 * precision * recall / (precision + recall) : 0;
  const double values[] = {precision, recall, mean, found, expected, correct};
  for (size_t i = 0; i < 6; ++i)
    if (Result<void> written = writeOne(call, i, values[i]); !written)
      return written;
  return {};
}

//===-- precision_recall -------------------------------------------------------------------------------===//

/// Weights of true positives, false positives, true negatives and false negatives of a class.
using ClassCounts = std::array<double, 4>;

double ratioOf(double some, double rest) { return some > 0 || rest > 0 ? some / (some + rest) : 1.0; }
double harmonicMean(double a, double b) { return a > 0 || b > 0 ? 2 * a * b / (a + b) : 0.0; }

Result<void> writeMetrics(Call &call, size_t output, const std::vector<ClassCounts> &classes) {
  if (!call.hasOutput(output))
    return {};
  const int64_t dims[] = {6};
  Result<View> out = call.output(output, dims);
  if (!out)
    return out.diagnostics();
  double precision = 0, recall = 0, positives = 0, wrong = 0, missed = 0;
  for (const auto &[tp, fp, tn, fn] : classes) {
    precision += ratioOf(tp, fp) / static_cast<double>(classes.size());
    recall += ratioOf(tp, fn) / static_cast<double>(classes.size());
    positives += tp;
    wrong += fp;
    missed += fn;
  }
  double whole = ratioOf(positives, wrong), found = ratioOf(positives, missed);
  const double values[] = {precision, recall, harmonicMean(precision, recall),
                           whole,     found,  harmonicMean(whole, found)};
  std::copy_n(values, 6, out->as<double>());
  return {};
}

Result<void> precisionRecall(Call &call, int64_t count) {
  const View &weights = call.input(3), &states = call.input(4);
  Result<std::vector<int64_t>> inferred = integersOf(call.input(1)), labels = integersOf(call.input(2));
  if (!inferred || !labels)
    return inferred ? labels.diagnostics() : inferred.diagnostics();
  if (inferred->size() != labels->size() ||
      (weights && weights.size() != static_cast<int64_t>(labels->size())) ||
      (states && states.size() != 4 * count))
    return failure("indices, labels and weights must be as many, and states_info hold {} numbers", 4 * count);
  std::vector<ClassCounts> classes(static_cast<size_t>(count), ClassCounts{});
  for (size_t i = 0; i < labels->size(); ++i) {
    int64_t given = (*inferred)[i], label = (*labels)[i];
    if (std::min(given, label) < 0 || std::max(given, label) >= count)
      return failure("sample {} has classes {} and {}, expected 0 to {}", i, given, label, count - 1);
    double weight = weights ? static_cast<double>(weights.as<float>()[i]) : 1.0;
    for (int64_t c = 0; c < count; ++c)
      classes[static_cast<size_t>(c)][c == given ? (c == label ? 0 : 1) : (c == label ? 3 : 2)] += weight;
  }
  if (Result<void> written = writeMetrics(call, 0, classes); !written)
    return written;
  for (int64_t i = 0; states && i < 4 * count; ++i)
    classes[static_cast<size_t>(i / 4)][static_cast<size_t>(i % 4)] +=
        static_cast<double>(states.as<float>()[i]);
  if (Result<void> written = writeMetrics(call, 1, classes); !written || !call.hasOutput(2))
    return written;
  const int64_t dims[] = {count, 4};
  Result<View> out = call.output(2, dims);
  if (!out)
    return out.diagnostics();
  for (int64_t i = 0; i < 4 * count; ++i)
    out->as<float>()[i] = static_cast<float>(classes[static_cast<size_t>(i / 4)][static_cast<size_t>(i % 4)]);
  return {};
}

ChunkTags tagsOf(ChunkScheme scheme) {
  switch (scheme) {
  case ChunkScheme::IOB:
    return {2, 0, 1, -1, -1};
  case ChunkScheme::IOE:
    return {2, -1, 0, 1, -1};
  case ChunkScheme::IOBES:
    return {4, 0, 1, 2, 3};
  case ChunkScheme::Plain:
    break;
  }
  return {1, -1, -1, -1, -1};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeChunkEval(const ChunkEvalAttributes &op,
                                                     const KernelRequest &request) {
  Checks checks(request);
  ChunkTags scheme = tagsOf(op.chunkScheme);
  ChunkRules rules{scheme, op.numChunkTypes, op.excludedChunkTypes};
  checks.expectOperands(2, 0);
  checks.expect(rules.types > 0, "num_chunk_types must be positive");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([rules](Call &call) { return chunkEval(call, rules); });
}

Result<std::unique_ptr<LibraryKernel>> makePrecisionRecall(const PrecisionRecallAttributes &op,
                                                           const KernelRequest &request) {
  Checks checks(request);
  int64_t count = op.classNumber;
  checks.expectOperands(3, 0);
  checks.expectDType(3, {DType::Float32});
  checks.expectDType(4, {DType::Float32});
  checks.expect(count > 0, "class_number must be positive");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([count](Call &call) { return precisionRecall(call, count); });
}

} // namespace proa::runtime
