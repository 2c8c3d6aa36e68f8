/// Result of a case.
#pragma once

#include "lib/check/CaseMeta.h"
#include "translator/params/ModelTensors.h"

#include <string_view>
#include <vector>

namespace proa::check {

using params::ComparedOutput;
using params::Tensors;
using params::withPrefix;

/// Stages of a case, in order.
enum class Stage : uint8_t { Read, Import, Export, Compile, Run, Compare };
std::string_view nameOf(Stage stage);

enum class Status : uint8_t { Passed, Failed, Skipped };

struct CaseResult {
  Status status = Status::Passed;
  /// The stage that failed.
  Stage stage = Stage::Read;
  /// The reason of a failure or skip; empty if it passed.
  Diagnostics diagnostics;
  std::vector<ComparedOutput> outputs;
};

} // namespace proa::check
