#include "translator/import/VariableIndex.h"

namespace proa::import {

VariableIndex::VariableIndex(const legacy::Program &program) : program(program) {
  for (const legacy::Block &block : program.blocks) {
    auto &names = byName.emplace_back();
    names.reserve(block.variables.size());
    for (const legacy::Variable &variable : block.variables)
      names.try_emplace(variable.name, &variable);
  }
}

const legacy::Variable *VariableIndex::find(int32_t block, llvm::StringRef name) const {
  // A damaged program may have a cycle of parents: no more steps than there are blocks.
  for (size_t steps = 0; block >= 0 && static_cast<size_t>(block) < byName.size() && steps <= byName.size();
       ++steps) {
    auto found = byName[block].find(name);
    if (found != byName[block].end())
      return found->second;
    block = program.blocks[block].parent;
  }
  return nullptr;
}

} // namespace proa::import
