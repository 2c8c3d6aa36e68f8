#include "test/bench/SyntheticProgram.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace proa::bench {
namespace {

constexpr int width = 64;

std::string temporary(size_t operation) { return fmt::format("layer_{}.tmp_0", operation); }

std::string variable(const std::string &name, const std::string &dims, bool parameter) {
  return fmt::format(
      R"({{"name":"{}","type":{{"type":"LOD_TENSOR","lod_tensor":{{"tensor":{{"data_type":"FP32","dims":[{}]}},)"
      R"("lod_level":0}}}},"persistable":{},"is_parameter":{},"stop_gradient":false}})",
      name, dims, parameter, parameter);
}

std::string slot(const std::string &name, const std::string &argument) {
  return fmt::format(R"({{"parameter":"{}","arguments":["{}"]}})", name, argument);
}

/// feed or fetch.
std::string interfaceOp(const char *type, const std::string &from, const std::string &to) {
  return fmt::format(
      R"({{"inputs":[{}],"outputs":[{}],"type":"{}","attrs":[{{"name":"col","type":"INT","i":0}}]}})",
      slot("X", from), slot("Out", to), type);
}

constexpr const char *commonAttributes =
    R"({"name":"op_device","type":"STRING","s":""},{"name":"op_namescope","type":"STRING","s":"/"},)"
    R"({"name":"op_role","type":"INT","i":0},{"name":"op_role_var","type":"STRINGS"},)"
    R"({"name":"use_mkldnn","type":"BOOLEAN","b":false},{"name":"with_quant_attr","type":"BOOLEAN","b":false})";

struct Kind {
  const char *type;
  const char *attributes;
  /// Slots of weights, with their dims.
  std::vector<std::pair<const char *, const char *>> weights;
  /// The slot of the second input if it is not a weight: the input of the block. Null: there is none.
  const char *residual = nullptr;
  const char *input = "X";
  const char *output = "Out";
};

const std::vector<Kind> &residualBlock() {
  constexpr const char *axis = R"({"name":"axis","type":"INT","i":-1},)";
  constexpr const char *matmul =
      R"({"name":"trans_x","type":"BOOLEAN","b":false},{"name":"trans_y","type":"BOOLEAN","b":false},)";
  static const std::vector<Kind> kinds{
      {"matmul_v2", matmul, {{"Y", R"("64","64")"}}},
      {"elementwise_add", axis, {{"Y", R"("64")"}}},
      {"gelu", R"({"name":"approximate","type":"BOOLEAN","b":false},)", {}},
      {"matmul_v2", matmul, {{"Y", R"("64","64")"}}},
      {"elementwise_add", axis, {{"Y", R"("64")"}}},
      {"elementwise_add", axis, {}, "Y"},
      {"layer_norm",
       R"({"name":"begin_norm_axis","type":"INT","i":1},{"name":"epsilon","type":"FLOAT","f":1e-05},)",
       {{"Scale", R"("64")"}, {"Bias", R"("64")"}},
       nullptr,
       "X",
       "Y"},
  };
  return kinds;
}

} // namespace

std::string lastVariable(size_t operations) { return operations == 0 ? "x" : temporary(operations - 1); }

std::string syntheticProgram(size_t operations) {
  std::string frame = R"({"name":"feed","type":{"type":"FEED_MINIBATCH"},"persistable":true},)"
                      R"({"name":"fetch","type":{"type":"FETCH_LIST"},"persistable":true},)";
  const std::string dims = fmt::format(R"("8","{}")", width);
  std::string vars = variable("x", dims, false), ops = interfaceOp("feed", "feed", "x");
  std::string blockInput = "x", previous = "x";
  for (size_t i = 0; i < operations; ++i) {
    const Kind &kind = residualBlock()[i % residualBlock().size()];
    if (i % residualBlock().size() == 0)
      blockInput = previous;
    std::string inputs = slot(kind.input, previous), outputs = slot(kind.output, temporary(i));
    for (auto [name, weightDims] : kind.weights) {
      std::string weight = fmt::format("layer_{}.{}", i, name);
      inputs += "," + slot(name, weight);
      vars += ",\n" + variable(weight, weightDims, true);
    }
    if (kind.residual)
      inputs += "," + slot(kind.residual, blockInput);
    previous = temporary(i);
    vars += ",\n" + variable(previous, dims, false);
    ops += fmt::format(",\n{{\"inputs\":[{}],\"outputs\":[{}],\"type\":\"{}\",\"attrs\":[{}{}]}}", inputs,
                       outputs, kind.type, kind.attributes, commonAttributes);
  }
  ops += ",\n" + interfaceOp("fetch", previous, "fetch");
  return fmt::format("{{\"blocks\":[{{\"idx\":0,\"parent_idx\":-1,\"vars\":[\n{}{}],\"ops\":[\n{}]}}],"
                     "\"version\":{{\"version\":"
                     "\"2006002\"}}}}\n",
                     frame, vars, ops);
}

} // namespace proa::bench
