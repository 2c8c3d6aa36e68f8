#include "translator/import/legacy/lod/LodTracker.h"

#include "translator/import/Import.h"

#include "dialects/pd/ir/Types.h"
#include "lib/base/support/LodEntries.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace proa::import {
namespace {

std::string ambiguousMark(llvm::StringRef variable) { return (variable + "@LOD?").str(); }
std::string anyMark(llvm::StringRef variable) { return (variable + "@LOD*").str(); }

} // namespace

std::string lodName(llvm::StringRef variable, size_t level) { return proa::lodName(variable, level); }

std::map<std::string, Tensor> withLods(const std::map<std::string, Tensor> &tensors) {
  return proa::withLods(tensors);
}

llvm::SmallVector<Value> LodTracker::levels(llvm::StringRef name) const {
  llvm::SmallVector<Value> found;
  if (!isActive)
    return found;
  while (Value level = scope.lookup(lodName(name, found.size())))
    found.push_back(level);
  return found;
}

void LodTracker::set(llvm::StringRef name, llvm::ArrayRef<Value> levels) {
  isActive |= !levels.empty();
  if (!isActive)
    return;
  scope.erase(ambiguousMark(name));
  scope.erase(anyMark(name));
  for (size_t level = this->levels(name).size(); level-- > levels.size();)
    scope.erase(lodName(name, level));
  for (auto [i, level] : llvm::enumerate(levels))
    scope.set(lodName(name, i), level);
}

VariableLod LodTracker::of(llvm::StringRef name) const {
  if (!isActive)
    return {};
  return {levels(name), scope.lookup(ambiguousMark(name)) != nullptr, scope.lookup(anyMark(name)) != nullptr};
}

void LodTracker::set(llvm::StringRef name, const VariableLod &lod) {
  set(name, lod.levels);
  // Only the presence of a mark matters. As a value of the scope it has the lifetime of the variable.
  Value mark = scope.lookup(name);
  if (lod.isAmbiguous && mark)
    scope.set(ambiguousMark(name), mark);
  if (lod.isAny && mark && isActive)
    scope.set(anyMark(name), mark);
}

LodTracker::Source LodTracker::source(const legacy::Operation &op, const LegacyOp *entry) const {
  if (!isActive)
    return {};
  // The first tensor is the first one in the table, or else in the legacy op.
  auto ofSlot = [&](const legacy::Slot &slot) {
    const std::string &name = slot.arguments.front();
    return Source{of(name), scope.lookup(name)};
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

void LodTracker::share(const legacy::Operation &op, const LegacyOp *entry, const Source &source) {
  if (!isActive)
    return;
  auto isArray = [](Value value) { return isa<pd::ArrayType>(value.getType()); };
  auto give = [&](const std::string &name, const VariableLod &lod) {
    Value value = scope.lookup(name);
    VariableLod own = of(name);
    if (!value || !own.levels.empty() || own.isAmbiguous)
      return;
    // The levels of an array are arrays. An op that makes a tensor of an array sets the LoD itself.
    if (lod.levels.empty() || isArray(lod.levels.front()) == isArray(value))
      set(name, lod);
  };
  // The rows of a gradient have the LoD of its variable.
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments)
      if (size_t end = name.find("@GRAD"); end != std::string::npos)
        give(name, of(llvm::StringRef(name).take_front(end)));
  if (!entry || (source.lod.levels.empty() && !source.lod.isAmbiguous) || entry->lod == LodRule::None)
    return;
  VariableLod lod = source.lod;
  lod.isAny = false;
  if (entry->lod == LodRule::Outer && !lod.levels.empty())
    lod.levels.pop_back();
  auto rowsOf = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return !type || type.getRank() == 0 ? 0 : type.getDimSize(0);
  };
  for (const MappedSlot &output : entry->outputs) {
    const legacy::Slot *slot = op.output(output.spelling);
    for (const std::string &name : slot ? slot->arguments : std::vector<std::string>()) {
      Value value = scope.lookup(name);
      if (value && (entry->lod != LodRule::Rows || rowsOf(value) == rowsOf(source.tensor)))
        give(name, lod);
    }
    if (entry->lod != LodRule::All)
      return;
  }
}

} // namespace proa::import
