/// Files of patterns: PDLL, or modules of MLIR's dialect pdl.
#pragma once

#include "proa/Result.h"

#include <string>

namespace proa {

/// The module of pdl in a file, as text: `*.mlir` as it is, `*.pdll` compiled by mlir-pdll of LLVM. That is
/// $PROA_MLIR_PDLL, else the mlir-pdll of the LLVM that proa was built with, else mlir-pdll-22 or mlir-pdll
/// in $PATH. Error: the file cannot be read, mlir-pdll is missing or reports errors, which the message has.
Result<std::string> readPatternFile(const std::string &path);

} // namespace proa
