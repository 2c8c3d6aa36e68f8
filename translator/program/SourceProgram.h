/// A program in one of the formats that proa imports.
#pragma once

#include "translator/legacy/Program.h"
#include "translator/newir/Model.h"
#include "translator/onnx/Model.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace proa::translator {

/// A legacy program (ProgramDesc), a model of the new IR or a model of ONNX, as its reader returns it.
class SourceProgram {
public:
  // NOLINTNEXTLINE(google-explicit-constructor): each of them is a source program
  SourceProgram(legacy::Program program) : program(std::move(program)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  SourceProgram(newir::Model model) : program(std::move(model)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  SourceProgram(onnx::Model model) : program(std::move(model)) {}

  /// The program if it is a legacy program; else null.
  const legacy::Program *legacy() const { return std::get_if<legacy::Program>(&program); }
  legacy::Program *legacy() { return std::get_if<legacy::Program>(&program); }
  /// The program if it is a model of the new IR; else null.
  const newir::Model *newIr() const { return std::get_if<newir::Model>(&program); }
  newir::Model *newIr() { return std::get_if<newir::Model>(&program); }
  /// The program if it is a model of ONNX; else null. Its functions are inlined, and it has passed all
  /// checks.
  const onnx::Model *onnx() const { return std::get_if<onnx::Model>(&program); }
  onnx::Model *onnx() { return std::get_if<onnx::Model>(&program); }

private:
  std::variant<legacy::Program, newir::Model, onnx::Model> program;
};

/// Reads a program file. A file whose name ends with .onnx is a model of ONNX. For others the content
/// decides: a protobuf message that begins with a number (`ir_version`) is a model of ONNX, text that begins
/// with `{` and names the new IR is a model of the new IR, other such text is a legacy program in JSON, and
/// anything else is a legacy program in the binary form. Errors: from the readers, and from the checks of
/// ONNX.
Result<SourceProgram> readProgram(const std::string &path);

/// The same for the content of a file; `name` is the file in errors. Files with the weights of a model of
/// ONNX are beside it.
Result<SourceProgram> readProgramText(std::string_view text, const std::string &name);

} // namespace proa::translator
