/// LoD levels as tensors of their own: "x@LOD0" is the outermost level of the variable x, an int64 vector of
/// offsets. Imported programs, safetensors files and feeds use these names.
#pragma once

#include "proa/Tensor.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace proa {

/// The name of a LoD level, 0 being the outermost, of a variable: "x@LOD0".
std::string lodName(std::string_view variable, size_t level);

/// A name of the form that lodName gives.
struct LodEntry {
  std::string variable;
  size_t level = 0;
};
std::optional<LodEntry> lodEntryOf(std::string_view name);

/// The tensors, and an entry for each level of their LoDs.
std::map<std::string, Tensor> withLods(const std::map<std::string, Tensor> &tensors);

/// Collects entries of LoD levels and turns them into LoDs.
class LodCollector {
public:
  /// Takes the level that an entry holds. Problem: it is not a vector of int64 or int32.
  void add(const LodEntry &entry, const Tensor &offsets, const std::string &where, Problems &problems);
  /// The LoDs by variable. Problem: a variable has a level without those before it.
  std::map<std::string, Lod> finish(const std::string &where, Problems &problems) const;

private:
  std::map<std::string, std::map<size_t, std::vector<int64_t>>> levels;
};

/// Removes the entries of LoD levels from the tensors of the file `where` and returns them as LoDs.
std::map<std::string, Lod> takeLods(std::map<std::string, Tensor> &tensors, const std::string &where,
                                    Problems &problems);

} // namespace proa
