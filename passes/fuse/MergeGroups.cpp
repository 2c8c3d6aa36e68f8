#include "passes/fuse/MergeGroups.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace proa {
namespace {

/// Elements that a block of threads computes.
constexpr int64_t mostElements = 1024;
/// Earlier groups that a group is compared with.
constexpr size_t mostCandidates = 8;

bool isSmall(const KernelGroup &group) {
  if (!group.reducedDims.empty() || group.hasContraction || group.hasThreadCode ||
      ShapedType::isDynamicShape(group.domain) || ShapedType::getNumElements(group.domain) > mostElements)
    return false;
  return llvm::all_of(group.members, [&](Operation *member) {
    return isa<pd::ScalarOpInterface>(member) &&
           pd::tensorType(member->getResult(0)).getShape() == ArrayRef(group.domain);
  });
}

class GroupMerger {
public:
  GroupMerger(SmallVectorImpl<std::unique_ptr<KernelGroup>> &groups, PassRemarks remarks)
      : groups(groups), remarks(remarks) {
    for (auto &group : groups)
      for (Operation *member : group->members)
        groupOf[member] = group.get();
  }

  void run() {
    for (auto &group : groups)
      if (!group->members.empty() && isSmall(*group))
        visit(*group);
    llvm::erase_if(groups, [](const std::unique_ptr<KernelGroup> &group) { return group->members.empty(); });
  }

private:
  SmallVectorImpl<std::unique_ptr<KernelGroup>> &groups;
  PassRemarks remarks;
  llvm::DenseMap<Operation *, KernelGroup *> groupOf;
  std::map<SmallVector<int64_t>, SmallVector<KernelGroup *>> ofDomain; ///< earlier groups

  /// Merges the group into the last earlier one that it can join.
  void visit(KernelGroup &group) {
    SmallVector<KernelGroup *> &earlier = ofDomain[group.domain];
    for (KernelGroup *other : llvm::reverse(earlier))
      if (llvm::SetVector<Operation *> moved = movedOps(group, *other); !moved.empty())
        return merge(*other, group, moved.getArrayRef());
    earlier.push_back(&group);
    if (earlier.size() > mostCandidates)
      earlier.erase(earlier.begin());
  }

  /// Whether the value is computed before the call of the kernel whose last op is `place`.
  bool isReady(Value value, Operation *position) const {
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->getBlock() != position->getBlock() || isInlineConstant(value))
      return true;
    KernelGroup *owner = groupOf.lookup(producer);
    return (owner ? owner->members.back() : producer)->isBeforeInBlock(position);
  }

  /// Adds the producer of the value, if that is a view of a value that is ready. False if the value cannot be
  /// ready.
  bool makeReady(Value value, Operation *position, llvm::SetVector<Operation *> &moved) const {
    if (isReady(value, position) || moved.contains(value.getDefiningOp()))
      return true;
    auto view = value.getDefiningOp<pd::ReshapeOp>();
    if (!view || groupOf.contains(view) ||
        !llvm::all_of(view->getOperands(), [&](Value operand) { return isReady(operand, position); }))
      return false;
    return moved.insert(view);
  }

  /// The ops of `group` and the views that it reads, if they can move to the end of `other`; else nothing.
  llvm::SetVector<Operation *> movedOps(const KernelGroup &group, const KernelGroup &other) const {
    llvm::SetVector<Operation *> moved;
    if (group.members.size() + other.members.size() > maxGroupMembers)
      return moved;
    for (Operation *member : group.members) {
      if (!llvm::all_of(member->getOperands(),
                        [&](Value operand) { return makeReady(operand, other.members.back(), moved); }))
        return {};
      moved.insert(member);
    }
    return moved;
  }

  void merge(KernelGroup &into, KernelGroup &group, ArrayRef<Operation *> moved) {
    remarks.done(group.members.front()) << "joins a kernel that it does not depend on: both compute "
                                        << std::to_string(ShapedType::getNumElements(group.domain))
                                        << " elements, at most " << std::to_string(mostElements);
    Operation *last = into.members.back();
    for (Operation *op : moved) {
      op->moveAfter(last);
      last = op;
    }
    for (Operation *member : group.members)
      groupOf[member] = &into;
    llvm::append_range(into.members, group.members);
    group.members.clear();
  }
};

} // namespace

void mergeSmallGroups(SmallVectorImpl<std::unique_ptr<KernelGroup>> &groups, PassRemarks remarks) {
  GroupMerger(groups, remarks).run();
}

} // namespace proa
