/// meta.json of a case folder: how a program is run and judged (test/corpus/README.md).
#pragma once

#include "lib/check/Compare.h"

#include <map>
#include <string>
#include <vector>

namespace proa::check {

struct CaseMeta {
  std::string name; ///< "ops/relu/basic"
  std::string kind; ///< "op", "model", "training", ...
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  CompareKind compare = CompareKind::AllClose;
  double rtol = 1e-5;
  double atol = 1e-6;
  /// False: there are no expected outputs; the program is imported and verified only.
  bool runnable = true;
  /// Why it is not.
  std::string why;
  /// The program is run so often, each time from a fresh scope.
  int runs = 1;
  /// Forward, backward and update: `steps` runs that go on from each other's state.
  bool training = false;
  int steps = 0;
  /// Persistable variables that the user's Python code sets before each step: a learning rate by a schedule.
  std::vector<std::string> stateInputs;
  /// By parameter, the variable that an optimizer takes as its gradient.
  std::map<std::string, std::string> parameterGradients;
  std::map<std::string, Statistics> expectedStatistics;
  std::map<std::string, Lod> lod;
  std::map<std::string, Lod> expectedLod;
  /// Outputs whose expected values are known to be wrong, and why.
  std::map<std::string, std::string> suspect;
  /// How often each op occurs.
  std::map<std::string, int64_t> opHistogram;

  /// The rule by which the fetched variable `fetch` is compared.
  CompareRule ruleFor(const std::string &fetch) const;
  /// Prefix of the tensors of run k in inputs and expected: "", "run1/", ...; of step k: "step0/", ...
  std::string runPrefix(int run) const;
  std::string stepPrefix(int step) const;
};

/// Reads `path` (meta.json). Errors: the file is missing or no JSON; fields of a wrong type, an unknown
/// `compare`, each with its JSON path.
Result<CaseMeta> readCaseMeta(const std::string &path);

} // namespace proa::check
