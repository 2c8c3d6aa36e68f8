/// Helpers of the hooks of ONNX Runtime's ops (com.microsoft).
#pragma once

#include "translator/import/onnx/NodeImporter.h"

namespace proa::import {

/// x after an activation of a fused op: its name, and its attributes alpha and beta.
pd::Expression activated(NodeImporter &node, pd::Expression x, llvm::StringRef name, double alpha,
                         double beta);

} // namespace proa::import
