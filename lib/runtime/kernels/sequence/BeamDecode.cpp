/// The library kernel "array_beam_search_decode" (arrays of ids, scores, offsets of sources, offsets of
/// prefixes). dialects/pd/ops/sequence/BeamSearch.td says what it computes.
#include "lib/runtime/kernels/detection/Targets.h"

#include "dialects/pd/ops/sequence/BeamSearch.kernels.inc"

#include <algorithm>

namespace proa::runtime {
namespace {

/// The rows of one step.
template <class T> struct BeamStep {
  const int64_t *ids;
  const T *scores;
  std::vector<int64_t> sources, prefixes; ///< offsets
};

/// One translation, its last row first.
template <class T> struct Translation {
  std::vector<int64_t> ids;
  std::vector<T> scores;
  int64_t row; ///< of the step looked at last; the next earlier step follows its prefix
};

template <class T>
Result<BeamStep<T>> stepOf(const ArrayElement &ids, const ArrayElement &scores, const ArrayElement &sources,
                           const ArrayElement &prefixes, int64_t sourceCount) {
  for (const ArrayElement *element : {&ids, &scores, &sources, &prefixes})
    if (!element->data)
      return failure("nothing was written to an element of the arrays");
  int64_t rows = ids.view().size();
  Result<std::vector<int64_t>> prefixEnds = checkedOffsets(prefixes.view(), rows);
  if (!prefixEnds)
    return prefixEnds.diagnostics();
  Result<std::vector<int64_t>> sourceEnds =
      checkedOffsets(sources.view(), static_cast<int64_t>(prefixEnds->size()) - 1);
  if (!sourceEnds)
    return sourceEnds.diagnostics();
  if (ids.dtype != DType::Int64 || scores.view().size() != rows ||
      (sourceCount >= 0 && static_cast<int64_t>(sourceEnds->size()) != sourceCount + 1))
    return failure("a step has ids {}, scores {} and {} sources; expected {} sources",
                   describe(ids.dtype, ids.dims), describe(scores.dtype, scores.dims), sourceEnds->size() - 1,
                   sourceCount);
  return BeamStep<T>{ids.view().as<int64_t>(), scores.view().as<T>(), std::move(*sourceEnds),
                     std::move(*prefixEnds)};
}

/// The prefix that a row continues.
template <class T> int64_t prefixOf(const BeamStep<T> &step, int64_t row) {
  return std::upper_bound(step.prefixes.begin(), step.prefixes.end(), row) - step.prefixes.begin() - 1;
}

template <class T>
Result<std::vector<Translation<T>>> translationsOf(const std::vector<BeamStep<T>> &steps, size_t source,
                                                   int64_t beamSize, int64_t endId) {
  std::vector<Translation<T>> found;
  for (size_t t = steps.size(); t-- > 0;) {
    const BeamStep<T> &step = steps[t];
    if (found.empty()) {
      auto first = step.prefixes[static_cast<size_t>(step.sources[source])],
           last = step.prefixes[static_cast<size_t>(step.sources[source + 1])];
      for (int64_t row = first; row < last; ++row)
        found.push_back({{step.ids[row]}, {step.scores[row]}, prefixOf(step, row)});
      if (static_cast<int64_t>(found.size()) > beamSize)
        return failure("source {} has {} translations, beam_size is {}", source, found.size(), beamSize);
      continue;
    }
    for (Translation<T> &translation : found) {
      int64_t row = translation.row;
      if (row >= step.prefixes.back())
        return failure("step {} continues row {}, step {} has {}", t + 1, row, t, step.prefixes.back());
      if (step.ids[row] != endId) {
        translation.ids.push_back(step.ids[row]);
        translation.scores.push_back(step.scores[row]);
      }
      translation.row = prefixOf(step, row);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Translation<T> &a, const Translation<T> &b) {
    return a.scores.front() > b.scores.front();
  });
  return found;
}

template <class T> Result<void> decode(Call &call, int64_t beamSize, int64_t endId) {
  size_t count = call.array(0).size();
  for (size_t i = 1; i < 4; ++i)
    if (call.array(i).size() != count)
      return failure("the arrays have {} and {} elements", count, call.array(i).size());
  if (count == 0)
    return failure("the arrays have no elements");
  std::vector<BeamStep<T>> steps;
  for (size_t t = 0; t < count; ++t) {
    int64_t sources = t == 0 ? -1 : static_cast<int64_t>(steps.front().sources.size()) - 1;
    Result<BeamStep<T>> step =
        stepOf<T>(call.array(0)[t], call.array(1)[t], call.array(2)[t], call.array(3)[t], sources);
    if (!step)
      return step.diagnostics();
    steps.push_back(std::move(*step));
  }
  std::vector<int64_t> ids, translationEnds{0}, sentenceEnds{0};
  std::vector<T> scores;
  for (size_t source = 0; source + 1 < steps.front().sources.size(); ++source) {
    Result<std::vector<Translation<T>>> found = translationsOf(steps, source, beamSize, endId);
    if (!found)
      return found.diagnostics();
    for (const Translation<T> &translation : *found) {
      ids.insert(ids.end(), translation.ids.rbegin(), translation.ids.rend());
      scores.insert(scores.end(), translation.scores.rbegin(), translation.scores.rend());
      sentenceEnds.push_back(static_cast<int64_t>(ids.size()));
    }
    translationEnds.push_back(static_cast<int64_t>(sentenceEnds.size()) - 1);
  }
  using Dims = std::vector<int64_t>;
  auto length = [](const auto &list) { return Dims{static_cast<int64_t>(list.size())}; };
  for (const Result<void> &written :
       {writeOutput<int64_t>(call, 0, length(ids), ids), writeOutput<T>(call, 1, length(scores), scores),
        writeOutput<int64_t>(call, 2, length(translationEnds), translationEnds),
        writeOutput<int64_t>(call, 3, length(sentenceEnds), sentenceEnds)})
    if (!written)
      return written;
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeArrayBeamSearchDecode(const ArrayBeamSearchDecodeAttributes &op,
                                                                 const KernelRequest &request) {
  Checks checks(request);
  int64_t beamSize = op.beamSize, endId = op.endId;
  checks.expectOperands(4, 0);
  for (size_t i = 0; checks.ok() && i < 4; ++i)
    checks.expect(request.inputs[i].array, "an input is not a tensor array");
  checks.expectDType(1, {DType::Float32, DType::Float64});
  if (!checks.ok())
    return checks.diagnostics();
  if (request.inputs[1].dtype == DType::Float32)
    return makeKernel([=](Call &call) { return decode<float>(call, beamSize, endId); });
  return makeKernel([=](Call &call) { return decode<double>(call, beamSize, endId); });
}

} // namespace proa::runtime
