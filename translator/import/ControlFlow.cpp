//! Conditions: Paddle writes `cond` as two conditional_blocks, one on the condition and one on its negation, and a
//! select_input for each result. They become one scf.if with two arms.
#include "translator/import/ProgramImporter.h"

#include "dialects/pd/Infer.h"
#include "dialects/pd/creation/Creation.h"
#include "dialects/pd/math/Math.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::import {
namespace {

std::string pairKey(llvm::StringRef onFalse, llvm::StringRef onTrue) { return (onFalse + "|" + onTrue).str(); }

/// The two names of a select_input: the value where the mask is 0, then where it is 1.
const std::vector<std::string> *selectedNames(const legacy::Operation &op) {
  const legacy::Slot *slot = op.input("X");
  return slot && slot->arguments.size() == 2 ? &slot->arguments : nullptr;
}

/// A type that both arms' values have: dims that differ are dynamic; null where rank or element type differ.
RankedTensorType joined(Value a, Value b) {
  auto x = pd::tensorType(a), y = pd::tensorType(b);
  if (x.getRank() != y.getRank() || x.getElementType() != y.getElementType())
    return {};
  SmallVector<int64_t> shape(x.getShape());
  for (auto [i, dim] : llvm::enumerate(shape))
    if (dim != y.getDimSize(i))
      dim = ShapedType::kDynamic;
  return x.clone(shape);
}

/// Where only one arm defines a variable, dy2static gives the other one `undefined_var_N`, a number of any type. No correct
/// program reads it: zeros of the other arm's type stand for it.
void replaceFiller(Value &value, llvm::StringRef name, Value other, Region &arm) {
  if (!name.starts_with("undefined_var_") || joined(value, other))
    return;
  auto type = pd::tensorType(other);
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &dim : shape)
    dim = ShapedType::isDynamic(dim) ? 1 : dim;
  auto known = type.clone(shape);
  OpBuilder builder(value.getContext());
  builder.setInsertionPointToEnd(&arm.front());
  value = pd::ConstantOp::create(builder, value.getLoc(), known, cast<ElementsAttr>(builder.getZeroAttr(known)));
}

} // namespace

void ProgramImporter::importConditionalBlock(const legacy::Operation &op) {
  const legacy::Slot *condition = op.input("Cond");
  const legacy::Slot *outputs = op.output("Out");
  const legacy::Attribute *block = op.attribute("sub_block");
  const auto *index = block ? std::get_if<legacy::BlockIndex>(&block->value) : nullptr;
  if (!condition || condition->arguments.size() != 1 || !index)
    return report("expected one variable in 'Cond' and a block in 'sub_block'");
  if (index->index <= 0 || static_cast<size_t>(index->index) >= program.blocks.size())
    return report("attribute 'sub_block' is " + llvm::Twine(index->index) + ", the program has " +
                  llvm::Twine(program.blocks.size()) + " blocks");
  Value value = lookup(condition->arguments.front());
  if (!value)
    return report("input 'Cond': variable '" + condition->arguments.front() + "' is read before anything defines it");
  if (outputs)
    for (const std::string &name : outputs->arguments)
      arms[name] = Arm{value, index->index, &op};
}

bool ProgramImporter::isNegation(Value value, Value of) const {
  auto negation = value.getDefiningOp<pd::LogicalNotOp>();
  return negation && negation.getX() == of;
}

llvm::SmallVector<std::pair<std::string, std::string>> ProgramImporter::selectedPairs(const Arm &onFalse,
                                                                                      const Arm &onTrue) {
  llvm::SmallVector<std::pair<std::string, std::string>> pairs;
  const auto &operations = program.blocks[currentBlock].operations;
  for (size_t i = currentIndex; i < operations.size(); ++i) {
    const auto *names = operations[i].type == "select_input" ? selectedNames(operations[i]) : nullptr;
    if (!names)
      continue;
    auto first = arms.find((*names)[0]), second = arms.find((*names)[1]);
    auto opOf = [&](auto arm) { return arm == arms.end() ? nullptr : arm->second.op; };
    if (opOf(first) == onFalse.op && opOf(second) == onTrue.op)
      pairs.emplace_back((*names)[0], (*names)[1]);
  }
  return pairs;
}

