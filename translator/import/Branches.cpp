//! Conditions. Paddle writes `cond` as two conditional_blocks, one on the condition and one on its negation,
//! and a select_input for each result: they become one scf.if with two arms. Any other conditional_block
//! becomes an scf.if whose other arm leaves all variables as they are.
#include "translator/import/Fillers.h"
#include "translator/import/ProgramImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
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

std::optional<int32_t> ProgramImporter::blockOf(const legacy::Operation &op) {
  const legacy::Attribute *attribute = op.attribute("sub_block");
  const auto *index = attribute ? std::get_if<legacy::BlockIndex>(&attribute->value) : nullptr;
  std::optional<int32_t> block = subBlockOf(program, op);
  if (!index)
    report("expected a block in attribute 'sub_block'");
  else if (!block)
    report("attribute 'sub_block' is " + llvm::Twine(index->index) +
           ", expected one behind the first of the program's " + llvm::Twine(program.blocks.size()) +
           " blocks");
  else if (llvm::is_contained(openBlocks, *block))
    report("block " + llvm::Twine(*block) + " is run inside of itself");
  else
    return block;
  return std::nullopt;
}

void ProgramImporter::importBlock(int32_t block, const Names &wanted, const BlockInputs &given) {
  int32_t outerBlock = std::exchange(currentBlock, block);
  size_t outerIndex = currentIndex, producerCount = producers.size();
  const legacy::Operation *outerOp = currentOp;
  std::vector<Arm> outerArms = std::exchange(arms, {});
  auto outerSelected = std::exchange(selected, {});
  openBlocks.push_back(block);
  // A variable that the block declares hides one of the same name around it.
  if (block != 0)
    for (const legacy::Variable &variable : program.blocks[block].variables) {
      environment.erase(variable.name);
      setLod(variable.name, {});
    }
  for (auto &[name, value] : given)
    setLod(name, {});
  for (auto &[name, value] : given)
    environment.set(name, value);
  for (auto [index, op] : llvm::enumerate(program.blocks[block].operations)) {
    if (block == 0 && !part.hasOp(index))
      continue;
    importOp(index, op);
    if (block == 0 && !part.cutFeeds().empty())
      restoreCutFeeds(op);
  }
  while (!arms.empty()) {
    Arm arm = std::move(arms.front());
    arms.erase(arms.begin());
    if (llvm::any_of(arm.written, [&](llvm::StringRef name) {
          return wanted.contains(name) || environment.contains(name);
        }))
      finishArm(arm);
  }
  if (!sharedBuffers.empty()) {
    refreshShared(wanted);
    if (block == 0)
      refreshShared(Names(states.begin(), states.end()));
    llvm::erase_if(sharedBuffers, [&](const SharedBuffer &shared) { return shared.block == block; });
  }
  openBlocks.pop_back();
  arms = std::move(outerArms);
  selected = std::move(outerSelected);
  currentBlock = outerBlock;
  currentIndex = outerIndex;
  currentOp = outerOp;
  if (block != 0)
    forgetProducers(producerCount);
}

Value ProgramImporter::scalarCondition(Value condition, Location location) {
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  bool isOne =
      type && type.getElementType().isInteger(1) && (!type.hasStaticShape() || type.getNumElements() == 1);
  if (!isOne) {
    std::string text;
    llvm::raw_string_ostream(text) << condition.getType();
    report("the condition is " + text + ", expected one bool");
    return {};
  }
  if (type.getRank() != 0)
    condition = pd::ReshapeOp::create(builder, location, RankedTensorType::get({}, type.getElementType()),
                                      condition, Value(), builder.getDenseI64ArrayAttr({}));
  return tensor::ExtractOp::create(builder, location, condition);
}

//===-- Waiting arms ------------------------------------------------------------------------------------===//

Value ProgramImporter::inputsHaveElements(const legacy::Operation &op) {
  OpImporter importer(*this, op, builder, locationOf(currentIndex, op));
  auto boolType = RankedTensorType::get({}, builder.getI1Type()),
       intType = RankedTensorType::get({}, builder.getI64Type());
  Value all = importer.constant(DenseElementsAttr::get(boolType, true));
  for (Value input : importer.inputs("Input")) {
    Value count = importer.createOne("pd.numel", {{input}});
    Value zero = importer.constant(DenseElementsAttr::get(intType, int64_t(0)));
    Value isThere = count ? importer.createOne("pd.greater_than", {{count}, {zero}}) : Value();
    if (!isThere || !(all = importer.createOne("pd.logical_and", {{all}, {isThere}})))
      return {};
  }
  return all;
}

