#include "passes/spmd/Passes.h"

#include "dialects/pd/sharding/ShardingRule.h"

namespace proa {

#define GEN_PASS_DEF_ANNOTATESHARDINGRULES
#include "passes/spmd/Passes.h.inc"

namespace {

class AnnotateShardingRulesPass : public impl::AnnotateShardingRulesBase<AnnotateShardingRulesPass> {
public:
  using AnnotateShardingRulesBase::AnnotateShardingRulesBase;

  void runOnOperation() override {
    getOperation()->walk([&](mlir::Operation *op) {
      if (llvm::isa_and_present<pd::PdDialect>(op->getDialect()))
        annotate(op);
    });
  }

private:
  void annotate(mlir::Operation *op) {
    if (auto rule = pd::shardingRuleOf(op)) {
      op->setAttr("pd.sharding_rule", mlir::StringAttr::get(op->getContext(), rule->text()));
      ++numRules;
      return;
    }
    ++numWithout;
    if (remarks)
      mlir::emitRemark(op->getLoc()) << op->getName()
                                     << " has no sharding rule: it runs whole on each device";
  }
};

} // namespace
} // namespace proa
