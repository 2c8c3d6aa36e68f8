#include "translator/import/SharedBuffers.h"

#include "translator/import/ProgramImporter.h"

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

void ProgramImporter::shareBuffer(const legacy::Operation &op) {
  const legacy::Slot *parts = op.output("Output"), *buffer = op.output("FusedOutput");
  if (!parts || !buffer || buffer->arguments.size() != 1)
    return;
  Value fused = lookup(buffer->arguments.front());
  auto made = fused ? fused.getDefiningOp<pd::CoalesceTensorOp>() : pd::CoalesceTensorOp();
  if (!made || made.getOutput().size() != parts->arguments.size())
    return;
  SharedBuffer shared{currentBlock, buffer->arguments.front(), {}};
  int64_t begin = 0;
  for (auto [name, value] : llvm::zip(parts->arguments, made.getOutput())) {
    auto type = pd::tensorType(value);
    shared.parts.push_back({name, type, begin});
    begin += pd::coalescedElements(type, coalesceAlignment(made));
  }
  // Variables that get a new buffer leave the buffer that they were in.
  llvm::erase_if(sharedBuffers, [&](const SharedBuffer &other) { return other.buffer == shared.buffer; });
  for (SharedBuffer &other : sharedBuffers)
    llvm::erase_if(other.parts, [&](const SharedBuffer::Part &part) {
      return llvm::is_contained(parts->arguments, part.name);
    });
  sharedBuffers.push_back(std::move(shared));
}

void ProgramImporter::shareParameters() {
  for (const legacy::SharedStorage &storage : options.sharedParameters) {
    // One that the program does not read is put together from its parts when it is asked for.
    if (!lookup(storage.buffer))
      continue;
    SharedBuffer shared{0, storage.buffer, {}};
    int64_t begin = 0;
    for (const std::string &name : storage.parts) {
      auto type = variables.find(0, name) ? typeOf(name, options.source) : RankedTensorType();
      if (!type || !type.hasStaticShape())
        break;
      shared.parts.push_back({name, type, begin});
      begin += type.getNumElements();
    }
    if (shared.parts.size() == storage.parts.size())
      sharedBuffers.push_back(std::move(shared));
  }
}

void ProgramImporter::finishSharedParameters() {
  for (const legacy::SharedStorage &storage : options.sharedParameters) {
    Names names;
    names.insert(storage.buffer);
    names.insert(storage.parts.begin(), storage.parts.end());
    if (llvm::none_of(sharedBuffers, [&](const SharedBuffer &b) { return b.buffer == storage.buffer; }))
      continue;
    refreshShared(names);
    for (llvm::StringRef name : names)
      if (!llvm::is_contained(states, name))
        states.push_back(name.str());
  }
}

Value ProgramImporter::partOfBuffer(const SharedBuffer &shared, int64_t begin, int64_t end) {
  OpImporter importer(*this, *currentOp, builder, locationOf(currentIndex, *currentOp));
  auto integers = [&](llvm::StringRef name, int64_t value) {
    return importer.named(name, builder.getDenseI64ArrayAttr({value}));
  };
  return importer.createOne(
      "pd.slice", {{lookup(shared.buffer)}, {}, {}, {}},
      {integers("axes", 0), integers("starts", begin), integers("ends", end), integers("strides", 1)});
}

void ProgramImporter::refreshPart(SharedBuffer &shared, SharedBuffer::Part &part) {
  if (!std::exchange(part.isOld, false))
    return;
  Names names;
  names.insert(shared.buffer);
  controlFlow.finishPendingWriting(names);
  OpImporter importer(*this, *currentOp, builder, locationOf(currentIndex, *currentOp));
  Value flat = partOfBuffer(shared, part.begin, part.begin + part.type.getNumElements());
  Value value =
      flat ? importer.createOne("pd.reshape", {{flat}, {}},
                                {importer.named("shape", builder.getDenseI64ArrayAttr(part.type.getShape()))})
           : Value();
  if (value)
    define(part.name, value);
}

void ProgramImporter::refreshBuffer(SharedBuffer &shared) {
  if (!shared.isBufferOld() || !lookup(shared.buffer))
    return;
  Names names;
  for (const SharedBuffer::Part &part : shared.parts)
    if (part.isNewer)
      names.insert(part.name);
  controlFlow.finishPendingWriting(names);
  OpImporter importer(*this, *currentOp, builder, locationOf(currentIndex, *currentOp));
  llvm::SmallVector<Value> pieces;
  int64_t at = 0, end = pd::tensorType(lookup(shared.buffer)).getNumElements();
  for (SharedBuffer::Part &part : shared.parts) {
    if (!std::exchange(part.isNewer, false))
      continue;
    int64_t count = part.type.getNumElements();
    if (part.begin > at)
      pieces.push_back(partOfBuffer(shared, at, part.begin));
    pieces.push_back(importer.createOne("pd.reshape", {{lookup(part.name)}, {}},
                                        {importer.named("shape", builder.getDenseI64ArrayAttr({count}))}));
    at = part.begin + count;
  }
  if (at < end)
    pieces.push_back(partOfBuffer(shared, at, end));
  if (llvm::is_contained(pieces, Value()))
    return;
  if (Value whole = importer.createOne("pd.concat", {pieces, {}},
                                       {importer.named("axis", builder.getI64IntegerAttr(0))}))
    define(shared.buffer, whole);
}

void ProgramImporter::refreshShared(const Names &names) {
  for (SharedBuffer &shared : sharedBuffers) {
    if (shared.block != currentBlock)
      continue;
    if (names.contains(shared.buffer))
      refreshBuffer(shared);
    for (SharedBuffer::Part &part : shared.parts)
      if (names.contains(part.name))
        refreshPart(shared, part);
  }
}

void ProgramImporter::readShared(const legacy::Operation &op) {
  Effects effects = effectsOf(legacyProgram, op);
  refreshShared(effects.read);
  if (!subBlockOf(legacyProgram, op))
    return;
  // What a block may leave as it was has to be there before it.
  refreshShared(effects.written);
  for (const SharedBuffer &shared : sharedBuffers)
    if (readsAnotherView(shared, effects))
      report("control flow changes variables that coalesce_tensor has put into '" + shared.buffer +
             "', and reads them under other names: not supported");
}

void ProgramImporter::writeShared(const legacy::Operation &op) {
  if (op.type == "coalesce_tensor")
    return shareBuffer(op);
  if (sharedBuffers.empty())
    return;
  Names written = effectsOf(legacyProgram, op).written;
  for (SharedBuffer &shared : sharedBuffers) {
    if (shared.block != currentBlock)
      continue;
    bool isWhole = written.contains(shared.buffer);
    for (SharedBuffer::Part &part : shared.parts) {
      bool isWritten = written.contains(part.name);
      part.isOld = !isWritten && (part.isOld || isWhole);
      part.isNewer = isWritten || (part.isNewer && !isWhole);
      if (isWritten)
        checkSharedType(shared, part.name, part.type);
    }
  }
}

void ProgramImporter::checkSharedType(const SharedBuffer &shared, const std::string &name,
                                      RankedTensorType expected) {
  Value value = lookup(name);
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (type && (type.getElementType() != expected.getElementType() ||
               (type.hasStaticShape() && type.getNumElements() != expected.getNumElements())))
    report("variable '" + name + "' is a part of '" + shared.buffer +
           "' and gets other elements than it has there");
}

} // namespace proa::import
