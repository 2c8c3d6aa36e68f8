/// Diagnostics of a program that is imported several times, each delivered once.
#pragma once

#include "proa/Diagnostic.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>

namespace proa {

using DiagnosticHandler = std::function<void(const Diagnostic &)>;

/// Calls `handler` for the first of all diagnostics of one kind on one variable at one op. Their messages may
/// differ, as dims that are known at a later import are part of them. Null stays null.
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
