/// The on-disk cache of compiled programs and its keys.
#pragma once

#include "lib/compiler/codegen/ObjectCache.h"
#include "lib/compiler/compile/Compile.h"
#include "proa/Model.h"
#include "translator/legacy/Program.h"

#include <map>
#include <optional>
#include <string>

namespace proa {

/// Names, dtypes and dims of tensors.
std::string describeDims(const std::map<std::string, Tensor> &tensors);

/// Names and elements of tensors.
std::string describeValues(const std::map<std::string, Tensor> &tensors);

/// All inputs of a compilation.
struct CompiledKey {
  const ModelOptions &options;
  /// The text of the program's file.
  const std::string &text;
  /// Null for IR, which has all types in its text.
  const legacy::Program *program = nullptr;
  /// The feeds, with their LoDs, whose dims it is compiled for.
  const std::map<std::string, Tensor> &feeds;
  /// The feeds whose values it is compiled for; empty if it is valid for any values.
  std::map<std::string, Tensor> values;
  /// ImportOptions::deferAll.
  bool deferAll = false;
  /// Attempt::keepsDims: of the feeds, only the number of LoD levels counts.
  bool keepsDims = false;
  /// ModelMesh::key; empty without a mesh.
  std::string mesh = {};
  /// The parameters whose values it is compiled for.
  std::map<std::string, Tensor> parameters = {};
  /// ProgramSource::outsideValues.
  std::string outsideValues = {};

  std::string describe() const;
};

/// Compiled programs by key, in the folder of the object cache.
class CompiledCache {
public:
  /// Opens the cache; empty: the default folder. Error: the folder cannot be used.
  static Result<CompiledCache> open(const std::string &directory);

  std::optional<Compilation> find(const std::string &key) const;
  /// Error: the file cannot be written. The program is then compiled again.
  Result<void> store(const std::string &key, const Compilation &compilation) const;

private:
  explicit CompiledCache(ObjectCache objects) : objects(std::move(objects)) {}
  ObjectCache objects;
};

} // namespace proa
