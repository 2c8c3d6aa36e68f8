#include "lib/base/target/FactsFile.h"

#include "lib/base/support/Json.h"
#include "lib/base/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa {
namespace {

class FactsReader {
public:
  FactsReader(const std::string &path, TargetFacts &facts) : path(path), facts(facts) {}

  Result<void> run(const nlohmann::json &root) {
    if (!root.is_object()) {
      fail("", fmt::format("found {}, expected an object with the members cpu and gpu", root.type_name()));
      return diagnostics;
    }
    for (const auto &[name, section] : root.items())
      if (name == "cpu")
        read("/cpu", section, facts.cpu);
      else if (name == "cluster")
        continue;
      else if (name != "gpu")
        fail("/" + name, "unknown section, expected cpu or gpu");
      else if (facts.gpu)
        read("/gpu", section, *facts.gpu);
      else
        fail("/gpu", "the program is compiled for a CPU, expected no facts of a GPU");
    return diagnostics.empty() ? Result<void>() : Result<void>(diagnostics);
  }

private:
  const std::string &path;
  TargetFacts &facts;
  Diagnostics diagnostics;

  void fail(const std::string &where, const std::string &message) {
    diagnostics.add(path + (where.empty() ? "" : ": " + where), message);
  }

  template <class Facts> void read(const std::string &where, const nlohmann::json &section, Facts &into) {
    if (!section.is_object())
      return fail(where, fmt::format("found {}, expected an object", section.type_name()));
    for (const auto &[name, value] : section.items())
      if (name == "name")
        checkName(where, value, into.name);
      else
        readField(where + "/" + name, name, value, into);
  }

  void checkName(const std::string &where, const nlohmann::json &value, const std::string &name) {
    if (value != name)
      fail(where + "/name",
           fmt::format("found {}, but the program is compiled for \"{}\"", value.dump(), name));
  }

  template <class Facts>
  void readField(const std::string &where, const std::string &name, const nlohmann::json &value,
                 Facts &into) {
    auto fields = fieldsOf<Facts>();
    auto field = std::ranges::find(fields, name, &FactField<Facts>::name);
    if (field == fields.end()) {
      std::vector<std::string> names;
      for (const FactField<Facts> &known : fields)
        names.emplace_back(known.name);
      return fail(where, "unknown fact" + didYouMean(name, names));
    }
    bool isInRange = value.is_number_integer() && value.get<double>() >= static_cast<double>(field->least) &&
                     value.get<double>() <= static_cast<double>(largestFact);
    if (!isInRange)
      return fail(where, fmt::format("found {}, expected an integer from {} to {} ({})", value.dump(),
                                     field->least, largestFact, field->description));
    into.*field->value = value.get<int64_t>();
  }
};

template <class Facts> nlohmann::ordered_json jsonOf(const Facts &facts) {
  nlohmann::ordered_json section{{"name", facts.name}};
  for (const FactField<Facts> &field : fieldsOf<Facts>())
    section[std::string(field.name)] = facts.*field.value;
  return section;
}

} // namespace

Result<void> applyFacts(const nlohmann::json &root, const std::string &path, TargetFacts &facts) {
  return FactsReader(path, facts).run(root);
}

Result<void> applyFactsFile(const std::string &path, TargetFacts &facts) {
  Result<nlohmann::json> root = readJsonFile(path);
  return root ? applyFacts(*root, path, facts) : Result<void>(root.diagnostics());
}

nlohmann::ordered_json factsJson(const TargetFacts &facts) {
  nlohmann::ordered_json root{{"cpu", jsonOf(facts.cpu)}};
  if (facts.gpu)
    root["gpu"] = jsonOf(*facts.gpu);
  return root;
}

std::string factsText(const TargetFacts &facts) { return factsJson(facts).dump(2) + "\n"; }

} // namespace proa
