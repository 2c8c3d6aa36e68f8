/// An ONNX model in memory.
#pragma once

#include "translator/onnx/DataType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// In each struct, `unknownFields` holds the bytes of fields that onnx.proto does not name; they are written
/// again.
namespace proa::onnx {

/// The newest version of the format that proa reads.
inline constexpr int64_t newestIrVersion = 14;

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// A tensor with its elements. They are in `elements` (see storageOf), or in `strings` if the type is String.
struct TensorValue {
  std::string name;
  DataType type = DataType::Undefined;
  std::vector<int64_t> dims;
  Tensor elements;
  std::vector<std::string> strings;
  std::string docString;
  Metadata metadata;
  std::string unknownFields;

  /// Elements are compared as bytes. Whether they were in the model's file or another one does not count.
  bool operator==(const TensorValue &other) const;
};

/// The `values` (one dimension) at `indices`: linear ones (one dimension) or rows of coordinates (two).
struct SparseTensorValue {
  TensorValue values;
  std::optional<TensorValue> indices;
  std::vector<int64_t> dims;
  std::string unknownFields;

  bool operator==(const SparseTensorValue &) const = default;
};

/// A size, the name of a size ("N"), or neither.
struct Dim {
  std::variant<std::monostate, int64_t, std::string> value;
  std::string denotation;
  std::string unknownFields;

  bool operator==(const Dim &) const = default;
};

struct Type {
  enum class Kind : uint8_t { None, Tensor, Sequence, Map, Optional, SparseTensor, Opaque };

  Kind kind = Kind::None;
  DataType elementType = DataType::Undefined; ///< of a tensor; the key of a map
  std::optional<std::vector<Dim>> dims;       ///< of a tensor; nothing: the rank is unknown
  std::vector<Type> element;                  ///< one, of a sequence or optional; the value of a map
  std::string opaqueDomain, opaqueName;
  std::string denotation;
  std::string unknownFields;

  bool operator==(const Type &) const = default;
  /// ONNX's text, without dims: "seq(tensor(float))".
  std::string text() const;
};

/// AttributeProto.AttributeType numbers.
enum class AttributeKind : int32_t {
  Undefined = 0,
  Float = 1,
  Int = 2,
  String = 3,
  Tensor = 4,
  Graph = 5,
  Floats = 6,
  Ints = 7,
  Strings = 8,
  Tensors = 9,
  Graphs = 10,
  SparseTensor = 11,
  SparseTensors = 12,
  Type = 13,
  Types = 14,
};

inline constexpr int32_t attributeKindCount = 15;

/// ONNX's name: "FLOAT", "TYPE_PROTO".
std::string_view nameOf(AttributeKind kind);
/// Whether the value is a list, which may be empty.
bool isList(AttributeKind kind);

struct Graph;

/// A single tensor, graph, sparse tensor or type is a list of one.
using AttributeValue = std::variant<std::monostate, float, int64_t, std::string, std::vector<float>,
                                    std::vector<int64_t>, std::vector<std::string>, std::vector<TensorValue>,
                                    std::vector<Graph>, std::vector<SparseTensorValue>, std::vector<Type>>;

struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::Undefined;
  AttributeValue value;  ///< the alternative follows from the kind; nothing if there is a reference
  std::string reference; ///< in a function: the name of the function's attribute that has the value
  std::string docString;
  std::string unknownFields;

  /// The graphs of a Graph or Graphs attribute, else none.
  const std::vector<Graph> &graphs() const;
  std::vector<Graph> *mutableGraphs();

  bool operator==(const Attribute &other) const;
};

/// The empty value of a kind: an empty list, text or 0.
AttributeValue emptyValue(AttributeKind kind);

struct ValueInfo {
  std::string name;
  std::optional<Type> type;
  std::string docString;
  Metadata metadata;
  std::string unknownFields;

  bool operator==(const ValueInfo &) const = default;
};

struct Node {
  std::vector<std::string> inputs;  ///< empty: an optional input that is absent
  std::vector<std::string> outputs; ///< empty: an optional output that is not needed
  std::string name;
  std::string type;
  std::string domain;
  std::string overload;
  std::vector<Attribute> attributes;
  std::string docString;
  Metadata metadata;
  std::string unknownFields;
  /// Of a node of an inlined function: the opset of its domain, if that is not the model's.
  std::optional<int64_t> opset;
  /// Of a call that inlineFunctions keeps: the nodes of the function, which it may be replaced by.
  std::vector<Node> expansion;

  /// The attribute of this name; null if there is none.
  const Attribute *attribute(std::string_view name) const;

  bool operator==(const Node &) const = default;
};

/// The names of the tensors that quantize a tensor, by parameter ("SCALE_TENSOR", "ZERO_POINT_TENSOR").
struct QuantizationAnnotation {
  std::string tensor;
  Metadata parameters;
  std::string unknownFields;

  bool operator==(const QuantizationAnnotation &) const = default;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<TensorValue> initializers;
  std::vector<SparseTensorValue> sparseInitializers; ///< the values have the name
  std::vector<ValueInfo> inputs, outputs, valueInfos;
  std::vector<QuantizationAnnotation> quantization;
  std::string docString;
  Metadata metadata;
  std::string unknownFields;

  bool operator==(const Graph &) const = default;
};

struct OpsetImport {
  std::string domain;
  int64_t version = 0;
  std::string unknownFields;

  bool operator==(const OpsetImport &) const = default;
};

/// A model-local function. Nodes with its domain, name and overload are calls.
struct Function {
  std::string name, domain, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> attributes;        ///< names of attributes that a call must have
  std::vector<Attribute> defaultedAttributes; ///< attributes with the value for calls without it
  std::vector<Node> nodes;
  std::vector<OpsetImport> opsetImports;
  std::vector<ValueInfo> valueInfos;
  std::string docString;
  Metadata metadata;
  std::string unknownFields;

  bool operator==(const Function &) const = default;
};

/// A step of training: graphs that compute the initial values and the updates of initializers.
struct TrainingInfo {
  std::optional<Graph> initialization, algorithm;
  Metadata initializationBinding, updateBinding; ///< initializer, output of the graph
  std::string unknownFields;

  bool operator==(const TrainingInfo &) const = default;
};

struct Model {
  int64_t irVersion = 0;
  std::vector<OpsetImport> opsetImports;
  std::string producerName, producerVersion, domain;
  int64_t modelVersion = 0;
  std::string docString;
  Graph graph;
  Metadata metadata;
  std::vector<TrainingInfo> trainingInfos;
  std::vector<Function> functions;
  std::string unknownFields;

  bool operator==(const Model &) const = default;
};

/// "ai.onnx" is another name of the domain "".
std::string_view canonicalDomain(std::string_view domain);
/// The version of a domain; nothing if it is not imported.
std::optional<int64_t> opsetOf(const std::vector<OpsetImport> &imports, std::string_view domain);
/// Domain, name and overload of a function, or of the function that a node calls: "my.domain::f:half".
std::string functionId(std::string_view domain, std::string_view name, std::string_view overload);

} // namespace proa::onnx
