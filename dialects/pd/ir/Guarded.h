/// Making ops of operands that may not fit them.
#pragma once

#include "mlir/IR/OperationSupport.h"

#include <exception>

namespace proa::pd {

/// Thrown where an op is made of operands from which its result types can't be inferred; the inference has
/// reported why. MLIR's generated builders end the process there (dialects/pd/CMakeLists.txt gives them this
/// instead): a decomposition that meets a program with operands of wrong dims must be an error of that
/// program.
class InferenceError : public std::exception {
public:
  const char *what() const noexcept override {
    return "an op's result types cannot be inferred from its operands";
  }
};

/// The result of `make`, or failure where it could not make an op.
template <class Make> auto guarded(Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const InferenceError &) {
    return mlir::failure();
  }
}

} // namespace proa::pd
