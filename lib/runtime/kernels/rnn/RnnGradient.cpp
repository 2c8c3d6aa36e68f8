/// The library kernel "rnn_gradient": backpropagation through time for the kernel "rnn". Inputs: the inputs
/// of "rnn" (the lengths may be absent), then the cotangents of its results. Outputs: the gradients of x, the
/// initial states and the weights. The layers run forward again and keep the values that the gradient needs.
#include "lib/runtime/kernels/rnn/Rnn.h"

#include "dialects/pd/ops/nn/Recurrent.kernels.inc"

namespace proa::runtime {
namespace {

/// c [rows, columns] += a (transposed where it says so; [rows, inner] or [inner, rows]) times b [inner,
/// columns].
void addGemm(bool transposed, int64_t rows, int64_t columns, int64_t inner, const float *a, const float *b,
             float *c) {
  SingleThreadScope scope(isSmallWork(2.0 * static_cast<double>(rows * columns * inner)));
  dnnl::sgemm(transposed ? 'T' : 'N', 'N', rows, columns, inner, 1.0f, a, transposed ? rows : inner, b,
              columns, 1.0f, c, columns);
}
void addGemm(bool transposed, int64_t rows, int64_t columns, int64_t inner, const double *a, const double *b,
             double *c) {
  Lapack<double>::gemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, blasSize(rows),
                       blasSize(columns), blasSize(inner), 1, a, leading(transposed ? rows : inner), b,
                       leading(columns), 1, c, leading(columns));
}

template <class T> void addRows(int64_t rows, int64_t columns, const T *x, T *sums) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      sums[j] += x[i * columns + j];
}

/// The way back through one layer in one direction.
template <class T> struct RnnBackward {
  const RnnPass<T> &pass; ///< as it ran
  const RnnTape<T> &tape;
  const T *outGradient; ///< of the pass's columns of the output; [time, batch, outStride]
  T *hidden,
      *cell; ///< [batch, hidden]: cotangent of the final state, becomes the gradient of the initial one
  std::vector<T> inputGates, hiddenGates; ///< gradients before the activations, [time, batch, gates * hidden]

  void run() {
    int64_t gates = pass.attributes.gates(), width = pass.attributes.hidden, batch = pass.batch;
    inputGates.assign(static_cast<size_t>(pass.time * batch * gates * width), T(0));
    hiddenGates = inputGates;
    for (int64_t step = pass.time; step-- > 0;) {
      int64_t t = pass.backward ? pass.time - 1 - step : step;
      for (int64_t n = 0; n < batch; ++n)
        if (pass.lengths.empty() || t < pass.lengths[static_cast<size_t>(n)])
          cellStep(t, n);
      addGemm(false, batch, width, gates * width, hiddenGates.data() + t * batch * gates * width,
              pass.hiddenWeights, hidden);
    }
  }

private:
  /// One sample: leaves in `hidden` what the state before gets, but for the term through the hidden weights.
  void cellStep(int64_t t, int64_t n) {
    int64_t width = pass.attributes.hidden, row = t * pass.batch + n, gates = pass.attributes.gates();
    const T *g = tape.gates.data() + row * gates * width, *before = tape.before.data() + row * width;
    const T *dout = outGradient + row * pass.outStride;
    T *da = inputGates.data() + row * gates * width, *dr = hiddenGates.data() + row * gates * width;
    T *dh = hidden + n * width, *dc = cell ? cell + n * width : nullptr;
    auto slope = [](T s) { return s * (1 - s); };
    for (int64_t i = 0; i < width; ++i) {
      T d = dh[i] + dout[i];
      switch (pass.attributes.mode) {
      case RnnMode::Lstm: {
        T in = g[i], forget = g[width + i], candidate = g[2 * width + i], output = g[3 * width + i];
        T bent = std::tanh(tape.newCells[static_cast<size_t>(row * width + i)]);
        T inner = dc[i] + d * output * (1 - bent * bent);
        da[i] = inner * candidate * slope(in);
        da[width + i] = inner * tape.cells[static_cast<size_t>(row * width + i)] * slope(forget);
        da[2 * width + i] = inner * in * (1 - candidate * candidate);
        da[3 * width + i] = d * bent * slope(output);
        dc[i] = inner * forget;
        dh[i] = 0;
        break;
      }
      case RnnMode::Gru: {
        T reset = g[i], update = g[width + i], candidate = g[2 * width + i];
        T dn = d * (1 - update) * (1 - candidate * candidate);
        da[i] = dn * tape.addend[static_cast<size_t>(row * width + i)] * slope(reset);
        da[width + i] = d * (before[i] - candidate) * slope(update);
        da[2 * width + i] = dn;
        dr[2 * width + i] = dn * reset;
        dh[i] = d * update;
        break;
      }
      case RnnMode::Tanh:
        da[i] = d * (1 - g[i] * g[i]);
        dh[i] = 0;
        break;
      case RnnMode::Relu:
        da[i] = g[i] > 0 ? d : T(0);
        dh[i] = 0;
        break;
      }
    }
    // Only in the candidate of a GRU do the two products not just add up.
    std::copy_n(da, (pass.attributes.mode == RnnMode::Gru ? 2 : gates) * width, dr);
  }
};

