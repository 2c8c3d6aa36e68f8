/// Conditions of mappings (`writtenIf` in dialects/pd/ir/Onnx.td), which also see `opset`.
#pragma once

#include "dialects/pd/ir/Infer.h"

namespace proa::pd {
class BatchNormOp;
class FusedAttentionOp;
class LayerNormOp;
class GenerateProposalsOp;
class MatrixNmsOp;
class MulticlassNms3Op;
class MultinomialOp;
class RmsNormOp;
class RnnOp;
class RoiPoolOp;
class RotaryEmbeddingOp;
} // namespace proa::pd

namespace proa::exporter::onnxhooks {

inline bool isBool(mlir::Value value) { return pd::tensorType(value).getElementType().isInteger(1); }
inline bool isDouble(mlir::Value value) { return pd::tensorType(value).getElementType().isF64(); }
inline bool isReal(mlir::Value value) {
  return !mlir::isa<mlir::ComplexType>(pd::tensorType(value).getElementType());
}
/// Whether the statistics are operands, of the element type of x.
bool isInferenceBatchNorm(pd::BatchNormOp op);
/// Whether mean and variance are unused and the normalized dims static.
bool isPlainLayerNorm(pd::LayerNormOp op);

/// Whether the op has images of equally many boxes, each with one box for all classes, and a fixed threshold.
bool isMulticlassNmsInOnnx(pd::MulticlassNms3Op op);

/// Whether no dropout is between the layers.
bool hasNoDropout(pd::RnnOp op);

/// Whether the threshold is fixed and above 0, and the number of anchors static.
bool isProposalsInOnnx(pd::GenerateProposalsOp op);
/// Whether all classes share the boxes of each image.
bool isMatrixNmsInOnnx(pd::MatrixNmsOp op);

/// Whether the operands are [batch, heads, length, size], and the statistics unused.
bool isAttentionInOnnx(pd::FusedAttentionOp op);
/// Whether there is a scale, and the statistics are unused.
bool isPlainRmsNorm(pd::RmsNormOp op);
/// Whether x has four dims, and all heads share the cosines and sines.
bool isRotaryInOnnx(pd::RotaryEmbeddingOp op);

/// Whether the number of samples is static, and samples are drawn with replacement.
bool isMultinomialInOnnx(pd::MultinomialOp op);
/// Whether the indices of the maxima are unused.
bool isRoiPoolInOnnx(pd::RoiPoolOp op);

} // namespace proa::exporter::onnxhooks
