/// Element types of ONNX, and how proa stores them.
#pragma once

#include "proa/Tensor.h"

#include <optional>
#include <string_view>

namespace proa::onnx {

/// TensorProto.DataType numbers.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
  Float6E2M3 = 27,
  Float6E3M2 = 28,
};

/// Whether the number names an element type; 0 does not.
bool isDataType(int32_t code);
/// ONNX's name in type constraints: "float", "double", "int4"; "undefined" for other numbers.
std::string_view nameOf(DataType type);

/// The dtype of a Tensor with such elements; nothing for strings. Types that proa lacks have one byte for
/// each element:
/// - Int4, Int2: Int8, with the sign extended
/// - UInt4, UInt2: UInt8
/// - Float4E2M1, Float6E2M3, Float6E3M2, Float8E4M3FNUZ, Float8E5M2FNUZ, Float8E8M0: UInt8, the bits of the
///   number in the low bits
std::optional<DType> storageOf(DataType type);
/// The type that a Tensor of this dtype has in a file.
DataType dataTypeOf(DType dtype);
/// Bits of an element in a file, where elements of less than 8 bits are packed from the low bits on; 0 for
/// strings.
int bitsOf(DataType type);
/// Whether the type is a signed integer.
bool isSigned(DataType type);

} // namespace proa::onnx
