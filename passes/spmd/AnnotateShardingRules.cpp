//! pd-annotate-sharding-rules: shows the sharding rule of each op.
#include "passes/spmd/Passes.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/sharding/ShardingRule.h"
#include "passes/remarks/Remarks.h"

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
      op->setAttr(pd::shardingRuleAttribute, mlir::StringAttr::get(op->getContext(), rule->text()));
      return;
    }
    PassRemarks(getArgumentName()).missed(op)
        << op->getName().getStringRef() << " runs whole on each device: " << pd::whyWhole(op);
  }
};

} // namespace
} // namespace proa
