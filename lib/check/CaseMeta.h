/// The file meta.json of a case folder: how a program is run and compared (test/corpus/README.md).
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
  /// False if there are no expected outputs: the program is only imported and verified.
  bool runnable = true;
  /// The reason for `runnable` false.
  std::string why;
  /// Number of runs, each from a fresh scope.
  int runs = 1;
  /// A training case: forward, backward and update in `steps` runs with a common state.
  bool training = false;
  int steps = 0;
  /// Persistable variables that the Python code sets before each step, such as a learning rate.
  std::vector<std::string> stateInputs;
  /// Maps each parameter to the variable that its optimizer takes as gradient.
  std::map<std::string, std::string> parameterGradients;
  std::map<std::string, Statistics> expectedStatistics;
  std::map<std::string, Lod> lod;
  std::map<std::string, Lod> expectedLod;
  /// Outputs with wrong expected values, and the reason.
  std::map<std::string, std::string> suspect;
  /// Number of occurrences of each op.
  std::map<std::string, int64_t> opHistogram;

  /// The comparison rule of the fetched variable `fetch`.
  CompareRule ruleFor(const std::string &fetch) const;
  /// Prefix of the tensors of run k in inputs and expected: "", "run1/", ...; of step k: "step0/", ...
  std::string runPrefix(int run) const;
  std::string stepPrefix(int step) const;
};

/// Reads `path` (meta.json). Error: a missing file, invalid JSON, fields of a wrong type or an unknown
/// `compare`, each with its JSON path.
Result<CaseMeta> readCaseMeta(const std::string &path);

} // namespace proa::check
