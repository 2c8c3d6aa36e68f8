//! LoD through control flow. Levels are variables, which conditions and loops carry if a branch or an
//! iteration changes them. If the number of levels depends on the path, the LoD is ambiguous, and an op that
//! reads it reports an error.
#include "translator/import/Import.h"
#include "translator/import/common/UndefinedValues.h"
#include "translator/import/legacy/control/Loop.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"

using namespace mlir;

namespace proa::import {
namespace {

bool isEmptyArray(Value value) {
  auto type = value ? dyn_cast<pd::ArrayType>(value.getType()) : pd::ArrayType();
  return type && !type.getElement();
}

} // namespace

void ControlFlowImporter::Branch::erase(size_t i) {
  names.erase(names.begin() + static_cast<ptrdiff_t>(i));
  for (size_t side : {0, 1}) {
    values[side].erase(values[side].begin() + i);
    lods[side].erase(lods[side].begin() + static_cast<ptrdiff_t>(i));
  }
}

void ControlFlowImporter::joinLods(Branch &branch, llvm::SmallVectorImpl<Type> &types, Location location) {
  for (size_t i = 0; i < branch.names.size(); ++i) {
    VariableLod &result = branch.resultLods.emplace_back();
    VariableLod *lods[2] = {&branch.lods[0][i], &branch.lods[1][i]};
    for (size_t side : {0, 1})
      if (lods[side]->levels.empty() && (lods[side]->isAny || isEmptyArray(branch.values[side][i])))
        lods[side]->levels.assign(lods[1 - side]->levels.size(), Value());
    result.isAmbiguous =
        lods[0]->isAmbiguous || lods[1]->isAmbiguous || lods[0]->levels.size() != lods[1]->levels.size();
    result.isAny = lods[0]->isAny && lods[1]->isAny;
    for (size_t level = 0; !result.isAmbiguous && level < lods[0]->levels.size(); ++level) {
      Value values[2] = {lods[0]->levels[level], lods[1]->levels[level]};
      for (size_t side : {0, 1})
        if (!values[side]) {
          OpBuilder inRegion(program.builder.getContext());
          inRegion.setInsertionPointToEnd(&branch.regions[side].front());
          values[side] = createPlaceholder(inRegion, location, values[1 - side].getType());
        }
      Type type = pd::joinedTypes(values[0].getType(), values[1].getType());
      result.isAmbiguous = !type;
      if (!type)
        break;
      // A level that both branches keep needs no result. The others are set when the results exist.
      result.levels.push_back(values[0] == values[1] ? values[0] : Value());
      if (values[0] == values[1])
        continue;
      types.push_back(type);
      for (size_t side : {0, 1})
        branch.values[side].push_back(values[side]);
    }
  }
}

/// Gives the variables in the body of a loop the LoDs that they have before it; those that the loop carries
/// are there.
void ControlFlowImporter::enterLods(Loop &loop) {
  for (const Loop::Carried &variable : loop.carried) {
    if (variable.isLevel || !program.lookup(variable.name))
      continue;
    VariableLod lod = variable.levelCount > 0 ? program.lods.of(variable.name) : variable.lod;
    lod.isAny = isEmptyArray(variable.before);
    if (lod.isAny || !lod.levels.empty() || lod.isAmbiguous)
      program.lods.set(variable.name, lod);
  }
}

/// Compares the LoDs after the body with those before it. Returns whether the loop has to carry others than
/// were known: the body must be imported again then.
bool ControlFlowImporter::followLods(Loop &loop) {
  bool again = false;
  std::vector<Loop::Carried> added;
  llvm::StringSet<> dropped;
  for (Loop::Carried &variable : loop.carried) {
    if (variable.isLevel || variable.lod.isAmbiguous || !program.lookup(variable.name))
      continue;
    VariableLod after = program.lods.of(variable.name);
    size_t count = after.levels.size();
    size_t known = variable.levelCount > 0 ? variable.levelCount : variable.lod.levels.size();
    bool standsForNothing =
        !variable.before || variable.isUndefined || !variable.isReadFirst || isEmptyArray(variable.before);
    if (!after.isAmbiguous &&
        (variable.levelCount > 0 ? count == known : after.levels == variable.lod.levels))
      continue;
    again = true;
    if (after.isAmbiguous || (count != known && (variable.levelCount > 0 || !standsForNothing))) {
      for (size_t level = 0; level < variable.levelCount; ++level)
        dropped.insert(lodName(variable.name, level));
      variable.lod = {{}, /*isAmbiguous=*/true, false};
      variable.levelCount = 0;
      continue;
    }
    for (size_t level = 0; level < count; ++level) {
      Value before = count == known ? variable.lod.levels[level] : Value();
      added.push_back({lodName(variable.name, level), before, before ? before.getType() : Type(),
                       before && variable.isReadFirst, !before, /*isLevel=*/true});
    }
    variable.levelCount = count;
    variable.lod = {};
  }
  std::erase_if(loop.carried, [&](const Loop::Carried &variable) { return dropped.contains(variable.name); });
  llvm::append_range(loop.carried, added);
  return again;
}

/// After the loop: what it did not carry is as it was.
void ControlFlowImporter::leaveLods(Loop &loop) {
  for (const Loop::Carried &variable : loop.carried)
    if (!variable.isLevel && variable.levelCount == 0 &&
        (!variable.lod.levels.empty() || variable.lod.isAmbiguous))
      program.lods.set(variable.name, variable.lod);
}

} // namespace proa::import
