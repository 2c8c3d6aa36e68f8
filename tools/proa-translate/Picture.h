/// `--html`: pictures of programs.
#pragma once

#include "lib/compiler/files/FolderFile.h"
#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa::tools {

struct PictureRequest {
  FolderRequest program;         ///< `output` is the file
  std::string other;             ///< another stage or version, drawn beside the program; empty: none
  std::vector<std::string> runs; ///< files of proa-run --json
};

/// Draws the program as an HTML page (lib/compiler/picture). A program with weights gets their statistics.
/// Errors: the errors of reading and importing; Graphviz is not installed.
Result<void> writePicture(const PictureRequest &request);

} // namespace proa::tools
