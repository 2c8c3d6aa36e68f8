/// Creation of ops whose type inference may fail.
#pragma once

#include "mlir/IR/OperationSupport.h"

#include <exception>

namespace proa::pd {

/// Thrown by generated builders if the result types of an op cannot be inferred from its operands; the
/// inference has reported why. MLIR's default is to abort (dialects/pd/CMakeLists.txt replaces it), but a
/// decomposition of a program with operands of wrong dims must be an error of that program.
class InferenceError : public std::exception {
public:
  const char *what() const noexcept override {
    return "an op's result types cannot be inferred from its operands";
  }
};

/// The result of `make`, or failure if it could not create an op.
template <class Make> auto guarded(Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const InferenceError &) {
    return mlir::failure();
  }
}

} // namespace proa::pd
