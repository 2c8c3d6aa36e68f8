/// The file meta.json beside a program: its interface, and how its outputs are compared with the expected
/// ones (test/corpus/README.md).
#pragma once

#include "lib/base/tensors/Compare.h"
#include "proa/Result.h"

#include <map>
#include <string>
#include <vector>

namespace proa::params {

class MetaFields;

struct ModelMeta {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  /// Whether a run is a training step, so that tensors of the model's files have the prefix of a step.
  bool training = false;
  /// Persistable variables that the Python code sets before each step, such as a learning rate.
  std::vector<std::string> stateInputs;
  /// LoDs of feeds.
  std::map<std::string, Lod> lod;

  CompareKind compare = CompareKind::AllClose;
  double rtol = 1e-5;
  double atol = 1e-6;
  /// Relative tolerances of single outputs that are at least these.
  std::map<std::string, double> minimumRtol;
  std::map<std::string, Statistics> expectedStatistics;
  std::map<std::string, Lod> expectedLod;
  /// Outputs with wrong expected values, and the reason.
  std::map<std::string, std::string> suspect;

  /// The comparison rule of the fetched variable `fetch`.
  CompareRule ruleFor(const std::string &fetch) const;
  /// Prefix of the tensors of run k in inputs and expected: "", "run1/", ...; of step k: "step0/", ...
  static std::string runPrefix(int run);
  static std::string stepPrefix(int step);

  /// Reads the members above. Error: fields of a wrong type, an unknown `compare`.
  void read(MetaFields &fields);
};

/// Reads `path` (meta.json) and ignores fields of tests. Error: a missing file, invalid JSON, and errors of
/// ModelMeta::read.
Result<ModelMeta> readModelMeta(const std::string &path);

} // namespace proa::params
