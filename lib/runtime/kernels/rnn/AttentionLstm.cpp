/// The library kernel "attention_lstm" (x, offsets, first cells, attention weight, weight, bias, first hidden
/// states, attention bias, attention scalar, attention scalar bias). dialects/pd/ops/sequence/Attention.td
/// says what it computes.
#include "lib/runtime/kernels/common/Activations.h"
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/sequence/Attention.kernels.inc"

#include <algorithm>
#include <cmath>

namespace proa::runtime {
namespace {

struct AttentionActivations {
  Activation gate, cell, candidate;
};

template <class T> T dot(const T *a, const T *b, int64_t size) {
  T sum = 0;
  for (int64_t i = 0; i < size; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// The operands of one call.
template <class T> struct AttentionLstm {
  const T *x, *attention, *weight, *bias, *scalar, *scalarBias;
  T attentionBias;
  int64_t width, units;
  AttentionActivations activations;

  /// The weights of the rows of a sequence; `products` are its rows times the attention's weight.
  void weigh(const std::vector<T> &products, const T *cell, std::vector<T> &weights) const {
    T own = dot(cell, attention + width, units);
    weights.resize(products.size());
    for (size_t r = 0; r < products.size(); ++r) {
      weights[r] = std::max(products[r] + own, T(0));
      if (scalar)
        weights[r] = std::max(weights[r] * *scalar + (scalarBias ? *scalarBias : T(0)), T(0));
    }
    T most = *std::max_element(weights.begin(), weights.end()), sum = 0;
    for (T &one : weights)
      sum += one = std::exp(one - most);
    for (T &one : weights)
      one /= sum;
  }

  void addGemm(const T *row, const T *matrix, int64_t rows, std::vector<T> &sum) const {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t k = 0; k < 4 * units; ++k)
        sum[static_cast<size_t>(k)] += row[i] * matrix[i * 4 * units + k];
  }

  /// One sequence from its first row on; `hidden` and `cell` are its rows of the results.
  void run(const T *rows, int64_t length, const T *firstHidden, const T *firstCell, T *hidden,
           T *cell) const {
    std::vector<T> products(static_cast<size_t>(length)), weights, mean(static_cast<size_t>(width));
    for (int64_t r = 0; r < length; ++r)
      products[static_cast<size_t>(r)] = dot(rows + r * width, attention, width) + attentionBias;
    for (int64_t step = 0; step < length; ++step, hidden += units, cell += units) {
      weigh(products, firstCell, weights);
      std::fill(mean.begin(), mean.end(), T(0));
      for (int64_t r = 0; r < length; ++r)
        for (int64_t i = 0; i < width; ++i)
          mean[static_cast<size_t>(i)] += weights[static_cast<size_t>(r)] * rows[r * width + i];
      std::vector<T> gates(bias, bias + 4 * units);
      addGemm(mean.data(), weight + units * 4 * units, width, gates);
      if (firstHidden)
        addGemm(firstHidden, weight, units, gates);
      for (int64_t i = 0; i < units; ++i) {
        auto gate = [&](int64_t index) { return gates[static_cast<size_t>(index * units + i)]; };
        cell[i] = activate(activations.gate, gate(0)) * firstCell[i] +
                  activate(activations.gate, gate(1)) * activate(activations.candidate, gate(3));
        hidden[i] = activate(activations.gate, gate(2)) * activate(activations.cell, cell[i]);
      }
      firstHidden = hidden;
      firstCell = cell;
    }
  }
};

Result<void> checkAttention(Call &call, int64_t sequences) {
  const View &x = call.input(0), &c0 = call.input(2), &weight = call.input(4), &h0 = call.input(6);
  bool fits = x.rank() == 2 && c0.rank() == 2 && weight.rank() == 2 && c0.dims[0] == sequences;
  if (fits) {
    int64_t width = x.dims[1], units = c0.dims[1];
    fits = weight.dims[0] == width + units && weight.dims[1] == 4 * units &&
           call.input(3).size() == width + units && call.input(5).size() == 4 * units &&
           (!h0 || h0.size() == c0.size());
  }
  for (size_t i = 2; fits && i < call.inputCount(); ++i)
    fits = !call.input(i) || call.input(i).dtype == x.dtype;
  for (size_t i : {7, 8, 9})
    fits = fits && (!call.input(i) || call.input(i).size() == 1);
  if (!fits)
    return failure("x {}, c0 {} and the weight {} do not fit each other, the other operands or {} sequences",
                   describe(x.dtype, x.dims), describe(c0.dtype, c0.dims),
                   describe(weight.dtype, weight.dims), sequences);
  return {};
}

template <class T> Result<void> attentionLstm(Call &call, const AttentionActivations &activations) {
  const View &x = call.input(0), &c0 = call.input(2), &h0 = call.input(6);
  Result<std::vector<int64_t>> offsets = checkedOffsets(call.input(1), x.rank() == 0 ? 0 : x.dims[0]);
  if (!offsets)
    return offsets.diagnostics();
  if (Result<void> checked = checkAttention(call, static_cast<int64_t>(offsets->size()) - 1); !checked)
    return checked;
  int64_t width = x.dims[1], units = c0.dims[1];
  const int64_t dims[] = {x.dims[0], units};
  OutputMemory memory;
  Result<View> hidden = memory.get(call, 0, x.dtype, dims), cell = memory.get(call, 1, x.dtype, dims);
  if (!hidden || !cell)
    return hidden ? cell.diagnostics() : hidden.diagnostics();
  auto given = [&](size_t i) { return call.input(i) ? call.input(i).as<T>() : nullptr; };
  AttentionLstm<T> lstm{
      x.as<T>(), given(3), given(4),   given(5), given(8), given(9), given(7) ? *given(7) : T(0),
      width,     units,    activations};
  for (size_t i = 0; i + 1 < offsets->size(); ++i) {
    int64_t begin = (*offsets)[i], own = static_cast<int64_t>(i) * units;
    lstm.run(x.as<T>() + begin * width, (*offsets)[i + 1] - begin, h0 ? h0.as<T>() + own : nullptr,
             c0.as<T>() + own, hidden->template as<T>() + begin * units,
             cell->template as<T>() + begin * units);
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeAttentionLstm(const AttentionLstmAttributes &op,
                                                         const KernelRequest &request) {
  Checks checks(request);
  AttentionActivations activations{op.gateActivation, op.cellActivation, op.candidateActivation};
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 6,
                     [=](Call &call, auto zero) { return attentionLstm<decltype(zero)>(call, activations); });
}

} // namespace proa::runtime
