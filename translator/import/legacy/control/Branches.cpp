//! Conditions. Paddle writes `cond` as two conditional_blocks, one on the condition and one on its negation,
//! and a select_input for each result: they become one scf.if. Any other conditional_block becomes an scf.if
//! whose other region keeps all variables.
#include "translator/import/common/UndefinedValues.h"
#include "translator/import/legacy/ProgramImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::import {
namespace {

std::string pairKey(llvm::StringRef onFalse, llvm::StringRef onTrue) {
  return (onFalse + "|" + onTrue).str();
}

/// The two names of a select_input: the value where the mask is 0, then where it is 1.
const std::vector<std::string> *selectedNames(const legacy::Operation &op) {
  const legacy::Slot *slot = op.input("X");
  return op.type == "select_input" && slot && slot->arguments.size() == 2 ? &slot->arguments : nullptr;
}

bool hasOneElement(RankedTensorType type) {
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

bool isNegation(Value value, Value of) {
  auto negation = value.getDefiningOp<pd::LogicalNotOp>();
  return negation && negation.getX() == of;
}

/// A mask is a condition as an integer.
bool isMaskOf(Value mask, Value condition) {
  while (mask && mask != condition) {
    Operation *op = mask.getDefiningOp();
    if (!isa_and_present<pd::CastOp, pd::ReshapeOp, pd::AssignOp>(op))
      return false;
    mask = op->getOperand(0);
  }
  return mask != nullptr;
}

} // namespace

bool isConditionalBlock(const legacy::Operation &op) {
  return op.type == "conditional_block" || op.type == "conditional_block_infer";
}

std::optional<int32_t> ControlFlowImporter::blockOf(const legacy::Operation &op) {
  const legacy::Attribute *attribute = op.attribute("sub_block");
  const auto *index = attribute ? std::get_if<legacy::BlockIndex>(&attribute->value) : nullptr;
  std::optional<int32_t> block = subBlockOf(program.legacyProgram, op);
  if (!index)
    program.report("expected a block in attribute 'sub_block'");
  else if (!block)
    program.report("attribute 'sub_block' is " + llvm::Twine(index->index) +
                   ", expected one after the first of the program's " +
                   llvm::Twine(program.legacyProgram.blocks.size()) + " blocks");
  else if (llvm::is_contained(openBlocks, *block))
    program.report("block " + llvm::Twine(*block) + " is run inside of itself");
  else
    return block;
  return std::nullopt;
}

void ControlFlowImporter::importBlock(int32_t block, const Names &results, const BlockInputs &given) {
  int32_t outerBlock = std::exchange(program.currentBlock, block);
  size_t outerIndex = program.currentIndex, producerCount = program.gradients.producerCount();
  const legacy::Operation *outerOp = program.currentOp;
  std::vector<PendingBlock> outerPending = std::exchange(pending, {});
  auto outerSelected = std::exchange(selected, {});
  openBlocks.push_back(block);
  // A variable that the block declares hides one of the same name around it.
  if (block != 0)
    for (const legacy::Variable &variable : program.legacyProgram.blocks[block].variables) {
      program.scope.erase(variable.name);
      program.lods.clear(variable.name);
    }
  for (auto &[name, value] : given)
    program.lods.clear(name);
  for (auto &[name, value] : given)
    program.scope.set(name, value);
  for (auto [index, op] : llvm::enumerate(program.legacyProgram.blocks[block].operations)) {
    if (block == 0 && !program.interface.subgraph.hasOp(index))
      continue;
    program.importOp(index, op);
    if (block == 0 && !program.interface.subgraph.cutFeeds().empty())
      program.interface.restoreCutFeeds(op);
  }
  while (!pending.empty()) {
    PendingBlock conditional = std::move(pending.front());
    pending.erase(pending.begin());
    if (llvm::any_of(conditional.written, [&](llvm::StringRef name) {
          return results.contains(name) || program.scope.contains(name);
        }))
      finishPending(conditional);
  }
  if (!program.sharedBuffers.empty()) {
    program.sharedBuffers.refresh(results);
    if (block == 0)
      program.sharedBuffers.refresh(Names(program.interface.states.begin(), program.interface.states.end()));
    program.sharedBuffers.removeBlock(block);
  }
  openBlocks.pop_back();
  pending = std::move(outerPending);
  selected = std::move(outerSelected);
  program.currentBlock = outerBlock;
  program.currentIndex = outerIndex;
  program.currentOp = outerOp;
  if (block != 0)
    program.gradients.truncateProducers(producerCount);
}

Value ControlFlowImporter::scalarCondition(Value condition, Location location) {
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  bool isOne =
      type && type.getElementType().isInteger(1) && (!type.hasStaticShape() || type.getNumElements() == 1);
  if (!isOne) {
    std::string text;
    llvm::raw_string_ostream(text) << condition.getType();
    program.report("the condition is " + text + ", expected one bool");
    return {};
  }
  if (type.getRank() != 0)
    condition =
        pd::ReshapeOp::create(program.builder, location, RankedTensorType::get({}, type.getElementType()),
                              condition, Value(), program.builder.getDenseI64ArrayAttr({}));
  return tensor::ExtractOp::create(program.builder, location, condition);
}

//===-- Pending blocks ----------------------------------------------------------------------------------===//

Value ControlFlowImporter::inputsHaveElements(const legacy::Operation &op) {
  OpImporter importer(program, op, program.builder, program.locationOf(program.currentIndex, op));
  llvm::SmallVector<Value> inputs = importer.inputs("Input");
  return importer.build([&](pd::TensorBuilder &e) {
    auto boolType = RankedTensorType::get({}, program.builder.getI1Type()),
         intType = RankedTensorType::get({}, program.builder.getI64Type());
    Value all = importer.constant(DenseElementsAttr::get(boolType, true));
    for (Value input : inputs) {
      pd::Expression zero = e.wrap(importer.constant(DenseElementsAttr::get(intType, int64_t(0))));
      all = e.create<pd::LogicalAndOp>(all, e.wrap(e.create<pd::NumelOp>(input)) > zero);
    }
    return all;
  });
}

void ControlFlowImporter::importConditionalBlock(const legacy::Operation &op) {
  std::optional<int32_t> block = blockOf(op);
  if (!block)
    return;
  const legacy::Attribute *scalar = op.attribute("is_scalar_condition");
  if (scalar && scalar->value == legacy::AttributeValue(false)) {
    size_t before = program.diagnostics.size();
    Value hasElements = inputsHaveElements(op);
    if (program.diagnostics.size() != before)
      return;
    recordRun(*block, op, hasElements);
    return finishPending(
        {&op, *block, hasElements, effectsOf(program.legacyProgram, *block).written, program.scope});
  }
  const legacy::Slot *condition = op.input("Cond");
  if (!condition || condition->arguments.size() != 1)
    return program.report("expected one variable in 'Cond'");
  const std::string &name = condition->arguments.front();
  Value value = program.lookup(name);
  if (!value && program.poisoned.contains(name))
    return program.reportConsequence("input 'Cond': variable '" + name + "' could not be imported");
  if (!value)
    return program.report("input 'Cond': variable '" + name + "' is read before anything defines it");
  recordRun(*block, op, value);
  PendingBlock conditional{&op, *block, value, effectsOf(program.legacyProgram, *block).written,
                           program.scope};
  if (conditional.written.empty()) // it may still check something
    finishPending(conditional);
  else
    pending.push_back(std::move(conditional));
}

const ControlFlowImporter::PendingBlock *ControlFlowImporter::findPending(llvm::StringRef written) const {
  for (const PendingBlock &conditional : llvm::reverse(pending))
    if (conditional.written.contains(written))
      return &conditional;
  return nullptr;
}

const ControlFlowImporter::PendingBlock *
ControlFlowImporter::findOpposite(const PendingBlock &conditional) const {
  for (const PendingBlock &other : llvm::reverse(pending))
    if (isNegation(conditional.condition, other.condition) ||
        isNegation(other.condition, conditional.condition))
      return &other;
  return nullptr;
}

void ControlFlowImporter::removePending(const PendingBlock *first, const PendingBlock *second) {
  std::vector<PendingBlock> left;
  for (PendingBlock &conditional : pending)
    if (&conditional != first && &conditional != second)
      left.push_back(std::move(conditional));
  pending = std::move(left);
}

void ControlFlowImporter::finishPendingWriting(const Names &names, Value opposite) {
  for (size_t i = 0; i < pending.size();) {
    // Of two blocks on opposite conditions neither sees the writes of the other one.
    bool isCounterpart = opposite && (isNegation(opposite, pending[i].condition) ||
                                      isNegation(pending[i].condition, opposite));
    if (isCounterpart ||
        llvm::none_of(pending[i].written, [&](llvm::StringRef name) { return names.contains(name); })) {
      ++i;
      continue;
    }
    PendingBlock conditional = std::move(pending[i]);
    pending.erase(pending.begin() + static_cast<ptrdiff_t>(i));
    finishPending(conditional);
  }
}

void ControlFlowImporter::finishPendingBefore(const legacy::Operation &op) {
  if (op.type == "select_input")
    return;
  Effects effects = effectsOf(program.legacyProgram, op);
  effects.read.insert(effects.written.begin(), effects.written.end());
  const legacy::Slot *condition = isConditionalBlock(op) ? op.input("Cond") : nullptr;
  Value value =
      condition && !condition->arguments.empty() ? program.lookup(condition->arguments.front()) : Value();
  finishPendingWriting(effects.read, value);
}

//===-- Making an scf.if --------------------------------------------------------------------------------===//

void ControlFlowImporter::importRegion(const PendingBlock *conditional, Branch &branch, size_t region) {
  OpBuilder::InsertionGuard guard(program.builder);
  program.builder.createBlock(&branch.regions[region]);
  if (!conditional) {
    for (const std::string &name : branch.names) {
      branch.values[region].push_back(program.lookup(name));
      branch.lods[region].push_back(program.lods.of(name));
    }
    return;
  }
  Scope outer = std::exchange(program.scope, conditional->scope);
  Names results(branch.names.begin(), branch.names.end());
  size_t before = program.diagnostics.size();
  SharedBuffers::State outerBuffers = program.sharedBuffers.state();
  importBlock(conditional->block, results);
  branch.failures[region] = deferDiagnostics(before);
  bool hasFailed = !branch.failures[region].empty();
  if (hasFailed) // the values of the block's ops go with them
    program.sharedBuffers.restore(std::move(outerBuffers));
  for (const std::string &name : branch.names) {
    branch.values[region].push_back(hasFailed ? Value() : program.lookup(name));
    branch.lods[region].push_back(hasFailed ? VariableLod{{}, false, true} : program.lods.of(name));
  }
  program.scope = std::move(outer);
}

/// Python numbers are doubles or integers in the program. Beside a tensor they have its element type.
Type ControlFlowImporter::declaredElement(const legacy::Operation &select) const {
  const legacy::Slot *output = select.output("Out");
  const legacy::Variable *variable =
      output && !output->arguments.empty()
          ? program.variables.find(program.currentBlock, output->arguments.front())
          : nullptr;
  return variable && variable->dtype ? pd::elementTypeOf(&program.context, *variable->dtype) : Type();
}

void ControlFlowImporter::alignRegions(Branch &branch, size_t i, Location location) {
  Value *values[2] = {&branch.values[0][i], &branch.values[1][i]};
  auto builderIn = [&](size_t side) { // the regions do not belong to an op yet, which would have the context
    OpBuilder inRegion(program.builder.getContext());
    inRegion.setInsertionPointToEnd(&branch.regions[side].front());
    return inRegion;
  };
  for (size_t side : {0, 1})
    if (isPlaceholder(*values[side], *values[1 - side])) {
      branch.lods[side][i].isAny = true;
      OpBuilder inRegion = builderIn(side);
      *values[side] = createPlaceholder(inRegion, location, values[1 - side]->getType());
    }
  auto first = dyn_cast<RankedTensorType>(values[0]->getType()),
       second = dyn_cast<RankedTensorType>(values[1]->getType());
  if (!first || !second)
    return;
  Type element = i < branch.declared.size() ? branch.declared[i] : Type();
  if (element && first.getElementType() != second.getElementType())
    for (size_t side : {0, 1})
      if (pd::tensorType(*values[side]).getElementType() != element) {
        OpBuilder inRegion = builderIn(side);
        *values[side] = pd::CastOp::create(inRegion, location, *values[side], TypeAttr::get(element));
      }
  // Paddle does not distinguish a number and a vector of one element. The result of the condition has one
  // rank.
  if (first.getRank() != second.getRank() && hasOneElement(first) && hasOneElement(second)) {
    size_t lower = first.getRank() < second.getRank() ? 0 : 1;
    OpBuilder inRegion = builderIn(lower);
    auto shape = (lower == 0 ? second : first).getShape();
    *values[lower] = pd::ReshapeOp::create(
        inRegion, location, RankedTensorType::get(shape, pd::tensorType(*values[lower]).getElementType()),
        *values[lower], Value(), inRegion.getDenseI64ArrayAttr(shape));
  }
}

llvm::SmallVector<Value> ControlFlowImporter::makeBranch(Branch &branch, Value condition, Location location) {
  llvm::SmallVector<Type> types;
  if (!makeFailures(branch, location))
    return {};
  for (size_t i = 0; i < branch.names.size(); ++i) {
    alignRegions(branch, i, location);
    Type first = branch.values[0][i].getType(), second = branch.values[1][i].getType();
    Type type = pd::joinedTypes(first, second);
    if (!type && i >= branch.declared.size() && !isReadAround(branch.names[i])) {
      branch.erase(i--);
      continue;
    }
    if (!type) {
      std::string text;
      llvm::raw_string_ostream(text) << first << " and " << second;
      // With the dims of the feeds, one region may become invalid.
      if (llvm::any_of(program.interface.feeds, [&](const std::string &name) {
            auto fed = dyn_cast_or_null<RankedTensorType>(
                program.lookup(name) ? program.lookup(name).getType() : Type());
            return fed && !fed.hasStaticShape();
          }))
        program.ofOpenOperands.push_back(program.diagnostics.size());
      program.report("the two branches give '" + branch.names[i] +
                     "' different ranks or element types: " + text);
      return {};
    }
    types.push_back(type);
  }
  size_t count = types.size();
  joinLods(branch, types, location);
  Value scalar = scalarCondition(condition, location);
  if (!scalar)
    return {};
  auto ifOp = scf::IfOp::create(program.builder, location, types, scalar, /*withElseRegion=*/true);
  Region *targets[2] = {&ifOp.getThenRegion(), &ifOp.getElseRegion()};
  for (size_t i : {0, 1}) {
    targets[i]->takeBody(branch.regions[i]);
    OpBuilder::InsertionGuard guard(program.builder);
    program.builder.setInsertionPointToEnd(&targets[i]->front());
    for (auto [value, type] : llvm::zip(branch.values[i], types))
      value = pd::widened(program.builder, location, value, type);
    scf::YieldOp::create(program.builder, location, branch.values[i]);
  }
  auto next = ifOp.getResults().begin() + count;
  for (VariableLod &lod : branch.resultLods)
    for (Value &level : lod.levels)
      if (!level)
        level = *next++;
  return llvm::SmallVector<Value>(ifOp.getResults().take_front(count));
}

void ControlFlowImporter::finishPending(const PendingBlock &conditional) {
  const legacy::Operation *outerOp = std::exchange(program.currentOp, conditional.op);
  size_t before = program.diagnostics.size();
  Branch branch;
  for (llvm::StringRef name : conditional.written)
    branch.names.push_back(name.str());
  importRegion(&conditional, branch, 0);
  importRegion(nullptr, branch, 1);
  // Variables that the block leaves undefined stay undefined.
  bool hasFailed = !branch.failures[0].empty();
  for (size_t i = branch.names.size(); i-- > 0;)
    if (!branch.values[0][i] && !(hasFailed && (branch.values[1][i] || declaredType(branch.names[i])))) {
      if (hasFailed)
        program.poisoned.insert(branch.names[i]);
      branch.erase(i);
    }
  llvm::SmallVector<Value> results;
  if (program.diagnostics.size() == before)
    results =
        makeBranch(branch, conditional.condition, program.locationOf(program.currentIndex, *conditional.op));
  for (auto [i, value] : llvm::enumerate(results)) {
    program.define(branch.names[i], value);
    program.lods.set(branch.names[i], branch.resultLods[i]);
  }
  if (program.diagnostics.size() != before)
    for (llvm::StringRef name : conditional.written)
      program.poisoned.insert(name);
  program.currentOp = outerOp;
}

bool ControlFlowImporter::isReadLater(llvm::StringRef name) const {
  const auto &operations = program.legacyProgram.blocks[program.currentBlock].operations;
  for (size_t i = program.currentIndex + 1; i < operations.size(); ++i)
    if (operations[i].type != "select_input" &&
        effectsOf(program.legacyProgram, operations[i]).read.contains(name))
      return true;
  if (program.currentBlock == 0)
    return llvm::is_contained(program.interface.fetches, name) ||
           llvm::is_contained(program.interface.states, name);
  const auto &own = program.legacyProgram.blocks[program.currentBlock].variables;
  return llvm::none_of(own, [&](const legacy::Variable &variable) { return variable.name == name; });
}

bool ControlFlowImporter::isReadAround(llvm::StringRef name) const {
  const legacy::Program &source = program.legacyProgram;
  size_t next = program.currentIndex + 1;
  for (size_t depth = openBlocks.size(); depth-- > 0;) {
    int32_t block = openBlocks[depth];
    const legacy::Block &content = source.blocks[block];
    for (const legacy::Operation &op : llvm::ArrayRef(content.operations).drop_front(next))
      if (effectsOf(source, op).read.contains(name))
        return true;
    if (llvm::any_of(content.variables, [&](const legacy::Variable &own) { return own.name == name; }))
      break;
    if (depth == 0)
      return true;
    const auto &around = source.blocks[openBlocks[depth - 1]].operations;
    auto runs = [&](const legacy::Operation &op) { return subBlockOf(source, op) == block; };
    auto op = llvm::find_if(around, runs);
    // A loop runs the block again.
    if (op == around.end() || (!isConditionalBlock(*op) && effectsOf(source, block).read.contains(name)))
      return true;
    next = static_cast<size_t>(op - around.begin()) + 1;
  }
  return llvm::is_contained(program.interface.fetches, name) ||
         llvm::is_contained(program.interface.states, name);
}

//===-- select_input ------------------------------------------------------------------------------------===//

bool ControlFlowImporter::isOuter(const std::string &name) const {
  return !findPending(name) && program.lookup(name);
}

std::vector<std::pair<std::string, std::string>>
ControlFlowImporter::branchVariables(const PendingBlock *onFalse, const PendingBlock *onTrue,
                                     llvm::ArrayRef<std::string> names, Branch &branch) {
  std::vector<std::pair<std::string, std::string>> pairs;
  auto add = [&](const std::string &first, const std::string &second, const legacy::Operation *select) {
    if (llvm::is_contained(pairs, std::pair(first, second)))
      return;
    pairs.emplace_back(first, second);
    if (select)
      branch.declared.push_back(declaredElement(*select));
  };
  add(names[0], names[1], program.currentOp);
  auto isOf = [&](const std::string &name, const PendingBlock *conditional) {
    return conditional && conditional->written.contains(name);
  };
  const auto &operations = program.legacyProgram.blocks[program.currentBlock].operations;
  for (size_t i = program.currentIndex; i < operations.size(); ++i)
    if (const auto *later = selectedNames(operations[i])) {
      bool isFirstOf = isOf((*later)[0], onFalse), isSecondOf = isOf((*later)[1], onTrue);
      if ((isFirstOf || isSecondOf) && (isFirstOf || isOuter((*later)[0])) &&
          (isSecondOf || isOuter((*later)[1])))
        add((*later)[0], (*later)[1], &operations[i]);
    }
  for (const PendingBlock *conditional : {onFalse, onTrue})
    if (conditional)
      for (llvm::StringRef name : conditional->written)
        if (conditional->scope.contains(name) ||
            (llvm::none_of(pairs, [&](auto &pair) { return pair.first == name || pair.second == name; }) &&
             isReadLater(name)))
          add(name.str(), name.str(), nullptr);
  return pairs;
}

void ControlFlowImporter::mergePending(const PendingBlock *onFalse, const PendingBlock *onTrue,
                                       llvm::ArrayRef<std::string> names) {
  Branch branch;
  auto pairs = branchVariables(onFalse, onTrue, names, branch);
  size_t selectedCount = branch.declared.size();
  for (auto &[first, second] : pairs)
    branch.names.push_back(second);
  Value condition = onTrue ? onTrue->condition : onFalse->condition;
  size_t falseRegion = onTrue ? 1 : 0;
  auto importOne = [&](const PendingBlock *conditional, size_t region) {
    importRegion(conditional, branch, region);
    for (auto [i, name] : llvm::enumerate(branch.names))
      if (conditional && isOuter(name)) {
        branch.values[region][i] = program.lookup(name);
        branch.lods[region][i] = program.lods.of(name);
      }
  };
  importOne(onTrue, 1 - falseRegion);
  for (size_t i = 0; i < pairs.size(); ++i)
    branch.names[i] = pairs[i].first;
  importOne(onFalse, falseRegion);
  Location location = program.locationOf(program.currentIndex, *program.currentOp);
  bool hasFailed = !branch.failures[0].empty() || !branch.failures[1].empty();
  if (!branch.failures[0].empty() && !branch.failures[1].empty() && !makeFailures(branch, location))
    return;
  for (size_t i = pairs.size(); i-- > 0;)
    if (!branch.values[0][i] && !branch.values[1][i]) {
      if (hasFailed && declaredType(pairs[i].first))
        continue;
      if (i < selectedCount)
        return program.report("neither '" + pairs[i].first + "' nor '" + pairs[i].second +
                              "' is defined by its conditional_block");
      pairs.erase(pairs.begin() + static_cast<ptrdiff_t>(i));
      branch.erase(i);
    }
  llvm::SmallVector<Value> results = makeBranch(branch, condition, location);
  for (auto [i, result] : llvm::enumerate(results))
    if (i < selectedCount) {
      std::string key = pairKey(pairs[i].first, pairs[i].second);
      selected[key] = result;
      selectedLods[key] = branch.resultLods[i];
    } else {
      program.define(branch.names[i], result);
      program.lods.set(branch.names[i], branch.resultLods[i]);
    }
}

void ControlFlowImporter::defineSelected(const std::string &name, const std::string &key) {
  program.define(name, selected.lookup(key));
  program.lods.set(name, selectedLods[key]);
}

void ControlFlowImporter::importSelectInput(const legacy::Operation &op) {
  const legacy::Slot *inputs = op.input("X"), *output = op.output("Out"), *mask = op.input("Mask");
  if (!inputs || inputs->arguments.empty() || !output || output->arguments.size() != 1 || !mask ||
      mask->arguments.size() != 1)
    return program.report("expected variables in 'X', one in 'Mask' and one in 'Out'");
  llvm::ArrayRef<std::string> names = inputs->arguments;
  const std::string &result = output->arguments.front();
  if (names.size() != 2)
    return selectByMask(op, names, result);
  if (names[0] == names[1]) { // one variable that both branches change
    finishPendingWriting(Names(names.begin(), names.begin() + 1));
    OpImporter importer(program, op, program.builder, program.locationOf(program.currentIndex, op));
    importer.takesArrays = true;
    if (Value value = importer.inputs("X").empty() ? Value() : program.lookup(names[0])) {
      VariableLod lod = program.lods.of(names[0]);
      program.define(result, value);
      program.lods.set(result, lod);
    }
    return;
  }
  std::string key = pairKey(names[0], names[1]);
  if (selected.contains(key))
    return defineSelected(result, key);
  const PendingBlock *onFalse = findPending(names[0]), *onTrue = findPending(names[1]);
  // One of the two may be an outer variable: its block may be missing, or write only other variables.
  bool isOuterOnFalse = !onFalse && onTrue && program.lookup(names[0]),
       isOuterOnTrue = onFalse && !onTrue && program.lookup(names[1]);
  if (isOuterOnFalse)
    onFalse = findOpposite(*onTrue);
  if (isOuterOnTrue)
    onTrue = findOpposite(*onFalse);
  Value maskValue = program.lookup(mask->arguments.front());
  bool isPair = onFalse && onTrue &&
                (isNegation(onFalse->condition, onTrue->condition) ||
                 isNegation(onTrue->condition, onFalse->condition));
  if (isOuterOnFalse || isOuterOnTrue)
    isPair &= isMaskOf(maskValue, onTrue ? onTrue->condition : Value());
  bool isSingle = isOuterOnFalse && !onFalse && isMaskOf(maskValue, onTrue->condition);
  if (!isPair && !isSingle)
    return selectByMask(op, names, result);
  size_t before = program.diagnostics.size();
  mergePending(onFalse, onTrue, names);
  removePending(onFalse, onTrue);
  if (program.diagnostics.size() == before)
    defineSelected(result, key);
}

Value ControlFlowImporter::maskEquals(OpImporter &importer, Value mask, int64_t scalar) {
  Type type = pd::tensorType(mask).getElementType();
  return importer.build([&](pd::TensorBuilder &e) {
    auto value = DenseElementsAttr::get(RankedTensorType::get({}, type),
                                        Attribute(importer.getBuilder().getIntegerAttr(type, scalar)));
    return e.wrap(mask) == e.wrap(importer.constant(value));
  });
}

/// Selects by a mask that is unknown before the run.
void ControlFlowImporter::selectByMask(const legacy::Operation &op, llvm::ArrayRef<std::string> names,
                                       const std::string &output) {
  Names inputs(names.begin(), names.end());
  finishPendingWriting(inputs);
  Location location = program.locationOf(program.currentIndex, op);
  OpImporter importer(program, op, program.builder, location);
  Value mask = importer.requiredInput("Mask");
  importer.takesArrays = true;
  llvm::SmallVector<Value> values = importer.inputs("X");
  if (!mask || values.size() != names.size())
    return;
  Value result = values.back();
  VariableLod resultLod = program.lods.of(names.back());
  for (size_t i = values.size() - 1; i-- > 0;) {
    Value isThis = maskEquals(importer, mask, static_cast<int64_t>(i));
    if (!isThis)
      return;
    Branch branch;
    branch.names = {names[i]};
    branch.declared = {declaredElement(op)};
    for (size_t region : {0, 1}) {
      OpBuilder::InsertionGuard guard(program.builder);
      program.builder.createBlock(&branch.regions[region]);
      branch.values[region].push_back(region == 0 ? values[i] : result);
      branch.lods[region].push_back(region == 0 ? program.lods.of(names[i]) : resultLod);
    }
    llvm::SmallVector<Value> results = makeBranch(branch, isThis, location);
    if (results.empty())
      return;
    result = results.front();
    resultLod = branch.resultLods.front();
  }
  program.define(output, result);
  program.lods.set(output, resultLod);
}

} // namespace proa::import
