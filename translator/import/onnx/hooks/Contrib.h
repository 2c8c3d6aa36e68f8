/// Parts of the hooks of ONNX Runtime's ops (com.microsoft).
#pragma once

#include "translator/import/onnx/NodeImporter.h"

namespace proa::import {

/// x after an activation of a fused op: its name, and its attributes alpha and beta.
pd::Expression activated(NodeImporter &node, pd::Expression x, llvm::StringRef name, double alpha,
                         double beta);

/// Numbers of `bits` bits, packed from the low bits of bytes on: [..., bytes] as [..., count] in i32.
pd::Expression unpacked(NodeImporter &node, pd::Expression bytes, int64_t bits, int64_t count);

} // namespace proa::import
