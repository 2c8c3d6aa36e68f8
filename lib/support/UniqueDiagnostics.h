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

/// Wraps `handler` to be called for the first diagnostic of each kind, variable and op. Their messages may
/// differ, because they contain dims that later imports know. Null stays null.
inline DiagnosticHandler onceEach(DiagnosticHandler handler) {
  if (!handler)
    return handler;
  using Key = std::tuple<std::string, std::string, int64_t, int64_t>;
  return [handler = std::move(handler), seen = std::make_shared<std::set<Key>>()](const Diagnostic &given) {
    if (seen->emplace(given.code, given.variable, given.block, given.op).second)
      handler(given);
  };
}

} // namespace proa
