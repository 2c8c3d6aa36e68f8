//! pd-decompose: replaces composites by the simpler ops that define them.
#include "passes/decompose/Passes.h"

#include "dialects/pd/autodiff/DeferredVjp.h"
#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ir/PartialLibrary.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "passes/remarks/Remarks.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/decompose/Passes.h.inc"

namespace {

/// Keeps the reason that a decomposition gave by notifyDecompositionFailure.
class ReasonListener : public RewriterBase::Listener {
public:
  void notifyMatchFailure(Location location, function_ref<void(mlir::Diagnostic &)> explain) override {
    mlir::Diagnostic diagnostic(location, DiagnosticSeverity::Remark);
    explain(diagnostic);
    reason = diagnostic.str();
  }

  std::string reason;
};

class DecomposePass : public impl::DecomposeBase<DecomposePass> {
public:
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    if (failed(readOptions()))
      return signalPassFailure();
    SmallVector<Operation *> work;
    collect(getOperation(), work);
    while (!work.empty())
      decompose(work.pop_back_val(), work);
  }

private:
  LogicalResult readOptions() {
    for (auto [given, names] : {std::pair(&only, &onlyNames), std::pair(&except, &exceptNames)})
      for (const std::string &op : *given) {
        std::string name = StringRef(op).contains('.') ? op : "pd." + op;
        if (!RegisteredOperationName::lookup(name, &getContext()))
          return getOperation()->emitError() << "there is no op '" << op << "' to be decomposed or left";
        names->insert(name);
      }
    return success();
  }

  /// Replaces the op by its decomposition; adds the composites among the new ops to `work`.
  void decompose(Operation *op, SmallVector<Operation *> &work) {
    ReasonListener listener;
    OpBuilder builder(op, PassRemarks::areEnabled(op->getContext()) ? &listener : nullptr);
    Operation *before = op->getPrevNode();
    pd::ErrorWatch errors(&getContext());
    auto values = cast<pd::DecomposableOpInterface>(op).tryDecompose(builder);
    if (failed(values)) {
      remarks.missed(op) << op->getName().getStringRef() << " is not decomposed: "
                         << (listener.reason.empty() ? guessedReason(op) : listener.reason);
      // A gradient can only be computed by its decomposition. It fails, with an error, or waits for dims.
      if (isa<pd::VjpOp>(op) && (errors.hasSeen() || !pd::isDeferrable(op))) {
        if (!errors.hasSeen())
          op->emitOpError(pd::hasDynamicDims(op) ? "cannot be decomposed as long as its dims are dynamic"
                                                 : "cannot be decomposed");
        signalPassFailure();
      }
      return;
    }
    for (Operation *next = before ? before->getNextNode() : &op->getBlock()->front(); next != op;
         next = next->getNextNode())
      collect(next, work);
    remarks.done(op) << op->getName().getStringRef() << " is decomposed";
    if (failed(pd::replaceResults(op, *values)))
      return signalPassFailure();
    op->erase();
  }

  /// For a decomposition that gives no reason: often it needs a dim that is dynamic.
  static std::string guessedReason(Operation *op) {
    if (!PassRemarks::areEnabled(op->getContext()))
      return {};
    std::string reason = "its decomposition does not support these attributes and types";
    for (OpOperand &operand : op->getOpOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()); type && !type.hasStaticShape()) {
        reason += "; operand " + std::to_string(operand.getOperandNumber()) + " has dynamic dims: '";
        llvm::raw_string_ostream(reason) << type << "'";
        break;
      }
    return reason;
  }

  /// Collects the ops to decompose, but not the ops inside of them.
  void collect(Operation *root, SmallVector<Operation *> &work) {
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isSelected(op))
        return WalkResult::advance();
      work.push_back(op);
      return WalkResult::skip();
    });
  }

  bool isSelected(Operation *op) {
    if (!isa<pd::DecomposableOpInterface>(op))
      return false;
    StringRef name = op->getName().getStringRef();
    if ((!onlyNames.empty() && !onlyNames.contains(name)) || exceptNames.contains(name))
      return false;
    auto kernel = dyn_cast<pd::DeviceKernelOpInterface>(op);
    if (target == DeviceKind::Gpu && kernel) {
      const char *why = kernel.whyNoDeviceKernel();
      remarks.missed(op) << name
                         << (why ? " has no kernel of its own on the target gpu: "
                                 : " is not decomposed: the target gpu has a kernel for it")
                         << (why ? why : "");
      return why != nullptr;
    }
    auto library = dyn_cast<pd::LibraryOpInterface>(op);
    if (target == DeviceKind::Any || !library)
      return true;
    auto partial = dyn_cast<pd::PartialLibraryOpInterface>(op);
    if (const char *why = partial ? partial.whyNoLibraryKernel() : nullptr) {
      remarks.missed(op) << name << " has no library kernel: " << why;
      return true;
    }
    remarks.missed(op) << name << " is not decomposed: the target "
                       << (target == DeviceKind::Gpu ? "gpu" : "cpu") << " has the library kernel '"
                       << library.getLibraryKernel() << "'";
    return false;
  }

  PassRemarks remarks{getArgumentName()};
  llvm::StringSet<> onlyNames, exceptNames;
};

} // namespace
} // namespace proa
