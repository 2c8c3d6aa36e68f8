/// The library kernel "rnn": stacks of LSTM, GRU and simple recurrent layers, as Paddle's rnn in inference.
///
/// Inputs: x [time, batch, features], the initial states (hidden, for LSTM and cell; [layers * directions,
/// batch, hidden]), the weights (for each layer and direction W_ih and W_hh, then in the same order b_ih and
/// b_hh), and perhaps the lengths of the samples. Outputs: out, then the final states. Attributes: mode,
/// num_layers, is_bidirec, hidden_size, dropout_prob, is_test.
#include "lib/runtime/ThreadPool.h"
#include "lib/runtime/library/Attributes.h"
#include "lib/runtime/library/Convert.h"
#include "lib/runtime/library/Families.h"
#include "lib/runtime/library/OneDnn.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace proa::runtime {
namespace {

enum class Mode : uint8_t { Lstm, Gru, Tanh, Relu };

struct RnnAttributes {
  Mode mode = Mode::Tanh;
  int64_t layers = 1, directions = 1, hidden = 0;

  int64_t gates() const { return mode == Mode::Lstm ? 4 : mode == Mode::Gru ? 3 : 1; }
  size_t states() const { return mode == Mode::Lstm ? 2 : 1; }
  size_t weightCount() const { return static_cast<size_t>(4 * layers * directions); }
};

/// c [rows, columns] (+)= a [rows, inner] times the transpose of b [columns, inner].
void multiply(int64_t rows, int64_t columns, int64_t inner, const float *a, const float *b, float *c,
              bool accumulate) {
  SingleThreadScope scope(isSmallWork(2.0 * static_cast<double>(rows * columns * inner)));
  dnnl::sgemm('N', 'T', rows, columns, inner, 1.0f, a, inner, b, inner, accumulate ? 1.0f : 0.0f, c, columns);
}
void multiply(int64_t rows, int64_t columns, int64_t inner, const double *a, const double *b, double *c,
              bool accumulate) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double sum = accumulate ? c[i * columns + j] : 0;
      for (int64_t k = 0; k < inner; ++k)
        sum += a[i * inner + k] * b[j * inner + k];
      c[i * columns + j] = sum;
    }
}

template <class T> T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }

/// One layer in one direction.
template <class T> struct Pass {
  const RnnAttributes &attributes;
  int64_t time, batch, features;
  const T *x, *inputWeights, *hiddenWeights, *inputBias, *hiddenBias;
  const std::vector<int64_t> &lengths; ///< empty: all full
  bool backward;
  T *hidden, *cell; ///< [batch, hidden]: initial state, becomes the final one
  T *out;           ///< [time, batch, outStride]
  int64_t outStride;
  std::vector<T> &a, &r; ///< scratch: [time, batch, gates * hidden], [batch, gates * hidden]

  void run() {
    int64_t width = attributes.gates() * attributes.hidden;
    a.resize(static_cast<size_t>(time * batch * width));
    r.resize(static_cast<size_t>(batch * width));
    multiply(time * batch, width, features, x, inputWeights, a.data(), false);
    for (int64_t step = 0; step < time; ++step) {
      int64_t t = backward ? time - 1 - step : step;
      multiply(batch, width, attributes.hidden, hidden, hiddenWeights, r.data(), false);
      for (int64_t n = 0; n < batch; ++n)
        cellStep(t, n, a.data() + (t * batch + n) * width, r.data() + n * width);
    }
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
    for (int64_t i = 0; i < width; ++i) {
      auto input = [&](int64_t gate) { return given[gate * width + i] + inputBias[gate * width + i]; };
      auto state = [&](int64_t gate) { return recurrent[gate * width + i] + hiddenBias[gate * width + i]; };
      switch (attributes.mode) {
      case Mode::Lstm: {
        T in = sigmoid(input(0) + state(0)), forget = sigmoid(input(1) + state(1));
        T candidate = std::tanh(input(2) + state(2)), output = sigmoid(input(3) + state(3));
        c[i] = forget * c[i] + in * candidate;
        h[i] = output * std::tanh(c[i]);
        break;
      }
      case Mode::Gru: {
        T reset = sigmoid(input(0) + state(0)), update = sigmoid(input(1) + state(1));
        T candidate = std::tanh(input(2) + reset * state(2));
        h[i] = (h[i] - candidate) * update + candidate;
        break;
      }
      case Mode::Tanh:
        h[i] = std::tanh(input(0) + state(0));
        break;
      case Mode::Relu:
        h[i] = std::max(input(0) + state(0), T(0));
        break;
      }
      target[i] = h[i];
    }
  }
};

class Rnn {
public:
  Rnn(const RnnAttributes &attributes, Call &call) : attributes(attributes), call(call) {}

