#include "translator/import/legacy/interface/Subgraph.h"

#include "translator/import/legacy/control/Blocks.h"
#include "translator/import/legacy/gradient/GradientSlots.h"
#include "translator/import/legacy/interface/InterfaceFinder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace proa::import {
namespace {

bool isInterface(const legacy::Operation &op) {
  return (isFeed(op) && op.output("Out")) || (isFetch(op) && op.input("X"));
}

/// Variables that share memory (coalesce_tensor), represented by the buffer that holds them.
class SharedMemory {
public:
  explicit SharedMemory(const legacy::Program &program) {
    for (const legacy::Operation &op : program.blocks[0].operations)
      if (const legacy::Slot *buffer = op.output("FusedOutput"); buffer && !buffer->arguments.empty())
        for (const legacy::Slot &slot : op.outputs)
          for (const std::string &name : slot.arguments)
            groups[name] = buffer->arguments.front();
  }
  llvm::StringRef of(llvm::StringRef name) const {
    auto found = groups.find(name);
    return found == groups.end() ? name : llvm::StringRef(found->second);
  }

private:
  llvm::StringMap<std::string> groups;
};

bool isGradient(const legacy::Operation &op) { return llvm::StringRef(op.type).ends_with("_grad"); }

/// The effects of an op and of its block.
Effects allEffectsOf(const legacy::Program &program, const legacy::Operation &op) {
  Effects effects = effectsOf(program, op);
  auto add = [](Names &names, const std::vector<legacy::Slot> &slots) {
    for (const legacy::Slot &slot : slots)
      for (const std::string &name : slot.arguments)
        if (name != legacy::emptyVariable)
          names.insert(name);
  };
  add(effects.written, op.outputs); // of an op with a block, the effects come from the block alone
  if (isGradient(op))
    add(effects.read, op.inputs);
  return effects;
}

/// The results of the forward op of a gradient op: the variables of the cotangents that it reads. A gradient
/// op is imported as the derivative of its forward op, which must be there.
Names forwardOutputs(const legacy::Operation &op, const Effects &effects) {
  Names names;
  if (isGradient(op))
    for (llvm::StringRef name : effects.read)
      for (size_t at = name.find(gradientSuffix); at != llvm::StringRef::npos;
           at = name.find(gradientSuffix, at + 1))
        names.insert(name.take_front(at));
  return names;
}

/// Data that the program takes and is not given: read, declared as data or fed by an op, and computed by
/// none.
bool lacksData(const legacy::Program &program, llvm::ArrayRef<std::string> fedByProgram,
               llvm::ArrayRef<std::string> feeds) {
  llvm::StringSet<> data, written;
  for (const std::string &name : fedByProgram)
    data.insert(name);
  for (const legacy::Variable &variable : program.blocks[0].variables)
    if (variable.needCheckFeed && !variable.persistable)
      data.insert(variable.name);
  for (const std::string &name : feeds)
    data.erase(name);
  if (data.empty())
    return false;
  for (const legacy::Operation &op : program.blocks[0].operations) {
    if (isInterface(op))
      continue;
    Effects effects = effectsOf(program, op);
    for (llvm::StringRef name : effects.read)
      if (data.contains(name) && !written.contains(name))
        return true;
    for (llvm::StringRef name : effects.written)
      written.insert(name);
  }
  return false;
}

bool runsBlock(const legacy::Operation &op) {
  return llvm::any_of(op.attributes, [](const legacy::Attribute &attribute) {
    return std::holds_alternative<legacy::BlockIndex>(attribute.value);
  });
}

bool isSameSet(llvm::ArrayRef<std::string> left, llvm::ArrayRef<std::string> right) {
  auto contains = [](llvm::ArrayRef<std::string> names) {
    return [names](const std::string &name) { return llvm::is_contained(names, name); };
  };
  return llvm::all_of(left, contains(right)) && llvm::all_of(right, contains(left));
}

} // namespace

