//! Errors in blocks of control flow that may never run. Paddle checks an op when it runs it. Blocks that
//! cannot be imported become an op that ends the run.
#include "translator/import/legacy/control/Loop.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/control/CheckOps.h"

using namespace mlir;

namespace proa::import {
namespace {

/// The errors in one line, without the program's file, which the caller shows.
std::string textOf(const Diagnostics &diagnostics, llvm::StringRef source) {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics) {
    llvm::StringRef where = diagnostic.location;
    if (where.consume_front(source))
      where.consume_front(": ");
    text += (text.empty() ? "" : "; ") + where.str() + ": " + diagnostic.message;
  }
  return text;
}

} // namespace

void ControlFlowImporter::dropDiagnostics(size_t first) {
  Diagnostics kept;
  for (size_t i = 0; i < std::min(first, program.diagnostics.size()); ++i)
    kept.add(program.diagnostics[i].location, program.diagnostics[i].message);
  program.diagnostics = std::move(kept);
  for (std::vector<size_t> *indices : {&program.consequences, &program.ofOpenOperands})
    llvm::erase_if(*indices, [&](size_t i) { return i >= first; });
}

Diagnostics ControlFlowImporter::deferDiagnostics(size_t first) {
  bool feedsMayHelp = llvm::any_of(program.ofOpenOperands, [&](size_t i) { return i >= first; });
  if (feedsMayHelp && !program.options.deferAll)
    return {};
  Diagnostics causes, all;
  for (size_t i = first; i < program.diagnostics.size(); ++i) {
    all.add(program.diagnostics[i].location, program.diagnostics[i].message);
    if (!llvm::is_contained(program.consequences, i))
      causes.add(program.diagnostics[i].location, program.diagnostics[i].message);
  }
  dropDiagnostics(first);
  deferredCount += !all.empty();
  return causes.empty() ? all : causes;
}

RankedTensorType ControlFlowImporter::declaredType(llvm::StringRef name) const {
  const legacy::Variable *variable = program.variables.find(program.currentBlock, name);
  if (!variable || !variable->dtype || variable->kind != legacy::VariableKind::DenseTensor)
    return {};
  llvm::SmallVector<int64_t> shape;
  for (int64_t dim : variable->dims)
    shape.push_back(dim < 0 ? ShapedType::kDynamic : dim);
  return RankedTensorType::get(shape, pd::elementTypeOf(&program.context, *variable->dtype));
}

bool ControlFlowImporter::makeFailures(Branch &branch, Location location) {
  if (!branch.failures[0].empty() && !branch.failures[1].empty()) {
    for (const Diagnostics &failure : branch.failures)
      program.diagnostics.append(failure);
    return false;
  }
  for (size_t region : {0, 1}) {
    if (branch.failures[region].empty())
      continue;
    std::string message = textOf(branch.failures[region], program.options.source);
    program.warn("dead-block", branch.names.empty() ? "" : branch.names.front(),
                 "a block of control flow cannot be imported, and the run ends if it comes to it: " +
                     message);
    branch.regions[region].front().clear();
    llvm::SmallVector<Value *> undefined;
    llvm::SmallVector<Type> types;
    for (size_t i = 0; i < branch.names.size(); ++i) {
      Value other = branch.values[1 - region][i];
      Type type = other ? other.getType() : Type(declaredType(branch.names[i]));
      // An array becomes an empty one.
      if (branch.values[region][i] || !isa_and_present<RankedTensorType>(type))
        continue;
      undefined.push_back(&branch.values[region][i]);
      types.push_back(type);
    }
    OpBuilder inRegion(&program.context);
    inRegion.setInsertionPointToEnd(&branch.regions[region].front());
    auto fail = pd::FailOp::create(inRegion, location, types, inRegion.getStringAttr(message));
    for (auto [value, result] : llvm::zip(undefined, fail.getResults()))
      *value = result;
  }
  return true;
}

void ControlFlowImporter::finishFailedLoop(const Loop &loop, const Diagnostics &failure) {
  Value condition = program.lookup(loop.condition);
  Branch branch;
  branch.failures[0] = failure;
  for (llvm::StringRef name : effectsOf(program.legacyProgram, loop.block).written) {
    Value before = program.lookup(name);
    if (!before && !declaredType(name)) {
      program.poisoned.insert(name);
      continue;
    }
    branch.names.push_back(name.str());
    branch.values[0].push_back(Value());
    branch.values[1].push_back(before);
    branch.lods[0].push_back({{}, false, true});
    branch.lods[1].push_back(program.lods.of(name));
  }
  for (Region &region : branch.regions)
    region.emplaceBlock();
  if (!condition) {
    program.diagnostics.append(failure);
    return;
  }
  llvm::SmallVector<Value> results = makeBranch(branch, condition, loop.location);
  for (auto [i, value] : llvm::enumerate(results)) {
    program.define(branch.names[i], value);
    program.lods.set(branch.names[i], branch.resultLods[i]);
  }
}

} // namespace proa::import
