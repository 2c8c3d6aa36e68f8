/// Conversion of checkpoints that are named by their paths.
#pragma once

#include "lib/checkpoint/Layout.h"
#include "lib/checkpoint/transform/Statement.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace proa::checkpoints {

/// How convertFiles() composes and places tensors. At most one of `shardings`, `like`, `flatten`, `fileBytes`
/// and `layout` is given; without one, a folder gets whole tensors in one file.
struct ConvertOptions {
  std::string shardings; ///< file of shardings, see readLayout()
  std::string like;      ///< a checkpoint with the layout and, for `transform`, the names of the result
  int64_t flatten = 0;   ///< number of files with equal shards of each tensor
  int64_t fileBytes = 0; ///< most bytes of a file with whole tensors
  /// Creates another layout; null: none.
  std::function<Result<std::unique_ptr<Layout>>()> layout;
  std::string transform;          ///< file of statements; empty: tensors stay as they are
  transform::Variables variables; ///< values of $NAME in attributes of statements
  bool isInverse = false;         ///< applies the inverse of the statements
  /// Gets warnings about statements; null: they are dropped.
  std::function<void(const Diagnostic &)> onWarning;
};

/// Reads checkpoints and writes one: a file if `target` ends with .safetensors or .pdiparams, else a folder.
/// Several sources need `transform`; each is NAME=PATH then, and its tensors are NAME.tensor. Errors: several
/// layouts, a layout for a file, and the errors of Checkpoint::open, TransformedCheckpoint::create and
/// convert().
Result<void> convertFiles(const std::vector<std::string> &sources, const std::string &target,
                          const ConvertOptions &options);

} // namespace proa::checkpoints
