/// Softmax attention, which the hooks of all attentions share. Q, K and V are [batch, heads, length, size].
#pragma once

#include "translator/import/onnx/NodeImporter.h"

namespace proa::import {

/// x [batch, length, heads * size] as [batch, heads, length, size], and back.
pd::Expression toHeads(pd::Expression x, int64_t heads);
pd::Expression fromHeads(pd::Expression x);

struct AttentionForm {
  using Modifier = std::function<pd::Expression(pd::Expression)>;

  std::optional<double> scale;            ///< of the scores; none: one by the root of the size of a head
  double softcap = 0;                     ///< 0: scores have no bound
  llvm::SmallVector<mlir::Value> addends; ///< masks and biases, which broadcast to the scores
  bool mayLackKeys = false;               ///< addends may exclude all keys of a query, whose result is 0 then
  mlir::Value sink;                       ///< the score of each head's key without a value; may be null
  mlir::Type precision;                   ///< the type of the softmax; null: as q
  Modifier changeScores, changeWeights;   ///< before and after the softmax; may be empty
};

struct Attended {
  pd::Expression values;
  pd::Expression products, capped, biased; ///< the scores: scaled, then with a bound, then with addends
  pd::Expression weights;                  ///< for queries without keys: unspecified
  std::optional<pd::Expression> lacksKeys; ///< whether a query has no keys; nothing: none
};

/// softmax(scale q k^T + addends) v. K and V may have fewer heads: each serves as many consecutive heads of
/// q.
Attended attend(NodeImporter &node, pd::Expression q, pd::Expression k, pd::Expression v,
                const AttentionForm &form);

} // namespace proa::import
