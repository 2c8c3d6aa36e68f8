//! LoD: each level of a variable's LoD is a variable of its own, "x@LOD0" the outermost, an int64 vector of offsets.
#include "translator/import/ProgramImporter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace proa::import {

std::string lodName(llvm::StringRef variable, size_t level) {
  return (variable + "@LOD" + llvm::Twine(level)).str();
}

std::map<std::string, Tensor> withLods(const std::map<std::string, Tensor> &tensors) {
  std::map<std::string, Tensor> out = tensors;
  for (const auto &[name, tensor] : tensors)
    for (size_t level = 0; level < tensor.lod().size(); ++level) {
      const std::vector<int64_t> &offsets = tensor.lod()[level];
      Tensor copy(DType::Int64, {static_cast<int64_t>(offsets.size())});
      std::copy(offsets.begin(), offsets.end(), copy.as<int64_t>());
      out.insert_or_assign(lodName(name, level), copy);
    }
  return out;
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
  for (size_t level = lodOf(name).size(); level-- > levels.size();)
    environment.erase(lodName(name, level));
  for (auto [i, level] : llvm::enumerate(levels))
    environment[lodName(name, i)] = level;
}

ProgramImporter::LodSource ProgramImporter::lodSource(const legacy::Operation &op, const LegacyOp *entry) const {
  // The first tensor is the one that the table names first, or else the legacy op.
  auto ofSlot = [&](const legacy::Slot &slot) {
    const std::string &name = slot.arguments.front();
    return LodSource{lodOf(name), lookup(name)};
  };
  if (entry && !entry->inputs.empty()) {
    llvm::StringRef first = llvm::StringRef(entry->inputs.front().spelling).split('|').first.split('*').first;
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
  auto give = [&](const std::string &name, llvm::ArrayRef<Value> levels) {
    if (lookup(name) && lodOf(name).empty())
      setLod(name, levels);
  };
  // A gradient is one of rows that belong together as those of its variable do.
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments)
      if (size_t end = name.find("@GRAD"); end != std::string::npos)
        give(name, lodOf(llvm::StringRef(name).take_front(end)));
  if (!entry || source.levels.empty() || entry->lod == LodRule::None)
    return;
  llvm::ArrayRef<Value> levels = source.levels;
  if (entry->lod == LodRule::Outer)
    levels = levels.drop_back();
  auto rowsOf = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getRank() == 0 ? 0 : type.getDimSize(0);
  };
  for (const LegacySlot &output : entry->outputs) {
    const legacy::Slot *slot = op.output(output.spelling);
    for (const std::string &name : slot ? slot->arguments : std::vector<std::string>()) {
      Value value = lookup(name);
      if (value && (entry->lod != LodRule::Rows || rowsOf(value) == rowsOf(source.tensor)))
        give(name, levels);
    }
    if (entry->lod != LodRule::All)
      return;
  }
}

//===-- What hooks and the table see ------------------------------------------------------------------------------===//

llvm::SmallVector<Value> OpImporter::lod(llvm::StringRef slot, size_t index) {
  const legacy::Slot *found = op.input(std::string_view(slot.data(), slot.size()));
  if (!found || found->arguments.size() <= index)
    return {};
  return program.lodOf(found->arguments[index]);
}

llvm::SmallVector<Value> OpImporter::innermostLods(llvm::StringRef slot) {
  llvm::SmallVector<Value> offsets;
  const legacy::Slot *found = op.input(std::string_view(slot.data(), slot.size()));
  if (!found)
    return offsets;
  for (const std::string &name : found->arguments) {
    llvm::SmallVector<Value> levels = program.lodOf(name);
    if (!levels.empty())
      offsets.push_back(levels.back());
    else if (program.poisoned.contains(name))
      program.reportConsequence("input '" + slot + "': variable '" + name + "' could not be imported");
    else
      report("input '" + slot + "': variable '" + name + "' must have a LoD, but is fed or computed without one");
  }
  return offsets;
}

Value OpImporter::output(llvm::StringRef slot) {
  const legacy::Slot *found = op.output(std::string_view(slot.data(), slot.size()));
  return found && found->arguments.size() == 1 && !capturedOutputs ? program.lookup(found->arguments.front()) : Value();
}

void OpImporter::setOutputLod(llvm::StringRef slot, llvm::ArrayRef<Value> levels, size_t index) {
  const legacy::Slot *found = op.output(std::string_view(slot.data(), slot.size()));
  if (capturedOutputs)
    return;
  if (found && index < found->arguments.size())
    program.setLod(found->arguments[index], levels);
}

} // namespace proa::import
