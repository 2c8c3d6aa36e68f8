/// The library kernel "rnn": stacks of LSTM, GRU and simple recurrent layers, as Paddle's rnn in inference.
///
/// Inputs: x [time, batch, features], the initial states (hidden, for LSTM and cell; [layers * directions,
/// batch, hidden]), the weights (for each layer and direction W_ih and W_hh, then in the same order b_ih and
/// b_hh), and perhaps the lengths of the samples. Outputs: out, then the final states. Attributes: mode,
/// num_layers, is_bidirec, hidden_size, dropout_prob, is_test, resets_before.
#include "lib/runtime/kernels/rnn/Rnn.h"

#include "lib/runtime/kernels/common/OutputMemory.h"

#include "dialects/pd/ops/nn/Recurrent.kernels.inc"

#include <array>
#include <mutex>

namespace proa::runtime {

Result<void> RnnOperands::checkWeights() const {
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
        return failure("bias {} of layer {} is {}; expected {} numbers", which, entry / attributes.directions,
                       describe(b.dtype, b.dims), rows);
    }
  }
  return {};
}

Result<void> RnnOperands::check() {
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
    return list.diagnostics();
  if (static_cast<int64_t>(list->size()) != x.dims[1])
    return failure("{} lengths for {} samples", list->size(), x.dims[1]);
  lengths = std::move(*list);
  return {};
}

namespace {

/// The hidden weights of each layer and direction.
using PackedStack = std::vector<PackedHidden>;

template <class T> PackedStack packHiddenWeights(const RnnOperands &operands) {
  const RnnConfig &attributes = operands.attributes;
  PackedStack stack(static_cast<size_t>(attributes.layers * attributes.directions));
  if constexpr (std::is_same_v<T, float>)
    for (size_t entry = 0; entry < stack.size(); ++entry) {
      const float *weights = operands.weight<T>(static_cast<int64_t>(entry), 1);
      int64_t inner = attributes.hidden, columns = attributes.columnsOfState();
      stack[entry].state = PackedWeights(weights, columns, inner);
      if (attributes.resetsBefore)
        stack[entry].candidate = PackedWeights(weights + columns * inner, inner, inner);
    }
  return stack;
}

/// Multiplications and additions of one layer in one direction.
double operationsOf(const RnnConfig &attributes, int64_t rows, int64_t features) {
  return 2.0 *
         static_cast<double>(rows * attributes.gates() * attributes.hidden * (features + attributes.hidden));
}

template <class T> Result<void> writeStates(Call &call, const std::vector<std::vector<T>> &states) {
  for (size_t i = 0; i < states.size(); ++i) {
    if (!call.hasOutput(1 + i))
      continue;
    Result<View> final = call.output(1 + i, call.input(1 + i).dims);
    if (!final)
      return final.diagnostics();
    std::copy(states[i].begin(), states[i].end(), final->template as<T>());
  }
  return {};
}

template <class T> Result<void> run(RnnOperands &operands, const PackedStack &packed) {
  const RnnConfig &attributes = operands.attributes;
  Call &call = operands.call;
  size_t states = operands.states;

  const View &x = call.input(0);
  int64_t time = x.dims[0], batch = x.dims[1], width = attributes.hidden * attributes.directions;
  const int64_t outDims[] = {time, batch, width};
  OutputMemory memory; // a program may read the final states alone
  Result<View> out = memory.get(call, 0, x.dtype, outDims);
  if (!out)
    return out.diagnostics();
  std::vector<std::vector<T>> state(states);
  for (size_t i = 0; i < states; ++i)
    state[i].assign(call.input(1 + i).as<T>(), call.input(1 + i).as<T>() + call.input(1 + i).size());
  std::vector<T> between, next;
  std::array<std::vector<T>, 2> a, r; // of each direction
  const T *from = x.as<T>();
  int64_t features = x.dims[2];
  for (int64_t layer = 0; layer < attributes.layers; ++layer) {
    bool last = layer + 1 == attributes.layers;
    next.resize(last ? 0 : static_cast<size_t>(time * batch * width));
    T *target = last ? out->template as<T>() : next.data();
    auto runDirection = [&](int64_t direction) {
      int64_t entry = layer * attributes.directions + direction, offset = entry * batch * attributes.hidden;
      RnnPass<T> pass{attributes,
                      time,
                      batch,
                      features,
                      from,
                      operands.weight<T>(entry, 0),
                      operands.weight<T>(entry, 1),
                      operands.bias<T>(entry, 0),
                      operands.bias<T>(entry, 1),
                      operands.lengths,
                      direction == 1,
                      state[0].data() + offset,
                      states == 2 ? state[1].data() + offset : nullptr,
                      target + direction * attributes.hidden,
                      width,
                      a[static_cast<size_t>(direction)],
                      r[static_cast<size_t>(direction)],
                      nullptr,
                      &packed[static_cast<size_t>(entry)]};
      pass.run();
    };
    // The two directions of a layer are independent: a thread for each meets the other once and not in each
    // step.
    parallelFor(attributes.directions, isSmallWork(operationsOf(attributes, time * batch, features)) ? 2 : 1,
                [&](int64_t begin, int64_t end) {
                  for (int64_t direction = begin; direction < end; ++direction)
                    runDirection(direction);
                });
    between.swap(next);
    from = between.data();
    features = width;
  }
  return writeStates(call, state);
}

class Rnn final : public LibraryKernel {
public:
  explicit Rnn(const RnnConfig &attributes) : attributes(attributes) {}

