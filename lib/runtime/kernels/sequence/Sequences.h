/// Helpers of kernels on sequences: the layout of samples in memory.
#pragma once

#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/OutputMemory.h"

#include <cmath>
#include <limits>
#include <utility>

namespace proa::runtime {

/// The offsets of a LoD level that must ascend from 0 to `rows`.
Result<std::vector<int64_t>> checkedOffsets(const View &offsets, int64_t rows);

/// One sequence: its first row among all rows, and its length.
struct SequenceSpan {
  int64_t begin, length;
};

/// The sequences of a tensor: rows [offsets[i], offsets[i + 1]) of [rows, ...], or the first lengths[i] rows
/// of x[i] of a padded [batch, time, ...]. Without either, all of [batch, time, ...]. Error: lengths that do
/// not fit.
Result<std::vector<SequenceSpan>> sequenceSpans(const View &x, const View &lengths, const View &offsets);

/// log(e^a + e^b), without overflow.
template <class T> T logAdd(T a, T b) {
  if (a < b)
    std::swap(a, b);
  return b == -std::numeric_limits<T>::infinity() ? a : a + std::log1p(std::exp(b - a));
}

/// A kernel for float32 and float64 inputs: run(call, zero), zero being of the type of input 0.
template <class Run>
Result<std::unique_ptr<LibraryKernel>> floatKernel(const KernelRequest &request, size_t inputs, Run run) {
  Checks checks(request);
  checks.expectOperands(inputs, 0);
  checks.expectDType(0, {DType::Float32, DType::Float64});
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([run](Call &call) {
    return call.input(0).dtype == DType::Float32 ? run(call, float()) : run(call, double());
  });
}

} // namespace proa::runtime
