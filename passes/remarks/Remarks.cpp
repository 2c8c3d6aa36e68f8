#include "passes/remarks/Remarks.h"

#include "lib/base/support/Suggest.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace proa {
namespace {

/// Prints remarks as diagnostics, which tools print with their location and lit tests compare.
class DiagnosticStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  DiagnosticStreamer(StringRef passes, RemarkCounts *counts)
      : printed(("^(" + passes + ")$").str()), counts(counts) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (counts)
      counts->add(remark);
    if (!printed.match(remark.getCategoryName()))
      return;
    InFlightDiagnostic diagnostic = emitRemark(remark.getLocation());
    diagnostic << remark.getCategoryName() << ": ";
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      diagnostic << argument.val;
  }

private:
  llvm::Regex printed;
  RemarkCounts *counts;
};

} // namespace

void RemarkCounts::add(const remark::detail::Remark &remark) {
  std::lock_guard lock(mutex);
  Counts &counts = byPass[remark.getCategoryName().str()];
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    ++counts.changed;
    break;
  case llvm::remarks::Type::Missed:
    ++counts.unchanged;
    break;
  default:
    ++counts.notes;
  }
}

std::string RemarkCounts::table() const {
  std::lock_guard lock(mutex);
  std::string text = "pass                            changed  unchanged  notes\n";
  for (const auto &[pass, counts] : byPass)
    text +=
        llvm::formatv("{0,-30} {1,8} {2,10} {3,6}\n", pass, counts.changed, counts.unchanged, counts.notes);
  return text;
}

LogicalResult enableRemarks(MLIRContext &context, StringRef passes, std::string &error,
                            RemarkCounts *counts) {
  if (passes.empty()) // is not a regular expression of POSIX; "$^" matches nothing
    passes = "$^";
  if (!llvm::Regex(passes).isValid(error))
    return failure();
  std::string regex = counts ? ".*" : passes.str();
  remark::RemarkCategories categories{regex, regex, regex, regex, regex};
  return remark::enableOptimizationRemarks(context, std::make_unique<DiagnosticStreamer>(passes, counts),
                                           std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

std::vector<std::string> passNamesOf(StringRef pipeline) {
  llvm::SetVector<StringRef> names;
  size_t depth = 0; // of braces, which enclose options
  for (size_t begin = 0; begin < pipeline.size();) {
    size_t end = std::min(pipeline.find_first_of(",(){}", begin), pipeline.size());
    StringRef name = pipeline.slice(begin, end);
    char next = end < pipeline.size() ? pipeline[end] : '\0';
    if (depth == 0 && !name.empty() && next != '(') // the parenthesis follows the op that passes run on
      names.insert(name);
    depth += next == '{' ? 1 : next == '}' ? -1 : 0;
    begin = end + 1;
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Result<void> checkRemarkedPasses(const std::string &passes, const std::vector<std::string> &names,
                                 const std::string &where) {
  std::string error;
  llvm::Regex regex("^(" + passes + ")$");
  if (!regex.isValid(error))
    return errorAt(where, "'" + passes + "' is not a regular expression: " + error);
  if (llvm::any_of(names, [&](const std::string &name) { return regex.match(name); }))
    return {};
  return errorAt(where, "no pass matches '" + passes + "'" + didYouMean(passes, names));
}

PassRemark::PassRemark(InFlightRemark remark, StringRef pass, Operation *op)
    : remark(std::move(remark)), pass(pass) {
#ifndef NDEBUG
  if (llvm::DebugFlag && llvm::isCurrentDebugType(pass.data()))
    debugged = op;
#endif
}

PassRemark::~PassRemark() {
  if (debugged)
    LDBG(pass.data(), 1) << debugged->getLoc() << ": " << text;
}

bool PassRemarks::isDebugging() {
#ifndef NDEBUG
  return llvm::DebugFlag;
#else
  return false;
#endif
}

PassRemark PassRemarks::start(Operation *op, Create create) const {
  if (!op->getContext()->getRemarkEngine())
    return PassRemark(InFlightRemark(), pass, op);
  auto function = isa<FunctionOpInterface>(op) ? cast<FunctionOpInterface>(op)
                                               : op->getParentOfType<FunctionOpInterface>();
  remark::RemarkOpts options = remark::RemarkOpts::name(op->getName().getStringRef()).category(pass);
  return PassRemark(create(op->getLoc(), function ? options.function(function.getName()) : options), pass,
                    op);
}

PassRemark PassRemarks::done(Operation *op) const { return start(op, remark::passed); }

PassRemark PassRemarks::missed(Operation *op) const { return start(op, remark::missed); }

PassRemark PassRemarks::analysis(Operation *op) const { return start(op, remark::analysis); }

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

void applyPatternsOnce(Operation *root, RewritePatternSet &&patterns, PassRemarks remarks) {
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  // MLIR's walkAndApplyPatterns does not tell a listener which op a match failure belongs to.
  MatchFailureRemarks failures(remarks);
  PatternRewriter rewriter(root->getContext());
  if (PassRemarks::areEnabled(root->getContext()))
    rewriter.setListener(&failures);
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) { ops.push_back(op); });
  ops.pop_back(); // the root, which is last
  for (Operation *op : ops) {
    auto begin = [&](const Pattern &pattern) {
      failures.notifyPatternBegin(pattern, op);
      return true;
    };
    rewriter.setInsertionPoint(op);
    (void)applicator.matchAndRewrite(op, rewriter, begin);
  }
  failures.report();
}

void MatchFailureRemarks::report() {
  for (auto &[op, reason] : reasons)
    if (!reason.empty())
      remarks.missed(op) << reason;
  reasons.clear();
}

void MatchFailureRemarks::notifyPatternBegin(const Pattern &, Operation *op) { current = op; }

void MatchFailureRemarks::notifyMatchFailure(Location location,
                                             function_ref<void(mlir::Diagnostic &)> reason) {
  if (!current)
    return;
  mlir::Diagnostic diagnostic(location, DiagnosticSeverity::Remark);
  reason(diagnostic);
  reasons[current] = diagnostic.str();
}

void MatchFailureRemarks::notifyOperationErased(Operation *op) {
  if (auto entry = reasons.find(op); entry != reasons.end())
    entry->second.clear(); // the order of the others stays
}

} // namespace proa