void ProgramImporter::importConditionalBlock(const legacy::Operation &op) {
  std::optional<int32_t> block = blockOf(op);
  if (!block)
    return;
  const legacy::Attribute *scalar = op.attribute("is_scalar_condition");
  if (scalar && scalar->value == legacy::AttributeValue(false)) {
    size_t before = problems.size();
    Value hasElements = inputsHaveElements(op);
    if (problems.size() != before)
      return;
    recordRun(*block, op, hasElements);
    return finishArm({&op, *block, hasElements, effectsOf(program, *block).written, environment});
  }
  const legacy::Slot *condition = op.input("Cond");
  if (!condition || condition->arguments.size() != 1)
    return report("expected one variable in 'Cond'");
  const std::string &name = condition->arguments.front();
  Value value = lookup(name);
  if (!value && poisoned.contains(name))
    return reportConsequence("input 'Cond': variable '" + name + "' could not be imported");
  if (!value)
    return report("input 'Cond': variable '" + name + "' is read before anything defines it");
  recordRun(*block, op, value);
  Arm arm{&op, *block, value, effectsOf(program, *block).written, environment};
  if (arm.written.empty()) // it may still check something
    finishArm(arm);
  else
    arms.push_back(std::move(arm));
}

const ProgramImporter::Arm *ProgramImporter::findArm(llvm::StringRef written) const {
  for (const Arm &arm : llvm::reverse(arms))
    if (arm.written.contains(written))
      return &arm;
  return nullptr;
}

const ProgramImporter::Arm *ProgramImporter::findOpposite(const Arm &arm) const {
  for (const Arm &other : llvm::reverse(arms))
    if (isNegation(arm.condition, other.condition) || isNegation(other.condition, arm.condition))
      return &other;
  return nullptr;
}

void ProgramImporter::removeArms(const Arm *first, const Arm *second) {
  std::vector<Arm> left;
  for (Arm &arm : arms)
    if (&arm != first && &arm != second)
      left.push_back(std::move(arm));
  arms = std::move(left);
}

void ProgramImporter::finishArmsWriting(const Names &names, Value opposite) {
  for (size_t i = 0; i < arms.size();) {
    // Of two arms on opposite conditions neither sees what the other one writes.
    bool isCounterpart =
        opposite && (isNegation(opposite, arms[i].condition) || isNegation(arms[i].condition, opposite));
    if (isCounterpart ||
        llvm::none_of(arms[i].written, [&](llvm::StringRef name) { return names.contains(name); })) {
      ++i;
      continue;
    }
    Arm arm = std::move(arms[i]);
    arms.erase(arms.begin() + static_cast<ptrdiff_t>(i));
    finishArm(arm);
  }
}

void ProgramImporter::finishArmsBefore(const legacy::Operation &op) {
  if (op.type == "select_input")
    return;
  Effects effects = effectsOf(program, op);
  effects.read.insert(effects.written.begin(), effects.written.end());
  const legacy::Slot *condition = isConditionalBlock(op) ? op.input("Cond") : nullptr;
  Value value = condition && !condition->arguments.empty() ? lookup(condition->arguments.front()) : Value();
  finishArmsWriting(effects.read, value);
}

//===-- Making an scf.if --------------------------------------------------------------------------------===//

void ProgramImporter::importArm(const Arm *arm, Branch &branch, size_t region) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&branch.regions[region]);
  if (!arm) {
    for (const std::string &name : branch.names) {
      branch.values[region].push_back(lookup(name));
      branch.lods[region].push_back(variableLod(name));
    }
    return;
  }
  Environment outer = std::exchange(environment, arm->environment);
  Names wanted(branch.names.begin(), branch.names.end());
  size_t before = problems.size();
  std::vector<SharedBuffer> outerBuffers = sharedBuffers;
  importBlock(arm->block, wanted);
  branch.failures[region] = deferProblems(before);
  bool hasFailed = !branch.failures[region].empty();
  if (hasFailed) // the values of the block's ops go with them
    sharedBuffers = std::move(outerBuffers);
  for (const std::string &name : branch.names) {
    branch.values[region].push_back(hasFailed ? Value() : lookup(name));
    branch.lods[region].push_back(hasFailed ? VariableLod{{}, false, true} : variableLod(name));
  }
  environment = std::move(outer);
}

