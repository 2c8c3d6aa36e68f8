/// Result of a case, and comparison of all outputs of a run.
#pragma once

#include "lib/check/CaseMeta.h"
#include "proa/Model.h"

#include <map>
#include <string>
#include <vector>

namespace proa::check {

/// Stages of a case, in order.
enum class Stage : uint8_t { Read, Import, Compile, Run, Compare };
std::string_view nameOf(Stage stage);

enum class Status : uint8_t { Passed, Failed, Skipped };

/// One compared tensor.
struct ComparedOutput {
  std::string name; ///< with its prefix: "run1/out", "final/fc_0.w_0"
  Comparison comparison;
};

struct CaseResult {
  Status status = Status::Passed;
  /// The stage that failed.
  Stage stage = Stage::Read;
  /// The reason of a failure or skip; empty if it passed.
  Problems problems;
  std::vector<ComparedOutput> outputs;
};

using Tensors = std::map<std::string, Tensor>;

/// The tensors of `all` with this prefix, without it. An empty prefix selects the names without a prefix.
Tensors withPrefix(const Tensors &all, const std::string &prefix);

/// Compares outputs with the expected tensors of one run, by the rules of `meta`, except suspect ones.
/// `prefix` is prepended to the names. `lowPrecision`: the 16-bit format of the computation, for
/// compareLowPrecision.
std::vector<ComparedOutput> compareOutputs(const std::vector<NamedTensor> &outputs, const Tensors &expected,
                                           const CaseMeta &meta, const std::string &prefix = "",
                                           std::optional<DType> lowPrecision = {});

/// Removes the state inputs of the case from the tensors of a run and returns them. Error: a missing one.
Result<Tensors> takeStateInputs(Tensors &inputs, const CaseMeta &meta, const std::string &prefix);

/// Sets the LoDs of the case on the feeds.
void giveLods(Tensors &feeds, const CaseMeta &meta);

/// Problems of outputs with an unexpected LoD.
Problems compareLods(const std::vector<NamedTensor> &outputs, const CaseMeta &meta);

} // namespace proa::check
