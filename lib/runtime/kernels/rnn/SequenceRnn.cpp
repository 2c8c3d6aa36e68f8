/// The library kernels of recurrent layers over sequences: gru (x, weight, offsets, h0, bias), lstm (x,
/// weight, bias, offsets, h0, c0), and their gradients, which are given the cotangents behind these. The
/// gradients recompute the forward pass. dialects/pd/ops/sequence/Recurrent.td has the formulas.
#include "lib/runtime/kernels/common/Activations.h"
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/sequence/Recurrent.kernels.inc"

#include <cmath>

namespace proa::runtime {
namespace {

/// The derivative, from the activation's result.
template <class T> T slope(Activation kind, T y) {
  switch (kind) {
  case Activation::Sigmoid:
    return y * (1 - y);
  case Activation::Tanh:
    return 1 - y * y;
  case Activation::Relu:
    return y > 0 ? T(1) : T(0);
  case Activation::Identity:
    return 1;
  }
  return 1;
}

struct LayerAttributes {
  bool reverse = false, originMode = false, peepholes = false;
  Activation gate = Activation::Sigmoid, state = Activation::Tanh, candidate = Activation::Tanh;
};

/// out [columns] += x [rows] times w [rows, stride]'s first columns.
template <class T> void addGemm(const T *x, const T *w, int64_t rows, int64_t columns, T *out) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      out[j] += x[i] * w[i * columns + j];
}

/// The transposes: dx [rows] += w dy, dw [rows, columns] += x dy.
template <class T>
void addGemmGradient(const T *x, const T *w, const T *dy, int64_t rows, int64_t columns, T *dx, T *dw) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      dx[i] += w[i * columns + j] * dy[j];
      dw[i * columns + j] += x[i] * dy[j];
    }
}

/// The operands of a layer, checked; `gates` blocks of `size` columns.
struct Layer {
  std::vector<SequenceSpan> spans;
  int64_t rows, size, gates;

  static Result<Layer> check(const View &x, const View &weight, const View &offsets, int64_t gates,
                             std::initializer_list<const View *> states) {
    if (x.rank() != 2 || weight.rank() != 2 || x.dims[1] != gates * weight.dims[0] ||
        weight.dims[1] != x.dims[1] || weight.dtype != x.dtype)
      return failure("x is {}, the weight {}; expected [rows, {} D] and [D, {} D]", describe(x.dtype, x.dims),
                     describe(weight.dtype, weight.dims), gates, gates);
    Result<std::vector<SequenceSpan>> spans = sequenceSpans(x, View(), offsets);
    if (!spans)
      return spans.diagnostics();
    for (const View *state : states)
      if (*state && state->size() != static_cast<int64_t>(spans->size()) * weight.dims[0])
        return failure("an initial state is {}; expected [{}, {}]", describe(state->dtype, state->dims),
                       spans->size(), weight.dims[0]);
    return Layer{std::move(*spans), x.dims[0], weight.dims[0], gates};
  }

  /// Row number `step` of a sequence in the order that it is gone through.
  static int64_t row(const SequenceSpan &span, int64_t step, bool reverse) {
    return span.begin + (reverse ? span.length - 1 - step : step);
  }
};

template <class T> std::vector<T> zeros(int64_t count) {
  return std::vector<T>(static_cast<size_t>(count), T(0));
}

//===-- gru ---------------------------------------------------------------------------------------------===//

