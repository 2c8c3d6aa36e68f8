//! dist-gather-at-uses: gathers arguments where they are used.
#include "passes/spmd/Passes.h"

#include "passes/remarks/Remarks.h"
#include "passes/spmd/Collectives.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <map>

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_GATHERATUSES
#include "passes/spmd/Passes.h.inc"

namespace {

/// Whether a device computes, so that time passes: an op that is not one of the dist dialect, and no
/// constant.
bool isWork(Operation *op) {
  return !isa<dist::DistDialect>(op->getDialect()) && !op->hasTrait<OpTrait::ConstantLike>();
}

/// Positions of the ops of blocks, in ops that compute.
class Positions {
public:
  int64_t of(Operation *op) {
    Block *block = op->getBlock();
    if (!ends.contains(block)) {
      int64_t count = 0;
      for (Operation &own : *block) {
        positions[&own] = count;
        count += isWork(&own);
      }
      ends[block] = count;
    }
    return positions.lookup(op);
  }
  int64_t countOf(Block *block) {
    of(&block->front());
    return ends.lookup(block);
  }

private:
  llvm::DenseMap<Operation *, int64_t> positions;
  llvm::DenseMap<Block *, int64_t> ends;
};

/// A gather for the users in a section of a block.
struct Section {
  Operation *gather = nullptr;
  Operation *first = nullptr, *last = nullptr; ///< ops of the block that use the result
  SmallVector<OpOperand *> uses;
};

class GatherAtUsesPass : public impl::GatherAtUsesBase<GatherAtUsesPass> {
public:
  using GatherAtUsesBase::GatherAtUsesBase;

  void runOnOperation() override {
    for (auto [option, value] : {std::pair("span", int64_t(span)), {"bucket-bytes", int64_t(bucketBytes)}})
      if (value < 1) {
        getOperation().emitError() << getArgumentName() << ": expected a " << option
                                   << " of at least 1, found " << value;
        return signalPassFailure();
      }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      positions = {};
      std::map<Block *, std::vector<Section>> byBlock;
      SmallVector<Block *> blocks;
      function.walk([&](dist::AllGatherOp op) {
        if (!isGathered(op))
          return;
        for (Section &section : sectionsOf(op)) {
          std::vector<Section> &own = byBlock[section.first->getBlock()];
          if (own.empty())
            blocks.push_back(section.first->getBlock());
          own.push_back(std::move(section));
        }
      });
      for (Block *block : blocks)
        place(byBlock[block]);
      SmallVector<dist::SliceOp> slices; // a walk would meet those again that move
      function.walk([&](dist::SliceOp op) { slices.push_back(op); });
      llvm::for_each(slices, moveToFirstUse);
    }
  }

private:
  static bool isOfArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  }

  /// The operand lives anyway, and the result takes more memory.
  static bool isGathered(dist::AllGatherOp op) {
    return isOfArgument(op.getX()) && !op->use_empty() && isa<RankedTensorType>(op->getResult(0).getType());
  }

  /// A slice of an argument, such as a parameter that an update of ZeRO changes, takes memory from here on.
  static void moveToFirstUse(dist::SliceOp op) {
    if (!isOfArgument(op.getX()) || op->use_empty())
      return;
    Operation *first = nullptr;
    for (Operation *user : op->getUsers()) {
      Operation *anchor = op->getBlock()->findAncestorOpInBlock(*user);
      if (!first || anchor->isBeforeInBlock(first))
        first = anchor;
    }
    op->moveBefore(first);
  }

  /// The user, or the op around it, in the innermost block where the result may be gathered: the block of the
  /// gather, or of a long loop in it. Short loops would gather for little work.
  Operation *anchorOf(Operation *user, Block *outer) {
    SmallVector<Operation *> chain{user};
    while (chain.back()->getBlock() != outer)
      chain.push_back(chain.back()->getParentOp());
    Operation *anchor = chain.pop_back_val();
    while (!chain.empty() && isa<LoopLikeOpInterface>(anchor) &&
           positions.countOf(chain.back()->getBlock()) > span)
      anchor = chain.pop_back_val();
    return anchor;
  }

  std::vector<Section> sectionsOf(Operation *gather) {
    llvm::MapVector<Block *, std::vector<std::pair<Operation *, OpOperand *>>> users;
    for (OpOperand &use : gather->getResult(0).getUses()) {
      Operation *anchor = anchorOf(use.getOwner(), gather->getBlock());
      users[anchor->getBlock()].emplace_back(anchor, &use);
    }
    std::vector<Section> sections;
    for (auto &[block, list] : users) {
      llvm::stable_sort(list, [&](const auto &a, const auto &b) {
        return a.first != b.first && a.first->isBeforeInBlock(b.first);
      });
      for (auto [op, use] : list) {
        bool isNew = sections.empty() || sections.back().first->getBlock() != block ||
                     positions.of(op) - positions.of(sections.back().last) > span;
        if (isNew)
          sections.push_back({gather, op, op, {}});
        sections.back().last = op;
        sections.back().uses.push_back(use);
      }
    }
    return sections;
  }

  static int64_t bytesOf(const Section &section) {
    RankedTensorType global = cast<dist::AllGatherOp>(section.gather).getGlobal();
    return global.hasStaticShape() ? global.getNumElements() * elementBytes(global.getElementType()) : 0;
  }

  /// Gathers of one block. Those that are first used next to each other are together, up to the bytes of a
  /// bucket; each bucket starts where the one before it is first used.
  void place(std::vector<Section> &sections) {
    llvm::stable_sort(sections, [](const Section &a, const Section &b) {
      return a.first != b.first && a.first->isBeforeInBlock(b.first);
    });
    Operation *before = sections.front().first, *start = before;
    int64_t bytes = 0;
    for (Section &section : sections) {
      bool isNew = bytes > 0 && (bytes + bytesOf(section) > bucketBytes ||
                                 positions.of(section.first) - positions.of(start) > span);
      if (isNew) {
        before = isNear(start, section.first) ? start : section.first;
        start = section.first, bytes = 0;
      }
      bytes += bytesOf(section);
      gatherBefore(section, before);
    }
  }

  /// Whether a gather may start this early.
  bool isNear(Operation *start, Operation *user) { return positions.of(user) - positions.of(start) <= span; }

  void gatherBefore(Section &section, Operation *before) {
    StringRef name = section.gather->getName().getStringRef();
    bool hasOtherUses = !llvm::all_of(section.gather->getResult(0).getUses(),
                                      [&](OpOperand &use) { return llvm::is_contained(section.uses, &use); });
    if (!hasOtherUses) {
      section.gather->moveBefore(before);
      return;
    }
    OpBuilder builder(before);
    Operation *copy = builder.clone(*section.gather);
    for (OpOperand *use : section.uses)
      use->set(copy->getResult(0));
    remarks.done(copy) << name << " is repeated for uses of which the others are more than "
                       << std::to_string(span) << " ops away, or outside of the loop";
  }

  PassRemarks remarks{getArgumentName()};
  Positions positions;
};

} // namespace
} // namespace proa
