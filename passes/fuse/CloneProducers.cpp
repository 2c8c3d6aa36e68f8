#include "passes/fuse/CloneProducers.h"

#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/proa/Proa.h"
#include "lib/base/support/CountText.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace proa {
namespace {

/// Ops that a clone may consist of. A device computes about 35 instructions while it reads an element.
constexpr size_t maxClonedOps = 4;

double bytesOf(Value value) {
  RankedTensorType type = pd::tensorType(value);
  int64_t assumed = targetOf(value.getParentBlock()->getParentOp()).device().assumedDim;
  auto bytes = static_cast<double>(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  for (int64_t size : type.getShape())
    bytes *= static_cast<double>(ShapedType::isDynamic(size) ? assumed : size);
  return bytes;
}

class ProducerCloner {
public:
  ProducerCloner(MutableArrayRef<std::unique_ptr<KernelGroup>> groups, PassRemarks remarks)
      : groups(groups), remarks(remarks) {
    for (auto &group : groups)
      for (Operation *member : group->members)
        groupOf[member] = group.get();
  }

  void run() {
    for (auto &group : groups)
      // A clone may need operands that are stored only for an op after it.
      for (Operation *member : llvm::to_vector(llvm::reverse(group->members)))
        visit(member, *group);
  }

private:
  MutableArrayRef<std::unique_ptr<KernelGroup>> groups;
  PassRemarks remarks;
  llvm::DenseMap<Operation *, KernelGroup *> groupOf;

  /// An op and the members of its group that a clone needs too, in program order; the values that it reads.
  struct Chain {
    llvm::SetVector<Operation *> ops;
    llvm::SetVector<Value> inputs;
  };

  bool isStored(Value value, const KernelGroup &group) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return groupOf.lookup(user) != &group; });
  }

  /// Adds `op` after the ops that it needs; false if a clone is not possible.
  bool collect(Operation *op, const KernelGroup &group, Chain &chain) const {
    if (chain.ops.contains(op))
      return true;
    if (!isa<pd::ScalarOpInterface>(op) || !isPure(op))
      return false;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      bool isOwn = producer && groupOf.lookup(producer) == &group;
      bool isSmall = bytesOf(operand) * 2 <= bytesOf(op->getResult(0));
      if (isOwn && !isSmall && !isStored(operand, group)) {
        if (!collect(producer, group, chain))
          return false;
      } else if (!isInlineConstant(operand)) {
        chain.inputs.insert(operand);
      }
    }
    chain.ops.insert(op);
    return chain.ops.size() <= maxClonedOps;
  }

  static bool reads(const KernelGroup &group, Value value) {
    return llvm::any_of(value.getUsers(),
                        [&](Operation *user) { return llvm::is_contained(group.members, user); });
  }

  /// The groups that read the result of `op`; nothing if the result must be stored.
  std::optional<llvm::SetVector<KernelGroup *>> readersOf(Operation *op, const KernelGroup &group) const {
    llvm::SetVector<KernelGroup *> readers;
    for (Operation *user : op->getUsers()) {
      KernelGroup *reader = groupOf.lookup(user);
      if (reader == &group)
        continue;
      if (!reader || reader->domain != pd::tensorType(op->getResult(0)).getShape() ||
          reader->members.size() + maxClonedOps > maxGroupMembers || reader->hasContraction ||
          reader->hasThreadCode || isa<pd::DeviceKernelOpInterface>(reader->members.front()))
        return std::nullopt;
      readers.insert(reader);
    }
    return readers;
  }

  void erase(Operation *op, KernelGroup &group) {
    llvm::erase(group.members, op);
    groupOf.erase(op);
    op->erase();
  }

  void visit(Operation *op, KernelGroup &group) {
    if (isOpTriviallyDead(op))
      return erase(op, group);
    auto readers = readersOf(op, group);
    Chain chain;
    if (!readers || readers->empty() || !collect(op, group, chain))
      return;
    double saved = bytesOf(op->getResult(0)) * static_cast<double>(1 + readers->size()), added = 0;
    for (Value input : chain.inputs) {
      Operation *producer = input.getDefiningOp();
      if (producer && groupOf.lookup(producer) == &group && !isStored(input, group))
        added += bytesOf(input);
      for (KernelGroup *reader : *readers)
        added += reads(*reader, input) ? 0 : bytesOf(input);
    }
    if (added >= saved)
      return;
    remarks.done(op) << op->getName().getStringRef() << " is computed again by "
                     << countText(int64_t(readers->size()), "kernel that reads it", "kernels that read it")
                     << ", and is not stored: "
                     << llvm::formatv("{0:f0} bytes of memory instead of {1:f0}", added, saved).str();
    for (KernelGroup *reader : *readers)
      cloneInto(*reader, op, chain);
    if (isOpTriviallyDead(op))
      erase(op, group);
  }

  void cloneInto(KernelGroup &reader, Operation *op, const Chain &chain) {
    auto isUser = [&](Operation *member) { return llvm::is_contained(op->getUsers(), member); };
    Operation *first = *llvm::find_if(reader.members, isUser);
    OpBuilder builder(first);
    IRMapping map;
    SmallVector<Operation *> clones;
    for (Operation *own : chain.ops) {
      clones.push_back(builder.clone(*own, map));
      groupOf[clones.back()] = &reader;
    }
    op->getResult(0).replaceUsesWithIf(map.lookup(op->getResult(0)), [&](OpOperand &use) {
      return groupOf.lookup(use.getOwner()) == &reader && !llvm::is_contained(clones, use.getOwner());
    });
    reader.members.insert(llvm::find(reader.members, first), clones.begin(), clones.end());
  }
};

} // namespace

void cloneProducers(MutableArrayRef<std::unique_ptr<KernelGroup>> groups, PassRemarks remarks) {
  ProducerCloner(groups, remarks).run();
}

} // namespace proa
