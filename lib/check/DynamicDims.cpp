#include "lib/check/DynamicDims.h"

#include "dialects/pd/ir/Pd.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "passes/decompose/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <set>

using namespace mlir;

namespace proa::check {
namespace {

bool isWeightSlot(const std::string &slot) {
  return slot.starts_with("Filter") || slot.starts_with("Weight") || slot == "W";
}

std::set<std::string> weightsOf(const legacy::Program &program) {
  std::set<std::string> names;
  for (const legacy::Block &block : program.blocks)
    for (const legacy::Operation &op : block.operations)
      for (const legacy::Slot &slot : op.inputs)
        if (isWeightSlot(slot.name))
          names.insert(slot.arguments.begin(), slot.arguments.end());
  return names;
}

} // namespace

translator::SourceProgram withDynamicDims(translator::SourceProgram program, const Tensors &feeds) {
  if (onnx::Model *model = program.onnx())
    for (onnx::ValueInfo &input : model->graph.inputs)
      if (feeds.contains(input.name) && input.type && input.type->dims)
        std::fill(input.type->dims->begin(), input.type->dims->end(), onnx::Dim());
  legacy::Program *legacy = program.legacy();
  if (!legacy)
    return program;
  std::set<std::string> weights = weightsOf(*legacy);
  for (legacy::Block &block : legacy->blocks)
    for (legacy::Variable &variable : block.variables)
      if (feeds.contains(variable.name) && !weights.contains(variable.name))
        std::fill(variable.dims.begin(), variable.dims.end(), -1);
  return program;
}

Result<void> decomposeAll(ModuleOp module) {
  DiagnosticCollector collector(module.getContext());
  PassManager pm(module.getContext());
  pm.addPass(createDecompose());
  if (failed(pm.run(module)))
    return collector.take("decomposition failed");
  std::set<std::string> remaining;
  module.walk([&](pd::DecomposableOpInterface op) { remaining.insert(op->getName().getStringRef().str()); });
  Diagnostics diagnostics;
  for (const std::string &name : remaining)
    diagnostics.add(name, "is not decomposed with dynamic dims");
  return diagnostics.empty() ? Result<void>() : Result<void>(diagnostics);
}

} // namespace proa::check
