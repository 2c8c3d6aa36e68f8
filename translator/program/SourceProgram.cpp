#include "translator/program/SourceProgram.h"

#include "lib/support/Files.h"
#include "translator/legacy/ReadProgram.h"

namespace proa::translator {
namespace {

Result<SourceProgram> toSource(Result<legacy::Program> program) {
  if (!program)
    return program.diagnostics();
  return SourceProgram(std::move(*program));
}

Result<SourceProgram> readNewIr(std::string_view text, const std::string &name) {
  Result<newir::Model> model = newir::readModel(text, name);
  if (!model)
    return model.diagnostics();
  return SourceProgram(std::move(*model));
}

} // namespace

Result<SourceProgram> readProgram(const std::string &path) {
  if (path.ends_with(".onnx"))
    return errorAt(path,
                   "found an ONNX model, which proa cannot import yet, expected a program of PaddlePaddle "
                   "(JSON or .pdmodel)");
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  std::span<const std::byte> bytes = (*file)->bytes();
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return newir::isNewIr(text) ? readNewIr(text, path) : toSource(legacy::readMappedProgram(**file, path));
}

Result<SourceProgram> readProgramText(std::string_view text, const std::string &name) {
  return newir::isNewIr(text) ? readNewIr(text, name) : toSource(legacy::readProgramText(text, name));
}

} // namespace proa::translator
