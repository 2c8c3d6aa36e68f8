#include "translator/export/ExportOp.h"
#include "translator/export/OpExporter.h"

#include "dialects/pd/ir/Keywords.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

using namespace mlir;

namespace proa::exporter {
namespace {

using import::LegacyOp;
using import::MappedSlot;

using Entries = llvm::SmallVector<const LegacyOp *>;

/// The entries that an export of a pd op tries, in order.
llvm::ArrayRef<const LegacyOp *> entriesFor(llvm::StringRef target) {
  static const llvm::StringMap<Entries> byTarget = [] {
    llvm::StringMap<Entries> map;
    for (const LegacyOp &entry : import::legacyOps())
      if (entry.rank != LegacyOp::unwrittenRank)
        map[entry.target].push_back(&entry);
    for (auto &[target, entries] : map)
      llvm::sort(entries, [](const LegacyOp *a, const LegacyOp *b) { return a->rank < b->rank; });
    return map;
  }();
  auto found = byTarget.find(target);
  return found == byTarget.end() ? llvm::ArrayRef<const LegacyOp *>() : found->second;
}

/// Whether a slot is an attribute and nothing else: "@ksize".
bool isAttribute(const MappedSlot &slot) {
  return slot.spelling.starts_with("@") && !slot.spelling.contains('|');
}

/// Whether an entry has a slot for each operand, and one for each result that is read.
bool takes(const LegacyOp &entry, Operation *op) {
  for (auto [slot, group] : llvm::zip(entry.inputs, operandGroups(op, entry)))
    if (!group.empty() && (slot.spelling.empty() || (isAttribute(slot) && !constantIntegers(group[0]))))
      return false;
  for (auto [slot, group] : llvm::zip(entry.outputs, resultGroups(op, entry)))
    if (slot.spelling.empty() && llvm::any_of(group, [](Value value) { return !value.use_empty(); }))
      return false;
  return true;
}

/// The entry by which `op` is written, or null. Entries with another import hook than the first one have a
/// different meaning.
const LegacyOp *entryOf(Operation *op) {
  if (op->getNumRegions() > 0)
    return nullptr;
  llvm::ArrayRef<const LegacyOp *> entries = entriesFor(op->getName().getStringRef());
  for (const LegacyOp *entry : entries)
    if (entry->hook == entries.front()->hook && isExpressible(op, entry->type) && takes(*entry, op))
      return entry;
  return nullptr;
}

} // namespace

bool hasLegacyOp(Operation *op) { return isa<pd::NegateOp, pd::ConstantOp>(op) || entryOf(op); }

Result<legacy::Operation> exportOp(Operation *op, Names &names) {
  if (isa<pd::NegateOp>(op)) {
    legacy::Operation scale;
    scale.type = "scale";
    scale.inputs.push_back({"X", {names.of(op->getOperand(0))}});
    scale.outputs.push_back({"Out", {names.of(op->getResult(0))}});
    scale.attributes = {{"scale", -1.0F}, {"bias", 0.0F}, {"bias_after_scale", true}};
    return scale;
  }
  const LegacyOp *entry = entryOf(op);
  if (!entry)
    return errorAt("", "no legacy op is equivalent to '" + op->getName().getStringRef().str() + "'");
  return OpExporter(op, *entry, names).run();
}

} // namespace proa::exporter
