/// The file meta.json of a case folder: how a program is run and compared (test/corpus/README.md).
#pragma once

#include "translator/params/ModelMeta.h"

#include <map>
#include <string>

namespace proa::check {

/// The description of the model, and what only tests use.
struct CaseMeta : params::ModelMeta {
  std::string name; ///< "ops/relu/basic"
  std::string kind; ///< "op", "model", "training", ...
  /// False if there are no expected outputs: the program is only imported and verified.
  bool runnable = true;
  /// The reason for `runnable` false.
  std::string why;
  /// Number of runs, each from a fresh scope.
  int runs = 1;
  /// Number of steps of a training case, whose runs have a common state.
  int steps = 0;
  /// Maps each parameter to the variable that its optimizer takes as gradient.
  std::map<std::string, std::string> parameterGradients;
  /// Number of occurrences of each op.
  std::map<std::string, int64_t> opHistogram;
};

/// Reads `path` (meta.json). Error: a missing file, invalid JSON, fields of a wrong type or an unknown
/// `compare`, each with its JSON path.
Result<CaseMeta> readCaseMeta(const std::string &path);

} // namespace proa::check
