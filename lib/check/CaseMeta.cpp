#include "lib/check/CaseMeta.h"

#include "lib/support/Json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace proa::check {
namespace {

using nlohmann::json;

/// Reads fields of a JSON object and collects errors.
class Fields {
public:
  Fields(const json &object, std::string file, Problems &problems)
      : object(object), file(std::move(file)), problems(problems) {}

  /// Sets `field` from the member `key`, if it exists.
  template <class T> void read(const char *key, T &field) {
    auto member = object.find(key);
    if (member == object.end() || member->is_null())
      return;
    try {
      field = member->template get<T>();
    } catch (const json::exception &) {
      problems.add(file, fmt::format("{}: found {}, which is not of the expected type", key,
                                     member->dump().substr(0, 60)));
    }
  }

private:
  const json &object;
  std::string file;
  Problems &problems;
};

void readStatistics(Fields &fields, std::map<std::string, Statistics> &out) {
  std::map<std::string, std::map<std::string, double>> read;
  fields.read("expected_stats", read);
  for (auto &[name, facts] : read)
    out[name] = {facts["mean"], facts["std"], facts["min"], facts["max"]};
}

void readCompareKind(Fields &fields, const std::string &path, CaseMeta &meta, Problems &problems) {
  std::string name = std::string(nameOf(meta.compare));
  fields.read("compare", name);
  if (std::optional<CompareKind> kind = compareKindFromName(name))
    meta.compare = *kind;
  else
    problems.add(
        path,
        fmt::format("compare: unknown kind '{}', expected allclose, stats, shape, permutation or sorted",
                    name));
}

Result<json> parse(const std::string &path) {
  Result<json> value = readJsonFile(path);
  if (value && !value->is_object())
    return problem(path, "expected a JSON object");
  return value;
}

} // namespace

CompareRule CaseMeta::ruleFor(const std::string &fetch) const {
  CompareRule rule{compare, rtol, atol, std::nullopt};
  if (auto found = expectedStatistics.find(fetch); found != expectedStatistics.end())
    rule.statistics = found->second;
  return rule;
}

std::string CaseMeta::runPrefix(int run) const { return run == 0 ? "" : fmt::format("run{}/", run); }
std::string CaseMeta::stepPrefix(int step) const { return fmt::format("step{}/", step); }

Result<CaseMeta> readCaseMeta(const std::string &path) {
  Result<json> value = parse(path);
  if (!value)
    return value.problems();
  Problems problems;
  CaseMeta meta;
  Fields fields(*value, path, problems);
  fields.read("case", meta.name);
  fields.read("kind", meta.kind);
  fields.read("feeds", meta.feeds);
  fields.read("fetches", meta.fetches);
  fields.read("rtol", meta.rtol);
  fields.read("atol", meta.atol);
  fields.read("runnable", meta.runnable);
  fields.read("why", meta.why);
  fields.read("runs", meta.runs);
  fields.read("training", meta.training);
  fields.read("steps", meta.steps);
  fields.read("state_inputs", meta.stateInputs);
  fields.read("lod", meta.lod);
  fields.read("expected_lod", meta.expectedLod);
  fields.read("suspect", meta.suspect);
  fields.read("op_histogram", meta.opHistogram);
  fields.read("param_grad", meta.parameterGradients);
  readStatistics(fields, meta.expectedStatistics);
  readCompareKind(fields, path, meta, problems);
  if (meta.runs < 1)
    problems.add(path, fmt::format("runs: found {}, expected at least 1", meta.runs));
  if (!problems.empty())
    return problems;
  return meta;
}

} // namespace proa::check
