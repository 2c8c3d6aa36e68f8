#include "lib/runtime/plan/Plan.h"

#include "lib/base/target/FactsFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace proa::runtime {
namespace {

using nlohmann::json;

// Numbers in the file; Storage and StepKind are stored by name, so that a plan stays readable.
constexpr int formatVersion = 5, deviceFormatVersion = 9; // 9: with steps or values on a device
// Of control flow in control flow; more than any program has, less than the stack holds.
constexpr int maximalDepth = 256;
constexpr std::pair<Storage, const char *> storageNames[] = {
    {Storage::Feed, "feed"},         {Storage::Parameter, "parameter"}, {Storage::Constant, "constant"},
    {Storage::Prepared, "prepared"}, {Storage::Arena, "arena"},         {Storage::Dynamic, "dynamic"},
    {Storage::Alias, "alias"},       {Storage::Result, "result"},       {Storage::Array, "array"}};
constexpr std::pair<StepKind, const char *> stepNames[] = {
    {StepKind::Kernel, "kernel"}, {StepKind::Library, "library"}, {StepKind::If, "if"},
    {StepKind::While, "while"},   {StepKind::Copy, "copy"},       {StepKind::Wait, "wait"}};

json toJson(const Value &value) {
  const char *storage = "";
  for (auto [kind, name] : storageNames)
    if (kind == value.storage)
      storage = name;
  json object = {{"dtype", nameOf(value.dtype)}, {"dims", value.dims}, {"storage", storage},
                 {"offset", value.offset},       {"base", value.base}, {"name", value.name}};
  if (value.memory == Memory::Device)
    object["onDevice"] = true;
  return object;
}

json toJson(const Step &step);

json toJson(const Body &body) {
  json steps = json::array();
  for (const Step &step : body.steps)
    steps.push_back(toJson(step));
  return {{"arguments", body.arguments},
          {"steps", std::move(steps)},
          {"results", body.results},
          {"release", body.release}};
}

json toJson(const TensorMapParameter &map) {
  json sizes = json::array();
  for (const TensorMapParameter::Size &size : map.sizes)
    sizes.push_back({{"constant", size.constant}, {"dims", size.dims}});
  return {{"buffer", map.buffer},
          {"elementBytes", map.elementBytes},
          {"sizes", std::move(sizes)},
          {"box", map.box},
          {"swizzle", map.swizzle}};
}

json toJson(const DeviceLaunch &launch) {
  json maps = json::array();
  for (const TensorMapParameter &map : launch.tensorMaps)
    maps.push_back(toJson(map));
  return {{"library", launch.library},         {"threads", launch.threads},
          {"sharedBytes", launch.sharedBytes}, {"parameters", launch.parameters},
          {"tensorMaps", std::move(maps)},     {"residentBlocks", launch.residentBlocks},
          {"allowsTf32", launch.allowsTf32}};
}

json toJson(const Step &step) {
  const char *kind = "";
  for (auto [value, name] : stepNames)
    if (value == step.kind)
      kind = name;
  json bodies = json::array();
  for (const Body &body : step.bodies)
    bodies.push_back(toJson(body));
  json object = {{"kind", kind},
                 {"symbol", step.symbol},
                 {"inputs", step.inputs},
                 {"outputs", step.outputs},
                 {"attributes", step.attributes},
                 {"rows", step.rows},
                 {"work", step.work},
                 {"label", step.label},
                 {"location", step.location},
                 {"release", step.release},
                 {"bodies", std::move(bodies)}};
  if (step.flops > 0)
    object["flops"] = step.flops;
  if (step.isStart)
    object["isStart"] = true;
  if (step.isOnDevice())
    object["launch"] = toJson(step.launch);
  if (step.hasCounters)
    object["hasCounters"] = true;
  for (const IndexCheck &check : step.checks)
    object["checks"].push_back(
        {check.indices, check.bound, check.axis, check.size, static_cast<int>(check.kind)});
  for (const DimCheck &check : step.dimChecks)
    object["dimChecks"].push_back(
        {check.input, check.axis, check.other, check.otherAxis, check.size, int64_t(check.mayBeOne)});
  return object;
}

/// Takes fields out of JSON objects; a missing field or one of the wrong type becomes an error and a
/// default.
class FieldReader {
public:
  FieldReader(Diagnostics &diagnostics, const json &object, std::string where)
      : diagnostics(diagnostics), object(object), where(std::move(where)) {}

