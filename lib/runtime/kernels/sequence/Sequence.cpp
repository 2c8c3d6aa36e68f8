/// The library kernels on the rows of sequences. row_positions (x, offsets): for each row its sequence and
/// its place in it. ranges (starts, lengths): the numbers of consecutive ranges, and their offsets.
/// dialects/pd/ops/sequence/Rows.td.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/sequence/Rows.kernels.inc"

#include <numeric>

namespace proa::runtime {

Result<std::vector<int64_t>> checkedOffsets(const View &offsets, int64_t rows) {
  if (offsets.dtype != DType::Int64 || offsets.rank() != 1 || offsets.size() == 0)
    return failure("the LoD is {}; expected an int64 vector", describe(offsets.dtype, offsets.dims));
  std::vector<int64_t> out(offsets.as<int64_t>(), offsets.as<int64_t>() + offsets.size());
  if (out.front() != 0 || out.back() != rows)
    return failure("the LoD goes from {} to {}; expected 0 to {}, the number of rows", out.front(),
                   out.back(), rows);
  for (size_t i = 1; i < out.size(); ++i)
    if (out[i] < out[i - 1])
      return failure("offset {} of the LoD is {}, below {} before it", i, out[i], out[i - 1]);
  return out;
}

Result<std::vector<SequenceSpan>> sequenceSpans(const View &x, const View &lengths, const View &offsets) {
  std::vector<SequenceSpan> out;
  if (offsets) {
    Result<std::vector<int64_t>> checked = checkedOffsets(offsets, x.rank() == 0 ? 0 : x.dims[0]);
    if (!checked)
      return checked.diagnostics();
    for (size_t i = 0; i + 1 < checked->size(); ++i)
      out.push_back({(*checked)[i], (*checked)[i + 1] - (*checked)[i]});
    return out;
  }
  if (x.rank() < 2)
    return failure("found {}; expected [batch, time, ...]", describe(x.dtype, x.dims));
  int64_t batch = x.dims[0], time = x.dims[1];
  std::vector<int64_t> counts(static_cast<size_t>(batch), time);
  if (lengths) {
    Result<std::vector<int64_t>> given = integersOf(lengths);
    if (!given)
      return given.diagnostics();
    if (given->size() != counts.size())
      return failure("there are {} lengths for {} sequences", given->size(), batch);
    counts = std::move(*given);
  }
  for (int64_t i = 0; i < batch; ++i) {
    int64_t length = counts[static_cast<size_t>(i)];
    if (length < 0 || length > time)
      return failure("length {} is {}; expected 0 to {}", i, length, time);
    out.push_back({i * time, length});
  }
  return out;
}

namespace {

Result<void> rowPositions(Call &call) {
  const View &x = call.input(0);
  int64_t rows = x.rank() == 0 ? 0 : x.dims[0];
  Result<std::vector<int64_t>> offsets = checkedOffsets(call.input(1), rows);
  if (!offsets)
    return offsets.diagnostics();
  for (size_t result = 0; result < 2; ++result) {
    if (!call.hasOutput(result))
      continue;
    Result<View> out = call.output(result, std::span(&rows, 1));
    if (!out)
      return out.diagnostics();
    for (size_t i = 0; i + 1 < offsets->size(); ++i)
      for (int64_t row = (*offsets)[i]; row < (*offsets)[i + 1]; ++row)
        out->as<int64_t>()[row] = result == 0 ? static_cast<int64_t>(i) : row - (*offsets)[i];
  }
  return {};
}

Result<void> ranges(Call &call) {
  Result<std::vector<int64_t>> starts = integersOf(call.input(0)), lengths = integersOf(call.input(1));
  for (const auto *operand : {&starts, &lengths})
    if (!*operand)
      return operand->diagnostics();
  if (starts->size() != lengths->size())
    return failure("there are {} starts and {} lengths", starts->size(), lengths->size());
  int64_t sum = 0;
  for (size_t i = 0; i < lengths->size(); ++i) {
    if ((*lengths)[i] < 0)
      return failure("length {} is {}; expected none below 0", i, (*lengths)[i]);
    sum += (*lengths)[i];
  }
  if (call.hasOutput(0)) {
    Result<View> rows = call.output(0, std::span(&sum, 1));
    if (!rows)
      return rows.diagnostics();
    int64_t *next = rows->as<int64_t>();
    for (size_t i = 0; i < lengths->size(); next += (*lengths)[i++])
      std::iota(next, next + (*lengths)[i], (*starts)[i]);
  }
  if (call.hasOutput(1)) {
    auto count = static_cast<int64_t>(lengths->size()) + 1;
    Result<View> offsets = call.output(1, std::span(&count, 1));
    if (!offsets)
      return offsets.diagnostics();
    offsets->as<int64_t>()[0] = 0;
    std::partial_sum(lengths->begin(), lengths->end(), offsets->as<int64_t>() + 1);
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeRowPositions(const RowPositionsAttributes &op,
                                                        const KernelRequest &request) {
  return makeKernel(rowPositions);
}
Result<std::unique_ptr<LibraryKernel>> makeRanges(const RangesAttributes &op, const KernelRequest &request) {
  return makeKernel(ranges);
}

} // namespace proa::runtime
