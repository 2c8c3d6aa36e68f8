/// Activations that fused legacy ops name by attributes.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

namespace proa::import::hooks {

/// The activation without parameters of that name (abs, gelu, mish, relu, relu6, sigmoid, sqrt, tanh); null
/// for other names.
mlir::Value activation(pd::Expression x, llvm::StringRef name);

} // namespace proa::import::hooks
