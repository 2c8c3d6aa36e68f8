/// What checking a case gives, and the comparison of all outputs of a run.
#pragma once

#include "lib/check/CaseMeta.h"
#include "proa/Model.h"

#include <map>
#include <string>
#include <vector>

namespace proa::check {

/// What is done with a case, in this order.
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
  /// Why it failed or was skipped; empty where it passed.
  Problems problems;
  std::vector<ComparedOutput> outputs;
};

using Tensors = std::map<std::string, Tensor>;

/// The tensors of `all` whose names begin with `prefix`, named without it. An empty prefix takes the names
/// that have none.
Tensors withPrefix(const Tensors &all, const std::string &prefix);

/// Compares outputs with the expected tensors of one run, by the rules of `meta`; `prefix` is put in front of
/// the names. Tensors that `meta` calls suspect are left out.
/// `lowPrecision`: the format of 16 bits that was computed in, for compareLowPrecision.
std::vector<ComparedOutput> compareOutputs(const std::vector<NamedTensor> &outputs, const Tensors &expected,
                                           const CaseMeta &meta, const std::string &prefix = "",
                                           std::optional<DType> lowPrecision = {});

/// Removes the state inputs of the case from the tensors of a run and returns them. Problem: one is missing.
Result<Tensors> takeStateInputs(Tensors &inputs, const CaseMeta &meta, const std::string &prefix);

/// Gives the feeds the LoDs that the case says.
void giveLods(Tensors &feeds, const CaseMeta &meta);

/// Outputs whose LoD is not the expected one.
Problems compareLods(const std::vector<NamedTensor> &outputs, const CaseMeta &meta);

} // namespace proa::check
