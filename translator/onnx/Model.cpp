#include "translator/onnx/Model.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace proa::onnx {

bool TensorValue::operator==(const TensorValue &other) const {
  auto rest = [](const TensorValue &value) {
    return std::tie(value.name, value.type, value.dims, value.strings, value.docString, value.metadata,
                    value.unknownFields);
  };
  size_t bytes = elements.bytes();
  return rest(*this) == rest(other) && elements.dtype() == other.elements.dtype() &&
         bytes == other.elements.bytes() &&
         (bytes == 0 || std::memcmp(elements.data(), other.elements.data(), bytes) == 0);
}

std::string Type::text() const {
  std::string inner = element.empty() ? "?" : element[0].text();
  std::string tensor = "tensor(" + std::string(nameOf(elementType)) + ")";
  switch (kind) {
  case Kind::None:
    return "?";
  case Kind::Tensor:
    return tensor;
  case Kind::SparseTensor:
    return "sparse_" + tensor;
  case Kind::Sequence:
    return "seq(" + inner + ")";
  case Kind::Map:
    return "map(" + std::string(nameOf(elementType)) + ", " + inner + ")";
  case Kind::Optional:
    return "optional(" + inner + ")";
  case Kind::Opaque:
    return "opaque(" + (opaqueDomain.empty() ? "" : opaqueDomain + ",") + opaqueName + ")";
  }
  return "?";
}

std::string_view nameOf(AttributeKind kind) {
  constexpr std::string_view names[attributeKindCount] = {
      "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
      "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  auto code = static_cast<int32_t>(kind);
  return names[code >= 0 && code < attributeKindCount ? code : 0];
}

bool isList(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::Floats:
  case AttributeKind::Ints:
  case AttributeKind::Strings:
  case AttributeKind::Tensors:
  case AttributeKind::Graphs:
  case AttributeKind::SparseTensors:
  case AttributeKind::Types:
    return true;
  default:
    return false;
  }
}

AttributeValue emptyValue(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::Undefined:
    return {};
  case AttributeKind::Float:
    return 0.0f;
  case AttributeKind::Int:
    return int64_t(0);
  case AttributeKind::String:
    return std::string();
  case AttributeKind::Floats:
    return std::vector<float>();
  case AttributeKind::Ints:
    return std::vector<int64_t>();
  case AttributeKind::Strings:
    return std::vector<std::string>();
  case AttributeKind::Tensor:
  case AttributeKind::Tensors:
    return std::vector<TensorValue>();
  case AttributeKind::Graph:
  case AttributeKind::Graphs:
    return std::vector<Graph>();
  case AttributeKind::SparseTensor:
  case AttributeKind::SparseTensors:
    return std::vector<SparseTensorValue>();
  case AttributeKind::Type:
  case AttributeKind::Types:
    return std::vector<Type>();
  }
  return {};
}

const std::vector<Graph> &Attribute::graphs() const {
  static const std::vector<Graph> none;
  const auto *list = std::get_if<std::vector<Graph>>(&value);
  return list ? *list : none;
}

std::vector<Graph> *Attribute::mutableGraphs() { return std::get_if<std::vector<Graph>>(&value); }

bool Attribute::operator==(const Attribute &other) const = default;

const Attribute *Node::attribute(std::string_view key) const {
  auto found = std::find_if(attributes.begin(), attributes.end(),
                            [&](const Attribute &attribute) { return attribute.name == key; });
  return found == attributes.end() ? nullptr : &*found;
}

std::string_view canonicalDomain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

std::optional<int64_t> opsetOf(const std::vector<OpsetImport> &imports, std::string_view domain) {
  for (const OpsetImport &import : imports)
    if (canonicalDomain(import.domain) == canonicalDomain(domain))
      return import.version;
  return std::nullopt;
}

std::string functionId(std::string_view domain, std::string_view name, std::string_view overload) {
  std::string id = std::string(canonicalDomain(domain)) + "::" + std::string(name);
  return overload.empty() ? id : id + ":" + std::string(overload);
}

} // namespace proa::onnx
