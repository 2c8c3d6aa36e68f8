/// The values of a program by the reference evaluator.
#pragma once

#include "lib/compiler/compare/ProgramValues.h"

#include <functional>

namespace proa::comparison {

struct EvaluateRequest {
  const std::map<std::string, Tensor> &feeds;
  const std::map<std::string, Tensor> &parameters;
  /// Computes in double precision; otherwise each result is rounded to its type.
  bool isDouble = false;
  /// Values of another run for ops that the evaluator cannot run (a library kernel, a random op), so that
  /// their users can be compared.
  const std::map<std::string, Tensor> &substitutes;
  std::function<void(const std::string &what, double fraction)> progress;
};

struct EvaluatedValues {
  params::Tensors tensors;
  /// By name of a value: why it is missing.
  std::map<std::string, std::string> missing;
};

/// Evaluates all values. Error: a feed or parameter without a value, or a program that cannot be converted.
Result<EvaluatedValues> evaluateValues(ValueProgram &program, const EvaluateRequest &request);

} // namespace proa::comparison
