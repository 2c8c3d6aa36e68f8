/// Conditions of mappings (`writtenIf` in dialects/pd/ir/Onnx.td), which also see `opset`.
#pragma once

#include "dialects/pd/ir/Infer.h"

namespace proa::pd {
class BatchNormOp;
class LayerNormOp;
class MulticlassNms3Op;
class RnnOp;
} // namespace proa::pd

namespace proa::exporter::onnxhooks {

inline bool isBool(mlir::Value value) { return pd::tensorType(value).getElementType().isInteger(1); }
/// Whether the statistics are operands, of the element type of x.
bool isInferenceBatchNorm(pd::BatchNormOp op);
/// Whether mean and variance are unused and the normalized dims static.
bool isPlainLayerNorm(pd::LayerNormOp op);

/// Whether the op has images of equally many boxes, each with one box for all classes, and a fixed threshold.
bool isMulticlassNmsInOnnx(pd::MulticlassNms3Op op);

/// Whether no dropout is between the layers.
bool hasNoDropout(pd::RnnOp op);

} // namespace proa::exporter::onnxhooks
