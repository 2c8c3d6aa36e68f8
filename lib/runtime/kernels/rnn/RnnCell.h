/// One step of recurrent layers, and the GEMM of the hidden state before it.
#pragma once

#include "lib/runtime/kernels/matmul/PanelGemm.h"

#include "dialects/pd/ir/Enums.kernels.inc"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace proa::runtime {

/// One step of one sample; i = 0 ... width - 1 in all of it. With the sums s_g = input_g + inputBias_g +
/// recurrent_g + hiddenBias_g of gate g:
///
///   LSTM   in, forget, output = sigmoid(s_0), sigmoid(s_1), sigmoid(s_3); cell = forget cell + in tanh(s_2);
///          hidden = output tanh(cell)
///   GRU    reset, update = sigmoid(s_0), sigmoid(s_1); hidden = (hidden - candidate) update + candidate;
///          candidate = tanh(input_2 + inputBias_2 + reset (recurrent_2 + hiddenBias_2)), or tanh(s_2) where
///          recurrent_2 has the reset gate already
///   simple hidden = tanh(s_0), or max(s_0, 0)
template <class T> struct RnnStep {
  int64_t width;
  const T *input, *recurrent; ///< products of x and of the hidden state with their weights, [gates, width]
  const T *inputBias, *hiddenBias;
  T *hidden, *cell;          ///< states, which become the new ones; the cell state: LSTM alone
  T *out;                    ///< gets the hidden state too
  T *gates = nullptr;        ///< if not null: gets the activated gates, [gates, width]
  T *addend = nullptr;       ///< GRU, if not null: gets recurrent_2 + hiddenBias_2
  bool resetsBefore = false; ///< GRU: recurrent_2 is the matmul of what runReset computes
};

/// out = reset gate times hidden, of a GRU.
void runReset(const RnnStep<float> &step, float *out);
void runReset(const RnnStep<double> &step, double *out);

void runStep(RnnMode mode, const RnnStep<float> &step);
void runStep(RnnMode mode, const RnnStep<double> &step);

/// Weights [columns, inner] in panels.
class PackedWeights {
public:
  PackedWeights() = default;
  PackedWeights(const float *weights, int64_t columns, int64_t inner);

  /// out [rows, columns] = x [rows, inner] times the transpose of the weights. The rows of `out` are
  /// `outStride` apart. `backward`: reads the last panels first.
  void multiply(int64_t rows, const float *x, float *out, int64_t outStride, bool backward) const;

private:
  PanelLayout layout;
  std::vector<float> panels;
};

/// The hidden weights of one layer in one direction: of the columns that need the state alone, and of the
/// candidate of a GRU that resets the state before.
struct PackedHidden {
  PackedWeights state, candidate;
};

} // namespace proa::runtime
