#include "passes/patterns/PatternSet.h"

#include "lib/base/support/CountText.h"
#include "passes/patterns/NativeFunctions.h"
#include "passes/patterns/NearMiss.h"
#include "passes/patterns/Preparation.h"

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace proa {
namespace {

/// Matches of patterns while one thread applies them. Native rewrites have no access to the rewriter's
/// listener.
struct Matches {
  PassRemarks remarks;
  llvm::MapVector<StringRef, size_t> counts; ///< by pattern
  /// Where a pattern matched: its results have these locations, and are not near misses.
  llvm::DenseSet<std::pair<StringRef, Location>> locations;
};

Matches *&matchesOfThread() {
  static thread_local Matches *matches = nullptr;
  return matches;
}

LogicalResult reportMatch(PatternRewriter &, PDLResultList &, ArrayRef<PDLValue> arguments) {
  if (Matches *matches = matchesOfThread()) {
    StringRef pattern = cast<StringAttr>(arguments[1].cast<Attribute>()).getValue();
    auto *root = arguments[0].cast<Operation *>();
    ++matches->counts[pattern];
    matches->locations.insert({pattern, root->getLoc()});
    matches->remarks.done(root) << "pattern " << pattern << " matches";
  }
  return success();
}

LogicalResult segmentSizes(PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> groups) {
  SmallVector<int32_t> sizes;
  for (const PDLValue &group : groups)
    sizes.push_back(group.isa<ValueRange>() ? static_cast<int32_t>(group.cast<ValueRange>().size()) : 1);
  results.push_back(Attribute(rewriter.getDenseI32ArrayAttr(sizes)));
  return success();
}

LogicalResult replacedTypes(PatternRewriter &, PDLResultList &results, ArrayRef<PDLValue> arguments) {
  SmallVector<Type> types(arguments[0].cast<Operation *>()->getResultTypes());
  results.push_back(TypeRange(types));
  return success();
}

/// Infers with an op that has no results, but all attributes with their defaults.
LogicalResult inferredTypes(PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
  auto *root = arguments[0].cast<Operation *>();
  StringRef name = cast<StringAttr>(arguments[1].cast<Attribute>()).getValue();
  auto names = cast<ArrayAttr>(arguments[2].cast<Attribute>());
  OperationState state(root->getLoc(), name);
  ArrayRef<PDLValue> values = arguments.drop_front(3);
  for (auto [attribute, value] : llvm::zip(names, values))
    state.addAttribute(cast<StringAttr>(attribute), value.cast<Attribute>());
  for (const PDLValue &value : values.drop_front(names.size())) {
    if (value.isa<ValueRange>())
      state.addOperands(value.cast<ValueRange>());
    else
      state.addOperands(value.cast<Value>());
  }
  Operation *op = Operation::create(state);
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
          rewriter.getContext(), root->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(),
          op->getPropertiesStorage(), op->getRegions(), types))) {
    root->emitError() << "the types of the results of " << name << " cannot be inferred";
    rewriteFailed() = true;
    types.assign(1, root->getNumResults() > 0 ? root->getResult(0).getType() : rewriter.getNoneType());
  }
  op->destroy();
  results.push_back(TypeRange(types));
  return success();
}

/// The function for the interpreter, whose reasons are not reported: it may try a constraint before it knows
/// the ops of the pattern.
PDLConstraintFunction withoutReasons(const PDLConstraintFunction &function) {
  return [function](PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
    PatternRewriter silent(rewriter.getContext());
    return function(silent, results, arguments);
  };
}

} // namespace

struct PatternSet::Compiled {
  explicit Compiled(PassRemarks remarks) : remarks(remarks) {}

  /// Remarks for the pattern nearest to a match, of those with the name `pattern`.
  void explain(Operation *op, StringRef pattern, MutableArrayRef<pdl::PatternOp> orders) const;
  void explainAll(Operation *root, const Matches &matches) const;

  PassRemarks remarks;
  FrozenRewritePatternSet patterns;
  OwningOpRef<ModuleOp> module; ///< the patterns in PDL
  llvm::StringMap<PDLConstraintFunction> constraints;
  /// The patterns by name, each in all orders of its operands.
  mutable llvm::MapVector<StringRef, SmallVector<pdl::PatternOp>> byName;
};

