#include "translator/import/legacy/OpMemo.h"

#include "translator/import/legacy/ProgramImporter.h"
#include "translator/import/legacy/Recomputed.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <type_traits>

using namespace mlir;

namespace proa::import {
namespace {

Type typeOf(Value value) { return value ? value.getType() : Type(); }

/// Whether an attribute only says where an op comes from.
bool isOrigin(std::string_view name) {
  return name == "op_callstack" || name == "op_namescope" || name == "op_role_var" || name == "op_device";
}

template <class T> constexpr bool isListOfNumbers = false;
template <class T> constexpr bool isListOfNumbers<std::vector<T>> = std::is_arithmetic_v<T>;

/// Hashes the numbers in an attribute: they are quick to read and distinguish most ops.
template <class Mix> void mixIds(const legacy::AttributeValue &value, Mix mix) {
  std::visit(
      [&](const auto &held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_floating_point_v<Held>)
          mix(std::bit_cast<uint64_t>(static_cast<double>(held)));
        else if constexpr (std::is_integral_v<Held>)
          mix(static_cast<uint64_t>(held));
        else if constexpr (isListOfNumbers<Held>)
          for (auto element : held)
            mixIds(legacy::AttributeValue(element), mix);
      },
      value);
}

uint64_t hashOf(const OpInstance &instance) {
  uint64_t hash = reinterpret_cast<uintptr_t>(instance.entry);
  auto mix = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15; // 2^64 by the golden ratio: spreads all bits
    hash ^= hash >> 32;
  };
  for (Value value : instance.inputs)
    mix(reinterpret_cast<uintptr_t>(typeOf(value).getAsOpaquePointer()));
  for (const legacy::Attribute &attribute : instance.op->attributes)
    mixIds(attribute.value, mix);
  return hash;
}

bool haveSameSlots(const std::vector<legacy::Slot> &left, const std::vector<legacy::Slot> &right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const legacy::Slot &a, const legacy::Slot &b) {
                      return a.name == b.name && a.arguments.size() == b.arguments.size();
                    });
}

bool haveSameAttributes(const legacy::Operation &left, const legacy::Operation &right) {
  return left.attributes.isSharedWith(right.attributes) ||
         std::equal(left.attributes.begin(), left.attributes.end(), right.attributes.begin(),
                    right.attributes.end(), [](const legacy::Attribute &a, const legacy::Attribute &b) {
                      return a.name == b.name && (isOrigin(a.name) || a.value == b.value);
                    });
}

/// Whether the elements of a value cannot be constant: arguments of the function, and tensors that are not
/// short lists of integers.
bool isUnknown(Value value) {
  if (!value)
    return true;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *function = argument.getOwner()->getParentOp(); // null in a loop under construction
    return function && function->hasTrait<OpTrait::IsIsolatedFromAbove>();
  }
  return type.getRank() > 1 && !type.getElementType().isIntOrIndex();
}

} // namespace

bool OpMemo::isRepeatable(const OpInstance &instance) {
  return llvm::all_of(instance.inputs, isUnknown) &&
         llvm::none_of(instance.op->attributes, std::mem_fn(&legacy::Attribute::isVariable));
}

const Recipe *OpMemo::find(const OpInstance &instance) const {
  auto candidates = byHash.find(hashOf(instance));
  if (candidates == byHash.end())
    return nullptr;
  for (const auto &known : candidates->second) {
    bool isEqual = known->op->type == instance.op->type &&
                   llvm::equal(known->types, llvm::map_range(instance.inputs, typeOf)) &&
                   haveSameSlots(known->op->inputs, instance.op->inputs) &&
                   haveSameSlots(known->op->outputs, instance.op->outputs) &&
                   haveSameAttributes(*known->op, *instance.op);
    if (isEqual)
      return &known->recipe;
  }
  return nullptr;
}

