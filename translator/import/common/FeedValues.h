/// Dims and values of feeds that the caller of an import gives, and the note on values fetched by default.
#pragma once

#include "translator/import/Import.h"

#include "mlir/IR/Builders.h"

#include <string>
#include <vector>

namespace proa::import {

/// A feed's type, with the static dims of ImportOptions::feedDims.
mlir::RankedTensorType withKnownDims(const ImportOptions &options, const std::string &feed,
                                     mlir::RankedTensorType type);
/// A tensor as a constant of the type; null for a tensor of another type.
mlir::Value constantOf(const Tensor &tensor, mlir::RankedTensorType type, mlir::OpBuilder &builder);

/// The warning that these values are fetched.
std::string unreadValuesText(const std::vector<std::string> &names);

} // namespace proa::import