  Result<void> bind(std::span<const View> views, WeightStore &) override {
    size_t first = 1 + attributes.states(), count = attributes.weightCount();
    isConstant =
        views.size() >= first + count &&
        std::ranges::all_of(views.subspan(first, count), [](const View &view) { return bool(view); });
    packed.reset();
    return {};
  }

  Result<void> run(Call &call) const override {
    RnnOperands operands(attributes, call);
    if (Result<void> done = operands.check(); !done)
      return done;
    return call.input(0).dtype == DType::Float32
               ? runtime::run<float>(operands, *packedFor<float>(operands))
               : runtime::run<double>(operands, *packedFor<double>(operands));
  }

private:
  /// Constant weights are packed once for all sessions.
  template <class T> std::shared_ptr<const PackedStack> packedFor(const RnnOperands &operands) const {
    if (!isConstant)
      return std::make_shared<PackedStack>(packHiddenWeights<T>(operands));
    std::lock_guard lock(mutex);
    if (!packed)
      packed = std::make_shared<PackedStack>(packHiddenWeights<T>(operands));
    return packed;
  }

  RnnConfig attributes;
  bool isConstant = false;
  mutable std::mutex mutex;
  mutable std::shared_ptr<const PackedStack> packed;
};

template <class Op> Result<RnnConfig> checkedConfig(const Op &op, const KernelRequest &request) {
  Checks checks(request);
  RnnConfig attributes;
  attributes.mode = op.mode;
  attributes.layers = op.numLayers;
  attributes.directions = op.isBidirec ? 2 : 1;
  attributes.hidden = op.hiddenSize;
  bool drops = op.dropoutProb > 0 && !op.isTest && attributes.layers > 1;
  checks.expect(!drops, "dropout between layers in training is not supported");
  constexpr int64_t most = 1 << 16;
  checks.expect(attributes.layers > 0 && attributes.layers < most && attributes.hidden > 0,
                fmt::format("{} layers of {} units", attributes.layers, attributes.hidden));
  checks.expectOperands(1, 0);
  checks.expectDType(0, {DType::Float32, DType::Float64});
  if (!checks.ok())
    return checks.diagnostics();
  return attributes;
}

} // namespace

Result<RnnConfig> configOf(const RnnAttributes &op, const KernelRequest &request) {
  Result<RnnConfig> config = checkedConfig(op, request);
  if (config)
    config->resetsBefore = op.resetsBefore && op.mode == RnnMode::Gru;
  return config;
}
Result<RnnConfig> configOf(const RnnGradientAttributes &op, const KernelRequest &request) {
  return checkedConfig(op, request);
}

Result<std::unique_ptr<LibraryKernel>> makeRnn(const RnnAttributes &op, const KernelRequest &request) {
  Result<RnnConfig> attributes = configOf(op, request);
  if (!attributes)
    return attributes.diagnostics();
  return std::unique_ptr<LibraryKernel>(std::make_unique<Rnn>(*attributes));
}

} // namespace proa::runtime
