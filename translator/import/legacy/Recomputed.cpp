#include "translator/import/legacy/Recomputed.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"

using namespace mlir;

namespace proa::import {
namespace {

constexpr llvm::StringRef mark = ".subprog_";

/// The number of the segment that a variable is computed again in; nothing for another variable.
std::optional<uint64_t> segmentOf(llvm::StringRef name) {
  uint64_t segment = 0;
  size_t at = name.rfind(mark);
  if (at == llvm::StringRef::npos || name.substr(at + mark.size()).getAsInteger(10, segment))
    return std::nullopt;
  return segment;
}

std::optional<uint64_t> segmentOf(const legacy::Operation &op) {
  std::optional<uint64_t> segment;
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments) {
      auto scalar = segmentOf(name);
      if (!scalar || (segment && *segment != *scalar))
        return std::nullopt;
      segment = scalar;
    }
  return segment;
}

bool staysItself(const OpImporter &importer, Value value) {
  auto type = dyn_cast_or_null<RankedTensorType>(value ? value.getType() : Type());
  return !type || (type.getElementType().isInteger() && type.getRank() <= 1) || importer.isParameter(value);
}

/// The segment's barrier on a value.
Value barrierIn(OpImporter &importer, uint64_t segment, Value value) {
  for (Operation *user : value.getUsers())
    if (auto barrier = dyn_cast<pd::OptimizationBarrierOp>(user))
      if (barrier.getNumber() == segment && barrier->getBlock() == importer.getBuilder().getInsertionBlock())
        return barrier;
  return pd::OptimizationBarrierOp::create(importer.getBuilder(), importer.getLocation(), value, segment);
}

} // namespace

bool isRecomputed(const legacy::Operation &op) { return segmentOf(op).has_value(); }

void keepApart(OpImporter &importer) {
  auto segment = segmentOf(importer.legacyOp());
  if (!segment)
    return;
  for (const legacy::Slot &slot : importer.legacyOp().inputs) {
    bool isOutside =
        llvm::none_of(slot.arguments, [&](const std::string &name) { return segmentOf(name) == segment; });
    llvm::SmallVector<Value> values = importer.valuesOf(slot);
    if (!isOutside || llvm::all_of(values, [&](Value value) { return staysItself(importer, value); }))
      continue;
    for (Value &value : values)
      if (!staysItself(importer, value))
        value = barrierIn(importer, *segment, value);
    importer.overrideInputs(slot.name, values);
  }
}

} // namespace proa::import
