/// Comparison of all values of two runs of a program: the first op in program order whose result differs.
#pragma once

#include "lib/base/tensors/Compare.h"
#include "lib/compiler/compare/ProgramValues.h"
#include "proa/Model.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa::comparison {

struct CompareRequest {
  /// The tested run: a model, its options, feeds, and the values of all parameters and states.
  std::string path;
  ModelOptions options;
  std::map<std::string, Tensor> feeds, parameters;
  /// The source of expected values:
  /// - "reference": the reference evaluator, which rounds the result of each op to its type;
  /// - "f64": the evaluator in double precision, without rounding;
  /// - "decomposed": the same model with all composite ops decomposed;
  /// - "cuda-emulated", or another target: the same model on that target;
  /// - a file of tensors (.safetensors), or a folder of .npy and .safetensors files or with
  ///   expected.safetensors: tensors by the names of variables;
  /// - another model: its values of equal names, for the same feeds.
  std::string source;
  /// Tolerances. Default: rtol by the narrowest float type of the values; atol of a tenth of it, relative to
  /// the largest finite element of each expected tensor.
  std::optional<double> rtol, atol;
};

/// The number of elements by the size of their absolute error.
struct ErrorHistogram {
  int64_t equal = 0;
  int64_t notFinite = 0;          ///< either element is NaN or infinite, and they differ
  std::map<int, int64_t> decades; ///< k: errors in [10^k, 10^(k+1))
};

struct ComparedValue {
  ProgramValue value;
  std::string type; ///< "float32[2, 3]", of the tested run
  Comparison comparison;
  ErrorHistogram errors;
  std::string notCompared; ///< why there is no comparison; empty if there is one
  bool differs() const { return notCompared.empty() && !comparison.passed(); }
};

struct ValueComparison {
  std::string tested, expected; ///< "cpu", "the reference evaluator"
  size_t opCount = 0;
  std::vector<ComparedValue> values; ///< in program order
  /// The fetches of a run that fetches nothing else, so that all fusions apply.
  std::vector<ComparedValue> fetches;
  /// Expected tensors of a file that no value has the name of.
  std::vector<std::string> unmatched;

  /// The first value that differs; null: none does.
  const ComparedValue *first() const;
  bool passed() const;
};

/// Runs the program twice on the tested side, with all values fetched and with the own fetches only, obtains
/// the expected values, and compares. Error: either side cannot be opened or run; a file without a tensor of
/// the name of a value; options that change the program before it is compiled (a mesh, micro-batches, loss
/// scaling).
Result<ValueComparison> compareValues(const CompareRequest &request);

/// Runs a model on these feeds and parameters (those that it has) and returns its fetches by name.
Result<params::Tensors> runModel(const std::string &path, const ModelOptions &options,
                                 const std::map<std::string, Tensor> &feeds,
                                 const std::map<std::string, Tensor> &parameters);

} // namespace proa::comparison
