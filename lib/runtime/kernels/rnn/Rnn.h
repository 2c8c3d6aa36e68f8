/// Recurrent layers, forward: what the kernels "rnn" and "rnn_gradient" share.
#pragma once

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/linalg/Lapack.h"
#include "lib/runtime/kernels/rnn/RnnCell.h"

#include "dialects/pd/ops/nn/Recurrent.kernels.inc"

#include <algorithm>
#include <cmath>

namespace proa::runtime {

struct RnnConfig {
  RnnMode mode = RnnMode::Tanh;
  int64_t layers = 1, directions = 1, hidden = 0;

  int64_t gates() const { return mode == RnnMode::Lstm ? 4 : mode == RnnMode::Gru ? 3 : 1; }
  size_t states() const { return mode == RnnMode::Lstm ? 2 : 1; }
  size_t weightCount() const { return static_cast<size_t>(4 * layers * directions); }
};

/// c [rows, columns] (+)= a [rows, inner] times the transpose of b [columns, inner].
inline void multiply(int64_t rows, int64_t columns, int64_t inner, const float *a, const float *b, float *c,
                     bool accumulate) {
  SingleThreadScope scope(isSmallWork(2.0 * static_cast<double>(rows * columns * inner)));
  dnnl::sgemm('N', 'T', rows, columns, inner, 1.0f, a, inner, b, inner, accumulate ? 1.0f : 0.0f, c, columns);
}
inline void multiply(int64_t rows, int64_t columns, int64_t inner, const double *a, const double *b,
                     double *c, bool accumulate) {
  useOneBlasThread();
  Lapack<double>::gemm(CblasRowMajor, CblasNoTrans, CblasTrans, blasSize(rows), blasSize(columns),
                       blasSize(inner), 1, a, leading(inner), b, leading(inner), accumulate ? 1 : 0, c,
                       leading(columns));
}

/// Values of one layer in one direction that its gradient needs, [time, batch, ...].
template <class T> struct RnnTape {
  std::vector<T> gates;    ///< activated, gates * hidden
  std::vector<T> before;   ///< the hidden state before the step
  std::vector<T> cells;    ///< LSTM: the cell state before the step
  std::vector<T> newCells; ///< LSTM: the cell state after it
  std::vector<T> addend;   ///< GRU: the hidden state's term of the candidate
};

/// One layer in one direction.
template <class T> struct RnnPass {
  const RnnConfig &attributes;
  int64_t time, batch, features;
  const T *x, *inputWeights, *hiddenWeights, *inputBias, *hiddenBias;
  const std::vector<int64_t> &lengths; ///< empty: all full
  bool backward;
  T *hidden, *cell; ///< [batch, hidden]: initial state, becomes the final one
  T *out;           ///< [time, batch, outStride]
  int64_t outStride;
  std::vector<T> &a, &r; ///< scratch: [time, batch, gates * hidden], [batch, gates * hidden]
  RnnTape<T> *tape = nullptr;
  const PackedWeights *packed = nullptr; ///< the hidden weights; null: as they are

  void run() {
    int64_t width = attributes.gates() * attributes.hidden;
    a.resize(static_cast<size_t>(time * batch * width));
    r.resize(static_cast<size_t>(batch * width));
    multiply(time * batch, width, features, x, inputWeights, a.data(), false);
    if (tape)
      prepareTape();
    for (int64_t step = 0; step < time; ++step) {
      int64_t t = backward ? time - 1 - step : step;
      multiplyState(width);
      for (int64_t n = 0; n < batch; ++n)
        cellStep(t, n, a.data() + (t * batch + n) * width, r.data() + n * width);
    }
  }

  /// r = hidden times the transpose of the hidden weights.
  void multiplyState(int64_t width) {
    if constexpr (std::is_same_v<T, float>)
      if (packed)
        return packed->multiply(batch, hidden, r.data());
    multiply(batch, width, attributes.hidden, hidden, hiddenWeights, r.data(), false);
  }

  void prepareTape() {
    auto cells = static_cast<size_t>(time * batch * attributes.hidden);
    tape->gates.assign(cells * static_cast<size_t>(attributes.gates()), T(0));
    tape->before.assign(cells, T(0));
    if (attributes.mode == RnnMode::Gru)
      tape->addend.assign(cells, T(0));
    if (attributes.mode != RnnMode::Lstm)
      return;
    tape->cells.assign(cells, T(0));
    tape->newCells.assign(cells, T(0));
  }

  /// New states of one sample. Past its length nothing changes and the output is zero.
  void cellStep(int64_t t, int64_t n, const T *given, const T *recurrent) {
    int64_t width = attributes.hidden;
    T *h = hidden + n * width, *c = cell ? cell + n * width : nullptr;
    T *target = out + (t * batch + n) * outStride;
    if (!lengths.empty() && t >= lengths[static_cast<size_t>(n)]) {
      std::fill_n(target, width, T(0));
      return;
    }
    int64_t row = (t * batch + n) * width;
    if (tape)
      std::copy_n(h, width, tape->before.begin() + row);
    if (tape && c)
      std::copy_n(c, width, tape->cells.begin() + row);
    runStep(
        attributes.mode,
        RnnStep<T>{.width = width,
                   .input = given,
                   .recurrent = recurrent,
                   .inputBias = inputBias,
                   .hiddenBias = hiddenBias,
                   .hidden = h,
                   .cell = c,
                   .out = target,
                   .gates = tape ? tape->gates.data() + row * attributes.gates() : nullptr,
                   .addend = tape && attributes.mode == RnnMode::Gru ? tape->addend.data() + row : nullptr});
    if (tape && c)
      std::copy_n(c, width, tape->newCells.begin() + row);
  }
};

/// The operands of a call, checked: x, states, weights, biases and lengths.
class RnnOperands {
public:
  RnnOperands(const RnnConfig &attributes, Call &call) : attributes(attributes), call(call) {}

  Result<void> check();

  const RnnConfig &attributes;
  Call &call;
  size_t states = 1;
  std::vector<int64_t> lengths; ///< empty: all full

  size_t weightIndex(int64_t entry, int64_t which) const {
    return 1 + states + static_cast<size_t>(2 * entry + which);
  }
  size_t biasIndex(int64_t entry, int64_t which) const {
    return weightIndex(entry, which) + static_cast<size_t>(2 * attributes.layers * attributes.directions);
  }
  template <class T> const T *weight(int64_t entry, int64_t which) const {
    return call.input(weightIndex(entry, which)).as<T>();
  }
  template <class T> const T *bias(int64_t entry, int64_t which) const {
    return call.input(biasIndex(entry, which)).as<T>();
  }
  /// How many inputs there are without the lengths.
  size_t count() const { return 1 + states + attributes.weightCount(); }

private:
  Result<void> checkWeights() const;
};

/// The attributes of "rnn" and "rnn_gradient".
Result<RnnConfig> configOf(const RnnAttributes &op, const KernelRequest &request);
Result<RnnConfig> configOf(const RnnGradientAttributes &op, const KernelRequest &request);

} // namespace proa::runtime
