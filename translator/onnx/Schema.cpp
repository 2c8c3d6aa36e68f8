#include "translator/onnx/Schema.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace proa::onnx {
namespace {

/// A range of a table: its first row and the number of rows.
struct TableRange {
  uint16_t first, count;
};

/// A schema in the generated tables.
struct SchemaRow {
  std::string_view domain, name;
  int32_t since;
  bool isDeprecated, isFunction;
  int32_t minInputs, maxInputs, minOutputs, maxOutputs;
  TableRange inputs, outputs, attributes, constraints;
};

/// An op that ONNX Runtime has in ai.onnx from this opset on, and ONNX does not.
struct RuntimeOp {
  std::string_view name;
  int32_t since;
};

#include "translator/onnx/SchemaTable.inc"

std::vector<Schema> buildSchemas() {
  std::vector<Schema> schemas;
  auto rowsOf = [](const auto &table, TableRange range) {
    return std::span(table).subspan(range.first, range.count);
  };
  for (const SchemaRow &row : schemaTable)
    schemas.push_back({row.domain, row.name, row.since, row.isDeprecated, row.isFunction, row.minInputs,
                       row.maxInputs, row.minOutputs, row.maxOutputs, rowsOf(parameterTable, row.inputs),
                       rowsOf(parameterTable, row.outputs), rowsOf(attributeTable, row.attributes),
                       rowsOf(constraintTable, row.constraints)});
  for (Schema &schema : schemas)
    schema.isOfRuntime = schema.domain.empty() && std::ranges::any_of(runtimeOps, [&](const RuntimeOp &op) {
                           return op.name == schema.name && op.since == schema.since;
                         });
  return schemas;
}

template <class Entry> const Entry *entryOf(std::span<const Entry> entries, std::string_view name) {
  auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

template <class Number> Number numberOf(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number); // the generator wrote a number
  return number;
}

std::vector<std::string> elementsOf(std::string_view text) {
  std::vector<std::string> elements;
  while (!text.empty()) {
    size_t end = std::min(text.find(','), text.size());
    elements.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return elements;
}

} // namespace

const int64_t newestOpsetVersion = newestOpset;

bool TypeSet::contains(std::string_view type) const {
  const auto *found = std::lower_bound(std::begin(typeNames), std::end(typeNames), type);
  if (found == std::end(typeNames) || *found != type)
    return false;
  auto index = static_cast<size_t>(found - std::begin(typeNames));
  return (bits[index / 64] >> (index % 64)) & 1;
}

const TypeSet &TypeConstraint::types() const { return typeSets[set]; }

AttributeValue SchemaAttribute::defaultValue() const {
  if (!defaultText)
    return {};
  std::vector<std::string> elements = elementsOf(defaultText);
  switch (kind) {
  case AttributeKind::Float:
    return numberOf<float>(defaultText);
  case AttributeKind::Int:
    return numberOf<int64_t>(defaultText);
  case AttributeKind::String:
    return std::string(defaultText);
  case AttributeKind::Strings:
    return elements;
  case AttributeKind::Ints: {
    std::vector<int64_t> values;
    for (const std::string &element : elements)
      values.push_back(numberOf<int64_t>(element));
    return values;
  }
  case AttributeKind::Floats: {
    std::vector<float> values;
    for (const std::string &element : elements)
      values.push_back(numberOf<float>(element));
    return values;
  }
  default:
    return {}; // no schema has such a default
  }
}

const SchemaAttribute *Schema::attribute(std::string_view key) const { return entryOf(attributes, key); }

const TypeConstraint *Schema::constraint(std::string_view key) const { return entryOf(constraints, key); }

std::span<const Schema> allSchemas() {
  static const std::vector<Schema> schemas = buildSchemas();
  return schemas;
}

bool hasSchemas(std::string_view domain) {
  std::span<const Schema> schemas = allSchemas();
  return std::any_of(schemas.begin(), schemas.end(),
                     [&](const Schema &schema) { return schema.domain == canonicalDomain(domain); });
}

const Schema *schemaOf(std::string_view domain, std::string_view op, int64_t opset) {
  std::span<const Schema> schemas = allSchemas();
  auto key = std::tuple(canonicalDomain(domain), op, opset);
  auto after =
      std::upper_bound(schemas.begin(), schemas.end(), key, [](const auto &value, const Schema &schema) {
        return value < std::tuple(schema.domain, schema.name, int64_t(schema.since));
      });
  if (after == schemas.begin())
    return nullptr;
  const Schema &last = *std::prev(after);
  return last.domain == canonicalDomain(domain) && last.name == op ? &last : nullptr;
}

const Schema *standardSchemaOf(std::string_view op, int64_t opset) {
  const Schema *schema = schemaOf("", op, opset);
  return schema && !schema->isOfRuntime ? schema : nullptr;
}

bool isSameVersion(std::string_view domain, std::string_view op, int64_t opset, int64_t other) {
  return schemaOf(domain, op, opset) == schemaOf(domain, op, other);
}

} // namespace proa::onnx
