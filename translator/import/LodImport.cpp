//! LoD: each level of a variable's LoD is a variable of its own, "x@LOD0" the outermost, an int64 vector of
//! offsets.
#include "translator/import/ProgramImporter.h"

#include "dialects/pd/ir/Types.h"
#include "lib/support/LodEntries.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace proa::import {
namespace {

std::string unclearMark(llvm::StringRef variable) { return (variable + "@LOD?").str(); }
std::string emptyMark(llvm::StringRef variable) { return (variable + "@LOD*").str(); }

} // namespace

std::string lodName(llvm::StringRef variable, size_t level) { return proa::lodName(variable, level); }

std::map<std::string, Tensor> withLods(const std::map<std::string, Tensor> &tensors) {
  return proa::withLods(tensors);
}

llvm::SmallVector<Value> ProgramImporter::lodOf(llvm::StringRef name) const {
  llvm::SmallVector<Value> levels;
  if (!hasLod)
    return levels;
  while (Value level = lookup(lodName(name, levels.size())))
    levels.push_back(level);
  return levels;
}

void ProgramImporter::setLod(llvm::StringRef name, llvm::ArrayRef<Value> levels) {
  hasLod |= !levels.empty();
  if (!hasLod)
    return;
  environment.erase(unclearMark(name));
  environment.erase(emptyMark(name));
  for (size_t level = lodOf(name).size(); level-- > levels.size();)
    environment.erase(lodName(name, level));
  for (auto [i, level] : llvm::enumerate(levels))
    environment.set(lodName(name, i), level);
}

ProgramImporter::VariableLod ProgramImporter::variableLod(llvm::StringRef name) const {
  if (!hasLod)
    return {};
  return {lodOf(name), lookup(unclearMark(name)) != nullptr, lookup(emptyMark(name)) != nullptr};
}

void ProgramImporter::setVariableLod(llvm::StringRef name, const VariableLod &lod) {
  setLod(name, lod.levels);
  // That there is a mark is all that counts; as a value of the environment it comes and goes with the
  // variable.
  Value mark = lookup(name);
  if (lod.isUnclear && mark)
    environment.set(unclearMark(name), mark);
  if (lod.isOfNothing && mark && hasLod)
    environment.set(emptyMark(name), mark);
}

ProgramImporter::LodSource ProgramImporter::lodSource(const legacy::Operation &op,
                                                      const LegacyOp *entry) const {
  if (!hasLod)
    return {};
  // The first tensor is the one that the table names first, or else the legacy op.
  auto ofSlot = [&](const legacy::Slot &slot) {
    const std::string &name = slot.arguments.front();
    return LodSource{variableLod(name), lookup(name)};
  };
  if (entry && entry->inputs.size() > 0) {
    llvm::StringRef first = entry->inputs.begin()->spelling.split('|').first.split('*').first;
    const legacy::Slot *slot = op.input(std::string_view(first.data(), first.size()));
    if (slot && !slot->arguments.empty())
      return ofSlot(*slot);
  }
  for (const legacy::Slot &slot : op.inputs)
    if (!slot.arguments.empty())
      return ofSlot(slot);
  return {};
}

void ProgramImporter::shareLod(const legacy::Operation &op, const LegacyOp *entry, const LodSource &source) {
  if (!hasLod)
    return;
  auto isArray = [](Value value) { return isa<pd::ArrayType>(value.getType()); };
  auto give = [&](const std::string &name, const VariableLod &lod) {
    Value value = lookup(name);
    VariableLod own = variableLod(name);
    if (!value || !own.levels.empty() || own.isUnclear)
      return;
    // The levels of an array are arrays; an op that makes a tensor of one says itself what its LoD is.
    if (lod.levels.empty() || isArray(lod.levels.front()) == isArray(value))
      setVariableLod(name, lod);
  };
  // A gradient is one of rows that belong together as those of its variable do.
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments)
      if (size_t end = name.find("@GRAD"); end != std::string::npos)
        give(name, variableLod(llvm::StringRef(name).take_front(end)));
  if (!entry || (source.lod.levels.empty() && !source.lod.isUnclear) || entry->lod == LodRule::None)
    return;
  VariableLod lod = source.lod;
  lod.isOfNothing = false;
  if (entry->lod == LodRule::Outer && !lod.levels.empty())
    lod.levels.pop_back();
  auto rowsOf = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return !type || type.getRank() == 0 ? 0 : type.getDimSize(0);
  };
  for (const LegacySlot &output : entry->outputs) {
    const legacy::Slot *slot = op.output(output.spelling);
    for (const std::string &name : slot ? slot->arguments : std::vector<std::string>()) {
      Value value = lookup(name);
      if (value && (entry->lod != LodRule::Rows || rowsOf(value) == rowsOf(source.tensor)))
        give(name, lod);
    }
    if (entry->lod != LodRule::All)
      return;
  }
}

//===-- What hooks and the table see --------------------------------------------------------------------===//

bool ProgramImporter::checkLod(llvm::StringRef slot, llvm::StringRef name) {
  if (!variableLod(name).isUnclear)
    return true;
  report("input '" + slot + "': how many LoD levels variable '" + name +
         "' has depends on the way that the program takes through its control flow, expected a number that "
         "is known");
  return false;
}

llvm::SmallVector<Value> OpImporter::lod(llvm::StringRef slot, size_t index) {
  const legacy::Slot *found = inputSlot(slot);
  if (!found || found->arguments.size() <= index || !program.checkLod(slot, found->arguments[index]))
    return {};
  return program.lodOf(found->arguments[index]);
}

bool OpImporter::hasUnclearLod(llvm::StringRef slot) const {
  const legacy::Slot *found = inputSlot(slot);
  return found && llvm::any_of(found->arguments,
                               [&](const std::string &name) { return program.variableLod(name).isUnclear; });
}

ArrayLod OpImporter::arrayLodBefore(llvm::StringRef outputSlot) const {
  const legacy::Slot *found = this->outputSlot(outputSlot);
  if (!found || found->arguments.size() != 1)
    return {{}, true};
  Value array = program.lookup(found->arguments.front());
  auto type = array ? dyn_cast<pd::ArrayType>(array.getType()) : pd::ArrayType();
  ProgramImporter::VariableLod lod = program.variableLod(found->arguments.front());
  return {lod.levels, !type || !type.getElement() || lod.isOfNothing, lod.isUnclear};
}

void OpImporter::setOutputLodUnclear(llvm::StringRef slot) {
  const legacy::Slot *found = outputSlot(slot);
  if (found && !found->arguments.empty() && !capturedOutputs)
    program.setVariableLod(found->arguments.front(), {{}, /*isUnclear=*/true, false});
}

llvm::SmallVector<Value> OpImporter::innermostLods(llvm::StringRef slot) {
  llvm::SmallVector<Value> offsets;
  const legacy::Slot *found = inputSlot(slot);
  if (!found)
    return offsets;
  for (const std::string &name : found->arguments) {
    if (!program.checkLod(slot, name))
      continue;
    llvm::SmallVector<Value> levels = program.lodOf(name);
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
    program.setLod(found->arguments[index], levels);
}

} // namespace proa::import
