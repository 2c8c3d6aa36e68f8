#include "lib/runtime/kernels/rnn/RnnCell.h"

#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>
#include <cmath>

namespace proa::runtime {
namespace {

// The same steps on vectors of floats and on single doubles.
PROA_VECTOR_INLINE void load(const double *from, int64_t, double &to) { to = *from; }
PROA_VECTOR_INLINE void store(const double &from, int64_t, double *to) { *to = from; }
PROA_VECTOR_INLINE double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
PROA_VECTOR_INLINE double tangent(double x) { return std::tanh(x); }
using runtime::load, runtime::sigmoid, runtime::store, runtime::tangent;

/// `count` elements from element i on.
template <class Lane, class T> struct StepLanes {
  const RnnStep<T> &step;
  int64_t i, count;

  PROA_VECTOR_INLINE Lane read(const T *from, int64_t gate) const {
    Lane lane;
    load(from + gate * step.width + i, count, lane);
    return lane;
  }
  PROA_VECTOR_INLINE Lane input(int64_t gate) const {
    return read(step.input, gate) + read(step.inputBias, gate);
  }
  PROA_VECTOR_INLINE Lane recurrent(int64_t gate) const {
    return read(step.recurrent, gate) + read(step.hiddenBias, gate);
  }
  PROA_VECTOR_INLINE Lane sum(int64_t gate) const { return input(gate) + recurrent(gate); }
  PROA_VECTOR_INLINE void keep(int64_t gate, const Lane &lane) const {
    if (step.gates)
      store(lane, count, step.gates + gate * step.width + i);
  }
  PROA_VECTOR_INLINE void finish(const Lane &hidden) const {
    store(hidden, count, step.hidden + i);
    store(hidden, count, step.out + i);
  }

  PROA_VECTOR_INLINE void lstm() const {
    Lane in = sigmoid(sum(0)), forget = sigmoid(sum(1)), candidate = tangent(sum(2)),
         output = sigmoid(sum(3));
    Lane cell = forget * read(step.cell, 0) + in * candidate;
    store(cell, count, step.cell + i);
    finish(output * tangent(cell));
    keep(0, in);
    keep(1, forget);
    keep(2, candidate);
    keep(3, output);
  }
  PROA_VECTOR_INLINE void gru() const {
    Lane reset = sigmoid(sum(0)), update = sigmoid(sum(1)), addend = recurrent(2);
    Lane candidate = tangent(input(2) + (step.resetsBefore ? addend : reset * addend));
    finish((read(step.hidden, 0) - candidate) * update + candidate);
    keep(0, reset);
    keep(1, update);
    keep(2, candidate);
    if (step.addend)
      store(addend, count, step.addend + i);
  }
  PROA_VECTOR_INLINE void resetTo(T *out) const {
    Lane reset = sigmoid(sum(0)) * read(step.hidden, 0);
    store(reset, count, out + i);
  }
  PROA_VECTOR_INLINE void simple(const Lane &hidden) const {
    finish(hidden);
    keep(0, hidden);
  }
};

template <class Lane, class T> PROA_VECTOR_INLINE void runLanes(RnnMode mode, const RnnStep<T> &step) {
  constexpr int64_t lanes = sizeof(Lane) / sizeof(T);
  for (int64_t i = 0; i < step.width; i += lanes) {
    StepLanes<Lane, T> at{step, i, std::min(lanes, step.width - i)};
    switch (mode) {
    case RnnMode::Lstm:
      at.lstm();
      break;
    case RnnMode::Gru:
      at.gru();
      break;
    case RnnMode::Tanh:
      at.simple(tangent(at.sum(0)));
      break;
    case RnnMode::Relu: {
      Lane sum = at.sum(0);
      at.simple(sum > T(0) ? sum : sum * T(0)); // NaN stays NaN
      break;
    }
    }
  }
}

template <class Lane, class T> PROA_VECTOR_INLINE void resetLanes(const RnnStep<T> &step, T *out) {
  constexpr int64_t lanes = sizeof(Lane) / sizeof(T);
  for (int64_t i = 0; i < step.width; i += lanes)
    StepLanes<Lane, T>{step, i, std::min(lanes, step.width - i)}.resetTo(out);
}

} // namespace

PROA_VECTOR_INLINE static void runVectorReset(const RnnStep<float> &step, float *out) {
  resetLanes<Vector>(step, out);
}
void runReset(const RnnStep<float> &step, float *out) { runVectors<runVectorReset>(step, out); }
void runReset(const RnnStep<double> &step, double *out) { resetLanes<double>(step, out); }

PROA_VECTOR_INLINE static void runVectorStep(RnnMode mode, const RnnStep<float> &step) {
  runLanes<Vector>(mode, step);
}
void runStep(RnnMode mode, const RnnStep<float> &step) { runVectors<runVectorStep>(mode, step); }
void runStep(RnnMode mode, const RnnStep<double> &step) { runLanes<double>(mode, step); }

PackedWeights::PackedWeights(const float *weights, int64_t columns, int64_t inner)
    : layout{inner, columns}, panels(static_cast<size_t>(layout.size())) {
  layout.pack(weights, 1, inner, panels.data());
}

void PackedWeights::multiply(int64_t rows, const float *x, float *out, int64_t outStride,
                             bool backward) const {
  PanelGemm gemm{layout, panels.data(), rows, x, layout.inner, out, outStride};
  gemm.backward = backward;
  gemm.run();
}

} // namespace proa::runtime
