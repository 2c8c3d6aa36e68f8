#include "lib/base/support/LodEntries.h"

#include <algorithm>
#include <charconv>

namespace proa {
namespace {

constexpr std::string_view mark = "@LOD";

} // namespace

std::string lodName(std::string_view variable, size_t level) {
  return std::string(variable) + std::string(mark) + std::to_string(level);
}

std::optional<LodEntry> lodEntryOf(std::string_view name) {
  size_t at = name.rfind(mark);
  if (at == std::string_view::npos || at == 0)
    return std::nullopt;
  size_t level = 0;
  const char *begin = name.data() + at + mark.size(), *end = name.data() + name.size();
  auto [next, error] = std::from_chars(begin, end, level);
  if (error != std::errc() || next != end || lodName(name.substr(0, at), level) != name)
    return std::nullopt;
  return LodEntry{std::string(name.substr(0, at)), level};
}

std::map<std::string, Tensor> withLods(const std::map<std::string, Tensor> &tensors) {
  std::map<std::string, Tensor> all = tensors;
  for (const auto &[name, tensor] : tensors)
    for (size_t level = 0; level < tensor.lod().size(); ++level) {
      const std::vector<int64_t> &offsets = tensor.lod()[level];
      Tensor copy(DType::Int64, {static_cast<int64_t>(offsets.size())});
      std::copy(offsets.begin(), offsets.end(), copy.as<int64_t>());
      all.insert_or_assign(lodName(name, level), copy);
    }
  return all;
}

void LodCollector::add(const LodEntry &entry, const Tensor &offsets, const std::string &where,
                       Diagnostics &diagnostics) {
  bool isWide = offsets.dtype() == DType::Int64;
  if (offsets.dims().size() != 1 || (!isWide && offsets.dtype() != DType::Int32)) {
    diagnostics.add(where, "'" + lodName(entry.variable, entry.level) + "' is " + offsets.describe() +
                               ", expected the offsets of a LoD level: an int64 vector");
    return;
  }
  std::vector<int64_t> &level = levels[entry.variable][entry.level];
  if (isWide)
    level.assign(offsets.as<int64_t>(), offsets.as<int64_t>() + offsets.size());
  else
    level.assign(offsets.as<int32_t>(), offsets.as<int32_t>() + offsets.size());
}

std::map<std::string, Lod> LodCollector::finish(const std::string &where, Diagnostics &diagnostics) const {
  std::map<std::string, Lod> lods;
  for (const auto &[variable, byLevel] : levels) {
    Lod &lod = lods[variable];
    for (const auto &[level, offsets] : byLevel)
      lod.push_back(offsets);
    if (byLevel.rbegin()->first >= lod.size())
      diagnostics.add(where, "'" + lodName(variable, byLevel.rbegin()->first) +
                                 "' exists, but an outer level is missing; levels are numbered from 0, the "
                                 "outermost");
  }
  return lods;
}

std::map<std::string, Lod> takeLods(std::map<std::string, Tensor> &tensors, const std::string &where,
                                    Diagnostics &diagnostics) {
  LodCollector collector;
  for (auto next = tensors.begin(); next != tensors.end();) {
    std::optional<LodEntry> entry = lodEntryOf(next->first);
    if (!entry || !tensors.contains(entry->variable)) {
      ++next;
      continue;
    }
    collector.add(*entry, next->second, where, diagnostics);
    next = tensors.erase(next);
  }
  return collector.finish(where, diagnostics);
}

} // namespace proa
