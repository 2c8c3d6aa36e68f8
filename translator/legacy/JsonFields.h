/// Reading JSON objects by a list of the keys they may have, with the path of every error.
#pragma once

#include "lib/base/support/FileReport.h"

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace proa::legacy::json {

/// A value of the text, which is read where it stands: once, in the order of the file. One that is not read
/// is skipped without being checked.
using Element = simdjson::ondemand::value;

/// The path of a value, as a chain on the stack. Its text is computed only for errors.
struct Path {
  const Path *parent = nullptr;
  std::string_view key;
  /// The index in a list; -1: `key` is a key.
  int64_t index = -1;

  /// "blocks[0].ops[3]".
  std::string text() const;
};

/// "the string \"abc\"", "a list": what was found, for messages.
std::string describe(Element value);

/// The text of a number, word or string, with its quotes.
std::string_view tokenOf(Element value);

/// Whether `key` is the lowerCamelCase form of `name` (snake_case).
bool isCamelCaseOf(std::string_view key, std::string_view name);

/// Whether `key` is `name` (snake_case) or its lowerCamelCase form, which is shorter if it differs. Both
/// have the same first character.
inline bool isKey(std::string_view key, std::string_view name) {
  if (key.empty() || key.front() != name.front())
    return false;
  return key.size() == name.size() ? key == name : key.size() < name.size() && isCamelCaseOf(key, name);
}

/// Values of JSON with the conversions of the protobuf JSON mapping. After a wrong value, which is
/// reported, the returned one is a placeholder.
class ValueReader {
public:
  explicit ValueReader(FileReport &report) : report(report) {}

  /// Whether all values were read, and the text around them is JSON.
  bool isWhole() const { return whole; }
  /// A value stays unread, or the text is damaged.
  void leave() { whole = false; }

  void wrong(const Path &at, Element found, std::string_view expected);
  /// Integers are numbers or decimal strings.
  int64_t integer(const Path &at, Element value, int64_t low, int64_t high, std::string_view expected);
  int32_t int32(const Path &at, Element value) {
    return static_cast<int32_t>(integer(at, value, INT32_MIN, INT32_MAX, "an int32"));
  }
  int64_t int64(const Path &at, Element value) {
    return integer(at, value, INT64_MIN, INT64_MAX, "an int64");
  }
  /// Numbers, "NaN", "Infinity", "-Infinity", or numbers as strings.
  double number(const Path &at, Element value);
  /// Not checked for range: FLT_MAX is printed with so few digits that it is above FLT_MAX.
  float float32(const Path &at, Element value) { return static_cast<float>(number(at, value)); }
  bool boolean(const Path &at, Element value);
  std::string_view string(const Path &at, Element value);

  /// Calls `read(path, element)` for each element of a list.
  template <class Read> void list(const Path &at, Element value, Read read) {
    simdjson::ondemand::array elements;
    if (value.get_array().get(elements) != simdjson::SUCCESS)
      return wrong(at, value, "a list");
    list(at, elements, read);
  }

  template <class Read> void list(const Path &at, simdjson::ondemand::array elements, Read read) {
    int64_t index = 0;
    for (auto found : elements) {
      Element element;
      if (std::move(found).get(element) != simdjson::SUCCESS)
        return leave();
      read(Path{&at, {}, index++}, element);
    }
  }

  /// The same with `read` giving the elements of `out`.
  template <class Out, class Read> void listInto(const Path &at, Element value, Out &out, Read read) {
    list(at, value, [&](const Path &path, Element element) { out.push_back(read(path, element)); });
  }

  /// Calls `read(index of the name, path, value)` for each member of an object; members that are null count
  /// as absent. Reports members whose key is none of `names`, keys that occur twice, and absent `required`
  /// ones (a bit for each name).
  template <size_t N, class Read>
  void object(const Path &at, Element value, const std::array<std::string_view, N> &names, uint32_t required,
              Read read) {
    simdjson::ondemand::object members;
    if (value.get_object().get(members) != simdjson::SUCCESS)
      return wrong(at, value, "an object");
    object(at, members, names, required, read);
  }

  template <size_t N, class Read>
  void object(const Path &at, simdjson::ondemand::object &members,
              const std::array<std::string_view, N> &names, uint32_t required, Read read) {
    static_assert(N <= 32);
    uint32_t seen = 0;
    size_t expected = 0; // members are mostly in the order of the names
    for (auto found : members) {
      simdjson::ondemand::field member;
      if (std::move(found).get(member) != simdjson::SUCCESS)
        return leave();
      std::string_view key = keyOf(member);
      size_t i = expected < N && key == names[expected] ? expected : 0;
      while (i < N && !isKey(key, names[i]))
        ++i;
      if (i == N) {
        unknownKey(at, key, names.data(), N);
        continue;
      }
      expected = i + 1;
      if (seen & (1u << i))
        report.add(at.text(), "key '" + std::string(key) + "' occurs twice");
      if (isNull(member.value()))
        continue;
      seen |= 1u << i;
      read(i, Path{&at, key}, member.value());
    }
    if (uint32_t missing = required & ~seen)
      missingKeys(at, names.data(), missing);
  }

  FileReport &report;

private:
  /// A key as in the text: no expected key has an escape.
  static std::string_view keyOf(const simdjson::ondemand::field &member) {
    const char *text = member.key().raw();
    const char *end = text;
    while (*end != '"')
      end += *end == '\\' ? 2 : 1;
    return {text, end};
  }
  /// Words that only begin with an n are left to whoever reads the value.
  static bool isNull(Element value) {
    bool null = false;
    return value.is_null().get(null) == simdjson::SUCCESS && null;
  }

  /// Goes past a string whose text is known; false where it is none.
  static bool readString(Element value);
  void unknownKey(const Path &at, std::string_view key, const std::string_view *names, size_t count);
  void missingKeys(const Path &at, const std::string_view *names, uint32_t missing);

  bool whole = true;
};

} // namespace proa::legacy::json
