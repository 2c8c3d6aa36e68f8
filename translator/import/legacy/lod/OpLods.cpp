//! The LoD accessors of OpImporter.
#include "translator/import/legacy/ProgramImporter.h"

#include "dialects/pd/ir/Types.h"

using namespace mlir;

namespace proa::import {

bool OpImporter::hasKnownLod(llvm::StringRef slot, llvm::StringRef name) {
  if (!program.lods.of(name).isAmbiguous)
    return true;
  report("input '" + slot + "': how many LoD levels variable '" + name +
         "' has depends on control flow, expected a fixed number");
  return false;
}

llvm::SmallVector<Value> OpImporter::lod(llvm::StringRef slot, size_t index) {
  const legacy::Slot *found = inputSlot(slot);
  if (!found || found->arguments.size() <= index || !hasKnownLod(slot, found->arguments[index]))
    return {};
  return program.lods.levels(found->arguments[index]);
}

bool OpImporter::hasAmbiguousLod(llvm::StringRef slot) const {
  const legacy::Slot *found = inputSlot(slot);
  return found && llvm::any_of(found->arguments,
                               [&](const std::string &name) { return program.lods.of(name).isAmbiguous; });
}

ArrayLod OpImporter::arrayLodBefore(llvm::StringRef outputSlot) const {
  const legacy::Slot *found = this->outputSlot(outputSlot);
  if (!found || found->arguments.size() != 1)
    return {{}, true};
  Value array = program.lookup(found->arguments.front());
  auto type = array ? dyn_cast<pd::ArrayType>(array.getType()) : pd::ArrayType();
  VariableLod lod = program.lods.of(found->arguments.front());
  return {lod.levels, !type || !type.getElement() || lod.isAny, lod.isAmbiguous};
}

void OpImporter::setOutputLodAmbiguous(llvm::StringRef slot) {
  const legacy::Slot *found = outputSlot(slot);
  if (found && !found->arguments.empty() && !capturedOutputs)
    program.lods.set(found->arguments.front(), VariableLod{{}, /*isAmbiguous=*/true, false});
}

llvm::SmallVector<Value> OpImporter::innermostLods(llvm::StringRef slot) {
  llvm::SmallVector<Value> offsets;
  const legacy::Slot *found = inputSlot(slot);
  if (!found)
    return offsets;
  for (const std::string &name : found->arguments) {
    if (!hasKnownLod(slot, name))
      continue;
    llvm::SmallVector<Value> levels = program.lods.levels(name);
    if (!levels.empty())
      offsets.push_back(levels.back());
    else if (program.poisoned.contains(name))
      program.reportConsequence("input '" + slot + "': variable '" + name + "' could not be imported");
    else
      report("input '" + slot + "': variable '" + name +
             "' must have a LoD, but is fed or computed without one");
  }
  return offsets;
}

Value OpImporter::output(llvm::StringRef slot) {
  dependsOnOutputs = true;
  const legacy::Slot *found = outputSlot(slot);
  return found && found->arguments.size() == 1 && !capturedOutputs ? program.lookup(found->arguments.front())
                                                                   : Value();
}

void OpImporter::setOutputLod(llvm::StringRef slot, llvm::ArrayRef<Value> levels, size_t index) {
  const legacy::Slot *found = outputSlot(slot);
  if (capturedOutputs)
    return;
  if (found && index < found->arguments.size())
    program.lods.set(found->arguments[index], levels);
}

} // namespace proa::import
