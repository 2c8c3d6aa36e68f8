/// Values for parameters and state variables: `--set`, and random weights.
#pragma once

#include "translator/params/ModelTensors.h"

#include <map>
#include <string>
#include <vector>

namespace proa::tools {

/// The values of `--set` by the run before which they are set.
class StateValues {
public:
  /// Parses "NAME=VALUE" (a number, true or false, for all elements), "NAME=FILE.npy" (one element, or the
  /// variable's dims), "NAME=FILE.safetensors" (its entries `NAME` and `stepK/NAME`) and "FILE.safetensors"
  /// (the same for all names). Entries `stepK/NAME` are set before run K, others before run 0. Error, all at
  /// once: invalid text, unknown parameters, unreadable files, entries for other names or of other types.
  static Result<StateValues> read(const std::vector<TensorInfo> &parameters,
                                  const std::vector<std::string> &texts);

  /// Adds values to set before a run; --set overrides them.
  void add(int run, const params::Tensors &values) { byRun[run].insert(values.begin(), values.end()); }
  /// Sets the values of this run. Error: as Session::setParameter.
  Result<void> apply(Session &session, int run) const;

private:
  std::map<int, params::Tensors> byRun;
};

/// Whether an argument is such a value with a name ("lr=0.1") rather than a model or a file of feeds.
bool isStateValue(const std::string &argument);

/// Sets each parameter without a value, or with `replaces` every parameter, to random values
/// (randomWeight). Error: dynamic dims.
Result<void> setRandomParameters(Session &session, uint64_t seed, bool replaces);

/// Whether the model has a parameter without a value.
bool lacksParameters(const Session &session);

} // namespace proa::tools
