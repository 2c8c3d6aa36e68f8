#include "lib/compiler/files/OnnxFile.h"

#include "lib/compiler/files/ProgramAndWeights.h"
#include "lib/compiler/program/OnnxForm.h"
#include "lib/compiler/program/ProgramDialects.h"
#include "translator/export/onnx/OnnxExport.h"
#include "translator/onnx/WriteModel.h"

#include "mlir/IR/MLIRContext.h"

namespace proa {
namespace {

/// A model file must be below 2 GiB; others than weights are small.
constexpr size_t mostInModel = size_t(1) << 30;
/// Weights of this number of bytes or more are in the second file, if there is one.
constexpr size_t leastExternal = 1024;

size_t bytesOfWeights(const onnx::Model &model) {
  size_t bytes = 0;
  for (const onnx::TensorValue &tensor : model.graph.initializers)
    bytes += tensor.elements.bytes();
  return bytes;
}

} // namespace

Result<void> writeOnnx(const FolderRequest &request, int64_t opset) {
  mlir::DialectRegistry registry;
  registerProgramDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  Result<ProgramAndWeights> program = readProgramAndWeights(request, context);
  if (!program)
    return program.diagnostics();
  if (mlir::failed(formForOnnx(*program->module, opset)))
    return errorAt(request.model, "cannot be canonicalized; see above");
  exporter::OnnxExportOptions options;
  options.opset = opset;
  options.parameter = [&](const std::string &name) {
    auto found = program->weights.find(name);
    return found == program->weights.end() ? nullptr : &found->second;
  };
  Result<onnx::Model> model = exporter::exportOnnx(*program->module, options);
  if (!model)
    return model.diagnostics();
  onnx::WriteOptions write;
  if (bytesOfWeights(*model) >= mostInModel)
    write.externalFrom = leastExternal;
  return onnx::writeModel(*model, request.output, write);
}

} // namespace proa
