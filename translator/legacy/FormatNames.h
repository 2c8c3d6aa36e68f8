/// The enumerations of framework.proto by name and number, for both readers and for messages.
#pragma once

#include "translator/legacy/Program.h"

#include <optional>
#include <string_view>

namespace proa::legacy {

/// VarType.Type: "FP32" is 5. Takes the names of Paddle 2.6 (LOD_TENSOR, LOD_TENSOR_ARRAY) too.
std::optional<int32_t> varTypeCode(std::string_view name);
/// "FP32"; empty where the number is none.
std::string_view varTypeName(int64_t code);
/// The kind of variable with this VarType.Type number; nothing for element types and unknown numbers.
std::optional<VariableKind> variableKindFromCode(int64_t code);

/// AttrType: "INT" is 0; the number is the alternative of AttributeValue.
std::optional<int32_t> attributeTypeCode(std::string_view name);
std::string_view attributeTypeName(int64_t code);
inline constexpr int32_t attributeTypeCount = std::variant_size_v<AttributeValue>;

/// Scalar.Type: "BOOLEAN" is 1.
std::optional<int32_t> scalarTypeCode(std::string_view name);
std::string_view scalarTypeName(int64_t code);

} // namespace proa::legacy
