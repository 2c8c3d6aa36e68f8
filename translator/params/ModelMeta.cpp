#include "translator/params/ModelMeta.h"

#include "translator/params/MetaFields.h"

#include <algorithm>

namespace proa::params {
namespace {

void readStatistics(MetaFields &fields, std::map<std::string, Statistics> &out) {
  std::map<std::string, std::map<std::string, double>> read;
  fields.read("expected_stats", read);
  for (auto &[name, facts] : read)
    out[name] = {facts["mean"], facts["std"], facts["min"], facts["max"]};
}

void readCompareKind(MetaFields &fields, CompareKind &compare) {
  std::string name = std::string(nameOf(compare));
  fields.read("compare", name);
  if (std::optional<CompareKind> kind = compareKindFromName(name))
    compare = *kind;
  else
    fields.addError(fmt::format(
        "compare: unknown kind '{}', expected allclose, stats, shape, permutation or sorted", name));
}

} // namespace

CompareRule ModelMeta::ruleFor(const std::string &fetch) const {
  CompareRule rule{compare, rtol, atol, std::nullopt};
  if (auto statistics = expectedStatistics.find(fetch); statistics != expectedStatistics.end())
    rule.statistics = statistics->second;
  if (auto minimum = minimumRtol.find(fetch); minimum != minimumRtol.end())
    rule.rtol = std::max(rule.rtol, minimum->second);
  return rule;
}

std::string ModelMeta::runPrefix(int run) { return run == 0 ? "" : fmt::format("run{}/", run); }
std::string ModelMeta::stepPrefix(int step) { return fmt::format("step{}/", step); }

void ModelMeta::read(MetaFields &fields) {
  fields.read("feeds", feeds);
  fields.read("fetches", fetches);
  fields.read("training", training);
  fields.read("state_inputs", stateInputs);
  fields.read("lod", lod);
  fields.read("rtol", rtol);
  fields.read("atol", atol);
  fields.read("expected_lod", expectedLod);
  fields.read("suspect", suspect);
  readStatistics(fields, expectedStatistics);
  readCompareKind(fields, compare);
}

Result<nlohmann::json> readJsonObject(const std::string &path) {
  Result<nlohmann::json> value = readJsonFile(path);
  if (value && !value->is_object())
    return errorAt(path, "expected a JSON object");
  return value;
}

Result<ModelMeta> readModelMeta(const std::string &path) {
  Result<nlohmann::json> object = readJsonObject(path);
  if (!object)
    return object.diagnostics();
  Diagnostics diagnostics;
  MetaFields fields(*object, path, diagnostics);
  ModelMeta meta;
  meta.read(fields);
  if (!diagnostics.empty())
    return diagnostics;
  return meta;
}

} // namespace proa::params
