//! Persistable variables of the new IR: ops in place change them, `set_parameter` and `shadow_output` (of
//! startup programs) set them.
#include "translator/import/newir/ModelImporter.h"

using namespace mlir;

namespace proa::import {

void ModelImporter::updateStates(const newir::Operation &op) {
  llvm::StringRef name = op.name;
  if (!name.consume_front("1."))
    return;
  for (auto [result, operand] : inPlacePairs(name)) {
    if (result >= op.outputs.size() || operand >= op.inputs.size())
      continue;
    int64_t id = op.inputs[operand];
    auto written = values.find(op.outputs[result].id), old = values.find(id);
    if (written == values.end() || old == values.end() || written->second.size() != 1 ||
        old->second.size() != 1)
      continue;
    Value after = written->second[0], before = old->second[0];
    auto variable = variableOf.find(id);
    if (variable != variableOf.end()) {
      // A value that control flow changes is one of its results (defineWritten).
      if (builder.getInsertionBlock() == &function.getBody().front())
        states[variable->second] = after;
      variableOf[op.outputs[result].id] = variable->second;
    }
    // Later reads of the operand read the changed memory.
    bool isHere =
        before.getParentBlock() == builder.getInsertionBlock() && after.getType() == before.getType();
    if (isHere || carried.count(id))
      old->second[0] = after;
  }
}

void ModelImporter::importSetParameter(const newir::Operation &op) {
  Values value = op.inputs.size() == 1 ? operand(op.inputs[0]) : Values();
  if (value.size() == 1)
    states[text(op, op.name == "0.set_parameter" ? "parameter_name" : "output_name")] = value[0];
}

void ModelImporter::findChanged(const std::vector<newir::Operation> &operations,
                                std::map<int64_t, std::string> &variables, std::set<std::string> &changed) {
  for (const newir::Operation &op : operations) {
    llvm::StringRef name = op.name;
    if (name.consume_front("1."))
      for (auto [result, operand] : inPlacePairs(name)) {
        auto variable = operand < op.inputs.size() ? variables.find(op.inputs[operand]) : variables.end();
        if (variable == variables.end())
          continue;
        changed.insert(variable->second);
        if (result < op.outputs.size())
          variables[op.outputs[result].id] = variable->second;
      }
    for (const std::vector<newir::Block> &region : op.regions)
      for (const newir::Block &block : region)
        findChanged(block.operations, variables, changed);
  }
}

} // namespace proa::import