template <class T> struct Gru {
  const LayerAttributes &attributes;
  const Layer &layer;
  const T *x, *weight, *h0, *bias;
  T *hidden;
  std::vector<T> gates, resets; ///< [rows, 3 D] after activation; [rows, D]

  const T *before(size_t sequence, int64_t step, const std::vector<T> &none) const {
    if (step > 0)
      return hidden + Layer::row(layer.spans[sequence], step - 1, attributes.reverse) * layer.size;
    return h0 ? h0 + static_cast<int64_t>(sequence) * layer.size : none.data();
  }

  void forward() {
    int64_t n = layer.size;
    gates = zeros<T>(layer.rows * 3 * n);
    resets = zeros<T>(layer.rows * n);
    std::vector<T> none = zeros<T>(n);
    for (size_t s = 0; s < layer.spans.size(); ++s)
      for (int64_t step = 0; step < layer.spans[s].length; ++step) {
        int64_t row = Layer::row(layer.spans[s], step, attributes.reverse);
        const T *h = before(s, step, none);
        T *g = gates.data() + row * 3 * n, *reset = resets.data() + row * n, *out = hidden + row * n;
        for (int64_t i = 0; i < 3 * n; ++i)
          g[i] = x[row * 3 * n + i] + (bias ? bias[i] : T(0));
        addGemm(h, weight, n, 2 * n, g);
        for (int64_t i = 0; i < 2 * n; ++i)
          g[i] = activate(attributes.gate, g[i]);
        for (int64_t i = 0; i < n; ++i)
          reset[i] = g[n + i] * h[i];
        addGemm(reset, weight + 2 * n * n, n, n, g + 2 * n);
        for (int64_t i = 0; i < n; ++i) {
          T c = g[2 * n + i] = activate(attributes.candidate, g[2 * n + i]), u = g[i];
          out[i] = attributes.originMode ? u * h[i] + (1 - u) * c : (1 - u) * h[i] + u * c;
        }
      }
  }

  void backward(const T *dHidden, T *dx, T *dWeight, T *dH0, T *dBias) const {
    int64_t n = layer.size;
    std::vector<T> none = zeros<T>(n), dReset = none;
    for (size_t s = 0; s < layer.spans.size(); ++s) {
      std::vector<T> carry = zeros<T>(n);
      for (int64_t step = layer.spans[s].length; step-- > 0;) {
        int64_t row = Layer::row(layer.spans[s], step, attributes.reverse);
        const T *h = before(s, step, none), *g = gates.data() + row * 3 * n;
        T *d = dx + row * 3 * n;
        std::fill(dReset.begin(), dReset.end(), T(0));
        for (int64_t i = 0; i < n; ++i) {
          T dh = dHidden[row * n + i] + carry[static_cast<size_t>(i)], u = g[i], c = g[2 * n + i];
          T toUpdate = attributes.originMode ? h[i] - c : c - h[i], keeps = attributes.originMode ? u : 1 - u;
          d[i] = dh * toUpdate * slope(attributes.gate, u);
          d[2 * n + i] = dh * (1 - keeps) * slope(attributes.candidate, c);
          carry[static_cast<size_t>(i)] = dh * keeps;
        }
        addGemmGradient(resets.data() + row * n, weight + 2 * n * n, d + 2 * n, n, n, dReset.data(),
                        dWeight + 2 * n * n);
        for (int64_t i = 0; i < n; ++i) {
          T r = g[n + i], dr = dReset[static_cast<size_t>(i)];
          d[n + i] = dr * h[i] * slope(attributes.gate, r);
          carry[static_cast<size_t>(i)] += dr * r;
        }
        addGemmGradient(h, weight, d, n, 2 * n, carry.data(), dWeight);
        for (int64_t i = 0; i < 3 * n; ++i)
          dBias[i] += d[i];
      }
      std::copy(carry.begin(), carry.end(), dH0 + static_cast<int64_t>(s) * n);
    }
  }
};

template <class T> Result<void> gru(Call &call, const LayerAttributes &attributes, bool isGradient) {
  const View &x = call.input(0), &weight = call.input(1), &h0 = call.input(3), &bias = call.input(4),
             &cotangent = call.input(5);
  Result<Layer> layer = Layer::check(x, weight, call.input(2), 3, {&h0});
  if (!layer)
    return layer.diagnostics();
  int64_t n = layer->size;
  const int64_t dims[] = {layer->rows, n}, initial[] = {static_cast<int64_t>(layer->spans.size()), n},
                biasDims[] = {1, 3 * n};
  if (bias && bias.size() != 3 * n)
    return failure("the bias is {}; expected [1, {}]", describe(bias.dtype, bias.dims), 3 * n);
  OutputMemory memory;
  std::vector<T> own = zeros<T>(isGradient ? layer->rows * n : 0);
  Result<View> hidden =
      isGradient ? Result<View>(View{x.dtype, dims, own.data()}) : memory.get(call, 0, x.dtype, dims);
  if (!hidden)
    return hidden.diagnostics();
  Gru<T> cell{
      attributes, *layer, x.as<T>(), weight.as<T>(), h0.as<T>(), bias.as<T>(), hidden->template as<T>(),
      {},         {}};
  cell.forward();
  if (!isGradient)
    return {};
  if (cotangent.size() != layer->rows * n)
    return failure("the cotangent is {}; expected [{}, {}]", describe(cotangent.dtype, cotangent.dims),
                   layer->rows, n);
  Result<View> dx = memory.get(call, 0, x.dtype, x.dims), dWeight = memory.get(call, 1, x.dtype, weight.dims);
  Result<View> dH0 = memory.get(call, 2, x.dtype, initial), dBias = memory.get(call, 3, x.dtype, biasDims);
  for (const Result<View> *result : {&dx, &dWeight, &dH0, &dBias}) {
    if (!*result)
      return result->diagnostics();
    std::fill_n((*result)->template as<T>(), (*result)->size(), T(0));
  }
  cell.backward(cotangent.as<T>(), dx->template as<T>(), dWeight->template as<T>(), dH0->template as<T>(),
                dBias->template as<T>());
  return {};
}

