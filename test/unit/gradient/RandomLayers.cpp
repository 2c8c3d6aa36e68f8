//! Layers and losses in random programs: those with gradient kernels and a formula.
#include "test/unit/gradient/RandomProgram.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace proa::test {

void RandomProgram::layer() {
  void (RandomProgram::*const kinds[])() = {
      &RandomProgram::sequenceLayer,    &RandomProgram::recurrentLayer, &RandomProgram::sequenceLoss,
      &RandomProgram::alignmentLoss,    &RandomProgram::convolution,    &RandomProgram::layerNormalization,
      &RandomProgram::crossEntropyLoss,
  };
  (this->*kinds[below(std::size(kinds))])();
}

/// A tensor of this shape whose elements depend on all elements of some value, and are in [-1, 1].
RandomProgram::Value RandomProgram::spread(const Shape &shape) {
  constexpr int64_t most = 12;
  Value x = any();
  int64_t size = 1, total = 1;
  for (int64_t dim : x.shape)
    size *= dim;
  for (int64_t dim : shape)
    total *= dim;
  if (size > most) {
    x = emit("sum", {x}, "", {});
    size = 1;
  }
  std::vector<std::string> rows;
  for (int64_t i = 0; i < size; ++i) {
    std::vector<std::string> row;
    for (int64_t j = 0; j < total; ++j)
      row.push_back(fmt::format("{:.3f}", 0.7 * std::sin(1.9 * static_cast<double>(i * total + j) + 0.4)));
    rows.push_back(fmt::format("[{}]", fmt::join(row, ", ")));
  }
  int id = count++;
  body += fmt::format("  %k{} = pd.constant dense<[{}]> : {}\n", id, fmt::join(rows, ", "),
                      typeOf({size, total}));
  Value flat = emit("reshape", {x}, "shape = " + ints({1, size}), {1, size});
  Value bounded = emit("tanh", {flat}, "", flat.shape);
  Value wide = emit("matmul", {bounded, {fmt::format("%k{}", id), {size, total}}}, "", {1, total});
  Value waves = emit("sin", {wide}, "", wide.shape);
  return emit("reshape", {waves}, "shape = " + ints(shape), shape);
}

/// A constant of integers.
RandomProgram::Value RandomProgram::integers(const std::vector<int64_t> &values, const Shape &shape,
                                             const char *element) {
  Value out{fmt::format("%n{}", count++), shape};
  body +=
      fmt::format("  {0}_flat = pd.constant dense<[{1}]> : {2}\n"
                  "  {0} = pd.reshape {0}_flat {{shape = {3}}} : ({2}) -> {4}\n",
                  out.name, fmt::join(values, ", "), typeOf({static_cast<int64_t>(values.size())}, element),
                  ints(shape), typeOf(shape, element));
  return out;
}

RandomProgram::Value RandomProgram::written(const std::string &text, const std::string &name,
                                            const Shape &shape) {
  body += "  " + text + "\n";
  Value out{name, shape};
  values.push_back(out);
  return out;
}

/// gru or lstm on sequences of rows.
void RandomProgram::sequenceLayer() {
  int64_t rows = 3 + static_cast<int64_t>(below(3)), size = 1 + static_cast<int64_t>(below(2)),
          end = static_cast<int64_t>(below(static_cast<size_t>(rows)));
  bool isLstm = below(2), hasState = below(2), reverse = below(2);
  int64_t gates = isLstm ? 4 : 3;
  Value x = spread({rows, gates * size}), weight = spread({size, gates * size});
  Value offsets = integers({0, end, rows}, {3}, "i64");
  std::string out = fmt::format("%v{}", count++), own = typeOf({rows, size}), given = typeOf({2, size});
  if (!isLstm) {
    std::string state = hasState ? " h0 = " + spread({2, size}).name : "";
    written(fmt::format("{} = pd.gru {}, {}, {}{} {{is_reverse = {}, origin_mode = {}}} : ({}, {}, "
                        "tensor<3xi64>{}) -> {}",
                        out, x.name, weight.name, offsets.name, state, reverse, below(2) == 0,
                        typeOf(x.shape), typeOf(weight.shape), hasState ? ", " + given : "", own),
            out, {rows, size});
    return;
  }
  bool peepholes = below(2);
  Value bias = spread({1, (peepholes ? 7 : 4) * size});
  std::string states;
  if (hasState)
    states = fmt::format(" h0 = {} c0 = {}", spread({2, size}).name, spread({2, size}).name);
  written(fmt::format("{0}, {0}_cell = pd.lstm {1}, {2}, {3}, {4}{5} {{use_peepholes = {6}, is_reverse = "
                      "{7}}} : ({8}, {9}, {10}, tensor<3xi64>{11}) -> ({12}, {12})",
                      out, x.name, weight.name, bias.name, offsets.name, states, peepholes, reverse,
                      typeOf(x.shape), typeOf(weight.shape), typeOf(bias.shape),
                      hasState ? ", " + given + ", " + given : "", own),
          out, {rows, size});
  if (below(2))
    values.push_back({out + "_cell", {rows, size}});
}

