#include "translator/import/legacy/control/Blocks.h"

#include "llvm/ADT/StringSet.h"

#include <algorithm>

namespace proa::import {
namespace {

/// Follows ops into their blocks, but not in circles.
class EffectsFinder {
public:
  explicit EffectsFinder(const legacy::Program &program) : program(program) {}

  Effects ofOp(const legacy::Operation &op) {
    Effects effects;
    for (const legacy::Slot &slot : op.inputs)
      for (const std::string &name : slot.arguments)
        if (name != legacy::emptyVariable)
          effects.read.insert(name);
    for (const legacy::Attribute &attribute : op.attributes) {
      if (const auto *variable = std::get_if<legacy::VariableName>(&attribute.value))
        effects.read.insert(variable->name);
      if (const auto *variables = std::get_if<legacy::VariableNames>(&attribute.value))
        for (const std::string &name : variables->names)
          effects.read.insert(name);
    }
    // Variables of a recurrent have the same names inside, for one of its steps.
    std::optional<int32_t> block =
        op.type == "recurrent" || op.type == "recurrent_grad" ? std::nullopt : subBlockOf(program, op);
    if (block) {
      Effects inner = ofBlock(*block);
      // The inputs of the op include variables that the block defines before it reads them.
      effects.read = std::move(inner.read);
      for (const char *slot : {"Cond", "Condition"})
        if (const legacy::Slot *condition = op.input(slot))
          for (const std::string &name : condition->arguments)
            effects.read.insert(name);
      effects.written = std::move(inner.written);
      return effects;
    }
    for (const legacy::Slot &slot : op.outputs)
      for (const std::string &name : slot.arguments)
        if (name != legacy::emptyVariable)
          effects.written.insert(name);
    // One element of an array is written, the others keep their values.
    if (op.type == "write_to_array")
      effects.read.insert(effects.written.begin(), effects.written.end());
    return effects;
  }

  Effects ofBlock(int32_t index) {
    Effects effects;
    if (std::find(open.begin(), open.end(), index) != open.end())
      return effects;
    open.push_back(index);
    llvm::StringSet<> certain;
    for (const legacy::Operation &op : program.blocks[static_cast<size_t>(index)].operations) {
      Effects ofThis = ofOp(op);
      for (llvm::StringRef name : ofThis.read)
        if (!certain.contains(name))
          effects.read.insert(name);
      effects.written.insert(ofThis.written.begin(), ofThis.written.end());
      if (!subBlockOf(program, op)) // its block may not run
        for (llvm::StringRef name : ofThis.written)
          certain.insert(name);
    }
    open.pop_back();
    llvm::StringSet<> own;
    for (const legacy::Variable &variable : program.blocks[static_cast<size_t>(index)].variables)
      own.insert(variable.name);
    auto isOwn = [&](llvm::StringRef name) { return own.contains(name); };
    effects.read.remove_if(isOwn);
    effects.written.remove_if(isOwn);
    return effects;
  }

private:
  const legacy::Program &program;
  std::vector<int32_t> open;
};

} // namespace

std::optional<int32_t> subBlockOf(const legacy::Program &program, const legacy::Operation &op) {
  const legacy::Attribute *attribute = op.attribute("sub_block");
  const auto *block = attribute ? std::get_if<legacy::BlockIndex>(&attribute->value) : nullptr;
  if (!block || block->index <= 0 || static_cast<size_t>(block->index) >= program.blocks.size())
    return std::nullopt;
  return block->index;
}

Effects effectsOf(const legacy::Program &program, const legacy::Operation &op) {
  return EffectsFinder(program).ofOp(op);
}

Effects effectsOf(const legacy::Program &program, int32_t block) {
  return EffectsFinder(program).ofBlock(block);
}

} // namespace proa::import