  template <class T> T get(const char *name) {
    try {
      return object.at(name).template get<T>();
    } catch (const json::exception &error) {
      diagnostics.add(where, fmt::format("field '{}': {}", name, error.what()));
      return T();
    }
  }

  /// The elements of an array field, each given to `read(element, its path)`.
  template <class Read> void forEach(const char *name, Read read) {
    if (!object.is_object() || !object.contains(name) || !object.at(name).is_array()) {
      diagnostics.add(where, fmt::format("field '{}': expected an array", name));
      return;
    }
    size_t index = 0;
    for (const json &element : object.at(name)) {
      read(element, fmt::format("{}: {}[{}]", where, name, index));
      ++index;
    }
  }

private:
  Diagnostics &diagnostics;
  const json &object;
  std::string where;
};

Value readValue(Diagnostics &diagnostics, const json &object, const std::string &where) {
  FieldReader fields(diagnostics, object, where);
  Value value;
  auto name = fields.get<std::string>("dtype");
  if (std::optional<DType> dtype = dtypeFromName(name))
    value.dtype = *dtype;
  else
    diagnostics.add(where, fmt::format("unknown dtype '{}'", name));
  auto storage = fields.get<std::string>("storage");
  bool known = false;
  for (auto [kind, text] : storageNames)
    if (storage == text) {
      value.storage = kind;
      known = true;
    }
  if (!known)
    diagnostics.add(where, fmt::format("unknown storage '{}'", storage));
  value.dims = fields.get<std::vector<int64_t>>("dims");
  value.offset = fields.get<int64_t>("offset");
  value.base = fields.get<ValueId>("base");
  value.name = fields.get<std::string>("name");
  if (object.contains("onDevice") && fields.get<bool>("onDevice"))
    value.memory = Memory::Device;
  return value;
}

Step readStep(Diagnostics &diagnostics, const json &object, const std::string &where, int depth = 0);

Body readBody(Diagnostics &diagnostics, const json &object, const std::string &where, int depth) {
  FieldReader fields(diagnostics, object, where);
  Body body;
  body.arguments = fields.get<std::vector<ValueId>>("arguments");
  fields.forEach("steps", [&](const json &element, const std::string &path) {
    body.steps.push_back(readStep(diagnostics, element, path, depth + 1));
  });
  body.results = fields.get<std::vector<ValueId>>("results");
  body.release = fields.get<std::vector<ValueId>>("release");
  return body;
}

TensorMapParameter readTensorMap(Diagnostics &diagnostics, const json &object, const std::string &where) {
  FieldReader fields(diagnostics, object, where);
  TensorMapParameter map;
  map.buffer = fields.get<int32_t>("buffer");
  map.elementBytes = fields.get<int32_t>("elementBytes");
  fields.forEach("sizes", [&](const json &element, const std::string &path) {
    FieldReader size(diagnostics, element, path);
    map.sizes.push_back({size.get<int64_t>("constant"), size.get<std::vector<int32_t>>("dims")});
  });
  map.box = fields.get<std::vector<int32_t>>("box");
  map.swizzle = fields.get<int32_t>("swizzle");
  return map;
}

DeviceLaunch readLaunch(Diagnostics &diagnostics, const json &object, const std::string &where) {
  FieldReader fields(diagnostics, object, where);
  DeviceLaunch launch;
  launch.library = fields.get<std::string>("library");
  launch.threads = fields.get<int32_t>("threads");
  launch.sharedBytes = fields.get<int64_t>("sharedBytes");
  launch.parameters = fields.get<std::string>("parameters");
  fields.forEach("tensorMaps", [&](const json &element, const std::string &path) {
    launch.tensorMaps.push_back(readTensorMap(diagnostics, element, path));
  });
  launch.residentBlocks = fields.get<int32_t>("residentBlocks");
  launch.allowsTf32 = fields.get<bool>("allowsTf32");
  return launch;
}

Step readStep(Diagnostics &diagnostics, const json &object, const std::string &where, int depth) {
  FieldReader fields(diagnostics, object, where);
  Step step;
  auto kind = fields.get<std::string>("kind");
  bool known = false;
  for (auto [value, name] : stepNames)
    if (kind == name) {
      step.kind = value;
      known = true;
    }
  if (!known)
    diagnostics.add(where, fmt::format("unknown kind '{}' of step", kind));
  if (depth > maximalDepth) {
    diagnostics.add(where, fmt::format("steps are nested more than {} deep", maximalDepth));
    return step;
  }
  step.symbol = fields.get<std::string>("symbol");
  step.inputs = fields.get<std::vector<ValueId>>("inputs");
  step.outputs = fields.get<std::vector<ValueId>>("outputs");
  step.attributes = fields.get<json>("attributes");
  step.rows = fields.get<int64_t>("rows");
  step.work = fields.get<double>("work");
  step.label = fields.get<std::string>("label");
  step.location = fields.get<std::string>("location");
  step.release = fields.get<std::vector<ValueId>>("release");
  if (object.contains("flops"))
    step.flops = fields.get<double>("flops");
  if (object.contains("isStart"))
    step.isStart = fields.get<bool>("isStart");
  if (object.contains("launch"))
    step.launch = readLaunch(diagnostics, object["launch"], where + ": launch");
  step.hasCounters = object.contains("hasCounters") && fields.get<bool>("hasCounters");
  if (object.contains("checks"))
    for (const auto &[indices, bound, axis, size, kind] :
         fields.get<std::vector<std::array<int64_t, 5>>>("checks"))
      step.checks.push_back({static_cast<int32_t>(indices), static_cast<int32_t>(bound),
                             static_cast<int32_t>(axis), size, static_cast<CheckedNumber>(kind)});
  if (object.contains("dimChecks"))
    for (const auto &[input, axis, other, otherAxis, size, mayBeOne] :
         fields.get<std::vector<std::array<int64_t, 6>>>("dimChecks"))
      step.dimChecks.push_back({static_cast<int32_t>(input), static_cast<int32_t>(axis),
                                static_cast<int32_t>(other), static_cast<int32_t>(otherAxis), size,
                                mayBeOne != 0});
  fields.forEach("bodies", [&](const json &element, const std::string &path) {
    step.bodies.push_back(readBody(diagnostics, element, path, depth));
  });
  return step;
}

} // namespace

