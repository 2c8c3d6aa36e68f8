/// Reader of the fields of meta.json.
#pragma once

#include "lib/base/support/Json.h"

#include <fmt/format.h>

namespace proa::params {

/// Reads fields of a JSON object and collects the errors.
class MetaFields {
public:
  MetaFields(const nlohmann::json &object, std::string file, Diagnostics &diagnostics)
      : object(object), file(std::move(file)), diagnostics(diagnostics) {}

  /// Sets `field` from the member `key`, if it exists. Error: another type.
  template <class T> void read(const char *key, T &field) {
    auto member = object.find(key);
    if (member == object.end() || member->is_null())
      return;
    try {
      field = member->template get<T>();
    } catch (const nlohmann::json::exception &) {
      addError(
          fmt::format("{}: found {}, which is not of the expected type", key, member->dump().substr(0, 60)));
    }
  }

  void addError(const std::string &message) { diagnostics.add(file, message); }

private:
  const nlohmann::json &object;
  std::string file;
  Diagnostics &diagnostics;
};

/// Parses a file that holds one JSON object.
Result<nlohmann::json> readJsonObject(const std::string &path);

} // namespace proa::params
