#include "translator/onnx/DataType.h"

#include <iterator>

namespace proa::onnx {
namespace {

struct DataTypeRow {
  std::string_view name;
  std::optional<DType> storage;
  int bits;
};

/// In the order of the numbers.
constexpr DataTypeRow dataTypes[] = {
    {"undefined", std::nullopt, 0},
    {"float", DType::Float32, 32},
    {"uint8", DType::UInt8, 8},
    {"int8", DType::Int8, 8},
    {"uint16", DType::UInt16, 16},
    {"int16", DType::Int16, 16},
    {"int32", DType::Int32, 32},
    {"int64", DType::Int64, 64},
    {"string", std::nullopt, 0},
    {"bool", DType::Bool, 8},
    {"float16", DType::Float16, 16},
    {"double", DType::Float64, 64},
    {"uint32", DType::UInt32, 32},
    {"uint64", DType::UInt64, 64},
    {"complex64", DType::Complex64, 64},
    {"complex128", DType::Complex128, 128},
    {"bfloat16", DType::BFloat16, 16},
    {"float8e4m3fn", DType::Float8E4M3FN, 8},
    {"float8e4m3fnuz", DType::UInt8, 8},
    {"float8e5m2", DType::Float8E5M2, 8},
    {"float8e5m2fnuz", DType::UInt8, 8},
    {"uint4", DType::UInt8, 4},
    {"int4", DType::Int8, 4},
    {"float4e2m1", DType::UInt8, 4},
    {"float8e8m0", DType::UInt8, 8},
    {"uint2", DType::UInt8, 2},
    {"int2", DType::Int8, 2},
    {"float6e2m3", DType::UInt8, 6},
    {"float6e3m2", DType::UInt8, 6},
};

const DataTypeRow &rowOf(DataType type) {
  auto code = static_cast<int32_t>(type);
  return dataTypes[isDataType(code) ? code : 0];
}

} // namespace

bool isDataType(int32_t code) { return code > 0 && code < static_cast<int32_t>(std::size(dataTypes)); }

std::string_view nameOf(DataType type) { return rowOf(type).name; }

std::optional<DType> storageOf(DataType type) { return rowOf(type).storage; }

DataType dataTypeOf(DType dtype) {
  // The first row of a dtype is the type that has its meaning.
  for (size_t i = 0; i < std::size(dataTypes); ++i)
    if (dataTypes[i].storage == dtype)
      return static_cast<DataType>(i);
  return DataType::Undefined;
}

int bitsOf(DataType type) { return rowOf(type).bits; }

bool isSigned(DataType type) {
  return type == DataType::Int8 || type == DataType::Int16 || type == DataType::Int32 ||
         type == DataType::Int64 || type == DataType::Int4 || type == DataType::Int2;
}

} // namespace proa::onnx
