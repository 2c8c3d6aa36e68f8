//! `while`: a block that runs as long as a variable holds. It becomes scf.while, which carries every variable
//! that the block writes and that is not its own.
#include "translator/import/common/UndefinedValues.h"
#include "translator/import/legacy/control/Loop.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::import {

namespace {

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool hasOneElement(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1;
}

} // namespace

/// Finds what the loop carries, as it is before the loop.
bool ControlFlowImporter::findCarried(Loop &loop) {
  Effects effects = effectsOf(program.legacyProgram, loop.block);
  if (!effects.written.contains(loop.condition)) {
    program.report("block " + llvm::Twine(loop.block) + " never writes the condition '" + loop.condition +
                   "'");
    return false;
  }
  size_t before = program.diagnostics.size();
  for (llvm::StringRef name : effects.written) {
    bool isReadFirst = name == loop.condition || effects.read.contains(name);
    Value value = program.lookup(name);
    bool isUndefined = value && isUndefinedNumber(value);
    // Before the loop it may have the number of undefined variables; its declared type is the type in
    // the loop.
    const legacy::Variable *declared = program.variables.find(program.currentBlock, name);
    if (isUndefined && declared && declared->dtype) {
      llvm::SmallVector<int64_t> dims;
      for (int64_t dim : declared->dims)
        dims.push_back(dim < 0 ? ShapedType::kDynamic : dim);
      auto type = RankedTensorType::get(dims, pd::elementTypeOf(&program.context, *declared->dtype));
      if (!pd::joinedTypes(value.getType(), type))
        value = createPlaceholder(program.builder, loop.location, type);
    }
    if (!value && declared && declared->kind == legacy::VariableKind::DenseTensorArray)
      value = pd::ArrayCreateOp::create(program.builder, loop.location); // an array needs no op that makes it
    if (!value && program.poisoned.contains(name))
      program.reportConsequence("variable '" + name + "' could not be imported");
    else if (!value && isReadFirst)
      program.report("variable '" + name + "' is read by block " + llvm::Twine(loop.block) +
                     " before anything defines it");
    else if (value || isReadLater(name))
      loop.carried.push_back({name.str(), value, value ? value.getType() : Type(), isReadFirst, isUndefined,
                              /*isLevel=*/false, program.lods.of(name)});
  }
  return program.diagnostics.size() == before;
}

/// The value of a variable after a loop of no iterations, if an iteration changes its type: its value before
/// the loop in that type. Null where there is no such value; `lost` says so where somebody reads it.
Value ControlFlowImporter::withoutIteration(OpBuilder &builder, Location location, const std::string &name,
                                            Value before, Type type, std::string &lost) {
  Value converted = convertedTo(builder, location, before, type);
  if (!converted && !isUndefinedNumber(before) && isReadLater(name))
    lost = "variable '" + name + "' has type " + textOf(before.getType()) + " before the loop and " +
           textOf(type) + " after an iteration: a loop of no iterations leaves zeros";
  return converted;
}

/// Brings the type of a carried variable together with the value after an iteration; false, and a report,
/// where they do not fit. Sets `again` where the type became wider.
bool ControlFlowImporter::widenCarried(Loop &loop, size_t index, Value after, bool &again) {
  Loop::Carried &variable = loop.carried[index];
  Type joined = variable.type ? pd::joinedTypes(variable.type, after.getType()) : Type();
  // Its value before the loop is read only if there is no iteration.
  if (!joined && (variable.isUndefined || !variable.isReadFirst)) {
    OpBuilder::InsertionGuard guard(program.builder);
    Value unchanged;
    if (!variable.isUndefined && variable.before)
      unchanged = withoutIteration(program.builder, loop.location, variable.name, variable.before,
                                   after.getType(), variable.lost);
    variable.before =
        unchanged ? unchanged : createPlaceholder(program.builder, loop.location, after.getType());
    joined = pd::joinedTypes(variable.before.getType(), after.getType());
  }
  // Paddle does not distinguish a number and a vector of one element. From the second iteration on it has the
  // rank that the body gives it.
  if (!joined && !variable.isReshaped && hasOneElement(variable.type) && hasOneElement(after.getType()) &&
      getElementTypeOrSelf(variable.type) == getElementTypeOrSelf(after.getType())) {
    auto shape = cast<RankedTensorType>(after.getType()).getShape();
    variable.before = pd::ReshapeOp::create(program.builder, loop.location, after.getType(), variable.before,
                                            Value(), program.builder.getDenseI64ArrayAttr(shape));
    variable.isReshaped = true;
    joined = after.getType();
  }
  if (!joined) {
    loop.changesType = true;
    program.report("variable '" + variable.name + "' has type " + textOf(variable.type) +
                   " before an iteration and " + textOf(after.getType()) +
                   " after it; a loop can change extents, not ranks or element types");
    return false;
  }
  again |= joined != variable.type;
  // Paddle writes the shape after an iteration into the declaration: of a feed that the loop changes it is
  // not the shape of what is fed.
  auto feed = dyn_cast_or_null<BlockArgument>(variable.before);
  if (feed && feed.getOwner() == &program.interface.function.getBody().front() && joined != feed.getType() &&
      llvm::is_contained(program.interface.feeds, variable.name))
    program.interface.feedTypes[variable.name] = cast<RankedTensorType>(joined);
  variable.type = joined;
  return true;
}

