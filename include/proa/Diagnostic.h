/// Errors, warnings and remarks about a program.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace proa {

/// An error, a warning or a remark, with its location.
struct Diagnostic {
  enum class Severity : uint8_t {
    Error,   ///< there is no result
    Warning, ///< results may differ from the original program
    Remark,  ///< a decision that a user may want to know
  };

  Severity severity = Severity::Error;
  /// A file, a JSON path, an op or a Python line: "program.json: blocks[0].ops[3] (relu) -> relu_0.tmp_0 at
  /// net.py:42". May be empty.
  std::string location;
  /// The message and, of an error, the expectation; without a full stop.
  std::string message;

  /// The kind, the same in all versions: "declared-type", "loop-variable", "fetched-lod", "state-lod",
  /// "pruned-state", "stored-type", "dead-block", "no-assembler", "no-fetch", "no-cache", "other-file",
  /// "ignored-mesh", "strategy", "library-refusal"; for a remark of a pass, the pass's name.
  std::string code = {};
  /// The variable concerned; may be empty.
  std::string variable = {};

  // The components of the location, as far as it is an op of a program.

  /// The program's file; for a remark of a pass, the user's line ("net.py:42"). May be empty.
  std::string file = {};
  /// Index of the block, and of the op in the block; -1 if the diagnostic concerns the whole program.
  int64_t block = -1;
  int64_t op = -1;
  /// The op's type and the name of its first output; empty without an op.
  std::string opType = {};
  std::string output = {};
  /// The line of the user's Python code that created the op; line 0: unknown.
  std::string pythonFile = {};
  int64_t pythonLine = 0;

  /// Sets the location to its components.
  void locate() {
    location = file;
    if (op < 0)
      return;
    location += (file.empty() ? "" : ": ") +
                ("blocks[" + std::to_string(block) + "].ops[" + std::to_string(op) + "] (" + opType + ")");
    if (!output.empty())
      location += " -> " + output;
    if (pythonLine > 0)
      location += " at " + pythonFile + ":" + std::to_string(pythonLine);
  }

  /// One line: "warning: LOCATION: MESSAGE".
  std::string text() const {
    constexpr const char *names[] = {"error: ", "warning: ", "remark: "};
    return names[static_cast<uint8_t>(severity)] + location + (location.empty() ? "" : ": ") + message + "\n";
  }
};

/// All errors of one input. A reader continues after an error if possible, so that the user sees all
/// errors at once.
class Diagnostics {
public:
  /// Adds an error.
  void add(std::string location, std::string message) {
    list.push_back({Diagnostic::Severity::Error, std::move(location), std::move(message)});
  }
  void add(Diagnostic diagnostic) { list.push_back(std::move(diagnostic)); }
  void append(const Diagnostics &other) { list.insert(list.end(), other.list.begin(), other.list.end()); }
  bool empty() const { return list.empty(); }
  size_t size() const { return list.size(); }
  auto begin() const { return list.begin(); }
  auto end() const { return list.end(); }
  const Diagnostic &operator[](size_t i) const { return list[i]; }
  /// One line for each: "error: LOCATION: MESSAGE".
  std::string text() const {
    std::string out;
    for (const Diagnostic &diagnostic : list)
      out += diagnostic.text();
    return out;
  }

private:
  std::vector<Diagnostic> list;
};

/// A list with one error.
inline Diagnostics errorAt(std::string location, std::string message) {
  Diagnostics diagnostics;
  diagnostics.add(std::move(location), std::move(message));
  return diagnostics;
}

} // namespace proa
