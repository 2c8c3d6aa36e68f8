/// Schemas of ops: inputs, outputs, attributes and types of every version.
#pragma once

#include "proa/Result.h"
#include "translator/onnx/Model.h"

#include <array>
#include <span>
#include <string_view>

namespace proa::onnx {

/// A set of the types that constraints name.
struct TypeSet {
  std::array<uint64_t, 2> bits;

  /// `type` is a text of Type::text: "tensor(float)".
  bool contains(std::string_view type) const;
};

/// How often a parameter has a value.
enum class Option : uint8_t { Single, Optional, Variadic };

struct SchemaParameter {
  std::string_view name;
  std::string_view type; ///< a type ("tensor(float)"), or the name of a constraint ("T")
  Option option;
  bool isHomogeneous; ///< of a variadic parameter: all values have the same type
};

struct SchemaAttribute {
  std::string_view name;
  AttributeKind kind;
  bool isRequired;
  const char *defaultText; ///< null: there is none; elements of lists are separated by commas

  /// The default; nothing without one.
  AttributeValue defaultValue() const;
};

struct TypeConstraint {
  std::string_view name;
  uint16_t set;

  const TypeSet &types() const;
};

/// The maximum of a schema whose last parameter is variadic.
inline constexpr int32_t manyValues = INT32_MAX;

struct Schema {
  std::string_view domain, name;
  int32_t since; ///< the first opset with this version
  bool isDeprecated;
  bool isFunction; ///< other ops define it
  int32_t minInputs, maxInputs, minOutputs, maxOutputs;
  std::span<const SchemaParameter> inputs, outputs;
  std::span<const SchemaAttribute> attributes; ///< sorted by name
  std::span<const TypeConstraint> constraints;
  bool isOfRuntime = false; ///< ONNX Runtime has this version in ai.onnx, and ONNX does not

  const SchemaAttribute *attribute(std::string_view name) const;
  const TypeConstraint *constraint(std::string_view name) const;
};

/// The newest version of ai.onnx with schemas; the oldest is 1.
extern const int64_t newestOpsetVersion;

/// All schemas, sorted by domain, name and version.
std::span<const Schema> allSchemas();
/// Whether there are schemas of the domain.
bool hasSchemas(std::string_view domain);
/// The version of the op that a model with this opset of the domain uses; null if there is none.
const Schema *schemaOf(std::string_view domain, std::string_view op, int64_t opset);
/// The version of an op of ai.onnx in ONNX itself; null if there is none.
const Schema *standardSchemaOf(std::string_view op, int64_t opset);

/// Whether both opsets have the op in the same version. An op without schemas does not change.
bool isSameVersion(std::string_view domain, std::string_view op, int64_t opset, int64_t other);

/// Checks all nodes, also in subgraphs and functions, with their schemas, and calls of functions with
/// the functions. Nodes of domains without schemas are not checked. `file` is the model's file in errors.
/// Errors, all at once: a newer opset than the schemas; an unknown op (with similar names) or one of a later
/// opset; a deprecated op; too many or few inputs or outputs; an input that is absent but not optional; an
/// unknown, missing or wrongly typed attribute; an op that a function and the model import in different
/// versions.
Result<void> checkSchemas(const Model &model, const std::string &file);

} // namespace proa::onnx