Subgraph::Subgraph(const legacy::Program &program, llvm::ArrayRef<std::string> fedByProgram,
                   llvm::ArrayRef<std::string> fetchedByProgram, llvm::ArrayRef<std::string> feeds,
                   llvm::ArrayRef<std::string> fetches) {
  if (program.blocks.empty() || (feeds.empty() && fetches.empty()))
    return;
  llvm::ArrayRef<std::string> requested = fetches.empty() ? fetchedByProgram : fetches;
  findCutFeeds(program, fedByProgram, feeds);
  bool isSubgraph = !cut.empty() || (!feeds.empty() && lacksData(program, fedByProgram, feeds)) ||
                    (!fetchedByProgram.empty() && !isSameSet(requested, fetchedByProgram));
  if (!isSubgraph)
    return;
  findNeeded(program, requested);
  findBlocks(program);
}

/// A variable is computed if the first op that uses it writes it and does not read it. A variable that
/// control flow writes may keep its value from before: it counts as computed only if the program has feed ops
/// and they do not feed it.
void Subgraph::findCutFeeds(const legacy::Program &program, llvm::ArrayRef<std::string> fedByProgram,
                            llvm::ArrayRef<std::string> feeds) {
  llvm::StringSet<> open;
  for (const std::string &name : feeds)
    open.insert(name);
  for (const legacy::Operation &op : program.blocks[0].operations) {
    if (open.empty())
      return;
    if (isInterface(op))
      continue;
    Effects effects = effectsOf(program, op);
    for (llvm::StringRef name : effects.read)
      open.erase(name);
    bool mayKeepValue = fedByProgram.empty() && runsBlock(op);
    for (llvm::StringRef name : effects.written)
      if (open.erase(name) && !mayKeepValue)
        cut.insert(name);
  }
}

void Subgraph::findNeeded(const legacy::Program &program, llvm::ArrayRef<std::string> fetches) {
  const std::vector<legacy::Operation> &ops = program.blocks[0].operations;
  SharedMemory memory(program);
  llvm::StringSet<> live, forward, persistable, kept;
  for (const legacy::Variable &variable : program.blocks[0].variables)
    if (variable.persistable)
      persistable.insert(variable.name);
  auto demand = [&](llvm::StringRef name) {
    if (!cut.contains(name))
      live.insert(memory.of(name));
    read.insert(name);
  };
  for (const std::string &name : fetches)
    demand(name);
  needed.assign(ops.size(), false);
  for (size_t i = ops.size(); i-- > 0;) {
    if (isInterface(ops[i]))
      continue;
    Effects effects = allEffectsOf(program, ops[i]);
    needed[i] = llvm::any_of(effects.written, [&](llvm::StringRef name) {
      return forward.contains(name) || (!cut.contains(name) && live.contains(memory.of(name)));
    });
    if (needed[i]) {
      llvm::for_each(effects.read, demand);
      for (llvm::StringRef name : forwardOutputs(ops[i], effects))
        forward.insert(name);
    }
    for (llvm::StringRef name : effects.written)
      if (persistable.contains(name) && !needed[i])
        kept.insert(name);
  }
  for (const legacy::Variable &variable : program.blocks[0].variables)
    if (kept.contains(variable.name))
      dropped.push_back(variable.name);
}

void Subgraph::findBlocks(const legacy::Program &program) {
  neededBlocks.assign(program.blocks.size(), false);
  neededBlocks[0] = true;
  llvm::SmallVector<size_t> open{0};
  while (!open.empty()) {
    size_t block = open.pop_back_val();
    for (const auto &[index, op] : llvm::enumerate(program.blocks[block].operations)) {
      if (block == 0 && !needed[index])
        continue;
      for (const legacy::Attribute &attribute : op.attributes)
        if (const auto *inner = std::get_if<legacy::BlockIndex>(&attribute.value))
          if (auto position = static_cast<size_t>(inner->index);
              inner->index > 0 && position < neededBlocks.size() && !neededBlocks[position]) {
            neededBlocks[position] = true;
            open.push_back(position);
          }
    }
  }
}

} // namespace proa::import
