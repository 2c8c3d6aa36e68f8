/// The tensors beside a program: inputs and expected outputs of its runs, and the comparison of outputs.
#pragma once

#include "proa/Model.h"
#include "translator/params/ModelFolder.h"
#include "translator/params/ModelMeta.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::params {

/// The tensors of `all` with this prefix, without it. An empty prefix selects the names without a prefix.
Tensors withPrefix(const Tensors &all, const std::string &prefix);

/// Removes the state inputs from the tensors of a run and returns them. Error: a missing one.
Result<Tensors> takeStateInputs(Tensors &inputs, const ModelMeta &meta, const std::string &prefix);

/// Sets the LoDs of `meta` on the feeds.
void setLods(Tensors &feeds, const ModelMeta &meta);

/// One compared tensor.
struct ComparedOutput {
  std::string name; ///< with its prefix: "run1/out", "final/fc_0.w_0"
  Comparison comparison;
};

/// Compares outputs with the expected tensors of one run, by the rules of `meta`, except suspect ones.
/// `prefix` is prepended to the names. `lowPrecision`: the 16-bit format of the computation, for
/// compareLowPrecision.
std::vector<ComparedOutput> compareOutputs(const std::vector<NamedTensor> &outputs, const Tensors &expected,
                                           const ModelMeta &meta, const std::string &prefix = "",
                                           std::optional<DType> lowPrecision = {});

/// Errors of outputs with an unexpected LoD.
Diagnostics compareLods(const std::vector<NamedTensor> &outputs, const ModelMeta &meta);

} // namespace proa::params