//===-- lstm --------------------------------------------------------------------------------------------===//

template <class T> struct Lstm {
  const LayerAttributes &attributes;
  const Layer &layer;
  const T *x, *weight, *bias, *h0, *c0;
  T *hidden, *cells;
  std::vector<T> gates; ///< [rows, 4 D] after activation: candidate, input, forget, output

  const T *before(const T *states, const T *initial, size_t sequence, int64_t step,
                  const std::vector<T> &none) const {
    if (step > 0)
      return states + Layer::row(layer.spans[sequence], step - 1, attributes.reverse) * layer.size;
    return initial ? initial + static_cast<int64_t>(sequence) * layer.size : none.data();
  }
  T peephole(int64_t gate, int64_t i) const {
    return attributes.peepholes ? bias[(4 + gate) * layer.size + i] : T(0);
  }

  void forward() {
    int64_t n = layer.size;
    gates = zeros<T>(layer.rows * 4 * n);
    std::vector<T> none = zeros<T>(n);
    for (size_t s = 0; s < layer.spans.size(); ++s)
      for (int64_t step = 0; step < layer.spans[s].length; ++step) {
        int64_t row = Layer::row(layer.spans[s], step, attributes.reverse);
        const T *h = before(hidden, h0, s, step, none), *c = before(cells, c0, s, step, none);
        T *g = gates.data() + row * 4 * n;
        for (int64_t i = 0; i < 4 * n; ++i)
          g[i] = x[row * 4 * n + i] + bias[i];
        addGemm(h, weight, n, 4 * n, g);
        for (int64_t i = 0; i < n; ++i) {
          g[i] = activate(attributes.candidate, g[i]);
          g[n + i] = activate(attributes.gate, g[n + i] + c[i] * peephole(0, i));
          g[2 * n + i] = activate(attributes.gate, g[2 * n + i] + c[i] * peephole(1, i));
          T cell = cells[row * n + i] = g[i] * g[n + i] + c[i] * g[2 * n + i];
          g[3 * n + i] = activate(attributes.gate, g[3 * n + i] + cell * peephole(2, i));
          hidden[row * n + i] = g[3 * n + i] * activate(attributes.state, cell);
        }
      }
  }

  void backward(const T *dHidden, const T *dCells, T *dx, T *dWeight, T *dBias, T *dH0, T *dC0) const {
    int64_t n = layer.size;
    std::vector<T> none = zeros<T>(n);
    for (size_t s = 0; s < layer.spans.size(); ++s) {
      std::vector<T> hCarry = zeros<T>(n), cCarry = zeros<T>(n);
      for (int64_t step = layer.spans[s].length; step-- > 0;) {
        int64_t row = Layer::row(layer.spans[s], step, attributes.reverse);
        const T *h = before(hidden, h0, s, step, none), *c = before(cells, c0, s, step, none),
                *g = gates.data() + row * 4 * n;
        T *d = dx + row * 4 * n;
        for (int64_t i = 0; i < n; ++i) {
          auto at = static_cast<size_t>(i);
          T cell = cells[row * n + i], state = activate(attributes.state, cell);
          T dh = hCarry[at] + (dHidden ? dHidden[row * n + i] : T(0));
          d[3 * n + i] = dh * state * slope(attributes.gate, g[3 * n + i]);
          T dc = cCarry[at] + (dCells ? dCells[row * n + i] : T(0)) +
                 dh * g[3 * n + i] * slope(attributes.state, state) + d[3 * n + i] * peephole(2, i);
          d[i] = dc * g[n + i] * slope(attributes.candidate, g[i]);
          d[n + i] = dc * g[i] * slope(attributes.gate, g[n + i]);
          d[2 * n + i] = dc * c[i] * slope(attributes.gate, g[2 * n + i]);
          cCarry[at] = dc * g[2 * n + i] + d[n + i] * peephole(0, i) + d[2 * n + i] * peephole(1, i);
          hCarry[at] = 0;
          if (attributes.peepholes) {
            dBias[4 * n + i] += d[n + i] * c[i];
            dBias[5 * n + i] += d[2 * n + i] * c[i];
            dBias[6 * n + i] += d[3 * n + i] * cell;
          }
        }
        addGemmGradient(h, weight, d, n, 4 * n, hCarry.data(), dWeight);
        for (int64_t i = 0; i < 4 * n; ++i)
          dBias[i] += d[i];
      }
      std::copy(hCarry.begin(), hCarry.end(), dH0 + static_cast<int64_t>(s) * n);
      std::copy(cCarry.begin(), cCarry.end(), dC0 + static_cast<int64_t>(s) * n);
    }
  }
};

