/// Search for the pass, and the rewrite in it, that changes the results of a program on given feeds.
#pragma once

#include "lib/compiler/compare/CompareValues.h"
#include "lib/compiler/numerics/NumericsCheck.h"

namespace proa::comparison {

/// The first pass from the imported program to kernels that changes a result.
struct BisectReport {
  numerics::NumericsReport checks;
  /// Whether all values were results, because no pass changed the fetches alone.
  bool allValues = false;
  /// Values that could not be compared, and why.
  std::vector<std::string> remarks;

  const numerics::NumericsFinding *finding() const {
    return checks.findings.empty() ? nullptr : &checks.findings.front();
  }
  std::string text() const;
};

/// Runs the passes of the compiler on the program, with the request's feeds and parameters, and checks after
/// each pass that it kept the results (NumericsCheck). CompareRequest::source is not used.
/// Error: the program cannot be imported, or a pass fails.
Result<BisectReport> bisectProgram(const CompareRequest &request);

} // namespace proa::comparison
