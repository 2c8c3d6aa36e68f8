#include "translator/import/legacy/SharedBuffers.h"

#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/ProgramImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/optimizer/Optimizer.h"
#include "dialects/pd/ops/optimizer/ScalingOps.h"

using namespace mlir;

namespace proa::import {
namespace {

bool readsAnotherView(const SharedBuffer &shared, const Effects &effects) {
  auto isTouched = [&](const std::string &name) {
    return effects.read.contains(name) || effects.written.contains(name);
  };
  auto holds = [&](auto &&test) {
    return llvm::any_of(shared.members,
                        [&](const SharedBuffer::Member &member) { return test(member.name); });
  };
  bool writesMember = holds([&](const std::string &name) { return effects.written.contains(name); });
  return (effects.written.contains(shared.buffer) && holds(isTouched)) ||
         (writesMember && isTouched(shared.buffer));
}

} // namespace

void SharedBuffers::add(const legacy::Operation &coalesce) {
  const legacy::Slot *members = coalesce.output("Output"), *buffer = coalesce.output("FusedOutput");
  if (!members || !buffer || buffer->arguments.size() != 1)
    return;
  Value fused = program.lookup(buffer->arguments.front());
  auto op = fused ? fused.getDefiningOp<pd::CoalesceTensorOp>() : pd::CoalesceTensorOp();
  if (!op || op.getOutput().size() != members->arguments.size())
    return;
  SharedBuffer shared{program.currentBlock, buffer->arguments.front(), {}};
  int64_t begin = 0;
  for (auto [name, value] : llvm::zip(members->arguments, op.getOutput())) {
    auto type = pd::tensorType(value);
    shared.members.push_back({name, type, begin});
    begin += pd::coalescedElements(type, coalesceAlignment(op));
  }
  // Variables that get a new buffer leave their previous one.
  llvm::erase_if(buffers, [&](const SharedBuffer &other) { return other.buffer == shared.buffer; });
  for (SharedBuffer &other : buffers)
    llvm::erase_if(other.members, [&](const SharedBuffer::Member &member) {
      return llvm::is_contained(members->arguments, member.name);
    });
  buffers.push_back(std::move(shared));
}

void SharedBuffers::addParameters() {
  for (const legacy::SharedStorage &storage : program.options.sharedParameters) {
    // The value of a buffer that the program does not read is assembled from its members after the run.
    if (!program.lookup(storage.buffer))
      continue;
    SharedBuffer shared{0, storage.buffer, {}};
    int64_t begin = 0;
    for (const std::string &name : storage.members) {
      auto type = program.variables.find(0, name) ? program.interface.typeOf(name, program.options.source)
                                                  : RankedTensorType();
      if (!type || !type.hasStaticShape())
        break;
      shared.members.push_back({name, type, begin});
      begin += type.getNumElements();
    }
    if (shared.members.size() == storage.members.size())
      buffers.push_back(std::move(shared));
  }
}

void SharedBuffers::finishParameters() {
  for (const legacy::SharedStorage &storage : program.options.sharedParameters) {
    Names names;
    names.insert(storage.buffer);
    names.insert(storage.members.begin(), storage.members.end());
    if (llvm::none_of(buffers, [&](const SharedBuffer &b) { return b.buffer == storage.buffer; }))
      continue;
    refresh(names);
    for (llvm::StringRef name : names)
      if (!llvm::is_contained(program.interface.states, name))
        program.interface.states.push_back(name.str());
  }
}

void SharedBuffers::removeBlock(int32_t block) {
  llvm::erase_if(buffers, [&](const SharedBuffer &shared) { return shared.block == block; });
}

void SharedBuffers::refreshMember(SharedBuffer &shared, SharedBuffer::Member &member) {
  if (!std::exchange(member.isOutdated, false))
    return;
  Names names;
  names.insert(shared.buffer);
  program.controlFlow.finishPendingWriting(names);
  OpImporter importer = program.importerOfCurrentOp();
  Value value = importer.build([&](pd::TensorBuilder &e) {
    pd::Expression buffer = importer.wrap(program.lookup(shared.buffer));
    return e.reshape(hooks::slice(buffer, 0, member.begin, member.begin + member.type.getNumElements()),
                     member.type.getShape());
  });
  if (value)
    program.define(member.name, value);
}

void SharedBuffers::refreshBuffer(SharedBuffer &shared) {
  if (!shared.isOutdated() || !program.lookup(shared.buffer))
    return;
  Names names;
  for (const SharedBuffer::Member &member : shared.members)
    if (member.isNewer)
      names.insert(member.name);
  program.controlFlow.finishPendingWriting(names);
  OpImporter importer = program.importerOfCurrentOp();
  Value whole = importer.build([&](pd::TensorBuilder &e) {
    pd::Expression buffer = importer.wrap(program.lookup(shared.buffer));
    llvm::SmallVector<Value> pieces;
    int64_t next = 0, end = buffer.type().getNumElements();
    for (SharedBuffer::Member &member : shared.members) {
      if (!std::exchange(member.isNewer, false))
        continue;
      int64_t count = member.type.getNumElements();
      if (member.begin > next)
        pieces.push_back(hooks::slice(buffer, 0, next, member.begin));
      pieces.push_back(e.reshape(importer.wrap(program.lookup(member.name)), {count}));
      next = member.begin + count;
    }
    if (next < end)
      pieces.push_back(hooks::slice(buffer, 0, next, end));
    return hooks::concat(e, pieces, 0);
  });
  if (whole)
    program.define(shared.buffer, whole);
}

void SharedBuffers::refresh(const Names &names) {
  for (SharedBuffer &shared : buffers) {
    if (shared.block != program.currentBlock)
      continue;
    if (names.contains(shared.buffer))
      refreshBuffer(shared);
    for (SharedBuffer::Member &member : shared.members)
      if (names.contains(member.name))
        refreshMember(shared, member);
  }
}

void SharedBuffers::beforeOp(const legacy::Operation &op) {
  Effects effects = effectsOf(program.legacyProgram, op);
  refresh(effects.read);
  if (!subBlockOf(program.legacyProgram, op))
    return;
  // A block may not write every variable in `written`: their values before it must be up to date.
  refresh(effects.written);
  for (const SharedBuffer &shared : buffers)
    if (readsAnotherView(shared, effects))
      program.report("control flow changes variables that coalesce_tensor has put into '" + shared.buffer +
                     "', and reads them under other names: not supported");
}

void SharedBuffers::afterOp(const legacy::Operation &op) {
  if (op.type == "coalesce_tensor")
    return add(op);
  if (buffers.empty())
    return;
  Names written = effectsOf(program.legacyProgram, op).written;
  for (SharedBuffer &shared : buffers) {
    if (shared.block != program.currentBlock)
      continue;
    bool isWhole = written.contains(shared.buffer);
    for (SharedBuffer::Member &member : shared.members) {
      bool isWritten = written.contains(member.name);
      member.isOutdated = !isWritten && (member.isOutdated || isWhole);
      member.isNewer = isWritten || (member.isNewer && !isWhole);
      if (isWritten)
        checkType(shared, member.name, member.type);
    }
  }
}

void SharedBuffers::checkType(const SharedBuffer &shared, const std::string &name,
                              RankedTensorType expected) {
  Value value = program.lookup(name);
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (type && (type.getElementType() != expected.getElementType() ||
               (type.hasStaticShape() && type.getNumElements() != expected.getNumElements())))
    program.report("variable '" + name + "' is a member of '" + shared.buffer +
                   "' and gets other elements than it has there");
}

} // namespace proa::import
