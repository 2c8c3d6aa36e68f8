#include "translator/program/SourceProgram.h"

#include "lib/base/support/Files.h"
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

/// Whether a file is a model of ONNX: by its name, or by its first field, which is the number `ir_version`.
/// The first field of a legacy program is a message, and text begins with another character.
bool isOnnx(const std::string &name, std::string_view text) {
  constexpr char irVersionTag = 1 << 3;
  return name.ends_with(".onnx") || text.starts_with(irVersionTag);
}

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
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  std::span<const std::byte> bytes = (*file)->bytes();
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (isOnnx(path, text))
    return checked(onnx::readModel(path), path);
  return newir::isNewIr(text) ? readNewIr(text, path) : toSource(legacy::readMappedProgram(**file, path));
}

Result<SourceProgram> readProgramText(std::string_view text, const std::string &name) {
  if (isOnnx(name, text)) {
    std::string folder = std::filesystem::path(name).parent_path().string();
    return checked(onnx::readModelBytes(std::as_bytes(std::span(text)), name, folder.empty() ? "." : folder),
                   name);
  }
  return newir::isNewIr(text) ? readNewIr(text, name) : toSource(legacy::readProgramText(text, name));
}

} // namespace proa::translator
