/// Warnings and remarks about an accepted program.
#pragma once

#include <cstdint>
#include <string>

namespace proa {

/// A warning or remark about a program, with its location. Errors are not diagnostics: functions return them
/// as Problems.
struct Diagnostic {
  enum class Severity : uint8_t {
    Remark,  ///< a decision that a user may want to know
    Warning, ///< results may differ from those of the original program
  };

  Severity severity = Severity::Warning;
  /// The kind of diagnostic, the same in all versions: "declared-type", "loop-variable", "fetched-lod",
  /// "state-lod", "pruned-state", "stored-type", "dead-block"; for a remark of a pass, the pass's name.
  std::string code;
  /// The message, without a full stop.
  std::string message;
  /// The variable concerned; may be empty.
  std::string variable;

  /// The program's file; for a remark of a pass, the user's line ("net.py:42"). May be empty.
  std::string file;
  /// Index of the block, and of the op in the block; -1 if the diagnostic concerns the whole program.
  int64_t block = -1;
  int64_t op = -1;
  /// The op's type and the name of its first output; empty without an op.
  std::string opType;
  std::string output;
  /// The line of the user's Python code that created the op; line 0: unknown.
  std::string pythonFile;
  int64_t pythonLine = 0;

  /// The location: "program.json: blocks[0].ops[3] (relu) -> relu_0.tmp_0 at net.py:42".
  std::string where() const {
    std::string text = file;
    if (op < 0)
      return text;
    text += (text.empty() ? "" : ": ") +
            ("blocks[" + std::to_string(block) + "].ops[" + std::to_string(op) + "] (" + opType + ")");
    if (!output.empty())
      text += " -> " + output;
    if (pythonLine > 0)
      text += " at " + pythonFile + ":" + std::to_string(pythonLine);
    return text;
  }

  /// One line: "warning: WHERE: MESSAGE".
  std::string text() const {
    std::string place = where();
    return (severity == Severity::Warning ? "warning: " : "remark: ") + place + (place.empty() ? "" : ": ") +
           message + "\n";
  }
};

} // namespace proa
