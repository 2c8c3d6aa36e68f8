/// Options of compilation that tools share.
#pragma once

#include "proa/Amp.h"
#include "tools/common/CommandLine.h"

#include <optional>
#include <string>

namespace proa::tools {

/// Values of --amp and --bf16.
struct AmpChoice {
  std::string level; ///< empty: no mixed precision
  bool bfloat16 = false;
};

/// Adds --amp and --bf16; returns --amp.
CLI::Option *declareAmp(CLI::App &line, AmpChoice &choice);

/// The options as AmpOptions; nothing without --amp.
std::optional<AmpOptions> ampOf(const AmpChoice &choice);

/// Adds --cpu (ModelOptions::cpu).
CLI::Option *declareCpu(CLI::App &line, std::string &cpu);

/// Adds --remarks (ModelOptions::remarks).
CLI::Option *declareRemarks(CLI::App &line, std::string &passes);

} // namespace proa::tools