llvm::SmallVector<Value> ProgramImporter::importArm(const Arm &arm, llvm::ArrayRef<std::string> outputs) {
  llvm::SmallVector<Value> values;
  if (!arm.op) {
    for (const std::string &name : outputs)
      values.push_back(lookup(name));
    return values;
  }
  // What an arm defines is seen by nobody else.
  llvm::StringMap<Value> outer = environment;
  int32_t outerBlock = std::exchange(currentBlock, arm.block);
  size_t outerIndex = currentIndex;
  const legacy::Operation *outerOp = currentOp;
  for (auto [index, op] : llvm::enumerate(program.blocks[arm.block].operations))
    importOp(index, op);
  currentBlock = outerBlock;
  currentIndex = outerIndex;
  currentOp = outerOp;
  for (const std::string &name : outputs) {
    Value value = lookup(name);
    if (!value && !poisoned.contains(name))
      report("block " + llvm::Twine(arm.block) + " does not define '" + name + "'");
    values.push_back(value);
  }
  environment = std::move(outer);
  return values;
}

void ProgramImporter::importSelectInput(const legacy::Operation &op) {
  const auto *names = selectedNames(op);
  const legacy::Slot *output = op.output("Out");
  if (!names || !output || output->arguments.size() != 1)
    return report("expected two variables in 'X' and one in 'Out'");
  std::string key = pairKey((*names)[0], (*names)[1]);
  if (Value known = selected.lookup(key))
    return define(output->arguments.front(), known);
  auto onFalse = arms.find((*names)[0]), onTrue = arms.find((*names)[1]);
  // One of the two may be an outer variable that a missing arm leaves as it is.
  Arm falseArm = onFalse == arms.end() ? Arm() : onFalse->second, trueArm = onTrue == arms.end() ? Arm() : onTrue->second;
  bool defined = (falseArm.op || lookup((*names)[0])) && (trueArm.op || lookup((*names)[1]));
  bool paired = falseArm.op && trueArm.op ? isNegation(falseArm.condition, trueArm.condition) : trueArm.op != nullptr;
  if (!defined || !paired)
    return report("'" + (*names)[0] + "' and '" + (*names)[1] +
                  "' are not the results of two conditional_blocks, one on a condition and one on its logical_not");
  auto pairs = selectedPairs(falseArm, trueArm);
  llvm::SmallVector<std::string> falseNames, trueNames;
  for (auto &[falseName, trueName] : pairs) {
    falseNames.push_back(falseName);
    trueNames.push_back(trueName);
  }
  Location location = locationOf(currentIndex, op);
  // A condition is one element, of rank 0 or 1.
  OpImporter importer(*this, op, builder, location);
  Value scalar = importer.createOne("pd.reshape", {{trueArm.condition}, {}},
                                    {importer.named("shape", builder.getDenseI64ArrayAttr({}))});
  if (!scalar)
    return;
  Value condition = tensor::ExtractOp::create(builder, location, scalar);
  // The result types are known when both arms are there: they are imported into free blocks first.
  Region regions[2];
  llvm::SmallVector<Value> values[2];
  for (int i = 0; i < 2; ++i) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&regions[i]);
    values[i] = importArm(i == 0 ? trueArm : falseArm, i == 0 ? trueNames : falseNames);
    if (llvm::is_contained(values[i], Value()))
      return;
  }
  llvm::SmallVector<Type> types;
  for (size_t i = 0; i < pairs.size(); ++i) {
    replaceFiller(values[0][i], trueNames[i], values[1][i], regions[0]);
    replaceFiller(values[1][i], falseNames[i], values[0][i], regions[1]);
    RankedTensorType type = joined(values[0][i], values[1][i]);
    if (!type)
      return report("the two arms give '" + trueNames[i] + "' and '" + falseNames[i] + "' different ranks or element types");
    types.push_back(type);
  }
  auto branch = scf::IfOp::create(builder, location, types, condition, /*withElseRegion=*/true);
  Region *targets[2] = {&branch.getThenRegion(), &branch.getElseRegion()};
  for (int i = 0; i < 2; ++i) {
    targets[i]->takeBody(regions[i]);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&targets[i]->front());
    for (auto [value, type] : llvm::zip(values[i], types))
      if (value.getType() != type)
        value = tensor::CastOp::create(builder, location, type, value);
    scf::YieldOp::create(builder, location, values[i]);
  }
  for (auto [pair, result] : llvm::zip(pairs, branch.getResults()))
    selected[pairKey(pair.first, pair.second)] = result;
  define(output->arguments.front(), selected.lookup(key));
}

} // namespace proa::import
