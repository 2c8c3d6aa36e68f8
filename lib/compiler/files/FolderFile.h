/// Export of a program, or a part of it, to a model folder that Paddle and the other tools open.
#pragma once

#include "translator/import/Import.h"

#include <string>

namespace proa {

struct FolderRequest {
  std::string model;      ///< folder, program file or IR file
  std::string function;   ///< function of an IR file; empty: `main`, else the only public function
  std::string parameters; ///< weights file; empty: the one in the program's folder
  std::string output;     ///< the folder to write; created if needed
  /// Feeds, fetches and the handler of warnings.
  import::ImportOptions import;
};

/// Writes model.pdmodel and, if the program has persistable variables, model.pdiparams. Errors: from
/// reading, importing and exporting; variables without a value; files that cannot be written.
Result<void> writeFolder(const FolderRequest &request);

} // namespace proa
