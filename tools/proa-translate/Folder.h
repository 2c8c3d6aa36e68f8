/// A program, or a part of one, as a model folder that Paddle and the other tools open.
#pragma once

#include "translator/import/Import.h"

#include <string>

namespace proa::tools {

struct FolderRequest {
  std::string model;      ///< folder, program file or IR file
  std::string parameters; ///< weights file; empty: found beside the program
  std::string output;     ///< the folder to write; created where it does not exist
  /// Feeds, fetches and the handler of warnings.
  import::ImportOptions import;
};

/// Writes model.pdmodel and, where the program has persistable variables, model.pdiparams. Problems: those of
/// reading, importing and exporting; variables without a value; files that cannot be written.
Result<void> writeFolder(const FolderRequest &request);

} // namespace proa::tools
