/// Errors of the library as Python exceptions.
#pragma once

#include "proa/Result.h"

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <utility>

namespace proa::python {

/// Errors that become the Python exception proa.Error.
class Failure : public std::exception {
public:
  explicit Failure(Diagnostics diagnostics) : list(std::move(diagnostics)), message(list.text()) {}
  const Diagnostics &diagnostics() const { return list; }
  const char *what() const noexcept override { return message.c_str(); }

private:
  Diagnostics list;
  std::string message;
};

/// The value of a result. Throws Failure.
template <class T> T check(Result<T> result) {
  if (!result)
    throw Failure(result.diagnostics());
  return std::move(*result);
}
inline void check(const Result<void> &result) {
  if (!result)
    throw Failure(result.diagnostics());
}

/// Adds the class Diagnostic, and the conversion of Failure.
void addErrors(nanobind::module_ &module);

} // namespace proa::python
