/// Strings of ONNX in pd: a tensor of strings with dims D is a tensor of ui8 with dims D and one more, which
/// has the UTF-8 bytes of a string followed by zeros (translator/onnx/Strings.h). It has no more information
/// than its bytes, so the importer notes the values that are strings (GraphImporter::storedType).
#pragma once

#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/shape/DynamicDims.h"

namespace proa::import {

bool isString(NodeImporter &node, mlir::Value value);
/// A vector of constant strings.
pd::Expression stringConstants(NodeImporter &node, const std::vector<std::string> &strings);
/// Defines an output of strings by their bytes.
void setStrings(NodeImporter &node, llvm::StringRef output, pd::Expression bytes);
/// Strings of this width; at least the width of x.
pd::Expression widened(pd::Expression x, const pd::DimSize &width);
/// Whether strings are equal, with broadcasting: a bool for each string.
pd::Expression areEqualStrings(NodeImporter &node, pd::Expression x, pd::Expression y);
/// The number of bytes of each string.
pd::Expression lengthsOf(pd::Expression x);
/// Strings without zeros that all of them have at the end, but with a width of at least 1, at the insertion
/// point.
mlir::Value trimmedStrings(mlir::OpBuilder &builder, mlir::Value x);

/// Imports a node that moves elements by `import`, which gets indices in a table of all strings of the inputs
/// instead of the strings. False if no input has strings.
bool importMovedStrings(NodeImporter &node, const onnx::Schema &schema, llvm::function_ref<void()> import);

} // namespace proa::import
