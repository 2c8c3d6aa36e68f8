#include "translator/import/legacy/interface/UnreadValues.h"

#include "translator/import/legacy/LegacyTable.h"
#include "translator/import/legacy/interface/InterfaceFinder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

namespace proa::import {
namespace {

/// Paddle's role of the op that computes the loss (OpRole::kLoss of a forward op).
constexpr int64_t lossRole = 0x100;

bool computesLoss(const legacy::Operation &op) {
  const legacy::Attribute *role = op.attribute("op_role");
  if (!role)
    return false;
  if (const auto *value = std::get_if<int32_t>(&role->value))
    return *value == lossRole;
  const auto *value = std::get_if<int64_t>(&role->value);
  return value && *value == lossRole;
}

class Finder {
public:
  explicit Finder(const legacy::Program &program) : program(program) {
    for (const legacy::Block &block : program.blocks)
      for (const legacy::Operation &op : block.operations)
        for (const legacy::Slot &slot : op.inputs)
          read.insert_range(slot.arguments);
    for (const legacy::Variable &variable : program.blocks.front().variables) {
      if (variable.persistable)
        persistable.insert(variable.name);
      else if (variable.kind == legacy::VariableKind::DenseTensor && variable.dtype)
        tensors.insert(variable.name);
    }
  }

  std::vector<std::string> find() {
    for (const legacy::Operation &op : program.blocks.front().operations)
      if (!isFeed(op) && !isFetch(op) && (computesLoss(op) || !hasReader(op)))
        addOutputs(op);
    return std::move(found);
  }

private:
  bool hasReader(const legacy::Operation &op) const {
    return llvm::any_of(op.outputs, [&](const legacy::Slot &slot) {
      return llvm::any_of(slot.arguments, [&](const std::string &name) {
        return read.contains(name) || persistable.contains(name);
      });
    });
  }

  void addOutputs(const legacy::Operation &op) {
    const LegacyOp *entry = findLegacyOp(op);
    for (const legacy::Slot &slot : op.outputs) {
      if (entry && llvm::is_contained(entry->scratch, llvm::StringRef(slot.name)))
        continue;
      for (const std::string &name : slot.arguments)
        if (tensors.contains(name) && (!computesLoss(op) || !read.contains(name) || op.outputs.size() == 1) &&
            added.insert(name).second)
          found.push_back(name);
    }
  }

  const legacy::Program &program;
  llvm::StringSet<> read, persistable, tensors, added;
  std::vector<std::string> found;
};

} // namespace

std::vector<std::string> unreadValues(const legacy::Program &program) { return Finder(program).find(); }

} // namespace proa::import
