/// LoD levels as tensors: "x@LOD0" is the outermost level of the variable x, an int64 vector of offsets.
/// Imported programs, safetensors files and feeds use these names.
#pragma once

#include "proa/Tensor.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace proa {

/// Name of a LoD level of a variable, where 0 is the outermost: "x@LOD0".
std::string lodName(std::string_view variable, size_t level);

/// Parses a name of lodName.
struct LodEntry {
  std::string variable;
  size_t level = 0;
};
std::optional<LodEntry> lodEntryOf(std::string_view name);

/// The tensors with an entry for each level of their LoDs.
std::map<std::string, Tensor> withLods(const std::map<std::string, Tensor> &tensors);

/// Collects LoD levels and builds LoDs.
class LodCollector {
public:
  /// Adds the level in an entry. Error: it is not a vector of int64 or int32.
  void add(const LodEntry &entry, const Tensor &offsets, const std::string &where, Diagnostics &diagnostics);
  /// The LoDs by variable. Error: a missing outer level.
  std::map<std::string, Lod> finish(const std::string &where, Diagnostics &diagnostics) const;

private:
  std::map<std::string, std::map<size_t, std::vector<int64_t>>> levels;
};

/// Removes the entries of LoD levels from the tensors of the file `where` and returns them as LoDs.
std::map<std::string, Lod> takeLods(std::map<std::string, Tensor> &tensors, const std::string &where,
                                    Diagnostics &diagnostics);

} // namespace proa
