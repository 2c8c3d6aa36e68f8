/// Result type of functions that may fail: a value, or the list of all errors of the input.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace proa {

/// One error of the input.
struct Problem {
  /// The location: a file, a JSON path, an op or a Python line: "model/program.json:
  /// blocks[0].ops[3].inputs[0]".
  std::string where;
  /// The error and the expectation, without a full stop.
  std::string message;
};

/// All errors of one input. A reader continues after an error if possible, so that the user sees all
/// errors at once.
class Problems {
public:
  void add(std::string where, std::string message) { list.push_back({std::move(where), std::move(message)}); }
  void append(const Problems &other) { list.insert(list.end(), other.list.begin(), other.list.end()); }
  bool empty() const { return list.empty(); }
  size_t size() const { return list.size(); }
  auto begin() const { return list.begin(); }
  auto end() const { return list.end(); }
  const Problem &operator[](size_t i) const { return list[i]; }
  /// One line for each error: "error: WHERE: MESSAGE".
  std::string text() const {
    std::string out;
    for (const Problem &p : list)
      out += "error: " + p.where + (p.where.empty() ? "" : ": ") + p.message + "\n";
    return out;
  }

private:
  std::vector<Problem> list;
};

/// A list with one error.
inline Problems problem(std::string where, std::string message) {
  Problems p;
  p.add(std::move(where), std::move(message));
  return p;
}

/// A T, or the errors that prevented it. Dereferencing a failed result, and problems() of a successful one,
/// throw std::bad_variant_access.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Problems problems) : state(std::move(problems)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state); }
  T &operator*() { return std::get<T>(state); }
  const T &operator*() const { return std::get<T>(state); }
  T *operator->() { return &std::get<T>(state); }
  const T *operator->() const { return &std::get<T>(state); }
  const Problems &problems() const { return std::get<Problems>(state); }

private:
  std::variant<T, Problems> state;
};

/// Success, or the errors that prevented it.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Problems problems) : list(std::move(problems)) {}
  explicit operator bool() const { return list.empty(); }
  const Problems &problems() const { return list; }

private:
  Problems list;
};

} // namespace proa
