/// The library kernels "hash" (x), "lookup_table_dequant" (table, ids) and "beam_search" (previous ids,
/// previous scores, scores, offsets, ids). Their definitions: dialects/pd/ops/nn/Hash.td, nn/Embedding.td and
/// sequence/BeamSearch.td.
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/nn/Embedding.kernels.inc"
#include "dialects/pd/ops/nn/Hash.kernels.inc"
#include "dialects/pd/ops/sequence/BeamSearch.kernels.inc"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace proa::runtime {
namespace {

Result<void> hash(Call &call, int64_t count, int64_t modulus) {
  const View &x = call.input(0);
  if (x.rank() != 2)
    return failure("x is {}; expected [rows, elements]", describe(x.dtype, x.dims));
  const int64_t dims[] = {x.dims[0], count, 1};
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  size_t bytes = static_cast<size_t>(x.dims[1]) * sizeOf(x.dtype);
  for (int64_t row = 0; row < x.dims[0]; ++row)
    for (int64_t seed = 0; seed < count; ++seed) {
      uint64_t code =
          XXH64(x.as<std::byte>() + static_cast<size_t>(row) * bytes, bytes, static_cast<uint64_t>(seed)) %
          static_cast<uint64_t>(modulus);
      if (x.dtype == DType::Int64)
        out->as<int64_t>()[row * count + seed] = static_cast<int64_t>(code);
      else
        out->as<int32_t>()[row * count + seed] = static_cast<int32_t>(code);
    }
  return {};
}

Result<void> lookUp(Call &call, int64_t padding) {
  const View &table = call.input(0);
  Result<std::vector<int64_t>> ids = integersOf(call.input(1));
  if (!ids)
    return ids.diagnostics();
  if (table.rank() != 2 || table.dims[1] < 3 || call.input(1).rank() == 0)
    return failure("the table is {}; expected a matrix of 3 columns or more",
                   describe(table.dtype, table.dims));
  int64_t width = 4 * (table.dims[1] - 2);
  std::vector<int64_t> dims(call.input(1).dims.begin(), call.input(1).dims.end());
  dims.back() = width;
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  float *to = out->as<float>();
  for (int64_t id : *ids) {
    if (id == padding && padding != -1) {
      to = std::fill_n(to, width, 0.0F);
      continue;
    }
    if (id < 0 || id >= table.dims[0])
      return failure("id {} is not a row of a table of {}", id, table.dims[0]);
    const float *row = table.as<float>() + id * table.dims[1];
    float least = row[0], scale = (row[1] - row[0]) / 256;
    const auto *codes = reinterpret_cast<const unsigned char *>(row + 2);
    for (int64_t i = 0; i < width; ++i)
      *to++ = scale * static_cast<float>(codes[i]) + least;
  }
  return {};
}

/// A continuation of a prefix.
template <class T> struct Candidate {
  int64_t prefix, id;
  T score;

  bool isWorseThan(const Candidate &other) const {
    return score < other.score || (score == other.score && prefix < other.prefix);
  }
};

struct BeamAttributes {
  int64_t size = 1, end = 0;
  bool accumulated = true;
};

/// Keeps the best candidates, best first; of equal ones the later takes the last place.
template <class T> void offer(std::vector<Candidate<T>> &beam, const Candidate<T> &one, int64_t size) {
  if (static_cast<int64_t>(beam.size()) == size) {
    if (one.isWorseThan(beam.back()))
      return;
    beam.pop_back();
  }
  auto position = std::find_if(beam.begin(), beam.end(),
                               [&](const Candidate<T> &other) { return other.isWorseThan(one); });
  beam.insert(position, one);
}

template <class T> struct BeamInputs {
  std::vector<int64_t> previous, ids;
  const T *previousScores, *scores;
  int64_t width;

  /// The candidates that stay of prefixes [begin, end), in the order of the prefixes.
  std::vector<Candidate<T>> select(int64_t begin, int64_t end, const BeamAttributes &attributes) const {
    std::vector<Candidate<T>> beam;
    for (int64_t prefix = begin; prefix < end; ++prefix) {
      auto position = static_cast<size_t>(prefix);
      if (previous[position] == attributes.end) {
        offer(beam, {prefix, attributes.end, previousScores[prefix]}, attributes.size);
        continue;
      }
      for (int64_t i = 0; i < width; ++i) {
        int64_t at = prefix * width + i;
        T score = attributes.accumulated ? scores[at] : previousScores[prefix] + std::log(scores[at]);
        offer(beam, {prefix, ids.empty() ? i : ids[static_cast<size_t>(at)], score}, attributes.size);
      }
    }
    bool isFinished = std::all_of(beam.begin(), beam.end(), [&](const Candidate<T> &one) {
      return one.id == attributes.end && previous[static_cast<size_t>(one.prefix)] == attributes.end;
    });
    if (isFinished)
      return {};
    std::stable_sort(beam.begin(), beam.end(),
                     [](const auto &a, const auto &b) { return a.prefix < b.prefix; });
    return beam;
  }
};

template <class T>
Result<void> writeBeams(Call &call, const std::vector<Candidate<T>> &selected, int64_t prefixes) {
  auto count = static_cast<int64_t>(selected.size());
  const int64_t columnDims[] = {count, 1}, parentDims[] = {count}, endDims[] = {prefixes + 1};
  OutputMemory memory;
  Result<View> ids = memory.get(call, 0, DType::Int64, columnDims),
               scores = memory.get(call, 1, call.input(2).dtype, columnDims),
               parents = memory.get(call, 2, DType::Int32, parentDims),
               ends = memory.get(call, 3, DType::Int64, endDims);
  for (const Result<View> *result : {&ids, &scores, &parents, &ends})
    if (!*result)
      return result->diagnostics();
  std::fill_n(ends->template as<int64_t>(), prefixes + 1, int64_t(0));
  for (int64_t i = 0; i < count; ++i) {
    const Candidate<T> &one = selected[static_cast<size_t>(i)];
    ids->template as<int64_t>()[i] = one.id;
    scores->template as<T>()[i] = one.score;
    parents->template as<int32_t>()[i] = static_cast<int32_t>(one.prefix);
    ++ends->template as<int64_t>()[one.prefix + 1];
  }
  for (int64_t i = 0; i < prefixes; ++i)
    ends->template as<int64_t>()[i + 1] += ends->template as<int64_t>()[i];
  return {};
}

template <class T> Result<void> beamSearch(Call &call, const BeamAttributes &attributes) {
  const View &previousScores = call.input(1), &scores = call.input(2);
  if (scores.rank() != 2)
    return failure("the scores are {}; expected [prefixes, candidates]", describe(scores.dtype, scores.dims));
  Result<std::vector<int64_t>> previous = integersOf(call.input(0)),
                               ids = call.input(4) ? integersOf(call.input(4)) : std::vector<int64_t>(),
                               offsets = checkedOffsets(call.input(3), scores.dims[0]);
  for (const auto *list : {&previous, &ids, &offsets})
    if (!*list)
      return list->diagnostics();
  auto prefixes = static_cast<int64_t>(previous->size());
  if (prefixes != scores.dims[0] || previousScores.size() != prefixes ||
      previousScores.dtype != scores.dtype ||
      (call.input(4) && static_cast<int64_t>(ids->size()) != scores.size()))
    return failure("the scores {} do not fit {} previous ids, {} previous scores and {} ids",
                   describe(scores.dtype, scores.dims), prefixes, previousScores.size(), ids->size());
  BeamInputs<T> inputs{*previous, *ids, previousScores.as<T>(), scores.as<T>(), scores.dims[1]};
  std::vector<Candidate<T>> selected;
  for (size_t source = 0; source + 1 < offsets->size(); ++source) {
    std::vector<Candidate<T>> best = inputs.select((*offsets)[source], (*offsets)[source + 1], attributes);
    selected.insert(selected.end(), best.begin(), best.end());
  }
  return writeBeams(call, selected, prefixes);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeHash(const HashAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  int64_t count = op.numHash, modulus = op.modBy;
  checks.expectOperands(1, 1);
  checks.expectDType(0, {DType::Int32, DType::Int64});
  checks.expect(count > 0 && modulus > 0, "num_hash and mod_by must be positive");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return hash(call, count, modulus); });
}

Result<std::unique_ptr<LibraryKernel>> makeLookupTableDequant(const LookupTableDequantAttributes &op,
                                                              const KernelRequest &request) {
  Checks checks(request);
  int64_t padding = op.paddingIdx;
  checks.expectOperands(2, 1);
  checks.expectDType(0, {DType::Float32});
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return lookUp(call, padding); });
}

Result<std::unique_ptr<LibraryKernel>> makeBeamSearch(const BeamSearchAttributes &op,
                                                      const KernelRequest &request) {
  Checks checks(request);
  BeamAttributes attributes{op.beamSize, op.endId, op.isAccumulated};
  checks.expectOperands(4, 0);
  checks.expectDType(2, {DType::Float32, DType::Float64});
  checks.expect(attributes.size > 0, "beam_size must be positive");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([attributes](Call &call) {
    return call.input(2).dtype == DType::Float32 ? beamSearch<float>(call, attributes)
                                                 : beamSearch<double>(call, attributes);
  });
}

} // namespace proa::runtime
