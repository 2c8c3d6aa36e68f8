#include "lib/compiler/program/SpecializeFeeds.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"
#include "lib/base/support/Suggest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace proa {
namespace {

std::vector<std::string> feedsOf(func::FuncOp main) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto feed = main.getArgAttrOfType<StringAttr>(i, pd::feedAttribute))
      names.push_back(feed.str());
  return names;
}

/// Gives a feed its type. Ops of pd take any type that is compatible; values that enter or leave a region
/// have the declared one, and pd-refine-shapes refines them.
void specialize(BlockArgument feed, Type type) {
  Type declared = feed.getType();
  feed.setType(type);
  for (OpOperand &use : llvm::make_early_inc_range(feed.getUses())) {
    Operation *user = use.getOwner();
    bool ends = isa<RegionBranchTerminatorOpInterface>(user) && !isa<func::ReturnOp>(user);
    if (!ends && !isa<LoopLikeOpInterface>(user))
      continue;
    OpBuilder builder(user);
    use.set(pd::widened(builder, user->getLoc(), feed, declared));
  }
}

} // namespace

Result<void> specializeFeeds(ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return errorAt("", "the module has no function 'main'");
  Diagnostics diagnostics;
  llvm::SmallVector<Type> types(main.getArgumentTypes());
  for (auto &[name, given] : dims) {
    bool found = false;
    for (BlockArgument argument : main.getArguments()) {
      auto feed = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::feedAttribute);
      if (!feed || feed.getValue() != name)
        continue;
      found = true;
      auto type = cast<RankedTensorType>(argument.getType());
      bool fits = type.getRank() == static_cast<int64_t>(given.size());
      for (int64_t d = 0; fits && d < type.getRank(); ++d)
        fits = type.isDynamicDim(d) || type.getDimSize(d) == given[d];
      if (!fits) {
        std::vector<int64_t> declared(type.getShape());
        for (int64_t &dim : declared)
          dim = ShapedType::isDynamic(dim) ? -1 : dim;
        DType dtype = pd::dtypeOf(type.getElementType()).value_or(DType::Float32);
        diagnostics.add("feed '" + name + "'",
                        "got " + describe(dtype, given) + ", expected " + describe(dtype, declared));
        continue;
      }
      types[argument.getArgNumber()] = type.clone(given);
      specialize(argument, types[argument.getArgNumber()]);
    }
    if (!found)
      diagnostics.add("feed '" + name + "'",
                      "the program has no such feed" + didYouMean(name, feedsOf(main)));
  }
  // A fetch may be a feed, such as its LoD.
  llvm::SmallVector<Type> results(main.getResultTypes());
  if (!main.isExternal())
    llvm::copy(main.getBody().front().getTerminator()->getOperandTypes(), results.begin());
  main.setType(FunctionType::get(main.getContext(), types, results));
  return diagnostics.empty() ? Result<void>() : Result<void>(diagnostics);
}

} // namespace proa
