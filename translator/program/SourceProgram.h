/// A program of Paddle in either of its formats.
#pragma once

#include "translator/legacy/Program.h"
#include "translator/newir/Model.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace proa::translator {

/// A legacy program (ProgramDesc) or a model of the new IR, as its reader returns it.
class SourceProgram {
public:
  // NOLINTNEXTLINE(google-explicit-constructor): each of them is a source program
  SourceProgram(legacy::Program program) : program(std::move(program)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  SourceProgram(newir::Model model) : program(std::move(model)) {}

  /// The program if it is a legacy program; else null.
  const legacy::Program *legacy() const { return std::get_if<legacy::Program>(&program); }
  legacy::Program *legacy() { return std::get_if<legacy::Program>(&program); }
  /// The program if it is a model of the new IR; else null.
  const newir::Model *newIr() const { return std::get_if<newir::Model>(&program); }
  newir::Model *newIr() { return std::get_if<newir::Model>(&program); }

private:
  std::variant<legacy::Program, newir::Model> program;
};

/// Reads a program file. The content decides: text that begins with `{` and names the new IR is a model of
/// the new IR, other such text is a legacy program in JSON, and anything else is a legacy program in the
/// binary form. Errors: those of the readers.
Result<SourceProgram> readProgram(const std::string &path);

/// The same for the content of a file; `name` is the file in errors.
Result<SourceProgram> readProgramText(std::string_view text, const std::string &name);

} // namespace proa::translator
