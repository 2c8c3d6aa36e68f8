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
  bool resetsBefore = false; ///< GRU: the reset gate is applied before the matmul of the candidate

  int64_t gates() const { return mode == RnnMode::Lstm ? 4 : mode == RnnMode::Gru ? 3 : 1; }
  size_t states() const { return mode == RnnMode::Lstm ? 2 : 1; }
  /// Columns of the matmul of the hidden state: without the candidate's where that needs the reset gate.
  int64_t columnsOfState() const { return (resetsBefore ? 2 : gates()) * hidden; }
  size_t weightCount() const { return static_cast<size_t>(4 * layers * directions); }
};

/// c [rows, columns] = a [rows, inner] times the transpose of b [columns, inner]; the rows of c are `cStride`
/// apart.
inline void multiply(int64_t rows, int64_t columns, int64_t inner, const float *a, const float *b, float *c,
                     int64_t cStride) {
  SingleThreadScope scope(isSmallWork(2.0 * static_cast<double>(rows * columns * inner)));
  dnnl::sgemm('N', 'T', rows, columns, inner, 1.0f, a, inner, b, inner, 0.0f, c, cStride);
}
inline void multiply(int64_t rows, int64_t columns, int64_t inner, const double *a, const double *b,
                     double *c, int64_t cStride) {
  useOneBlasThread();
  Lapack<double>::gemm(CblasRowMajor, CblasNoTrans, CblasTrans, blasSize(rows), blasSize(columns),
                       blasSize(inner), 1, a, leading(inner), b, leading(inner), 0, c, leading(cStride));
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
  const PackedHidden *packed = nullptr; ///< the hidden weights; null: as they are
  std::vector<T> resetState = {};       ///< scratch: [batch, hidden], the hidden state times the reset gate

  void run() {
    int64_t width = attributes.gates() * attributes.hidden;
    a.resize(static_cast<size_t>(time * batch * width));
    r.resize(static_cast<size_t>(batch * width));
    multiply(time * batch, width, features, x, inputWeights, a.data(), width);
    if (tape)
      prepareTape();
    if (attributes.resetsBefore)
      resetState.resize(static_cast<size_t>(batch * attributes.hidden));
    for (int64_t step = 0; step < time; ++step) {
      int64_t t = backward ? time - 1 - step : step;
      multiplyStates(t, width);
      for (int64_t n = 0; n < batch; ++n)
        cellStep(t, n, a.data() + (t * batch + n) * width, r.data() + n * width);
    }
  }

  /// r = hidden times the transpose of the hidden weights. The candidate of a GRU may need the reset gate
  /// first.
  void multiplyStates(int64_t t, int64_t width) {
    int64_t size = attributes.hidden, before = attributes.columnsOfState();
    multiplyState(t, hidden, 0, before, width);
    if (!attributes.resetsBefore)
      return;
    for (int64_t n = 0; n < batch; ++n) {
      RnnStep<T> step = stepOf(a.data() + (t * batch + n) * width, r.data() + n * width);
      step.hidden = hidden + n * size;
      runReset(step, resetState.data() + n * size);
    }
    multiplyState(t, resetState.data(), before, width, width);
  }

  /// Columns [begin, end) of r [batch, width], out of a state. Steps read the weights forward and backward by
  /// turns, so that a step finds those in the caches that the step before read last.
  void multiplyState(int64_t t, const T *state, int64_t begin, int64_t end, int64_t width) {
    if constexpr (std::is_same_v<T, float>)
      if (packed)
        return (begin == 0 ? packed->state : packed->candidate)
            .multiply(batch, state, r.data() + begin, width, t % 2 == 1);
    multiply(batch, end - begin, attributes.hidden, state, hiddenWeights + begin * attributes.hidden,
             r.data() + begin, width);
  }

  RnnStep<T> stepOf(const T *given, const T *recurrent) const {
    return {.width = attributes.hidden,
            .input = given,
            .recurrent = recurrent,
            .inputBias = inputBias,
            .hiddenBias = hiddenBias,
            .hidden = nullptr,
            .cell = nullptr,
            .out = nullptr,
            .resetsBefore = attributes.resetsBefore};
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
    RnnStep<T> step = stepOf(given, recurrent);
    step.hidden = h;
    step.cell = c;
    step.out = target;
    step.gates = tape ? tape->gates.data() + row * attributes.gates() : nullptr;
    step.addend = tape && attributes.mode == RnnMode::Gru ? tape->addend.data() + row : nullptr;
    runStep(attributes.mode, step);
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
