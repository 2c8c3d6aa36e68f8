/// Conversions between the element types of ONNX, some of which are stored in a type of pd (int4 in i8).
#pragma once

#include "translator/import/onnx/NodeImporter.h"

#include <string>

namespace proa::import {

/// How values that a type cannot hold are converted.
struct ConversionRules {
  bool saturates = true; ///< to float8: else they become NaN or infinite
  pd::FloatRounding rounding = static_cast<pd::FloatRounding>(1); ///< to float8e8m0: up
};

/// The type that ONNX gives the elements of a value.
onnx::DataType dataTypeOf(NodeImporter &node, mlir::Value value);
/// Whether elements of the type are stored in a type of pd that has another meaning.
bool isStored(onnx::DataType type);
/// The type of pd that stores elements of the type; null, and a report, for strings.
mlir::Type storageType(NodeImporter &node, onnx::DataType type);

/// The elements as numbers of a type that pd computes with: small floats in f32, integers as they are.
pd::Expression numbersOf(NodeImporter &node, mlir::Value value);
/// The elements converted to another type of ONNX, by the rules of Cast.
pd::Expression convertTo(NodeImporter &node, mlir::Value value, onnx::DataType to,
                         ConversionRules rules = {});

/// The least and the greatest integer of a type; not for floats.
std::pair<double, double> integerRange(onnx::DataType type);
/// Whether the type is an integer of ONNX, bool excluded.
bool isInteger(onnx::DataType type);

} // namespace proa::import