/// Gives empty arrays the type that the program declares for them; false where there is none left.
bool ControlFlowImporter::declareArrays(Loop &loop) {
  bool any = false;
  for (Loop::Carried &variable : loop.carried) {
    auto array = dyn_cast_or_null<pd::ArrayType>(variable.type);
    const legacy::Variable *declared = program.variables.find(program.currentBlock, variable.name);
    if (!array || array.getElement() || !declared || !declared->dtype)
      continue;
    llvm::SmallVector<int64_t> dims;
    for (int64_t dim : declared->dims)
      dims.push_back(dim < 0 ? ShapedType::kDynamic : dim);
    variable.type = pd::ArrayType::get(
        &program.context, RankedTensorType::get(dims, pd::elementTypeOf(&program.context, *declared->dtype)));
    any = true;
  }
  return any;
}

/// Imports the body once, under the types that are known so far.
ControlFlowImporter::Attempt ControlFlowImporter::importBody(Loop &loop) {
  size_t before = program.diagnostics.size();
  Scope outer = program.scope;
  loop.results.clear();
  Region body;
  llvm::SmallVector<Value> after;
  bool again = false;
  {
    OpBuilder::InsertionGuard guard(program.builder);
    Block *block = program.builder.createBlock(&body);
    Names results;
    for (const Loop::Carried &variable : loop.carried) {
      results.insert(variable.name);
      program.lods.clear(variable.name);
      if (variable.type)
        program.scope.set(variable.name, block->addArgument(variable.type, loop.location));
    }
    enterLods(loop);
    importBlock(loop.block, results);
    for (const Loop::Carried &variable : loop.carried)
      after.push_back(program.lookup(variable.name));
    again = program.diagnostics.size() == before && followLods(loop);
  }
  program.scope = std::move(outer);
  if (program.diagnostics.size() != before)
    return Attempt::Failed;
  if (again)
    return Attempt::Again;
  for (size_t i = 0; i < after.size(); ++i)
    if (after[i] && !widenCarried(loop, i, after[i], again))
      return Attempt::Failed;
  if (again)
    return Attempt::Again;
  // A variable that no iteration defines is none.
  std::erase_if(loop.carried, [](const Loop::Carried &variable) { return !variable.type; });
  for (Value value : after)
    if (value)
      loop.results.push_back(value);
  loop.body.takeBody(body);
  return Attempt::Done;
}

void ControlFlowImporter::finishLoop(Loop &loop) {
  llvm::SmallVector<Value> starts;
  llvm::SmallVector<Type> types = loop.types();
  for (Loop::Carried &variable : loop.carried)
    starts.push_back(pd::widened(program.builder, loop.location, variable.before, variable.type));
  Region test;
  {
    OpBuilder::InsertionGuard guard(program.builder);
    llvm::SmallVector<Location> locations(types.size(), loop.location);
    Block *block = program.builder.createBlock(&test, {}, types, locations);
    Value condition;
    for (auto [variable, argument] : llvm::zip(loop.carried, block->getArguments()))
      if (variable.name == loop.condition)
        condition = scalarCondition(argument, loop.location);
    if (!condition)
      return;
    scf::ConditionOp::create(program.builder, loop.location, condition, block->getArguments());
    program.builder.setInsertionPointToEnd(&loop.body.front());
    for (auto [value, type] : llvm::zip(loop.results, types))
      value = pd::widened(program.builder, loop.location, value, type);
    scf::YieldOp::create(program.builder, loop.location, loop.results);
  }
  auto whileOp = scf::WhileOp::create(program.builder, loop.location, types, starts);
  whileOp.getBefore().takeBody(test);
  whileOp.getAfter().takeBody(loop.body);
  for (auto [variable, result] : llvm::zip(loop.carried, whileOp.getResults()))
    program.define(variable.name, result);
  leaveLods(loop);
}