  Result<void> check() {
    const View &x = call.input(0);
    if (x.rank() != 3)
      return failure("expected x of rank 3, found {}", describe(x.dtype, x.dims));
    states = attributes.states();
    if (call.inputCount() < 1 + states + attributes.weightCount())
      return failure("expected {} states and {} weights, found {} operands", states, attributes.weightCount(),
                     call.inputCount());
    const std::vector<int64_t> stateDims{attributes.layers * attributes.directions, x.dims[1],
                                         attributes.hidden};
    for (size_t i = 0; i < states; ++i)
      if (!std::ranges::equal(call.input(1 + i).dims, stateDims))
        return failure("state {} is {}; expected {}", i, describe(x.dtype, call.input(1 + i).dims),
                       describe(x.dtype, stateDims));
    if (Result<void> done = checkWeights(); !done)
      return done;
    for (size_t i = 0; i < 1 + states + attributes.weightCount(); ++i)
      if (call.input(i).dtype != x.dtype)
        return failure("operand {} is {}, but x is {}", i, nameOf(call.input(i).dtype), nameOf(x.dtype));
    const View &given = call.input(1 + states + attributes.weightCount());
    if (!given)
      return {};
    Result<std::vector<int64_t>> list = integersOf(given);
    if (!list)
      return list.problems();
    if (static_cast<int64_t>(list->size()) != x.dims[1])
      return failure("{} lengths for {} samples", list->size(), x.dims[1]);
    lengths = std::move(*list);
    return {};
  }

  template <class T> Result<void> run() {
    const View &x = call.input(0);
    int64_t time = x.dims[0], batch = x.dims[1], width = attributes.hidden * attributes.directions;
    const int64_t outDims[] = {time, batch, width};
    Result<View> out = call.output(0, outDims);
    if (!out)
      return out.problems();
    std::vector<std::vector<T>> state(states);
    for (size_t i = 0; i < states; ++i)
      state[i].assign(call.input(1 + i).as<T>(), call.input(1 + i).as<T>() + call.input(1 + i).size());
    std::vector<T> between, next, a, r;
    const T *from = x.as<T>();
    int64_t features = x.dims[2];
    for (int64_t layer = 0; layer < attributes.layers; ++layer) {
      bool last = layer + 1 == attributes.layers;
      next.resize(last ? 0 : static_cast<size_t>(time * batch * width));
      T *target = last ? out->template as<T>() : next.data();
      for (int64_t direction = 0; direction < attributes.directions; ++direction) {
        int64_t entry = layer * attributes.directions + direction, offset = entry * batch * attributes.hidden;
        Pass<T> pass{attributes,
                     time,
                     batch,
                     features,
                     from,
                     weight<T>(entry, 0),
                     weight<T>(entry, 1),
                     bias<T>(entry, 0),
                     bias<T>(entry, 1),
                     lengths,
                     direction == 1,
                     state[0].data() + offset,
                     states == 2 ? state[1].data() + offset : nullptr,
                     target + direction * attributes.hidden,
                     width,
                     a,
                     r};
        pass.run();
      }
      between.swap(next);
      from = between.data();
      features = width;
    }
    for (size_t i = 0; i < states; ++i) {
      if (!call.hasOutput(1 + i))
        continue;
      Result<View> final = call.output(1 + i, call.input(1 + i).dims);
      if (!final)
        return final.problems();
      std::copy(state[i].begin(), state[i].end(), final->template as<T>());
    }
    return {};
  }

private:
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

  Result<void> checkWeights() const {
    int64_t rows = attributes.gates() * attributes.hidden;
    for (int64_t entry = 0; entry < attributes.layers * attributes.directions; ++entry) {
      bool first = entry < attributes.directions;
      int64_t features = first ? call.input(0).dims[2] : attributes.hidden * attributes.directions;
      for (int64_t which : {0, 1}) {
        const View &w = call.input(weightIndex(entry, which)), &b = call.input(biasIndex(entry, which));
        const int64_t expected[] = {rows, which == 0 ? features : attributes.hidden};
        if (!std::ranges::equal(w.dims, expected))
          return failure("weight {} of layer {} is {}; expected {}", which, entry / attributes.directions,
                         describe(w.dtype, w.dims), describe(w.dtype, expected));
        if (b.rank() != 1 || b.dims[0] != rows)
          return failure("bias {} of layer {} is {}; expected {} numbers", which,
                         entry / attributes.directions, describe(b.dtype, b.dims), rows);
      }
    }
    return {};
  }

  const RnnAttributes &attributes;
  Call &call;
  size_t states = 1;
  std::vector<int64_t> lengths;
};

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeRnn(const KernelRequest &request) {
  Attributes reader(request);
  std::string mode = reader.choice("mode", {"RNN_TANH", "RNN_RELU", "LSTM", "GRU"});
  RnnAttributes attributes;
  attributes.mode = mode == "LSTM"       ? Mode::Lstm
                    : mode == "GRU"      ? Mode::Gru
                    : mode == "RNN_RELU" ? Mode::Relu
                                         : Mode::Tanh;
  attributes.layers = reader.integer("num_layers", 1);
  attributes.directions = reader.boolean("is_bidirec", false) ? 2 : 1;
  attributes.hidden = reader.integer("hidden_size", 100);
  bool drops =
      reader.real("dropout_prob", 0) > 0 && !reader.boolean("is_test", false) && attributes.layers > 1;
  reader.expect(!drops, "dropout between layers in training is not supported");
  constexpr int64_t most = 1 << 16;
  reader.expect(attributes.layers > 0 && attributes.layers < most && attributes.hidden > 0,
                fmt::format("{} layers of {} units", attributes.layers, attributes.hidden));
  reader.expectOperands(1, 1);
  reader.expectDType(0, {DType::Float32, DType::Float64});
  if (!reader.ok())
    return reader.problems();
  return makeKernel([attributes](Call &call) -> Result<void> {
    Rnn rnn(attributes, call);
    if (Result<void> done = rnn.check(); !done)
      return done;
    return call.input(0).dtype == DType::Float32 ? rnn.run<float>() : rnn.run<double>();
  });
}

} // namespace proa::runtime