bool usesDevice(const Plan &plan) {
  bool uses =
      std::ranges::any_of(plan.values, [](const Value &value) { return value.memory == Memory::Device; });
  for (const auto *steps : {&plan.prepare, &plan.steps})
    forEachStep(*steps, [&](const Step &step) {
      uses |= step.isOnDevice() || step.kind == StepKind::Copy || step.kind == StepKind::Wait;
    });
  return uses;
}

std::vector<uint8_t> serialize(const Plan &plan) {
  json values = json::array(), prepare = json::array(), steps = json::array();
  for (const Value &value : plan.values)
    values.push_back(toJson(value));
  for (const Step &step : plan.prepare)
    prepare.push_back(toJson(step));
  for (const Step &step : plan.steps)
    steps.push_back(toJson(step));
  auto bytes = reinterpret_cast<const uint8_t *>(plan.constants.data());
  bool isForDevice = usesDevice(plan);
  json whole = {{"version", isForDevice ? deviceFormatVersion : formatVersion},
                {"values", std::move(values)},
                {"prepare", std::move(prepare)},
                {"steps", std::move(steps)},
                {"feeds", plan.feeds},
                {"parameters", plan.parameters},
                {"fetches", plan.fetches},
                {"fetchNames", plan.fetchNames},
                {"arenaBytes", plan.arenaBytes},
                {"constants", json::binary(std::vector<uint8_t>(bytes, bytes + plan.constants.size()))}};
  if (isForDevice) {
    whole["deviceArenaBytes"] = plan.deviceArenaBytes;
    json states = json::array();
    for (const ResidentState &state : plan.states)
      states.push_back({state.feed, state.current, state.next, state.fetch});
    whole["states"] = std::move(states);
  }
  if (plan.cpu)
    whole["cpu"] = factsJson({*plan.cpu, std::nullopt}).at("cpu");
  return json::to_cbor(whole);
}

