/// The formulas of pd.attention and pd.attention_grad, which their local forms share.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

namespace proa::pd {

/// scale (q k^T) + bias, in the type in which formulas are computed. `bias` may be null.
Expression attentionScores(TensorBuilder &e, mlir::Value q, mlir::Value k, mlir::Value bias, double scale);

/// x rounded to the element type of `like`.
Expression roundedAs(Expression x, mlir::Value like);

/// Terms of the gradients that come from some keys: `weights` are those of the queries for these keys.
struct AttentionGradient {
  mlir::Value q, k, v;
};
/// `delta` is sum(out_grad out) of each query.
AttentionGradient attentionGradient(Expression weights, mlir::Value q, mlir::Value k, mlir::Value v,
                                    mlir::Value outGradient, Expression delta, double scale);

/// sum(out_grad out) along the last dimension.
Expression attentionDelta(TensorBuilder &e, mlir::Value outGradient, mlir::Value out);

} // namespace proa::pd
