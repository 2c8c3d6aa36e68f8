/// Deduplication of the diagnostics of a program that is imported several times.
#pragma once

#include "proa/Diagnostic.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>

namespace proa {

using DiagnosticHandler = std::function<void(const Diagnostic &)>;

/// Wraps `handler` so that it is called only for the first diagnostic of each code, variable and op; null
/// stays null. Messages are not compared: later imports have static dims in them.
inline DiagnosticHandler onceEach(DiagnosticHandler handler) {
  if (!handler)
    return handler;
  using Key = std::tuple<std::string, std::string, int64_t, int64_t>;
  return [handler = std::move(handler), seen = std::make_shared<std::set<Key>>()](const Diagnostic &next) {
    if (seen->emplace(next.code, next.variable, next.block, next.op).second)
      handler(next);
  };
}

} // namespace proa
