//! pd-decompose: composite ops become the ops that define them.
#include "passes/decompose/Passes.h"

#include "dialects/pd/autodiff/DeferredVjp.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/ReplaceResult.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/decompose/Passes.h.inc"

namespace {

class DecomposePass : public impl::DecomposeBase<DecomposePass> {
public:
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    if (failed(readOptions()))
      return signalPassFailure();
    SmallVector<Operation *> work;
    collect(getOperation(), work);
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      // What a decomposition makes may have one itself.
      OpBuilder builder(op);
      Operation *before = op->getPrevNode();
      pd::ErrorWatch errors(&getContext());
      auto values = cast<pd::DecomposableOpInterface>(op).tryDecompose(builder);
      if (failed(values)) {
        // A gradient has no other meaning than its decomposition, which has said what is in its way, or waits
        // for extents.
        if (isa<pd::VjpOp>(op) && (errors.hasSeen() || !pd::isDeferrable(op)))
          signalPassFailure();
        continue;
      }
      for (Operation *made = before ? before->getNextNode() : &op->getBlock()->front(); made != op;
           made = made->getNextNode())
        collect(made, work);
      if (failed(pd::replaceResults(op, *values)))
        return signalPassFailure();
      op->erase();
      ++numDecomposed;
    }
  }

private:
  LogicalResult readOptions() {
    if (!target.empty() && target != "cpu")
      return getOperation()->emitError() << "expected the target 'cpu', found '" << target << "'";
    for (auto [given, names] : {std::pair(&only, &onlyNames), std::pair(&except, &exceptNames)})
      for (const std::string &op : *given) {
        std::string name = StringRef(op).contains('.') ? op : "pd." + op;
        if (!RegisteredOperationName::lookup(name, &getContext()))
          return getOperation()->emitError() << "there is no op '" << op << "' to be decomposed or left";
        names->insert(name);
      }
    return success();
  }

  /// What is inside of an op that goes is that op's to decompose.
  void collect(Operation *root, SmallVector<Operation *> &work) {
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isWanted(op))
        return WalkResult::advance();
      work.push_back(op);
      return WalkResult::skip();
    });
  }

  bool isWanted(Operation *op) {
    if (!isa<pd::DecomposableOpInterface>(op) || (target == "cpu" && isa<pd::LibraryOpInterface>(op)))
      return false;
    StringRef name = op->getName().getStringRef();
    return (onlyNames.empty() || onlyNames.contains(name)) && !exceptNames.contains(name);
  }

  llvm::StringSet<> onlyNames, exceptNames;
};

} // namespace
} // namespace proa