/// rnn: steps of a batch, with equal or different lengths.
void RandomProgram::recurrentLayer() {
  const struct {
    const char *mode;
    int64_t gates;
  } kinds[] = {{"LSTM", 4}, {"GRU", 3}, {"RNN_TANH", 1}};
  auto [mode, gates] = kinds[below(3)];
  bool isLstm = gates == 4, bidirectional = below(2), hasLengths = below(2);
  int64_t time = 2 + static_cast<int64_t>(below(2)), size = 1 + static_cast<int64_t>(below(2)),
          directions = bidirectional ? 2 : 1;
  Value x = spread({time, 2, 2});
  std::vector<std::string> weights, types{typeOf(x.shape)}, states;
  for (int i = 0; i < (isLstm ? 2 : 1); ++i) {
    states.push_back(spread({directions, 2, size}).name);
    types.push_back(typeOf({directions, 2, size}));
  }
  auto add = [&](const Shape &shape) {
    weights.push_back(spread(shape).name);
    types.push_back(typeOf(shape));
  };
  for (int64_t d = 0; d < directions; ++d) {
    add({gates * size, 2});
    add({gates * size, size});
  }
  for (int64_t d = 0; d < 2 * directions; ++d)
    add({gates * size});
  std::string lengths;
  if (hasLengths) {
    lengths = " lengths = " + integers({1, time}, {2}, "i32").name;
    types.push_back("tensor<2xi32>");
  }
  std::string out = fmt::format("%v{}", count++), state = typeOf({directions, 2, size}),
              own = typeOf({time, 2, directions * size});
  written(
      fmt::format("{0}, {0}_last{1} = pd.rnn {2} states = {3} weights = {4}{5} mode = {6} {{"
                  "hidden_size = {7} : i64, num_layers = 1 : i64, is_bidirec = {8}}} : ({9}) -> ({10}, {11})",
                  out, isLstm ? ", " + out + "_cell" : "", x.name, fmt::join(states, ", "),
                  fmt::join(weights, ", "), lengths, mode, size, bidirectional, fmt::join(types, ", "), own,
                  isLstm ? state + ", " + state : state),
      out, {time, 2, directions * size});
}

/// linear_chain_crf on rows.
void RandomProgram::sequenceLoss() {
  int64_t rows = 3 + static_cast<int64_t>(below(3)), tags = 2 + static_cast<int64_t>(below(2)),
          end = 1 + static_cast<int64_t>(below(static_cast<size_t>(rows) - 1));
  Value x = spread({rows, tags}), transition = spread({tags + 2, tags});
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < rows; ++i)
    chosen.push_back(static_cast<int64_t>(below(static_cast<size_t>(tags))));
  Value labels = integers(chosen, {rows, 1}, "i64"), offsets = integers({0, end, rows}, {3}, "i64");
  std::string out = fmt::format("%v{}", count++);
  written(
      fmt::format("{0}_a, {0}_e, {0}_t, {0} = pd.linear_chain_crf {1}, {2}, {3} offsets = {4} : ({5}, {6}, "
                  "{7}, tensor<3xi64>) -> ({5}, {5}, {6}, {8})",
                  out, x.name, transition.name, labels.name, offsets.name, typeOf(x.shape),
                  typeOf(transition.shape), typeOf(labels.shape, "i64"), typeOf({2, 1})),
      out, {2, 1});
}

