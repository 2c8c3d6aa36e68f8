#include "translator/program/SourceProgram.h"

#include "lib/support/Files.h"
#include "translator/legacy/ReadProgram.h"
#include "translator/onnx/Inline.h"
#include "translator/onnx/ReadModel.h"
#include "translator/onnx/Schema.h"

#include <filesystem>

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

bool isOnnx(const std::string &name) { return name.ends_with(".onnx"); }

Result<SourceProgram> checked(Result<onnx::Model> model, const std::string &name) {
  if (!model)
    return model.diagnostics();
  if (Result<void> valid = onnx::checkSchemas(*model, name); !valid)
    return valid.diagnostics();
  Result<onnx::Model> inlined = onnx::inlineFunctions(std::move(*model), name);
  if (!inlined)
    return inlined.diagnostics();
  return SourceProgram(std::move(*inlined));
}

} // namespace

Result<SourceProgram> readProgram(const std::string &path) {
  if (isOnnx(path))
    return checked(onnx::readModel(path), path);
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  std::span<const std::byte> bytes = (*file)->bytes();
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return newir::isNewIr(text) ? readNewIr(text, path) : toSource(legacy::readMappedProgram(**file, path));
}

Result<SourceProgram> readProgramText(std::string_view text, const std::string &name) {
  if (isOnnx(name)) {
    std::string folder = std::filesystem::path(name).parent_path().string();
    return checked(onnx::readModelBytes(std::as_bytes(std::span(text)), name, folder.empty() ? "." : folder),
                   name);
  }
  return newir::isNewIr(text) ? readNewIr(text, name) : toSource(legacy::readProgramText(text, name));
}

} // namespace proa::translator
