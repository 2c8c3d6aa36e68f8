/// Shifts of bits as integer arithmetic, for formats that lack them or have them for unsigned integers only.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

namespace proa::pd {
class BitwiseLeftShiftOp;
class BitwiseRightShiftOp;
} // namespace proa::pd

namespace proa::exporter {

mlir::Value formulaOf(pd::BitwiseLeftShiftOp op, pd::TensorBuilder &e);
mlir::Value formulaOf(pd::BitwiseRightShiftOp op, pd::TensorBuilder &e);

} // namespace proa::exporter
