#include "tools/proa-translate/IrSummary.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;

namespace proa::tools {
namespace {

void countParameters(func::FuncOp main, ProgramSummary &summary) {
  for (BlockArgument argument : main.getArguments())
    if (main.getArgAttr(argument.getArgNumber(), pd::parameterAttribute)) {
      ++summary.parameters;
      if (std::optional<int64_t> bytes = bytesOf(argument.getType())) {
        summary.parameterElements += cast<RankedTensorType>(argument.getType()).getNumElements();
        summary.parameterBytes += *bytes;
      }
    }
}

} // namespace

ProgramSummary summarizeIr(ModuleOp module) {
  ProgramSummary summary;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  countParameters(main, summary);
  // Ops that result from an op keep its location: a number per op attributes their flops to it.
  std::vector<std::string> typeOf;
  std::map<std::string, OpSummary> types;
  Builder builder(module.getContext());
  main.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      summary.blocks += static_cast<int64_t>(region.getBlocks().size());
    if (op == main || op->hasTrait<OpTrait::IsTerminator>())
      return;
    op->setLoc(NameLoc::get(builder.getStringAttr(std::to_string(typeOf.size()))));
    typeOf.push_back(op->getName().getStringRef().str());
    OpSummary &entry = types[typeOf.back()];
    entry.type = typeOf.back();
    entry.supported = true;
    ++entry.count;
    ++summary.operations;
  });
  FlopCount count = countFlops(module);
  for (size_t i = 0; i < typeOf.size(); ++i) {
    std::string key = std::to_string(i);
    OpSummary &entry = types[typeOf[i]];
    if (auto flops = count.byOutput.find(key); flops != count.byOutput.end())
      entry.flops += flops->second;
    if (auto unknown = count.unknownByOutput.find(key); unknown != count.unknownByOutput.end())
      entry.uncounted += unknown->second;
    if (auto bytes = count.bytes.find(key); bytes != count.bytes.end()) {
      ++summary.activations;
      summary.activationBytes += bytes->second;
    }
  }
  for (auto &[name, entry] : types)
    summary.types.push_back(entry);
  std::stable_sort(summary.types.begin(), summary.types.end(),
                   [](const OpSummary &a, const OpSummary &b) { return a.count > b.count; });
  summary.flops = count.total;
  summary.uncounted = count.unknown;
  return summary;
}

} // namespace proa::tools