/// Python numbers are doubles here, or integers; beside a tensor they stand for elements of its type.
Type ProgramImporter::declaredElement(const legacy::Operation &select) const {
  const legacy::Slot *output = select.output("Out");
  const legacy::Variable *variable = output && !output->arguments.empty()
                                         ? variables.find(currentBlock, output->arguments.front())
                                         : nullptr;
  return variable && variable->dtype ? pd::elementTypeOf(&context, *variable->dtype) : Type();
}

void ProgramImporter::alignArms(Branch &branch, size_t i, Location location) {
  Value *values[2] = {&branch.values[0][i], &branch.values[1][i]};
  auto builderIn = [&](size_t arm) { // the regions belong to no op yet that would know the context
    OpBuilder inArm(builder.getContext());
    inArm.setInsertionPointToEnd(&branch.regions[arm].front());
    return inArm;
  };
  for (size_t arm : {0, 1})
    if (isFiller(*values[arm], *values[1 - arm])) {
      branch.lods[arm][i].isOfNothing = true;
      OpBuilder inArm = builderIn(arm);
      *values[arm] = makeFiller(inArm, location, values[1 - arm]->getType());
    }
  auto first = dyn_cast<RankedTensorType>(values[0]->getType()),
       second = dyn_cast<RankedTensorType>(values[1]->getType());
  if (!first || !second)
    return;
  Type element = i < branch.declared.size() ? branch.declared[i] : Type();
  if (element && first.getElementType() != second.getElementType())
    for (size_t arm : {0, 1})
      if (pd::tensorType(*values[arm]).getElementType() != element) {
        OpBuilder inArm = builderIn(arm);
        *values[arm] = pd::CastOp::create(inArm, location, *values[arm], TypeAttr::get(element));
      }
  // To Paddle a number and a vector of one element are alike; what is behind the condition has one rank here.
  if (first.getRank() != second.getRank() && hasOneElement(first) && hasOneElement(second)) {
    size_t lower = first.getRank() < second.getRank() ? 0 : 1;
    OpBuilder inArm = builderIn(lower);
    auto shape = (lower == 0 ? second : first).getShape();
    *values[lower] = pd::ReshapeOp::create(
        inArm, location, RankedTensorType::get(shape, pd::tensorType(*values[lower]).getElementType()),
        *values[lower], Value(), inArm.getDenseI64ArrayAttr(shape));
  }
}

llvm::SmallVector<Value> ProgramImporter::makeBranch(Branch &branch, Value condition, Location location) {
  llvm::SmallVector<Type> types;
  if (!makeFailures(branch, location))
    return {};
  for (size_t i = 0; i < branch.names.size(); ++i) {
    alignArms(branch, i, location);
    Type first = branch.values[0][i].getType(), second = branch.values[1][i].getType();
    Type type = pd::joinedTypes(first, second);
    if (!type) {
      std::string text;
      llvm::raw_string_ostream(text) << first << " and " << second;
      // Where the dims of feeds are known, an arm may turn out to be invalid.
      if (llvm::any_of(feeds, [&](const std::string &name) {
            auto fed = dyn_cast_or_null<RankedTensorType>(lookup(name) ? lookup(name).getType() : Type());
            return fed && !fed.hasStaticShape();
          }))
        ofOpenOperands.push_back(problems.size());
      report("the two arms give '" + branch.names[i] + "' different ranks or element types: " + text);
      return {};
    }
    types.push_back(type);
  }
  size_t count = types.size();
  joinLods(branch, types, location);
  Value scalar = scalarCondition(condition, location);
  if (!scalar)
    return {};
  auto made = scf::IfOp::create(builder, location, types, scalar, /*withElseRegion=*/true);
  Region *targets[2] = {&made.getThenRegion(), &made.getElseRegion()};
  for (size_t i : {0, 1}) {
    targets[i]->takeBody(branch.regions[i]);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&targets[i]->front());
    for (auto [value, type] : llvm::zip(branch.values[i], types))
      value = pd::widened(builder, location, value, type);
    scf::YieldOp::create(builder, location, branch.values[i]);
  }
  auto next = made.getResults().begin() + count;
  for (VariableLod &lod : branch.resultLods)
    for (Value &level : lod.levels)
      if (!level)
        level = *next++;
  return llvm::SmallVector<Value>(made.getResults().take_front(count));
}

