#include "lib/compiler/aot/Description.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::aot {
namespace {

using nlohmann::json;

TensorInfo infoOf(const runtime::Plan &plan, runtime::ValueId id, std::string name) {
  const runtime::Value &value = plan.values[static_cast<size_t>(id)];
  return {std::move(name), value.dtype, value.dims};
}

/// The feeds that are states, or the others.
std::vector<TensorInfo> feedsOf(const Description &description, bool areStates) {
  std::vector<std::string> states = description.states();
  std::vector<TensorInfo> infos;
  for (runtime::ValueId id : description.plan.feeds) {
    const std::string &feed = description.plan.values[static_cast<size_t>(id)].name;
    bool isState = std::find(states.begin(), states.end(), feed) != states.end();
    if (isState != areStates)
      continue;
    infos.push_back(infoOf(description.plan, id, feed));
    auto names = description.dimNames.find(feed);
    if (names != description.dimNames.end() && names->second.size() == infos.back().dims.size())
      infos.back().dimNames = names->second;
  }
  return infos;
}

/// Size of `entry` in bytes; nullopt for dynamic dims.
std::optional<uint64_t> bytesOf(const EmbeddedTensor &entry) {
  std::optional<int64_t> count = elementCount(entry.info.dims);
  uint64_t bytes = 0;
  if (!count || __builtin_mul_overflow(static_cast<uint64_t>(*count), sizeOf(entry.info.dtype), &bytes))
    return std::nullopt;
  return bytes;
}

EmbeddedTensor readEmbedded(const json &entry) {
  EmbeddedTensor tensor;
  entry.at(0).get_to(tensor.info.name);
  auto dtype = dtypeFromName(entry.at(1).get<std::string>());
  if (!dtype)
    throw std::runtime_error("unknown dtype " + entry.at(1).get<std::string>());
  tensor.info.dtype = *dtype;
  entry.at(2).get_to(tensor.info.dims);
  entry.at(3).get_to(tensor.offset);
  return tensor;
}

/// Names and types of feeds, parameters and fetches.
std::string interfaceOf(const runtime::Plan &plan) {
  std::string text;
  for (const auto *ids : {&plan.feeds, &plan.parameters, &plan.fetches})
    for (runtime::ValueId id : *ids) {
      const runtime::Value &value = plan.values[static_cast<size_t>(id)];
      text += (ids == &plan.fetches ? "" : value.name) + describe(value.dtype, value.dims) + ";";
    }
  return text;
}

Result<void> verify(const Description &description, uint64_t weightsBytes, const std::string &where) {
  Diagnostics diagnostics;
  if (description.resultCount > description.plan.fetches.size())
    diagnostics.add(where, fmt::format("it has {} results, but its plan has {} fetches",
                                       description.resultCount, description.plan.fetches.size()));
  for (const DeviceProgram &program : description.devicePrograms)
    if (interfaceOf(program.plan) != interfaceOf(description.plan))
      diagnostics.add(where, "its programs for CUDA chips have different feeds, parameters or fetches");
  for (const EmbeddedTensor &entry : description.embedded) {
    std::optional<uint64_t> bytes = bytesOf(entry);
    if (!bytes || *bytes > weightsBytes || entry.offset > weightsBytes - *bytes ||
        entry.offset % runtime::addressAlignment != 0)
      diagnostics.add(where, fmt::format("weight '{}' is not within the {} bytes of weights", entry.info.name,
                                         weightsBytes));
  }
  return diagnostics;
}

} // namespace

std::vector<std::string> Description::states() const {
  return {plan.fetchNames.begin() + static_cast<ptrdiff_t>(resultCount), plan.fetchNames.end()};
}

std::vector<TensorInfo> Description::fedStates() const { return feedsOf(*this, /*areStates=*/true); }
std::vector<TensorInfo> Description::inputs() const { return feedsOf(*this, /*areStates=*/false); }

std::vector<TensorInfo> Description::outputs() const {
  std::vector<TensorInfo> infos;
  for (size_t i = 0; i < resultCount; ++i)
    infos.push_back(infoOf(plan, plan.fetches[i], plan.fetchNames[i]));
  return infos;
}

std::vector<TensorInfo> Description::weights() const {
  std::vector<TensorInfo> infos;
  for (runtime::ValueId id : plan.parameters)
    infos.push_back(infoOf(plan, id, plan.values[static_cast<size_t>(id)].name));
  std::vector<TensorInfo> fed = fedStates();
  infos.insert(infos.end(), fed.begin(), fed.end());
  return infos;
}

std::vector<uint8_t> serialize(const Description &description) {
  json embedded = json::array();
  for (const EmbeddedTensor &entry : description.embedded)
    embedded.push_back({entry.info.name, nameOf(entry.info.dtype), entry.info.dims, entry.offset});
  json devices = json::array();
  for (const DeviceProgram &program : description.devicePrograms)
    devices.push_back({{"plan", json::binary(runtime::serialize(program.plan))},
                       {"code", json::binary(cuda::serialize(program.code))}});
  return json::to_cbor({{"name", description.name},
                        {"plan", json::binary(runtime::serialize(description.plan))},
                        {"results", description.resultCount},
                        {"dimNames", description.dimNames},
                        {"kernels", description.kernels},
                        {"savedVariables", description.savedVariables},
                        {"embedded", std::move(embedded)},
                        {"devices", std::move(devices)},
                        {"cpuFeatures", description.cpuFeatures}});
}

Result<Description> deserializeDescription(std::span<const uint8_t> bytes, uint64_t weightsBytes,
                                           const std::string &where) {
  Description description;
  try {
    json read = json::from_cbor(bytes.begin(), bytes.end());
    read.at("name").get_to(description.name);
    auto plan = runtime::deserialize(read.at("plan").get_binary(), where);
    if (!plan)
      return plan.diagnostics();
    description.plan = std::move(*plan);
    read.at("results").get_to(description.resultCount);
    read.at("dimNames").get_to(description.dimNames);
    read.at("kernels").get_to(description.kernels);
    read.at("savedVariables").get_to(description.savedVariables);
    read.at("cpuFeatures").get_to(description.cpuFeatures);
    for (const json &entry : read.at("embedded"))
      description.embedded.push_back(readEmbedded(entry));
    for (const json &entry : read.at("devices")) {
      auto ownPlan = runtime::deserialize(entry.at("plan").get_binary(), where);
      auto code = cuda::deserializeDeviceCode(entry.at("code").get_binary(), where);
      if (!ownPlan || !code)
        return ownPlan ? code.diagnostics() : ownPlan.diagnostics();
      description.devicePrograms.push_back({std::move(*ownPlan), std::move(*code)});
    }
  } catch (const std::exception &error) {
    return errorAt(where, fmt::format("its description is damaged: {}", error.what()));
  }
  if (Result<void> valid = verify(description, weightsBytes, where); !valid)
    return valid.diagnostics();
  return description;
}

} // namespace proa::aot
