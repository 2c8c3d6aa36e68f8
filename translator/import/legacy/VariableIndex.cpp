#include "translator/import/legacy/VariableIndex.h"

#include "lib/base/support/Parallel.h"

namespace proa::import {
namespace {

/// Buckets of the table of names: a power of two, and enough for as many threads as help.
constexpr size_t bucketsOfLarge = 8;
/// Variables that are worth several threads.
constexpr size_t manyVariables = 4096;
/// Number of ops that a thread processes at a time.
constexpr size_t namesTogether = 8192, opsTogether = 1024;

} // namespace

VariableIndex::VariableIndex(const legacy::Program &program) : program(program) {
  std::vector<llvm::StringRef> all;
  for (const legacy::Block &block : program.blocks)
    for (const legacy::Variable &variable : block.variables)
      all.push_back(variable.name);
  addNames(all);
  for (const legacy::Block &block : program.blocks) {
    auto &variables = ofBlock.emplace_back();
    if (&block != &program.blocks.front())
      for (const legacy::Variable &variable : block.variables)
        variables.try_emplace(idOf(variable.name), &variable);
  }
  for (const legacy::Block &block : program.blocks) {
    llvm::ArrayRef<legacy::Operation> ops = block.operations;
    auto &values = ofOps.emplace_back((ops.size() + opsTogether - 1) / opsTogether);
    parallelFor(values.size(), [&](size_t i) {
      values[i] = idsOf(ops.drop_front(i * opsTogether).take_front(opsTogether));
    });
  }
}

/// By the highest bits: a table itself looks at the lowest ones.
size_t VariableIndex::bucketOf(uint32_t hash) const {
  return (static_cast<uint64_t>(hash) * names.size()) >> 32;
}

void VariableIndex::addNames(llvm::ArrayRef<llvm::StringRef> all) {
  count = all.size();
  names.resize(count < manyVariables ? 1 : bucketsOfLarge);
  std::vector<uint32_t> hashes(count);
  parallelFor((count + namesTogether - 1) / namesTogether, [&](size_t i) {
    for (size_t name = i * namesTogether; name < std::min((i + 1) * namesTogether, count); ++name)
      hashes[name] = llvm::CachedHashStringRef(all[name]).hash();
  });
  parallelFor(names.size(), [&](size_t bucket) {
    names[bucket].reserve(static_cast<unsigned>(count / names.size()));
    for (VariableId id = 0; id < count; ++id)
      if (bucketOf(hashes[id]) == bucket)
        names[bucket].try_emplace(llvm::CachedHashStringRef(all[id], hashes[id]), id);
  });
}

VariableId VariableIndex::idOf(llvm::StringRef text) const {
  llvm::CachedHashStringRef name(text);
  const Names &some = names[bucketOf(name.hash())];
  auto found = some.find(name);
  return found == some.end() ? noVariable : found->second;
}

const legacy::Variable *VariableIndex::find(int32_t block, VariableId id) const {
  if (id == noVariable)
    return nullptr;
  // A damaged program may have a cycle of parents: no more steps than there are blocks.
  for (size_t steps = 0; block > 0 && static_cast<size_t>(block) < ofBlock.size() && steps <= ofBlock.size();
       ++steps) {
    auto found = ofBlock[block].find(id);
    if (found != ofBlock[block].end())
      return found->second;
    block = program.blocks[block].parent;
  }
  return block == 0 && id < program.blocks.front().variables.size() ? &program.blocks.front().variables[id]
                                                                    : nullptr;
}

VariableIndex::Ids VariableIndex::idsOf(llvm::ArrayRef<legacy::Operation> ops) const {
  Ids ids;
  ids.begins.reserve(2 * ops.size() + 1);
  for (const legacy::Operation &op : ops)
    for (const auto *slots : {&op.inputs, &op.outputs}) {
      ids.begins.push_back(static_cast<uint32_t>(ids.all.size()));
      for (const legacy::Slot &slot : *slots)
        for (const std::string &name : slot.arguments)
          ids.all.push_back(idOf(name));
    }
  ids.begins.push_back(static_cast<uint32_t>(ids.all.size()));
  return ids;
}

VariableIndex::OpVariables VariableIndex::idsOf(int32_t block, size_t op) const {
  const Ids &ids = ofOps[block][op / opsTogether];
  llvm::ArrayRef all(ids.all);
  const uint32_t *begin = &ids.begins[2 * (op % opsTogether)];
  return {all.slice(begin[0], begin[1] - begin[0]), all.slice(begin[1], begin[2] - begin[1])};
}

} // namespace proa::import
