/// Summary of a legacy program, without importing it.
#pragma once

#include "tools/proa-translate/Flops.h"
#include "translator/program/SourceProgram.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::tools {

/// One op type of a program.
struct OpSummary {
  std::string type;
  int64_t count = 0;
  /// Whether the translator has a mapping for the type.
  bool supported = false;
  /// Operations of one run, without ops with dynamic dims.
  int64_t flops = 0;
  int64_t uncounted = 0; ///< ops with dynamic dims
};

struct ProgramSummary {
  int64_t blocks = 0;
  int64_t operations = 0;
  /// The most frequent first.
  std::vector<OpSummary> types;
  /// Persistable tensors with their elements and bytes; those with dynamic dims count as tensors only.
  int64_t parameters = 0;
  int64_t parameterElements = 0;
  int64_t parameterBytes = 0;
  /// Variables with static dims that ops write, and their bytes: an upper bound for activations.
  int64_t activations = 0;
  int64_t activationBytes = 0;
  /// Operations of one run (Flops.h); nothing if the program could not be imported.
  std::optional<int64_t> flops;
  /// Ops that `flops` leaves out because of dynamic dims.
  int64_t uncounted = 0;
};

ProgramSummary summarize(const translator::SourceProgram &program);

/// Adds the counts of the imported program.
void addFlops(ProgramSummary &summary, const translator::SourceProgram &program, const FlopCount &count);

/// The summary as a table and as JSON.
std::string summaryText(const ProgramSummary &summary);
std::string summaryJson(const ProgramSummary &summary);

} // namespace proa::tools
