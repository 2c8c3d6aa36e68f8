/// What a legacy program consists of, without translating it.
#pragma once

#include "tools/proa-translate/Flops.h"
#include "translator/legacy/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::tools {

/// One op type of a program.
struct OpSummary {
  std::string type;
  int64_t count = 0;
  /// Whether the translator knows the type.
  bool supported = false;
  /// Operations of one run, without those of parts whose dims are known only at run time.
  int64_t flops = 0;
  int64_t uncounted = 0; ///< such parts
};

struct ProgramSummary {
  int64_t blocks = 0;
  int64_t operations = 0;
  /// The most frequent first.
  std::vector<OpSummary> types;
  /// Persistable tensors, their elements and bytes; those with open dims count as tensors only.
  int64_t parameters = 0;
  int64_t parameterElements = 0;
  int64_t parameterBytes = 0;
  /// Variables written by ops, of which the bytes are known, and these bytes: the most that activations could
  /// take.
  int64_t activations = 0;
  int64_t activationBytes = 0;
  /// Operations of one run (Flops.h); nothing where the program could not be imported.
  std::optional<int64_t> flops;
  /// Ops that `flops` leaves out, because their dims are known only at run time.
  int64_t uncounted = 0;
};

ProgramSummary summarize(const legacy::Program &program);

/// Takes in what was counted on the imported program.
void addFlops(ProgramSummary &summary, const legacy::Program &program, const FlopCount &count);

/// A table for people, and the same facts for other programs.
std::string summaryText(const ProgramSummary &summary);
std::string summaryJson(const ProgramSummary &summary);

} // namespace proa::tools
