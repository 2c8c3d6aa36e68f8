// Compares mappings with the mappings of Paddle's AOA engine, which record_paddle.py recorded.
#include "TransformTesting.h"

#include "lib/base/support/Files.h"
#include "lib/base/support/Json.h"

#include <fmt/format.h>

namespace proa::transform {
namespace {

using Json = nlohmann::json;

TensorInfos infosFrom(const Json &tensors) {
  TensorInfos infos;
  for (const auto &[name, tensor] : tensors.items())
    infos[name] = {*dtypeFromName(tensor[0].get<std::string>()), tensor[1].get<std::vector<int64_t>>(),
                   tensor.size() > 2 ? tensor[2].get<int64_t>() : 1};
  return infos;
}

const Json &cases() {
  static const Json all = *readJsonFile(PROA_SOURCE_DIR "/test/unit/transform/paddle_mappings.json");
  return all;
}

/// The tensor has these elements; -1 is an element that keeps its value.
void expectElements(const Mapping &mapping, const Target &target, const Tensors &inputs, const Json &record) {
  EXPECT_EQ(target.dims(), record["dims"].get<std::vector<int64_t>>());
  auto elements = record["elements"].get<std::vector<float>>();
  if (elements.front() < 0) {
    EXPECT_EQ(target.composition->size(), 0u);
    return;
  }
  Result<Tensor> result = computeTarget(mapping, target, readerOf(inputs));
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(floatsOf(*result), elements);
}

/// The statements of a record, or of the example that it names.
Result<std::vector<Statement>> statementsOf(const Json &record) {
  if (record.contains("file")) {
    auto file = record["file"].get<std::string>();
    Result<std::string> text = readFile(PROA_SOURCE_DIR "/" + file);
    if (!text)
      return text.diagnostics();
    return parseStatements(*text, file, record["variables"].get<Variables>());
  }
  std::string text;
  for (const Json &statement : record["statements"])
    text += statement.get<std::string>() + "\n";
  return parseStatements(text, "record.aoa");
}

class PaddleTest : public testing::TestWithParam<std::string> {};

TEST_P(PaddleTest, HasTheSameMapping) {
  const Json &record = cases()[GetParam()];
  TensorInfos sources = infosFrom(record["sources"]), targets;
  Tensors inputs;
  float begin = 0;
  for (const auto &[name, info] : sources) {
    inputs[name] = iota(info.dims, begin);
    begin += static_cast<float>(inputs[name].size());
  }
  MappingOptions options;
  options.isInverse = record.value("reverse", false);
  if (record.contains("targets")) {
    targets = infosFrom(record["targets"]);
    options.targets = &targets;
  }
  Result<std::vector<Statement>> statements = statementsOf(record);
  ASSERT_TRUE(statements) << statements.diagnostics().text();
  Result<Mapping> mapping = mapTensors(*statements, sources, options);
  ASSERT_TRUE(mapping) << mapping.diagnostics().text();
  const Json &results = record["result"];
  EXPECT_EQ(mapping->targets.size(), results.size());
  for (const Target &target : mapping->targets) {
    SCOPED_TRACE(target.name);
    ASSERT_TRUE(results.contains(target.name));
    expectElements(*mapping, target, inputs, results[target.name]);
  }
}

std::vector<std::string> caseNames() {
  std::vector<std::string> names;
  for (const auto &[name, record] : cases().items())
    names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, PaddleTest, testing::ValuesIn(caseNames()), [](const auto &info) {
  std::string name;
  for (char c : info.param)
    name += c == '-' ? '_' : c;
  return name;
});

} // namespace
} // namespace proa::transform
