#include "lib/runtime/plan/AttributeReader.h"

#include <algorithm>

namespace proa::runtime {

using nlohmann::json;

const json *AttributeReader::find(const char *name) {
  known.insert(name);
  if (!object.is_object())
    return nullptr;
  auto entry = object.find(name);
  return entry == object.end() || entry->is_null() ? nullptr : &*entry;
}

void AttributeReader::wrong(const char *name, const json &stored, std::string_view expected) {
  list.add("", fmt::format("attribute '{}' is {}; expected {}", name, stored.dump(), expected));
}

Diagnostics AttributeReader::finish() {
  if (object.is_object())
    for (const auto &[name, value] : object.items())
      if (!known.contains(name))
        list.add("", fmt::format("unknown attribute '{}'", name));
  return list;
}

void AttributeReader::convert(const char *name, const json &stored, bool &out) {
  if (stored.is_boolean())
    out = stored.get<bool>();
  else if (stored.is_number_integer())
    out = stored.get<int64_t>() != 0;
  else
    wrong(name, stored, "a boolean");
}

void AttributeReader::convert(const char *name, const json &stored, int64_t &out) {
  if (stored.is_number_integer())
    out = stored.get<int64_t>();
  else if (stored.is_boolean())
    out = stored.get<bool>() ? 1 : 0;
  else
    wrong(name, stored, "an integer");
}

void AttributeReader::convert(const char *name, const json &stored, double &out) {
  if (stored.is_number())
    out = stored.get<double>();
  else
    wrong(name, stored, "a number");
}

void AttributeReader::convert(const char *name, const json &stored, std::string &out) {
  if (stored.is_string())
    out = stored.get<std::string>();
  else
    wrong(name, stored, "a string");
}

void AttributeReader::convert(const char *name, const json &stored, DType &out) {
  std::optional<DType> dtype = stored.is_string() ? dtypeFromName(stored.get<std::string>()) : std::nullopt;
  if (dtype)
    out = *dtype;
  else
    wrong(name, stored, "the name of a dtype");
}

void AttributeReader::convert(const char *name, const json &stored, std::vector<int64_t> &out) {
  if (stored.is_array() &&
      std::ranges::all_of(stored, [](const json &item) { return item.is_number_integer(); }))
    out = stored.get<std::vector<int64_t>>();
  else if (stored.is_number_integer())
    out = {stored.get<int64_t>()};
  else
    wrong(name, stored, "integers");
}

void AttributeReader::convert(const char *name, const json &stored, std::vector<double> &out) {
  if (stored.is_array() && std::ranges::all_of(stored, [](const json &item) { return item.is_number(); }))
    out = stored.get<std::vector<double>>();
  else if (stored.is_number())
    out = {stored.get<double>()};
  else
    wrong(name, stored, "numbers");
}

void AttributeReader::convert(const char *name, const json &stored, std::vector<std::string> &out) {
  if (stored.is_array() && std::ranges::all_of(stored, [](const json &item) { return item.is_string(); }))
    out = stored.get<std::vector<std::string>>();
  else
    wrong(name, stored, "strings");
}

} // namespace proa::runtime