/// Facts that serialize() wrote.
static Result<CpuFacts> readFacts(const json &section, const std::string &where) {
  const CpuFacts *known = section.is_object() && section.contains("name") && section["name"].is_string()
                              ? knownFacts<CpuFacts>(section["name"].get<std::string>())
                              : nullptr;
  if (!known)
    return errorAt(where, "field 'cpu': expected facts of a known CPU: " + knownNames<CpuFacts>());
  TargetFacts facts{*known, std::nullopt};
  Result<void> applied = applyFacts(json{{"cpu", section}}, where, facts);
  return applied ? Result<CpuFacts>(std::move(facts.cpu)) : applied.diagnostics();
}

Result<Plan> deserialize(std::span<const uint8_t> bytes, const std::string &where) {
  json whole;
  try {
    whole = json::from_cbor(bytes.begin(), bytes.end());
  } catch (const json::exception &error) {
    return errorAt(where, fmt::format("expected a plan in CBOR: {}", error.what()));
  }
  if (!whole.is_object())
    return errorAt(where, "expected a plan in CBOR");
  bool isForDevice = whole.contains("version") && whole["version"] == deviceFormatVersion;
  if (!isForDevice && (!whole.contains("version") || whole["version"] != formatVersion))
    return errorAt(where, fmt::format("expected plan version {}, found {}", formatVersion,
                                      whole.contains("version") ? whole["version"].dump() : "none"));
  Diagnostics diagnostics;
  FieldReader fields(diagnostics, whole, where);
  Plan plan;
  fields.forEach("values", [&](const json &object, const std::string &path) {
    plan.values.push_back(readValue(diagnostics, object, path));
  });
  fields.forEach("prepare", [&](const json &object, const std::string &path) {
    plan.prepare.push_back(readStep(diagnostics, object, path));
  });
  fields.forEach("steps", [&](const json &object, const std::string &path) {
    plan.steps.push_back(readStep(diagnostics, object, path));
  });
  plan.feeds = fields.get<std::vector<ValueId>>("feeds");
  plan.parameters = fields.get<std::vector<ValueId>>("parameters");
  plan.fetches = fields.get<std::vector<ValueId>>("fetches");
  plan.fetchNames = fields.get<std::vector<std::string>>("fetchNames");
  plan.arenaBytes = fields.get<int64_t>("arenaBytes");
  if (isForDevice) {
    plan.deviceArenaBytes = fields.get<int64_t>("deviceArenaBytes");
    for (const auto &[feed, current, next, fetch] : fields.get<std::vector<std::array<int32_t, 4>>>("states"))
      plan.states.push_back({feed, current, next, fetch});
  }
  if (whole.contains("cpu")) {
    Result<CpuFacts> cpu = readFacts(whole["cpu"], where);
    if (cpu)
      plan.cpu = std::move(*cpu);
    else
      diagnostics.append(cpu.diagnostics());
  }
  auto constants = fields.get<json>("constants");
  if (constants.is_binary()) {
    auto first = reinterpret_cast<const std::byte *>(constants.get_binary().data());
    plan.constants.assign(first, first + constants.get_binary().size());
  } else {
    diagnostics.add(where, "field 'constants': expected bytes");
  }
  if (!diagnostics.empty())
    return diagnostics;
  if (Result<void> valid = verify(plan, where); !valid)
    return valid.diagnostics();
  return plan;
}

} // namespace proa::runtime
