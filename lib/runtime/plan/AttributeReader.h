/// Converts the stored attributes of a plan's step into the struct of its kernel.
///
/// proa-tblgen generates the structs and, for each, a function readAttributes(AttributeReader &, Struct &)
/// that calls `read` or `require` for each field (dialects/pd/ops/FAMILY/GROUP.kernels.inc).
#pragma once

#include "lib/runtime/plan/Library.h"

#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace proa::runtime {

/// Reads the fields of one JSON object. A missing or an unknown attribute, or one of the wrong type, is an
/// error.
class AttributeReader {
public:
  /// `object` must outlive the reader.
  explicit AttributeReader(const nlohmann::json &object) : object(object) {
    if (!object.is_object())
      list.add("", "the attributes are " + object.dump() + "; expected an object");
  }

  /// An absent attribute keeps the value of `out`: the default of the record.
  template <class T> void read(const char *name, T &out) {
    if (const nlohmann::json *stored = find(name))
      convert(name, *stored, out);
  }
  template <class T> void read(const char *name, std::optional<T> &out) {
    if (find(name))
      read(name, out.emplace());
  }
  template <class T> void require(const char *name, T &out) {
    if (find(name))
      read(name, out);
    else
      list.add("", std::string("attribute '") + name + "' is missing");
  }

  /// All errors, with one for each attribute that no field asked for.
  Diagnostics finish();

private:
  const nlohmann::json *find(const char *name);
  void wrong(const char *name, const nlohmann::json &stored, std::string_view expected);

  void convert(const char *name, const nlohmann::json &stored, bool &out);
  void convert(const char *name, const nlohmann::json &stored, int64_t &out);
  void convert(const char *name, const nlohmann::json &stored, double &out);
  void convert(const char *name, const nlohmann::json &stored, std::string &out);
  void convert(const char *name, const nlohmann::json &stored, DType &out);
  void convert(const char *name, const nlohmann::json &stored, std::vector<int64_t> &out);
  void convert(const char *name, const nlohmann::json &stored, std::vector<double> &out);
  void convert(const char *name, const nlohmann::json &stored, std::vector<std::string> &out);

  /// An enum is stored as its keyword.
  template <class Enum>
    requires std::is_enum_v<Enum>
  void convert(const char *name, const nlohmann::json &stored, Enum &out) {
    std::string expected;
    for (const auto &[keyword, value] : keywordsOf(Enum())) {
      if (stored == keyword) {
        out = value;
        return;
      }
      expected += (expected.empty() ? "one of " : ", ") + std::string(keyword);
    }
    wrong(name, stored, expected);
  }

  /// An attribute class is stored as an object.
  template <class Struct>
    requires requires(AttributeReader &reader, Struct &out) { readAttributes(reader, out); }
  void convert(const std::string &name, const nlohmann::json &stored, Struct &out) {
    AttributeReader reader(stored);
    readAttributes(reader, out);
    for (const Diagnostic &diagnostic : reader.finish())
      list.add("", name + ": " + diagnostic.message);
  }
  /// An array of them is stored as an array of objects.
  template <class Struct>
  void convert(const char *name, const nlohmann::json &stored, std::vector<Struct> &out) {
    if (!stored.is_array())
      return wrong(name, stored, "an array");
    for (size_t i = 0; i < stored.size(); ++i)
      convert(std::string(name) + "[" + std::to_string(i) + "]", stored[i], out.emplace_back());
  }

  const nlohmann::json &object;
  std::set<std::string_view> known;
  Diagnostics list;
};

/// The keyword of an enum's value.
template <class Enum> const char *keywordOf(Enum value) {
  for (const auto &[keyword, other] : keywordsOf(value))
    if (other == value)
      return keyword;
  return "";
}

/// The attributes of a kernel or of an attribute class from their stored form.
template <class Struct> Result<Struct> readStored(const nlohmann::json &stored) {
  AttributeReader reader(stored);
  Struct out;
  readAttributes(reader, out);
  Diagnostics diagnostics = reader.finish();
  if (!diagnostics.empty())
    return diagnostics;
  return out;
}

} // namespace proa::runtime