/// warpctc or warprnnt.
void RandomProgram::alignmentLoss() {
  std::string out = fmt::format("%v{}", count++);
  if (below(2)) {
    int64_t time = 4 + static_cast<int64_t>(below(2));
    Value x = spread({time, 2, 3});
    Value labels = integers({1, 2, 1 + static_cast<int64_t>(below(2)), 1}, {2, 2}, "i32");
    written(fmt::format("{0}, {0}_g = pd.warpctc {1}, {2} : ({3}, tensor<2x2xi32>) -> ({4}, {3})", out,
                        x.name, labels.name, typeOf(x.shape), typeOf({2, 1})),
            out, {2, 1});
    return;
  }
  Value x = spread({1, 3, 3, 3});
  Value labels = integers({1, 1 + static_cast<int64_t>(below(2))}, {1, 2}, "i32"),
        times = integers({2 + static_cast<int64_t>(below(2))}, {1}, "i32"),
        lengths = integers({1 + static_cast<int64_t>(below(2))}, {1}, "i32");
  written(fmt::format("{0}, {0}_g = pd.warprnnt {1}, {2}, {3}, {4} : ({5}, tensor<1x2xi32>, tensor<1xi32>, "
                      "tensor<1xi32>) -> ({6}, {5})",
                      out, x.name, labels.name, times.name, lengths.name, typeOf(x.shape), typeOf({1})),
          out, {1});
}

/// conv2d with any paddings, strides and dilations.
void RandomProgram::convolution() {
  auto smaller = [&](size_t bound) { return static_cast<int64_t>(below(bound)); };
  int64_t dims[2], strides[2], dilations[2], out[2], kernel = 2;
  Shape paddings;
  for (int i = 0; i < 2; ++i) {
    dims[i] = 3 + smaller(2);
    strides[i] = 1 + smaller(2);
    dilations[i] = 1 + smaller(2);
    paddings.push_back(smaller(2));
    paddings.push_back(smaller(2));
    out[i] =
        (dims[i] + paddings[2 * i] + paddings[2 * i + 1] - dilations[i] * (kernel - 1) - 1) / strides[i] + 1;
  }
  Value x = spread({1, 2, dims[0], dims[1]}), filter = spread({2, 2, kernel, kernel});
  emit("conv2d", {x, filter},
       fmt::format("strides = {}, paddings = {}, dilations = {}", ints({strides[0], strides[1]}),
                   ints(paddings), ints({dilations[0], dilations[1]})),
       {1, 2, out[0], out[1]});
}

void RandomProgram::layerNormalization() {
  Value x = spread({2, 3, 2}), scale = spread({6}), bias = spread({6});
  std::string out = fmt::format("%v{}", count++);
  written(fmt::format("{0}, {0}_m, {0}_s = pd.layer_norm {1} scale = {2} bias = {3} {{epsilon = 0.1, "
                      "begin_norm_axis = 1 : i64}} : ({4}, {5}, {5}) -> ({4}, {6}, {6})",
                      out, x.name, scale.name, bias.name, typeOf(x.shape), typeOf({6}), typeOf({2})),
          out, x.shape);
}

/// With class labels, or with probabilities.
void RandomProgram::crossEntropyLoss() {
  Value x = spread({2, 3});
  std::string out = fmt::format("%v{}", count++), type = typeOf(x.shape);
  Value labels;
  bool soft = below(2);
  if (soft) {
    Value logits = spread({2, 3});
    labels = emit("softmax", {logits}, "", logits.shape);
  } else {
    labels = integers({static_cast<int64_t>(below(3)), static_cast<int64_t>(below(3))}, {2, 1}, "i64");
  }
  written(
      fmt::format("{0}_p, {0} = pd.cross_entropy_with_softmax {1}, {2} {{soft_label = {3}}} : ({4}, {5}) -> "
                  "({4}, {6})",
                  out, x.name, labels.name, soft, type, typeOf(labels.shape, soft ? "f64" : "i64"),
                  typeOf({2, 1})),
      out, {2, 1});
}

} // namespace proa::test