void ProgramImporter::finishArm(const Arm &arm) {
  const legacy::Operation *outerOp = std::exchange(currentOp, arm.op);
  size_t before = problems.size();
  Branch branch;
  for (llvm::StringRef name : arm.written)
    branch.names.push_back(name.str());
  importArm(&arm, branch, 0);
  importArm(nullptr, branch, 1);
  // What the block left undefined stays undefined.
  bool hasFailed = !branch.failures[0].empty();
  for (size_t i = branch.names.size(); i-- > 0;)
    if (!branch.values[0][i] && !(hasFailed && (branch.values[1][i] || declaredType(branch.names[i])))) {
      if (hasFailed)
        poisoned.insert(branch.names[i]);
      branch.erase(i);
    }
  llvm::SmallVector<Value> results;
  if (problems.size() == before)
    results = makeBranch(branch, arm.condition, locationOf(currentIndex, *arm.op));
  for (auto [i, value] : llvm::enumerate(results)) {
    define(branch.names[i], value);
    setVariableLod(branch.names[i], branch.resultLods[i]);
  }
  if (problems.size() != before)
    for (llvm::StringRef name : arm.written)
      poisoned.insert(name);
  currentOp = outerOp;
}

bool ProgramImporter::isReadLater(llvm::StringRef name) const {
  const auto &operations = program.blocks[currentBlock].operations;
  for (size_t i = currentIndex + 1; i < operations.size(); ++i)
    if (operations[i].type != "select_input" && effectsOf(program, operations[i]).read.contains(name))
      return true;
  if (currentBlock == 0)
    return llvm::is_contained(fetches, name) || llvm::is_contained(states, name);
  const auto &own = program.blocks[currentBlock].variables;
  return llvm::none_of(own, [&](const legacy::Variable &variable) { return variable.name == name; });
}

//===-- select_input ------------------------------------------------------------------------------------===//

bool ProgramImporter::isOuter(const std::string &name) const { return !findArm(name) && lookup(name); }

std::vector<std::pair<std::string, std::string>>
ProgramImporter::branchVariables(const Arm *onFalse, const Arm *onTrue, llvm::ArrayRef<std::string> names,
                                 Branch &branch) {
  std::vector<std::pair<std::string, std::string>> pairs;
  auto add = [&](const std::string &first, const std::string &second, const legacy::Operation *select) {
    if (llvm::is_contained(pairs, std::pair(first, second)))
      return;
    pairs.emplace_back(first, second);
    if (select)
      branch.declared.push_back(declaredElement(*select));
  };
  add(names[0], names[1], currentOp);
  auto isOf = [&](const std::string &name, const Arm *arm) { return arm && arm->written.contains(name); };
  const auto &operations = program.blocks[currentBlock].operations;
  for (size_t i = currentIndex; i < operations.size(); ++i)
    if (const auto *later = selectedNames(operations[i])) {
      bool isFirstOf = isOf((*later)[0], onFalse), isSecondOf = isOf((*later)[1], onTrue);
      if ((isFirstOf || isSecondOf) && (isFirstOf || isOuter((*later)[0])) &&
          (isSecondOf || isOuter((*later)[1])))
        add((*later)[0], (*later)[1], &operations[i]);
    }
  for (const Arm *arm : {onFalse, onTrue})
    if (arm)
      for (llvm::StringRef name : arm->written)
        if (arm->environment.contains(name) ||
            (llvm::none_of(pairs, [&](auto &pair) { return pair.first == name || pair.second == name; }) &&
             isReadLater(name)))
          add(name.str(), name.str(), nullptr);
  return pairs;
}