template <class T> Result<void> lstm(Call &call, const LayerAttributes &attributes, bool isGradient) {
  const View &x = call.input(0), &weight = call.input(1), &bias = call.input(2), &h0 = call.input(4),
             &c0 = call.input(5);
  Result<Layer> layer = Layer::check(x, weight, call.input(3), 4, {&h0, &c0});
  if (!layer)
    return layer.diagnostics();
  int64_t n = layer->size;
  if (bias.size() != (attributes.peepholes ? 7 : 4) * n)
    return failure("the bias is {}; expected [1, {}]", describe(bias.dtype, bias.dims),
                   (attributes.peepholes ? 7 : 4) * n);
  const int64_t dims[] = {layer->rows, n}, initial[] = {static_cast<int64_t>(layer->spans.size()), n};
  OutputMemory memory;
  std::vector<T> ownHidden = zeros<T>(isGradient ? layer->rows * n : 0), ownCells = ownHidden;
  Result<View> hidden =
      isGradient ? View{x.dtype, dims, ownHidden.data()} : memory.get(call, 0, x.dtype, dims);
  Result<View> cells = isGradient ? View{x.dtype, dims, ownCells.data()} : memory.get(call, 1, x.dtype, dims);
  for (const Result<View> *result : {&hidden, &cells})
    if (!*result)
      return result->diagnostics();
  Lstm<T> cell{attributes,
               *layer,
               x.as<T>(),
               weight.as<T>(),
               bias.as<T>(),
               h0.as<T>(),
               c0.as<T>(),
               hidden->template as<T>(),
               cells->template as<T>(),
               {}};
  cell.forward();
  if (!isGradient)
    return {};
  for (size_t i : {6, 7})
    if (call.input(i) && call.input(i).size() != layer->rows * n)
      return failure("a cotangent is {}; expected [{}, {}]", describe(x.dtype, call.input(i).dims),
                     layer->rows, n);
  Result<View> dx = memory.get(call, 0, x.dtype, x.dims), dWeight = memory.get(call, 1, x.dtype, weight.dims);
  Result<View> dBias = memory.get(call, 2, x.dtype, bias.dims);
  Result<View> dH0 = memory.get(call, 3, x.dtype, initial), dC0 = memory.get(call, 4, x.dtype, initial);
  for (const Result<View> *result : {&dx, &dWeight, &dBias, &dH0, &dC0}) {
    if (!*result)
      return result->diagnostics();
    std::fill_n((*result)->template as<T>(), (*result)->size(), T(0));
  }
  cell.backward(call.input(6).as<T>(), call.input(7).as<T>(), dx->template as<T>(), dWeight->template as<T>(),
                dBias->template as<T>(), dH0->template as<T>(), dC0->template as<T>());
  return {};
}

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makeGruKernel(const Op &op, const KernelRequest &request,
                                                     bool isGradient) {
  Checks checks(request);
  LayerAttributes attributes;
  attributes.reverse = op.isReverse;
  attributes.originMode = op.originMode;
  attributes.gate = op.gateActivation;
  attributes.candidate = op.activation;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(
      request, 3, [=](Call &call, auto zero) { return gru<decltype(zero)>(call, attributes, isGradient); });
}

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makeLstmKernel(const Op &op, const KernelRequest &request,
                                                      bool isGradient) {
  Checks checks(request);
  LayerAttributes attributes;
  attributes.reverse = op.isReverse;
  attributes.peepholes = op.usePeepholes;
  attributes.gate = op.gateActivation;
  attributes.state = op.cellActivation;
  attributes.candidate = op.candidateActivation;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(
      request, 4, [=](Call &call, auto zero) { return lstm<decltype(zero)>(call, attributes, isGradient); });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeGru(const GruAttributes &op, const KernelRequest &request) {
  return makeGruKernel(op, request, false);
}
Result<std::unique_ptr<LibraryKernel>> makeGruGrad(const GruGradAttributes &op,
                                                   const KernelRequest &request) {
  return makeGruKernel(op, request, true);
}
Result<std::unique_ptr<LibraryKernel>> makeLstm(const LstmAttributes &op, const KernelRequest &request) {
  return makeLstmKernel(op, request, false);
}
Result<std::unique_ptr<LibraryKernel>> makeLstmGrad(const LstmGradAttributes &op,
                                                    const KernelRequest &request) {
  return makeLstmKernel(op, request, true);
}

} // namespace proa::runtime
