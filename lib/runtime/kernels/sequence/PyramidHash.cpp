/// The library kernel "pyramid_hash" (ids, weights, offsets). dialects/pd/ops/nn/Hash.td says what it
/// computes.
#include "lib/runtime/kernels/detection/Targets.h"

#include "dialects/pd/ops/nn/Hash.kernels.inc"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>

namespace proa::runtime {
namespace {

struct PyramidAttributes {
  int64_t width = 1, space = 1, length = 1, layers = 2;
  float rate = 0;
  bool training = false;
  unsigned seed = 0;
};

/// The row of a run of ids.
void lookUpRun(const float *ids, int64_t count, const float *weights, const PyramidAttributes &attributes,
               std::vector<float> &rows) {
  for (int64_t j = 0; j < attributes.width; j += attributes.length) {
    XXH32_hash_t code = XXH32(ids, static_cast<size_t>(count) * sizeof(float), static_cast<XXH32_hash_t>(j));
    const float *from = weights + code % static_cast<uint64_t>(attributes.space);
    rows.insert(rows.end(), from, from + attributes.length);
  }
}

Result<void> pyramidHash(Call &call, const PyramidAttributes &attributes) {
  const View &x = call.input(0), &w = call.input(1);
  Result<std::vector<int64_t>> ids = integersOf(x);
  if (!ids)
    return ids.diagnostics();
  if (w.dtype != DType::Float32 || w.size() != attributes.space + attributes.length)
    return failure("w is {}; expected {} elements of float32", describe(w.dtype, w.dims),
                   attributes.space + attributes.length);
  Result<std::vector<int64_t>> ends = checkedOffsets(call.input(2), x.size());
  if (!ends)
    return ends.diagnostics();
  std::vector<float> numbers(ids->begin(), ids->end()), rows;
  std::vector<int64_t> stays, rowEnds{0}, stayEnds{0};
  unsigned state = attributes.seed;
  for (size_t i = 0; i + 1 < ends->size(); ++i) {
    int64_t length = (*ends)[i + 1] - (*ends)[i], count = 0;
    for (int64_t run = 2; run <= attributes.layers && run <= length; ++run)
      for (int64_t first = (*ends)[i]; first + run <= (*ends)[i + 1]; ++first) {
        bool isDropped = attributes.training &&
                         static_cast<float>(rand_r(&state)) / static_cast<float>(RAND_MAX) < attributes.rate;
        stays.push_back(isDropped ? 0 : 1);
        if (isDropped)
          continue;
        lookUpRun(numbers.data() + first, run, w.as<float>(), attributes, rows);
        ++count;
      }
    if (count == 0)
      rows.resize(rows.size() + static_cast<size_t>(attributes.width));
    rowEnds.push_back(static_cast<int64_t>(rows.size()) / attributes.width);
    stayEnds.push_back(stayEnds.back() + count);
  }
  if (!attributes.training)
    for (float &element : rows)
      element *= attributes.rate;
  stays.resize(static_cast<size_t>(x.size() * attributes.layers));
  using Dims = std::vector<int64_t>;
  Dims endDims{static_cast<int64_t>(rowEnds.size())};
  for (const Result<void> &written :
       {writeOutput<float>(call, 0, Dims{rowEnds.back(), attributes.width}, rows),
        writeOutput<int32_t>(call, 1, Dims{x.size() * attributes.layers, 1}, stays),
        writeOutput<float>(call, 2, x.dims, numbers), writeOutput<int64_t>(call, 3, endDims, rowEnds),
        writeOutput<int64_t>(call, 4, endDims, stayEnds)})
    if (!written)
      return written;
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makePyramidHash(const PyramidHashAttributes &op,
                                                       const KernelRequest &request) {
  Checks checks(request);
  PyramidAttributes attributes;
  attributes.width = op.numEmb;
  attributes.space = op.spaceLen;
  attributes.length = op.randLen;
  attributes.layers = op.pyramidLayer;
  attributes.rate = static_cast<float>(op.dropOutPercent);
  attributes.training = op.isTraining != 0;
  attributes.seed = static_cast<unsigned>(op.seed);
  checks.expectOperands(3, 0);
  checks.expect(attributes.space > 0 && attributes.length > 0 && attributes.width > 0 &&
                    attributes.width % attributes.length == 0,
                "expected positive space_len, rand_len and num_emb, a multiple of rand_len");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return pyramidHash(call, attributes); });
}

} // namespace proa::runtime
