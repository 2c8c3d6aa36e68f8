#include "translator/params/ModelTensors.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace proa::params {
namespace {

/// Whether a tensor belongs to a later run, a step or the final state. Variable names may contain a slash.
bool hasCasePrefix(const std::string &name) {
  if (name.starts_with("final/"))
    return true;
  for (std::string_view word : {"run", "step"}) {
    size_t digits = name.find_first_not_of("0123456789", word.size());
    if (name.starts_with(word) && digits > word.size() && digits != std::string::npos && name[digits] == '/')
      return true;
  }
  return false;
}

} // namespace

Tensors withPrefix(const Tensors &all, const std::string &prefix) {
  Tensors out;
  for (auto &[name, tensor] : all) {
    if (prefix.empty() ? !hasCasePrefix(name) : name.starts_with(prefix))
      out.emplace(name.substr(prefix.size()), tensor);
  }
  return out;
}

std::vector<ComparedOutput> compareOutputs(const std::vector<NamedTensor> &outputs, const Tensors &expected,
                                           const ModelMeta &meta, const std::string &prefix,
                                           std::optional<DType> lowPrecision) {
  std::vector<ComparedOutput> compared;
  for (auto &[name, reference] : expected) {
    if (meta.suspect.count(name))
      continue;
    auto got =
        std::find_if(outputs.begin(), outputs.end(), [&](const NamedTensor &o) { return o.name == name; });
    Comparison comparison;
    if (got == outputs.end())
      comparison.reason = "is not among the outputs";
    else if (CompareRule rule = meta.ruleFor(name); lowPrecision && rule.kind == CompareKind::AllClose)
      comparison = compareLowPrecision(got->tensor, reference, *lowPrecision);
    else
      comparison = compare(got->tensor, reference, rule);
    compared.push_back({prefix + name, std::move(comparison)});
  }
  return compared;
}

Result<Tensors> takeStateInputs(Tensors &inputs, const ModelMeta &meta, const std::string &prefix) {
  Tensors states;
  Diagnostics diagnostics;
  for (const std::string &name : meta.stateInputs)
    if (auto state = inputs.extract(name))
      states.insert(std::move(state));
    else
      diagnostics.add(prefix + name, "is a state input of the model, but the inputs lack it");
  if (!diagnostics.empty())
    return diagnostics;
  return states;
}

void setLods(Tensors &feeds, const ModelMeta &meta) {
  for (auto &[name, lod] : meta.lod)
    if (auto feed = feeds.find(name); feed != feeds.end())
      feed->second.setLod(lod);
}

Diagnostics compareLods(const std::vector<NamedTensor> &outputs, const ModelMeta &meta) {
  Diagnostics diagnostics;
  for (const NamedTensor &output : outputs) {
    auto reference = meta.expectedLod.find(output.name);
    if (reference != meta.expectedLod.end() && output.tensor.lod() != reference->second)
      diagnostics.add(output.name,
                      fmt::format("the LoD is {}, expected {}", output.tensor.lod(), reference->second));
  }
  return diagnostics;
}

} // namespace proa::params
