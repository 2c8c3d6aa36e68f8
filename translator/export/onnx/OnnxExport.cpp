#include "translator/export/onnx/OnnxExport.h"

#include "translator/export/onnx/GraphExporter.h"

using namespace mlir;

namespace proa::exporter {

Result<onnx::Model> exportOnnx(ModuleOp module, const OnnxExportOptions &options) {
  if (options.opset < oldestWrittenOpset || options.opset > onnx::newestOpsetVersion)
    return errorAt("", "opset " + std::to_string(options.opset) + " is not supported, expected " +
                           std::to_string(oldestWrittenOpset) + " to " +
                           std::to_string(onnx::newestOpsetVersion));
  // Decompositions are written into a copy.
  OwningOpRef<ModuleOp> copy = module.clone();
  auto main = copy->lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return errorAt("", "the module has no function 'main' of one block");
  return GraphExporter(main, options).run();
}

} // namespace proa::exporter
