/// Options for the code that is made of a program, which tools share.
#pragma once

#include "proa/Amp.h"
#include "tools/common/CommandLine.h"

#include <optional>
#include <string>

namespace proa::tools {

/// The options --amp and --bf16.
struct AmpChoice {
  std::string level; ///< empty: no mixed precision
  bool bfloat16 = false;
};

/// Returns --amp.
CLI::Option *declareAmp(CLI::App &line, AmpChoice &choice);

/// What they say; nothing without --amp.
std::optional<AmpOptions> ampOf(const AmpChoice &choice);

/// The option --cpu: see ModelOptions::cpu.
CLI::Option *declareCpu(CLI::App &line, std::string &cpu);

} // namespace proa::tools
