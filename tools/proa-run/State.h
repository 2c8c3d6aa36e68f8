/// Values that a run's caller gives to parameters and state variables: `--set`, and random weights.
#pragma once

#include "lib/check/CaseResult.h"

#include <map>
#include <string>
#include <vector>

namespace proa::tools {

/// The values of `--set`, by the run before which they are set.
class StateValues {
public:
  /// Reads "NAME=VALUE" (a number or true or false, for all elements), "NAME=FILE.npy" (one element, or the
  /// variable's dims), "NAME=FILE.safetensors" (its entries `NAME` and `stepK/NAME`) and "FILE.safetensors"
  /// (the same for all names). Entries `stepK/NAME` are set before run K, the others before the first one,
  /// run 0. Problems, all at once: texts of another form; names that are no parameter of the program; files
  /// that cannot be read; entries for other names or of other types.
  static Result<StateValues> read(const std::vector<TensorInfo> &parameters,
                                  const std::vector<std::string> &texts);

  /// Adds values to be set before a run, where --set gives none.
  void add(int run, const check::Tensors &values) { byRun[run].insert(values.begin(), values.end()); }
  /// Sets what belongs before this run. Problems: those of Model::setParameter.
  Result<void> apply(Model &model, int run) const;

private:
  std::map<int, check::Tensors> byRun;
};

/// Gives each parameter that has no value a random one (check::randomWeight), or, with `replaces`, each
/// parameter. Problems: dims that are not known.
Result<void> setRandomParameters(Model &model, uint64_t seed, bool replaces);

/// Whether the model has a parameter without a value.
bool lacksParameters(const Model &model);

} // namespace proa::tools