LogicalResult PatternSet::compile(RewritePatternSet &&patterns, PassRemarks remarks, PatternSet &result) {
  auto compiled = std::make_shared<Compiled>(remarks);
  PDLPatternModule &pdl = patterns.getPDLPatterns();
  if (!pdl.getModule()) {
    compiled->patterns = FrozenRewritePatternSet(std::move(patterns));
    result.compiled = std::move(compiled);
    return success();
  }
  registerNativeFunctions(pdl);
  if (failed(checkPatterns(pdl)))
    return failure();
  addCommutedPatterns(pdl.getModule());
  compiled->constraints = pdl.getConstraintFunctions();
  compiled->module = OwningOpRef<ModuleOp>(pdl.getModule().clone());
  for (auto pattern : compiled->module->getOps<pdl::PatternOp>())
    compiled->byName[patternName(pattern)].push_back(pattern);
  completeRewrites(pdl.getModule());

  PDLPatternModule complete{OwningOpRef<ModuleOp>(pdl.getModule().clone())};
  for (const auto &function : compiled->constraints)
    complete.registerConstraintFunction(function.first(), withoutReasons(function.second));
  for (const auto &function : pdl.getRewriteFunctions())
    complete.registerRewriteFunction(function.first(), function.second);
  complete.registerRewriteFunction(reportMatchFunction, PDLRewriteFunction(reportMatch));
  complete.registerRewriteFunction(replacedTypesFunction, PDLRewriteFunction(replacedTypes));
  complete.registerRewriteFunction(inferredTypesFunction, PDLRewriteFunction(inferredTypes));
  complete.registerRewriteFunction(segmentSizesFunction, PDLRewriteFunction(segmentSizes));
  RewritePatternSet set(std::move(complete));
  set.getNativePatterns() = std::move(patterns.getNativePatterns());
  compiled->patterns = FrozenRewritePatternSet(std::move(set));
  result.compiled = std::move(compiled);
  return success();
}

LogicalResult PatternSet::apply(Operation *root) const {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal().enableFolding(false).enableConstantCSE(false).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  // MLIR has no limit on the rewrites of one iteration, in which a pattern may match its own result.
  constexpr int64_t mostRewritesOfOp = 64;
  int64_t ops = 0;
  root->walk([&](Operation *) { ++ops; });
  config.setMaxNumRewrites(mostRewritesOfOp * ops);
  MatchFailureRemarks failures(compiled->remarks);
  bool reports = PassRemarks::areEnabled(root->getContext());
  if (reports)
    config.setListener(&failures);
  Matches matches{compiled->remarks, {}, {}};
  matchesOfThread() = &matches;
  rewriteFailed() = false;
  LogicalResult applied = applyPatternsGreedily(root, compiled->patterns, config);
  matchesOfThread() = nullptr;
  if (rewriteFailed())
    return failure();
  if (failed(applied))
    return root->emitError() << "the patterns do not terminate: they match results of each other";
  if (reports) {
    failures.report();
    compiled->explainAll(root, matches);
  }
  return success();
}

void PatternSet::Compiled::explain(Operation *op, StringRef pattern,
                                   MutableArrayRef<pdl::PatternOp> orders) const {
  PartialMatch nearest;
  for (pdl::PatternOp order : orders) {
    PartialMatch match = matchPartially(order, op, constraints);
    if (match.isMatch)
      return;
    if (std::tie(match.ops, match.checks) > std::tie(nearest.ops, nearest.checks))
      nearest = std::move(match);
  }
  // An op of a pattern of several that merely has the name of the root is not a near miss.
  if (nearest.reason.empty() || (nearest.failsAtOp && nearest.ops < 2))
    return;
  remarks.missed(op) << "pattern " << pattern << " does not match: " << nearest.reason;
}

void PatternSet::Compiled::explainAll(Operation *root, const Matches &matches) const {
  for (auto &[name, orders] : byName) {
    auto expected = orders.front().getRewriter().getRoot();
    auto rootOp = expected ? expected.getDefiningOp<pdl::OperationOp>() : pdl::OperationOp();
    if (rootOp)
      root->walk([&](Operation *op) {
        bool hasName = !rootOp.getOpName() || *rootOp.getOpName() == op->getName().getStringRef();
        if (hasName && !matches.locations.contains({name, op->getLoc()}))
          explain(op, name, orders);
      });
    auto count = matches.counts.find(name);
    remarks.analysis(root) << "pattern " << name << ": "
                           << countText(count == matches.counts.end() ? 0
                                                                      : static_cast<int64_t>(count->second),
                                        "match", "matches");
  }
}

LogicalResult parsePatterns(StringRef text, StringRef name, RewritePatternSet &patterns) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(patterns.getContext()), name);
  if (!module)
    return failure();
  patterns.add(PDLPatternModule(std::move(module)));
  return success();
}

} // namespace proa
