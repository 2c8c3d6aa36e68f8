/// Result type of functions that may fail: a value, or the list of all errors of the input.
#pragma once

#include "proa/Diagnostic.h"

#include <utility>
#include <variant>

namespace proa {

/// A T, or the errors that prevented it. Dereferencing a failed result, and diagnostics() of a successful
/// one, throw std::bad_variant_access.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Diagnostics diagnostics) : state(std::move(diagnostics)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state); }
  T &operator*() { return std::get<T>(state); }
  const T &operator*() const { return std::get<T>(state); }
  T *operator->() { return &std::get<T>(state); }
  const T *operator->() const { return &std::get<T>(state); }
  const Diagnostics &diagnostics() const { return std::get<Diagnostics>(state); }

private:
  std::variant<T, Diagnostics> state;
};

/// Success, or the errors that prevented it.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Diagnostics diagnostics) : list(std::move(diagnostics)) {}
  explicit operator bool() const { return list.empty(); }
  const Diagnostics &diagnostics() const { return list; }

private:
  Diagnostics list;
};

} // namespace proa
