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
    return llvm::any_of(shared.parts, [&](const SharedBuffer::Part &part) { return test(part.name); });
  };
  bool writesPart = holds([&](const std::string &name) { return effects.written.contains(name); });
  return (effects.written.contains(shared.buffer) && holds(isTouched)) ||
         (writesPart && isTouched(shared.buffer));
}

} // namespace

void SharedBuffers::add(const legacy::Operation &coalesce) {
  const legacy::Slot *parts = coalesce.output("Output"), *buffer = coalesce.output("FusedOutput");
  if (!parts || !buffer || buffer->arguments.size() != 1)
    return;
  Value fused = program.lookup(buffer->arguments.front());
  auto op = fused ? fused.getDefiningOp<pd::CoalesceTensorOp>() : pd::CoalesceTensorOp();
  if (!op || op.getOutput().size() != parts->arguments.size())
    return;
  SharedBuffer shared{program.currentBlock, buffer->arguments.front(), {}};
  int64_t begin = 0;
  for (auto [name, value] : llvm::zip(parts->arguments, op.getOutput())) {
    auto type = pd::tensorType(value);
    shared.parts.push_back({name, type, begin});
    begin += pd::coalescedElements(type, coalesceAlignment(op));
  }
  // Variables that get a new buffer leave their previous one.
  llvm::erase_if(buffers, [&](const SharedBuffer &other) { return other.buffer == shared.buffer; });
  for (SharedBuffer &other : buffers)
    llvm::erase_if(other.parts, [&](const SharedBuffer::Part &part) {
      return llvm::is_contained(parts->arguments, part.name);
    });
  buffers.push_back(std::move(shared));
}

void SharedBuffers::addParameters() {
  for (const legacy::SharedStorage &storage : program.options.sharedParameters) {
    // The value of a buffer that the program does not read is assembled from its parts after the run.
    if (!program.lookup(storage.buffer))
      continue;
    SharedBuffer shared{0, storage.buffer, {}};
    int64_t begin = 0;
    for (const std::string &name : storage.parts) {
      auto type = program.variables.find(0, name) ? program.interface.typeOf(name, program.options.source)
                                                  : RankedTensorType();
      if (!type || !type.hasStaticShape())
        break;
      shared.parts.push_back({name, type, begin});
      begin += type.getNumElements();
    }
    if (shared.parts.size() == storage.parts.size())
      buffers.push_back(std::move(shared));
  }
}

void SharedBuffers::finishParameters() {
  for (const legacy::SharedStorage &storage : program.options.sharedParameters) {
    Names names;
    names.insert(storage.buffer);
    names.insert(storage.parts.begin(), storage.parts.end());
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

void SharedBuffers::refreshPart(SharedBuffer &shared, SharedBuffer::Part &part) {
  if (!std::exchange(part.isOutdated, false))
    return;
  Names names;
  names.insert(shared.buffer);
  program.controlFlow.finishPendingWriting(names);
  OpImporter importer = program.importerOfCurrentOp();
  Value value = importer.build([&](pd::TensorBuilder &e) {
    pd::Expression buffer = importer.wrap(program.lookup(shared.buffer));
    return e.reshape(hooks::slice(buffer, 0, part.begin, part.begin + part.type.getNumElements()),
                     part.type.getShape());
  });
  if (value)
    program.define(part.name, value);
}

void SharedBuffers::refreshBuffer(SharedBuffer &shared) {
  if (!shared.isOutdated() || !program.lookup(shared.buffer))
    return;
  Names names;
  for (const SharedBuffer::Part &part : shared.parts)
    if (part.isNewer)
      names.insert(part.name);
  program.controlFlow.finishPendingWriting(names);
  OpImporter importer = program.importerOfCurrentOp();
  Value whole = importer.build([&](pd::TensorBuilder &e) {
    pd::Expression buffer = importer.wrap(program.lookup(shared.buffer));
    llvm::SmallVector<Value> pieces;
    int64_t next = 0, end = buffer.type().getNumElements();
    for (SharedBuffer::Part &part : shared.parts) {
      if (!std::exchange(part.isNewer, false))
        continue;
      int64_t count = part.type.getNumElements();
      if (part.begin > next)
        pieces.push_back(hooks::slice(buffer, 0, next, part.begin));
      pieces.push_back(e.reshape(importer.wrap(program.lookup(part.name)), {count}));
      next = part.begin + count;
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
    for (SharedBuffer::Part &part : shared.parts)
      if (names.contains(part.name))
        refreshPart(shared, part);
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
    for (SharedBuffer::Part &part : shared.parts) {
      bool isWritten = written.contains(part.name);
      part.isOutdated = !isWritten && (part.isOutdated || isWhole);
      part.isNewer = isWritten || (part.isNewer && !isWhole);
      if (isWritten)
        checkType(shared, part.name, part.type);
    }
  }
}

void SharedBuffers::checkType(const SharedBuffer &shared, const std::string &name,
                              RankedTensorType expected) {
  Value value = program.lookup(name);
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (type && (type.getElementType() != expected.getElementType() ||
               (type.hasStaticShape() && type.getNumElements() != expected.getNumElements())))
    program.report("variable '" + name + "' is a part of '" + shared.buffer +
                   "' and gets other elements than it has there");
}

} // namespace proa::import