/// The first iteration by itself: from then on each of them keeps the types.
void ControlFlowImporter::importPeeled(const legacy::Operation &op, const Loop &loop) {
  Branch branch;
  Names written;
  for (const Loop::Carried &variable : loop.carried)
    if (!variable.isLevel) {
      branch.names.push_back(variable.name);
      written.insert(variable.name);
    }
  size_t before = program.diagnostics.size();
  Value condition = program.lookup(loop.condition);
  for (size_t side : {0, 1}) {
    OpBuilder::InsertionGuard guard(program.builder);
    program.builder.createBlock(&branch.regions[side]);
    Scope outer = program.scope;
    if (side == 0) {
      importBlock(loop.block, written);
      importLoop(op, loop.block, /*mayPeel=*/false);
    }
    for (const std::string &name : branch.names) {
      branch.values[side].push_back(program.lookup(name));
      branch.lods[side].push_back(program.lods.of(name));
    }
    program.scope = std::move(outer);
  }
  if (program.diagnostics.size() != before)
    return;
  for (size_t i = branch.names.size(); i-- > 0;) {
    Value after = branch.values[0][i], &start = branch.values[1][i];
    if (!after) {
      branch.erase(i);
    } else if (start && !pd::joinedTypes(start.getType(), after.getType())) {
      OpBuilder inRegion(program.builder.getContext());
      inRegion.setInsertionPointToEnd(&branch.regions[1].front());
      std::string lost;
      Value unchanged =
          withoutIteration(inRegion, loop.location, branch.names[i], start, after.getType(), lost);
      if (!lost.empty())
        program.warn("loop-variable", branch.names[i], lost);
      branch.lods[1][i].isAny = !unchanged;
      start = unchanged ? unchanged : createPlaceholder(inRegion, loop.location, after.getType());
    }
  }
  llvm::SmallVector<Value> results = makeBranch(branch, condition, loop.location);
  for (auto [i, value] : llvm::enumerate(results)) {
    program.define(branch.names[i], value);
    program.lods.set(branch.names[i], branch.resultLods[i]);
  }
}

void ControlFlowImporter::importWhile(const legacy::Operation &op) {
  const legacy::Slot *condition = op.input("Condition");
  if (!condition || condition->arguments.size() != 1)
    return program.report("expected one variable in 'Condition'");
  std::optional<int32_t> block = blockOf(op);
  if (!block)
    return;
  recordRun(*block, op, Value());
  importLoop(op, *block, /*mayPeel=*/true);
}

void ControlFlowImporter::importLoop(const legacy::Operation &op, int32_t block, bool mayPeel) {
  Loop loop{&op,
            block,
            program.locationOf(program.currentIndex, op),
            op.input("Condition")->arguments.front(),
            {},
            false,
            {},
            {}};
  size_t before = program.diagnostics.size();
  if (findCarried(loop)) {
    // The types of what is carried are wide enough when an iteration keeps them. Each attempt widens one at
    // least; only the warnings of the last one count.
    auto outerWarnings = std::move(program.heldWarnings);
    Attempt attempt = Attempt::Again;
    while (attempt == Attempt::Again) {
      program.heldWarnings.emplace();
      size_t earlier = program.diagnostics.size(), deferred = deferredCount;
      attempt = importBody(loop);
      // The element type of an array that the body fills is unknown at first, and the body may read it.
      if ((attempt == Attempt::Failed || deferredCount != deferred) && declareArrays(loop)) {
        dropDiagnostics(earlier);
        attempt = Attempt::Again;
      }
    }
    std::vector<Diagnostic> warnings = std::move(*program.heldWarnings);
    program.heldWarnings = std::move(outerWarnings);
    for (const Diagnostic &warning : warnings)
      if (program.heldWarnings)
        program.heldWarnings->push_back(warning);
      else if (program.options.onDiagnostic)
        program.options.onDiagnostic(warning);
    if (attempt == Attempt::Done) {
      finishLoop(loop);
      for (const Loop::Carried &variable : loop.carried)
        if (!variable.lost.empty())
          program.warn("loop-variable", variable.name, variable.lost);
    }
    if (attempt == Attempt::Failed && loop.changesType && mayPeel) {
      dropDiagnostics(before);
      importPeeled(op, loop);
    }
  }
  if (Diagnostics failure = deferDiagnostics(before); !failure.empty())
    finishFailedLoop(loop, failure);
  if (program.diagnostics.size() != before)
    for (llvm::StringRef name : effectsOf(program.legacyProgram, block).written)
      program.poisoned.insert(name);
}

} // namespace proa::import
