#include "passes/remarks/Remarks.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/Support/Regex.h"

using namespace mlir;

namespace proa {
namespace {

/// Prints remarks as diagnostics, which tools print with their location and lit tests compare.
class DiagnosticStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    InFlightDiagnostic diagnostic = emitRemark(remark.getLocation());
    diagnostic << remark.getCategoryName() << ": ";
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      diagnostic << argument.val;
  }
};

} // namespace

LogicalResult enableRemarks(MLIRContext &context, StringRef passes, std::string &error) {
  if (!llvm::Regex(passes).isValid(error))
    return failure();
  std::string regex = passes.str();
  remark::RemarkCategories categories{regex, regex, regex, regex, regex};
  return remark::enableOptimizationRemarks(context, std::make_unique<DiagnosticStreamer>(),
                                           std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

remark::RemarkOpts PassRemarks::optionsFor(Operation *op) const {
  auto function = isa<FunctionOpInterface>(op) ? cast<FunctionOpInterface>(op)
                                               : op->getParentOfType<FunctionOpInterface>();
  remark::RemarkOpts options = remark::RemarkOpts::name(op->getName().getStringRef()).category(pass);
  return function ? options.function(function.getName()) : options;
}

InFlightRemark PassRemarks::done(Operation *op) const {
  return areEnabled(op->getContext()) ? remark::passed(op->getLoc(), optionsFor(op)) : InFlightRemark();
}

InFlightRemark PassRemarks::missed(Operation *op) const {
  return areEnabled(op->getContext()) ? remark::missed(op->getLoc(), optionsFor(op)) : InFlightRemark();
}

InFlightRemark PassRemarks::analysis(Operation *op) const {
  return areEnabled(op->getContext()) ? remark::analysis(op->getLoc(), optionsFor(op)) : InFlightRemark();
}

LogicalResult applyPatternsInOrder(Operation *root, RewritePatternSet &&patterns, PassRemarks remarks) {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal().enableFolding(false).enableConstantCSE(false).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  MatchFailureRemarks failures(remarks);
  if (PassRemarks::areEnabled(root->getContext()))
    config.setListener(&failures);
  if (failed(applyPatternsGreedily(root, std::move(patterns), config)))
    return failure();
  failures.report();
  return success();
}

void MatchFailureRemarks::report() {
  for (auto &[op, reason] : reasons)
    if (!reason.empty())
      remarks.missed(op) << reason;
  reasons.clear();
}

void MatchFailureRemarks::notifyPatternBegin(const Pattern &, Operation *op) { current = op; }

void MatchFailureRemarks::notifyMatchFailure(Location location, function_ref<void(Diagnostic &)> reason) {
  if (!current)
    return;
  Diagnostic diagnostic(location, DiagnosticSeverity::Remark);
  reason(diagnostic);
  reasons[current] = diagnostic.str();
}

void MatchFailureRemarks::notifyOperationErased(Operation *op) {
  if (auto entry = reasons.find(op); entry != reasons.end())
    entry->second.clear(); // the order of the others stays
}

} // namespace proa