template <class T> class RnnGradient {
public:
  explicit RnnGradient(RnnOperands &operands)
      : operands(operands), attributes(operands.attributes), call(operands.call), time(call.input(0).dims[0]),
        batch(call.input(0).dims[1]), width(attributes.hidden * attributes.directions) {}

  Result<void> run() {
    for (size_t i = 0; i < operands.count(); ++i) {
      unwanted.emplace_back();
      if (call.hasOutput(i)) {
        Result<View> out = call.output(i, call.input(i).dims);
        if (!out)
          return out.diagnostics();
        gradients.push_back(out->template as<T>());
      } else {
        unwanted.back().resize(static_cast<size_t>(call.input(i).size()));
        gradients.push_back(unwanted.back().data());
      }
      std::fill_n(gradients.back(), call.input(i).size(), T(0));
    }
    const View &dout = call.input(operands.count() + 1);
    const int64_t outDims[] = {time, batch, width};
    if (!std::ranges::equal(dout.dims, outDims))
      return failure("expected a cotangent {}, found {}", describe(dout.dtype, outDims),
                     describe(dout.dtype, dout.dims));
    for (size_t i = 0; i < operands.states; ++i) {
      const View &given = call.input(operands.count() + 2 + i);
      if (!std::ranges::equal(given.dims, call.input(1 + i).dims))
        return failure("the cotangent of state {} is {}", i, describe(given.dtype, given.dims));
      std::copy_n(given.as<T>(), given.size(), gradients[1 + i]);
    }
    forward();
    backward(dout.as<T>());
    return {};
  }

private:
  const T *inputOf(int64_t layer) const {
    return layer == 0 ? call.input(0).as<T>() : outputs[static_cast<size_t>(layer - 1)].data();
  }
  int64_t featuresOf(int64_t layer) const { return layer == 0 ? call.input(0).dims[2] : width; }

  RnnPass<T> passOf(int64_t entry) {
    int64_t layer = entry / attributes.directions, direction = entry % attributes.directions;
    int64_t offset = entry * batch * attributes.hidden;
    return {attributes,
            time,
            batch,
            featuresOf(layer),
            inputOf(layer),
            operands.weight<T>(entry, 0),
            operands.weight<T>(entry, 1),
            operands.bias<T>(entry, 0),
            operands.bias<T>(entry, 1),
            operands.lengths,
            direction == 1,
            state[0].data() + offset,
            operands.states == 2 ? state[1].data() + offset : nullptr,
            outputs[static_cast<size_t>(layer)].data() + direction * attributes.hidden,
            width,
            a,
            r,
            &tapes[static_cast<size_t>(entry)]};
  }

  void forward() {
    for (size_t i = 0; i < operands.states; ++i)
      state.emplace_back(call.input(1 + i).as<T>(), call.input(1 + i).as<T>() + call.input(1 + i).size());
    outputs.resize(static_cast<size_t>(attributes.layers));
    for (auto &output : outputs)
      output.resize(static_cast<size_t>(time * batch * width));
    tapes.resize(static_cast<size_t>(attributes.layers * attributes.directions));
    for (int64_t entry = 0; entry < attributes.layers * attributes.directions; ++entry) {
      RnnPass<T> pass = passOf(entry);
      PackedHidden packed;
      if constexpr (std::is_same_v<T, float>) {
        packed.state =
            PackedWeights(pass.hiddenWeights, attributes.gates() * attributes.hidden, attributes.hidden);
        pass.packed = &packed;
      }
      pass.run();
    }
  }

  void backward(const T *dout) {
    std::vector<T> above(dout, dout + time * batch * width), below;
    for (int64_t layer = attributes.layers; layer-- > 0;) {
      int64_t features = featuresOf(layer), samples = time * batch;
      below.assign(static_cast<size_t>(samples * features), T(0));
      for (int64_t direction = 0; direction < attributes.directions; ++direction) {
        int64_t entry = layer * attributes.directions + direction, offset = entry * batch * attributes.hidden;
        RnnPass<T> pass = passOf(entry);
        RnnBackward<T> way{pass,
                           tapes[static_cast<size_t>(entry)],
                           above.data() + direction * attributes.hidden,
                           gradients[1] + offset,
                           operands.states == 2 ? gradients[2] + offset : nullptr,
                           {},
                           {}};
        way.run();
        int64_t rows = attributes.gates() * attributes.hidden;
        addGemm(false, samples, features, rows, way.inputGates.data(), pass.inputWeights, below.data());
        addGemm(true, rows, features, samples, way.inputGates.data(), pass.x,
                gradients[operands.weightIndex(entry, 0)]);
        addGemm(true, rows, attributes.hidden, samples, way.hiddenGates.data(), way.tape.before.data(),
                gradients[operands.weightIndex(entry, 1)]);
        addRows(samples, rows, way.inputGates.data(), gradients[operands.biasIndex(entry, 0)]);
        addRows(samples, rows, way.hiddenGates.data(), gradients[operands.biasIndex(entry, 1)]);
      }
      above.swap(below);
    }
    std::copy(above.begin(), above.end(), gradients[0]);
  }

  RnnOperands &operands;
  const RnnConfig &attributes;
  Call &call;
  int64_t time, batch, width;
  std::vector<T *> gradients; ///< by operand
  std::vector<std::vector<T>> unwanted, state, outputs;
  std::vector<RnnTape<T>> tapes;
  std::vector<T> a, r;
};

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeRnnGradient(const RnnGradientAttributes &op,
                                                       const KernelRequest &request) {
  Result<RnnConfig> attributes = configOf(op, request);
  if (!attributes)
    return attributes.diagnostics();
  return makeKernel([attributes = *attributes](Call &call) -> Result<void> {
    RnnOperands operands(attributes, call);
    if (Result<void> done = operands.check(); !done)
      return done;
    if (call.inputCount() < operands.count() + 2 + operands.states)
      return failure("expected the cotangents of all results, found {} operands", call.inputCount());
    return call.input(0).dtype == DType::Float32 ? RnnGradient<float>(operands).run()
                                                 : RnnGradient<double>(operands).run();
  });
}

} // namespace proa::runtime