void OpMemo::add(const OpInstance &instance, llvm::ArrayRef<Operation *> created,
                 llvm::ArrayRef<std::pair<OutputName, Value>> outputs) {
  // Ops with the same hash that all differ (a NaN, other strings) are unlikely to equal a later op.
  constexpr size_t mostWithSameIds = 16;
  auto &sameIds = byHash[hashOf(instance)];
  if (sameIds.size() == mostWithSameIds)
    return;
  llvm::DenseMap<Value, uint32_t> indices;
  uint32_t count = 0;
  for (Value value : instance.inputs) {
    // If two inputs are one value, an operand may be either of them.
    if (value && !indices.try_emplace(value, count).second)
      return;
    ++count;
  }
  auto known = std::make_unique<Known>();
  known->op = instance.op;
  llvm::append_range(known->types, llvm::map_range(instance.inputs, typeOf));
  for (Operation *op : created) {
    Recipe::Step &step = known->recipe.steps.emplace_back();
    for (Value operand : op->getOperands()) {
      auto found = indices.find(operand);
      if (found == indices.end())
        return;
      step.operands.push_back(found->second);
    }
    if (op->getNumRegions() != 0 || op->getNumSuccessors() != 0)
      return;
    step.prototype =
        Operation::create(op->getLoc(), op->getName(), op->getResultTypes(), ValueRange(),
                          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(), BlockRange(), 0);
    for (Value result : op->getResults())
      indices.try_emplace(result, count++);
  }
  for (auto [name, value] : outputs) {
    auto found = indices.find(value);
    if (found == indices.end())
      return;
    known->recipe.outputs.emplace_back(name, found->second);
  }
  sameIds.push_back(std::move(known));
}

std::optional<OpInstance> ProgramImporter::repeatableInstance(const legacy::Operation &op,
                                                              const LegacyOp &entry) const {
  if (lods.isActive || sparseRows.isActive() || isRecomputed(op))
    return std::nullopt;
  assert(&op == &program.blocks[currentBlock].operations[currentIndex]);
  OpInstance instance{&op, &entry, variables.idsOf(currentBlock, currentIndex)};
  const VariableId *id = instance.variables.inputs.begin();
  for (const legacy::Slot &slot : op.inputs)
    for (const std::string &name : slot.arguments) {
      Value value = name == legacy::emptyVariable ? Value() : scope.lookup(name, *id);
      if (!value && name != legacy::emptyVariable)
        return std::nullopt;
      instance.inputs.push_back(value);
      ++id;
    }
  return OpMemo::isRepeatable(instance) ? std::optional(std::move(instance)) : std::nullopt;
}

void ProgramImporter::repeat(const Recipe &recipe, const OpInstance &instance) {
  Location location = locationOf(currentIndex, *instance.op);
  llvm::SmallVector<Value, 8> values(instance.inputs);
  for (const Recipe::Step &step : recipe.steps) {
    llvm::SmallVector<Value, 4> operands;
    for (uint32_t index : step.operands)
      operands.push_back(values[index]);
    Operation *prototype = step.prototype.get();
    Operation *created = Operation::create(location, prototype->getName(), prototype->getResultTypes(),
                                           operands, prototype->getDiscardableAttrDictionary(),
                                           prototype->getPropertiesStorage(), {}, 0);
    builder.insert(created);
    values.append(created->result_begin(), created->result_end());
  }
  for (auto [name, index] : recipe.outputs)
    define(instance.op->outputs[name.slot].arguments[name.argument],
           instance.variables.outputs[name.position], values[index]);
}

void ProgramImporter::importKnownOp(const legacy::Operation &op, const LegacyOp &entry) {
  std::optional<OpInstance> instance = repeatableInstance(op, entry);
  const Recipe *recipe = instance ? memo.find(*instance) : nullptr;
  if (recipe)
    return repeat(*recipe, *instance);
  OpImporter importer(*this, op, builder, locationOf(currentIndex, op));
  importer.entry = &entry;
  if (!instance || builder.getInsertionPoint() != builder.getInsertionBlock()->end())
    return importByEntry(importer);
  Block &block = *builder.getInsertionBlock();
  Operation *before = block.empty() ? nullptr : &block.back();
  size_t diagnosticsBefore = diagnostics.size();
  std::vector<std::pair<const std::string *, Value>> definitions;
  defined = &definitions;
  importByEntry(importer);
  defined = nullptr;
  if (diagnostics.size() != diagnosticsBefore || importer.dependsOnOutputs || lods.isActive)
    return;
  llvm::SmallVector<Operation *> created;
  for (Operation &op :
       llvm::make_range(before ? std::next(before->getIterator()) : block.begin(), block.end()))
    created.push_back(&op);
  std::vector<std::pair<OutputName, Value>> outputs;
  for (auto [name, value] : definitions) {
    uint32_t position = 0;
    for (uint32_t i = 0; i < op.outputs.size(); ++i)
      for (uint32_t j = 0; j < op.outputs[i].arguments.size(); ++j, ++position)
        if (&op.outputs[i].arguments[j] == name)
          outputs.emplace_back(OutputName{i, j, position}, value);
  }
  memo.add(*instance, created, outputs);
}

} // namespace proa::import
