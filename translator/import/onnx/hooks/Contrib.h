/// Parts of the hooks of ONNX Runtime's ops (com.microsoft).
#pragma once

#include "translator/import/onnx/NodeImporter.h"

namespace proa::import {

/// x [batch, length, heads * size] as [batch, heads, length, size], and back.
pd::Expression toHeads(pd::Expression x, int64_t heads);
pd::Expression fromHeads(pd::Expression x);
/// x [batch, heads, length, size] with each head repeated.
pd::Expression repeatHeads(NodeImporter &node, pd::Expression x, int64_t times);

struct AttentionForm {
  double scale = 0;                       ///< 0: one by the root of the size of a head
  double softcap = 0;                     ///< 0: scores have no bound
  llvm::SmallVector<mlir::Value> addends; ///< masks and biases, which broadcast to the scores
  mlir::Value sink;                       ///< the score of each head's key without a value; may be null
};

struct Attended {
  pd::Expression values, weights;
};

/// softmax(scale q k^T + addends) v.
Attended attend(NodeImporter &node, pd::Expression q, pd::Expression k, pd::Expression v,
                const AttentionForm &form);
/// `filter` for keys after row `first` + i of the query, and with a window for those `window` or more before
/// it; 0 for others.
pd::Expression causalMask(NodeImporter &node, pd::Expression q, pd::Expression k, pd::Expression first,
                          int64_t window, double filter);

/// x after an activation of a fused op: its name, and its attributes alpha and beta.
pd::Expression activated(NodeImporter &node, pd::Expression x, llvm::StringRef name, double alpha,
                         double beta);

} // namespace proa::import
