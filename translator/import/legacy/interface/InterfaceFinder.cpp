#include "translator/import/legacy/interface/InterfaceFinder.h"

#include "translator/import/legacy/LegacyTable.h"

#include "llvm/ADT/STLExtras.h"

namespace proa::import {

bool isFeed(const legacy::Operation &op) { return op.type == "feed"; }
bool isFetch(const legacy::Operation &op) { return op.type == "fetch" || op.type == "fetch_v2"; }

InterfaceFinder::InterfaceFinder(const legacy::Program &program, const VariableIndex &variables,
                                 const Subgraph &subgraph)
    : program(program), variables(variables), subgraph(subgraph) {
  for (const legacy::Variable &variable : program.blocks[0].variables)
    matters.push_back(variable.persistable || variable.needCheckFeed);
}

void InterfaceFinder::feed(llvm::StringRef name) {
  if (const legacy::Variable *variable = mattering(variables.idOf(name)))
    written.insert(variable);
}

void InterfaceFinder::addBlock(int32_t block) {
  if (!subgraph.hasBlock(static_cast<size_t>(block)))
    return;
  for (auto [index, op] : llvm::enumerate(program.blocks[block].operations)) {
    if (block == 0 && !subgraph.hasOp(index))
      continue;
    if (block == 0 && ((isFeed(op) && op.output("Out")) || (isFetch(op) && op.input("X"))))
      continue;
    VariableIndex::OpVariables used = variables.idsOf(block, index);
    llvm::for_each(used.inputs, [&](VariableId id) { readVariable(id); });
    readOutputs(op);
    for (VariableId id : used.outputs)
      write(id, block != 0);
  }
}

const legacy::Variable *InterfaceFinder::mattering(VariableId id) const {
  return id < matters.size() && matters[id] ? variables.find(0, id) : nullptr;
}

void InterfaceFinder::readVariable(VariableId id) {
  const legacy::Variable *variable = mattering(id);
  if (variable && variable->persistable && !written.contains(variable))
    read.insert(variable);
}

/// Some ops read what an output's variable holds.
void InterfaceFinder::readOutputs(const legacy::Operation &op) {
  if (const LegacyOp *entry = findLegacyOp(op))
    for (const MappedSlot &input : entry->inputs)
      if (llvm::StringRef name = input.spelling; name.consume_front("<"))
        if (const legacy::Slot *slot = op.output(std::string_view(name.data(), name.size())))
          llvm::for_each(slot->arguments, [&](llvm::StringRef name) { fetch(name); });
}

/// A block that may not run leaves the variables that it writes as they were.
void InterfaceFinder::write(VariableId id, bool mayNotRun) {
  const legacy::Variable *variable = mattering(id);
  if (!variable || (mayNotRun && (!variable->persistable || written.contains(variable))))
    return;
  if (mayNotRun)
    read.insert(variable);
  else
    written.insert(variable);
  if (variable->persistable)
    kept.insert(variable);
}

} // namespace proa::import
