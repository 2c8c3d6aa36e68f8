#include "test/unit/runtime/KernelHarness.h"

#include <gmock/gmock.h>

#include <cmath>

namespace proa::runtime {
namespace {

struct Layer {
  std::vector<double> wih, whh, bih, bhh;
};

std::vector<double> wide(const Tensor &tensor) {
  return {tensor.as<float>(), tensor.as<float>() + tensor.size()};
}

/// Small values, so that no layer amplifies rounding.
Tensor randomWeights(std::vector<int64_t> dims, unsigned seed) {
  Tensor tensor = randomFloats(std::move(dims), seed);
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<float>()[i] *= 0.25f;
  return tensor;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// One sample through one layer in one direction, by definition. Returns the outputs; h and c become final
/// states.
std::vector<std::vector<double>> runSample(const std::string &mode, const Layer &layer,
                                           const std::vector<std::vector<double>> &x, size_t length,
                                           bool backward, std::vector<double> &h, std::vector<double> &c) {
  size_t width = h.size(), features = x[0].size();
  std::vector<std::vector<double>> out(x.size(), std::vector<double>(width, 0.0));
  for (size_t step = 0; step < length; ++step) {
    size_t t = backward ? length - 1 - step : step;
    auto row = [&](size_t gate, size_t i, bool recurrent) {
      size_t r = gate * width + i;
      double sum = recurrent ? layer.bhh[r] : layer.bih[r];
      for (size_t k = 0; k < (recurrent ? width : features); ++k)
        sum += recurrent ? layer.whh[r * width + k] * h[k] : layer.wih[r * features + k] * x[t][k];
      return sum;
    };
    /// The candidate's matmul of the state that the reset gate has scaled.
    auto resetRow = [&](size_t i) {
      size_t r = 2 * width + i;
      double sum = layer.bhh[r];
      for (size_t k = 0; k < width; ++k)
        sum += layer.whh[r * width + k] * sigmoid(row(0, k, false) + row(0, k, true)) * h[k];
      return sum;
    };
    std::vector<double> next(width);
    for (size_t i = 0; i < width; ++i) {
      auto gate = [&](size_t g) { return row(g, i, false) + row(g, i, true); };
      if (mode == "LSTM") {
        c[i] = sigmoid(gate(1)) * c[i] + sigmoid(gate(0)) * std::tanh(gate(2));
        next[i] = sigmoid(gate(3)) * std::tanh(c[i]);
      } else if (mode == "GRU" || mode == "GRU before") {
        double reset = sigmoid(gate(0)), update = sigmoid(gate(1));
        double ofState = mode == "GRU" ? reset * row(2, i, true) : resetRow(i);
        double candidate = std::tanh(row(2, i, false) + ofState);
        next[i] = update * h[i] + (1 - update) * candidate;
      } else {
        next[i] = mode == "RNN_RELU" ? std::max(0.0, gate(0)) : std::tanh(gate(0));
      }
    }
    h = next;
    out[t] = h;
  }
  return out;
}

struct RnnParam {
  std::string mode;
  int64_t layers;
  bool bidirectional, lengths;
  bool constant = false; ///< whether the weights are: then they are packed once
};

class RnnTest : public ::testing::TestWithParam<RnnParam> {};

TEST_P(RnnTest, EqualsDefinition) {
  auto [mode, layers, bidirectional, hasLengths, isConstant] = GetParam();
  constexpr int64_t time = 5, batch = 5, features = 4, width = 22;
  bool isGru = mode.starts_with("GRU");
  int64_t directions = bidirectional ? 2 : 1, gates = mode == "LSTM" ? 4 : isGru ? 3 : 1;
  size_t states = mode == "LSTM" ? 2 : 1;
  unsigned seed = 1;
  KernelCase c{"rnn",
               {{"mode", isGru ? "GRU" : mode},
                {"num_layers", layers},
                {"is_bidirec", bidirectional},
                {"hidden_size", width},
                {"is_test", true},
                {"resets_before", mode == "GRU before"}},
               {randomFloats({time, batch, features}, seed++)},
               {}};
  for (size_t i = 0; i < states; ++i)
    c.inputs.push_back(randomFloats({layers * directions, batch, width}, seed++));
  std::vector<Layer> weights(static_cast<size_t>(layers * directions));
  for (size_t i = 0; i < weights.size(); ++i) {
    int64_t in = static_cast<int64_t>(i) < directions ? features : width * directions;
    Tensor wih = randomWeights({gates * width, in}, seed++),
           whh = randomWeights({gates * width, width}, seed++);
    weights[i].wih = wide(wih);
    weights[i].whh = wide(whh);
    c.inputs.push_back(wih);
    c.inputs.push_back(whh);
  }
  for (Layer &layer : weights) {
    Tensor bih = randomFloats({gates * width}, seed++), bhh = randomFloats({gates * width}, seed++);
    layer.bih = wide(bih);
    layer.bhh = wide(bhh);
    c.inputs.push_back(bih);
    c.inputs.push_back(bhh);
  }
  for (size_t i = 1 + states; isConstant && i < c.inputs.size(); ++i)
    c.constantInputs.push_back(i);
  std::vector<size_t> lengths{5, 2, 3, 1, 4};
  if (hasLengths)
    c.inputs.push_back(tensorOf<int32_t>(DType::Int32, {batch}, {5, 2, 3, 1, 4}));
  else
    c.inputs.emplace_back();

  std::vector<double> out(static_cast<size_t>(time * batch * width * directions));
  std::vector<std::vector<double>> finals(
      states, std::vector<double>(static_cast<size_t>(layers * directions * batch * width)));
  for (int64_t n = 0; n < batch; ++n) {
    std::vector<std::vector<double>> x(time);
    for (int64_t t = 0; t < time; ++t)
      for (int64_t f = 0; f < features; ++f)
        x[static_cast<size_t>(t)].push_back(double(c.inputs[0].as<float>()[(t * batch + n) * features + f]));
    for (int64_t l = 0; l < layers; ++l) {
      std::vector<std::vector<double>> joined(time);
      for (int64_t d = 0; d < directions; ++d) {
        int64_t entry = l * directions + d, offset = (entry * batch + n) * width;
        auto initial = [&](size_t state) {
          const float *from = c.inputs[1 + state].as<float>() + offset;
          return std::vector<double>(from, from + width);
        };
        std::vector<double> h = initial(0), cell = states == 2 ? initial(1) : h;
        auto outputs = runSample(mode, weights[static_cast<size_t>(entry)], x,
                                 hasLengths ? lengths[static_cast<size_t>(n)] : time, d == 1, h, cell);
        for (size_t t = 0; t < time; ++t)
          joined[t].insert(joined[t].end(), outputs[t].begin(), outputs[t].end());
        std::copy(h.begin(), h.end(), finals[0].begin() + offset);
        if (states == 2)
          std::copy(cell.begin(), cell.end(), finals[1].begin() + offset);
      }
      x = joined;
    }
    for (int64_t t = 0; t < time; ++t)
      std::copy(x[static_cast<size_t>(t)].begin(), x[static_cast<size_t>(t)].end(),
                out.begin() + (t * batch + n) * width * directions);
  }

  c.outputs = {{DType::Float32, {time, batch, width * directions}}};
  for (size_t i = 0; i < states; ++i)
    c.outputs.push_back({DType::Float32, {layers * directions, batch, width}});
  auto result = runCase(c);
  ASSERT_TRUE(result) << result.diagnostics().text();
  expectClose((*result)[0], out, 1e-5);
  for (size_t i = 0; i < states; ++i)
    expectClose((*result)[1 + i], finals[i], 1e-5);
}

INSTANTIATE_TEST_SUITE_P(
    Rnn, RnnTest,
    ::testing::Values(RnnParam{"LSTM", 1, false, false}, RnnParam{"LSTM", 2, true, true},
                      RnnParam{"GRU", 2, false, true}, RnnParam{"GRU", 2, true, false},
                      RnnParam{"RNN_TANH", 1, true, true}, RnnParam{"RNN_RELU", 3, false, false},
                      RnnParam{"LSTM", 2, true, false, true}, RnnParam{"LSTM", 1, false, true, true},
                      RnnParam{"GRU", 2, true, false, true}, RnnParam{"GRU", 1, false, false, true},
                      RnnParam{"GRU before", 2, true, false, true}, RnnParam{"GRU before", 1, false, true},
                      RnnParam{"RNN_TANH", 2, true, false, true},
                      RnnParam{"RNN_RELU", 1, false, false, true}));

TEST(Rnn, MismatchedOperandsAreErrors) {
  KernelCase c{"rnn",
               {{"mode", "GRU"}, {"hidden_size", 2}, {"is_test", true}},
               {randomFloats({3, 1, 4}, 1), randomFloats({1, 1, 2}, 2), randomFloats({6, 5}, 3),
                randomFloats({6, 2}, 4), randomFloats({6}, 5), randomFloats({6}, 6)},
               {{DType::Float32, {3, 1, 2}}, {DType::Float32, {1, 1, 2}}}};
  auto result = runCase(c);
  EXPECT_THAT(result.diagnostics().text(),
              ::testing::HasSubstr("weight 0 of layer 0 is float32[6, 5]; expected float32[6, 4]"));
}

} // namespace
} // namespace proa::runtime
