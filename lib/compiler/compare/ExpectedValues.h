/// The expected values of a comparison, from one of the sources of CompareRequest::source.
#pragma once

#include "lib/compiler/compare/CompareValues.h"

namespace proa::comparison {

struct ExpectedValues {
  std::string description; ///< "the reference evaluator"
  params::Tensors tensors;
  std::map<std::string, std::string> missing; ///< by name: why a value is missing
  bool isFile = false;                        ///< tensors of files
};

/// `tested` are the values of the tested run. Errors: an unknown source, or one that cannot be read or run.
Result<ExpectedValues> expectedValues(const CompareRequest &request, ValueProgram &program,
                                      const params::Tensors &tested);

} // namespace proa::comparison
