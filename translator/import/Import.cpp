#include "translator/import/Import.h"

#include "translator/import/legacy/ProgramImporter.h"
#include "translator/import/newir/NewIrImporter.h"
#include "translator/import/onnx/OnnxImporter.h"

using namespace mlir;

namespace proa::import {
namespace {

bool isWhole(const Tensor &tensor) { return tensor.dtype() <= DType::Int64; }

/// Short vectors of integers, and few floats: a value to pad with, a threshold, a factor for each dimension.
bool maySpecialize(const Tensor &tensor) {
  constexpr int64_t longest = 64, mostFloats = 8;
  return tensor.dims().size() <= 1 && tensor.size() <= (isWhole(tensor) ? longest : mostFloats);
}

} // namespace

std::map<std::string, Tensor> specializingFeeds(const std::map<std::string, Tensor> &feeds) {
  std::map<std::string, Tensor> specializing;
  for (const auto &[name, tensor] : feeds)
    if (maySpecialize(tensor))
      specializing[name] = tensor;
  return specializing;
}

std::map<std::string, Tensor> specializingParameters(const std::map<std::string, Tensor> &parameters) {
  std::map<std::string, Tensor> specializing;
  for (const auto &[name, tensor] : parameters)
    if (isWhole(tensor) && maySpecialize(tensor)) {
      Tensor copy(tensor.dtype(), tensor.dims());
      std::copy_n(tensor.as<std::byte>(), tensor.bytes(), copy.as<std::byte>());
      specializing[name] = std::move(copy);
    }
  return specializing;
}

Result<OwningOpRef<ModuleOp>> importProgram(MLIRContext &context, const legacy::Program &program,
                                            const ImportOptions &options) {
  ProgramImporter first(context, program, options);
  first.heldWarnings.emplace();
  auto imported = first.run();
  if (first.interface.feedTypes.empty()) {
    first.releaseWarnings();
    return imported;
  }
  ProgramImporter second(context, program, options);
  second.interface.feedTypes = std::move(first.interface.feedTypes);
  return second.run();
}

Result<OwningOpRef<ModuleOp>> importProgram(MLIRContext &context, const translator::SourceProgram &program,
                                            const ImportOptions &options) {
  if (const newir::Model *model = program.newIr())
    return importNewIr(context, *model, options);
  if (const onnx::Model *model = program.onnx())
    return importOnnx(context, *model, options);
  return importProgram(context, *program.legacy(), options);
}

Result<Interface> declaredInterface(MLIRContext &context, const translator::SourceProgram &program,
                                    const ImportOptions &options) {
  if (const newir::Model *model = program.newIr())
    return declaredInterface(context, *model, options);
  if (const onnx::Model *model = program.onnx())
    return declaredInterface(context, *model, options);
  return ProgramImporter(context, *program.legacy(), options).declaredInterface();
}

} // namespace proa::import