void ProgramImporter::mergeArms(const Arm *onFalse, const Arm *onTrue, llvm::ArrayRef<std::string> names) {
  Branch branch;
  auto pairs = branchVariables(onFalse, onTrue, names, branch);
  size_t selectedCount = branch.declared.size();
  for (auto &[first, second] : pairs)
    branch.names.push_back(second);
  Value condition = onTrue ? onTrue->condition : onFalse->condition;
  size_t falseRegion = onTrue ? 1 : 0;
  auto importOne = [&](const Arm *arm, size_t region) {
    importArm(arm, branch, region);
    for (auto [i, name] : llvm::enumerate(branch.names))
      if (arm && isOuter(name)) {
        branch.values[region][i] = lookup(name);
        branch.lods[region][i] = variableLod(name);
      }
  };
  importOne(onTrue, 1 - falseRegion);
  for (size_t i = 0; i < pairs.size(); ++i)
    branch.names[i] = pairs[i].first;
  importOne(onFalse, falseRegion);
  Location location = locationOf(currentIndex, *currentOp);
  bool hasFailed = !branch.failures[0].empty() || !branch.failures[1].empty();
  if (!branch.failures[0].empty() && !branch.failures[1].empty() && !makeFailures(branch, location))
    return;
  for (size_t i = pairs.size(); i-- > 0;)
    if (!branch.values[0][i] && !branch.values[1][i]) {
      if (hasFailed && declaredType(pairs[i].first))
        continue;
      if (i < selectedCount)
        return report("neither '" + pairs[i].first + "' nor '" + pairs[i].second +
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
      define(pairs[i].first, result);
      setVariableLod(pairs[i].first, branch.resultLods[i]);
    }
}

void ProgramImporter::defineSelected(const std::string &name, const std::string &key) {
  define(name, selected.lookup(key));
  setVariableLod(name, selectedLods[key]);
}

void ProgramImporter::importSelectInput(const legacy::Operation &op) {
  const legacy::Slot *inputs = op.input("X"), *output = op.output("Out"), *mask = op.input("Mask");
  if (!inputs || inputs->arguments.empty() || !output || output->arguments.size() != 1 || !mask ||
      mask->arguments.size() != 1)
    return report("expected variables in 'X', one in 'Mask' and one in 'Out'");
  llvm::ArrayRef<std::string> names = inputs->arguments;
  const std::string &result = output->arguments.front();
  if (names.size() != 2)
    return selectByMask(op, names, result);
  if (names[0] == names[1]) { // one variable that both arms change
    finishArmsWriting(Names(names.begin(), names.begin() + 1));
    OpImporter importer(*this, op, builder, locationOf(currentIndex, op));
    importer.takesArrays = true;
    if (Value value = importer.inputs("X").empty() ? Value() : lookup(names[0])) {
      VariableLod lod = variableLod(names[0]);
      define(result, value);
      setVariableLod(result, lod);
    }
    return;
  }
  std::string key = pairKey(names[0], names[1]);
  if (selected.contains(key))
    return defineSelected(result, key);
  const Arm *onFalse = findArm(names[0]), *onTrue = findArm(names[1]);
  // One of the two may be an outer variable: its arm may be missing, or give other variables alone.
  bool isOuterOnFalse = !onFalse && onTrue && lookup(names[0]),
       isOuterOnTrue = onFalse && !onTrue && lookup(names[1]);
  if (isOuterOnFalse)
    onFalse = findOpposite(*onTrue);
  if (isOuterOnTrue)
    onTrue = findOpposite(*onFalse);
  Value maskValue = lookup(mask->arguments.front());
  bool isPair = onFalse && onTrue &&
                (isNegation(onFalse->condition, onTrue->condition) ||
                 isNegation(onTrue->condition, onFalse->condition));
  if (isOuterOnFalse || isOuterOnTrue)
    isPair &= isMaskOf(maskValue, onTrue ? onTrue->condition : Value());
  bool isSingle = isOuterOnFalse && !onFalse && isMaskOf(maskValue, onTrue->condition);
  if (!isPair && !isSingle)
    return selectByMask(op, names, result);
  size_t before = problems.size();
  mergeArms(onFalse, onTrue, names);
  removeArms(onFalse, onTrue);
  if (problems.size() == before)
    defineSelected(result, key);
}

/// One of several variables by a number that only a run knows.
void ProgramImporter::selectByMask(const legacy::Operation &op, llvm::ArrayRef<std::string> names,
                                   const std::string &output) {
  Names inputs(names.begin(), names.end());
  finishArmsWriting(inputs);
  Location location = locationOf(currentIndex, op);
  OpImporter importer(*this, op, builder, location);
  Value mask = importer.requiredInput("Mask");
  importer.takesArrays = true;
  llvm::SmallVector<Value> values = importer.inputs("X");
  if (!mask || values.size() != names.size())
    return;
  Value result = values.back();
  VariableLod resultLod = variableLod(names.back());
  for (size_t i = values.size() - 1; i-- > 0;) {
    Type type = pd::tensorType(mask).getElementType();
    Value number = importer.constant(DenseElementsAttr::get(
        RankedTensorType::get({}, type), builder.getIntegerAttr(type, static_cast<int64_t>(i))));
    Value isThis = importer.createOne("pd.equal", {{mask}, {number}});
    if (!isThis)
      return;
    Branch branch;
    branch.names = {names[i]};
    branch.declared = {declaredElement(op)};
    for (size_t region : {0, 1}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&branch.regions[region]);
      branch.values[region].push_back(region == 0 ? values[i] : result);
      branch.lods[region].push_back(region == 0 ? variableLod(names[i]) : resultLod);
    }
    llvm::SmallVector<Value> results = makeBranch(branch, isThis, location);
    if (results.empty())
      return;
    result = results.front();
    resultLod = branch.resultLods.front();
  }
  define(output, result);
  setVariableLod(output, resultLod);
}

} // namespace proa::import
