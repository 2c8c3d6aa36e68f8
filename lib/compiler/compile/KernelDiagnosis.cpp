#include "lib/compiler/compile/KernelDiagnosis.h"

#include "dialects/proa/Proa.h"
#include "lib/compiler/autodiff/CompiledFunction.h"
#include "lib/compiler/planner/BuildPlan.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace proa {
namespace {

bool isConstant(Operation *op) { return op && op->hasTrait<OpTrait::ConstantLike>(); }

/// Builds a module whose `main` computes the results of a kernel by one kernel for each of its ops.
class KernelSplitter {
public:
  KernelSplitter(func::FuncOp kernel, ArrayAttr locations)
      : kernel(kernel), locations(locations), module(ModuleOp::create(kernel.getLoc())),
        builder(kernel.getContext()) {}

  /// Null if the kernel has a single op, or ops of an unexpected form.
  OwningOpRef<ModuleOp> split() {
    SmallVector<Operation *> ops;
    for (Operation &op : kernel.getBody().front().without_terminator())
      if (!isConstant(&op))
        ops.push_back(&op);
    bool areSimple = llvm::all_of(ops, [](Operation *op) { return op->getNumRegions() == 0; });
    if (ops.size() < 2 || !areSimple || (locations && locations.size() != ops.size()))
      return {};
    auto main = func::FuncOp::create(kernel.getLoc(), "main", kernel.getFunctionType());
    module->push_back(main);
    builder.setInsertionPointToStart(main.addEntryBlock());
    values.map(kernel.getArguments(), main.getArguments());
    for (auto [i, op] : llvm::enumerate(ops))
      addCall(op, locations ? cast<LocationAttr>(locations[i]) : LocationAttr(op->getLoc()));
    SmallVector<Value> results;
    for (Value result : kernel.getBody().front().getTerminator()->getOperands()) {
      if (!values.contains(result))
        return {};
      results.push_back(values.lookup(result));
    }
    func::ReturnOp::create(builder, kernel.getLoc(), results);
    return std::move(module);
  }

private:
  void addCall(Operation *op, Location location) {
    llvm::SetVector<Value> inputs;
    for (Value operand : op->getOperands())
      if (!isConstant(operand.getDefiningOp()))
        inputs.insert(operand);
    auto function =
        func::FuncOp::create(location, "op_" + std::to_string(count++),
                             builder.getFunctionType(TypeRange(inputs.getArrayRef()), op->getResultTypes()));
    function.setPrivate();
    function->setAttr(kernelAttribute, builder.getUnitAttr());
    module->push_back(function);
    IRMapping body;
    Block *entry = function.addEntryBlock();
    body.map(inputs.getArrayRef(), entry->getArguments());
    OpBuilder inner = OpBuilder::atBlockEnd(entry);
    for (Value operand : op->getOperands())
      if (isConstant(operand.getDefiningOp()) && !body.contains(operand))
        inner.clone(*operand.getDefiningOp(), body);
    func::ReturnOp::create(inner, location, inner.clone(*op, body)->getResults());
    SmallVector<Value> operands;
    for (Value input : inputs)
      operands.push_back(values.lookup(input));
    auto call = func::CallOp::create(builder, location, function, operands);
    KernelCallAttr::get(builder.getContext(), op->getName().stripDialect(), {}).setOn(call);
    values.map(op->getResults(), call.getResults());
  }

  func::FuncOp kernel;
  ArrayAttr locations;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  IRMapping values;
  size_t count = 0;
};

/// The call that a step runs. Calls of one kernel from equal lines have ops with equal lines.
func::CallOp findCall(ModuleOp module, const runtime::Step &step) {
  func::CallOp found;
  module.walk([&](func::CallOp call) {
    if (call.getCallee() != step.symbol || planner::lineOf(call.getLoc()) != step.location)
      return WalkResult::advance();
    found = call;
    return WalkResult::interrupt();
  });
  return found;
}

} // namespace

Diagnostics findNonFiniteOp(ModuleOp module, const runtime::Step &step, const std::vector<Tensor> &inputs,
                            const CompileOptions &options) {
  func::CallOp call = findCall(module, step);
  auto kernel = module.lookupSymbol<func::FuncOp>(step.symbol);
  if (!call || !kernel || kernel.getNumArguments() != inputs.size())
    return {};
  auto described = KernelCallAttr::of(call);
  KernelSplitter splitter(kernel, described ? described.getLocations() : ArrayAttr());
  OwningOpRef<ModuleOp> ops = splitter.split();
  if (!ops)
    return {};
  auto compiled = CompiledFunction::create(std::move(ops), inputs, options, /*name=*/"");
  if (!compiled)
    return {};
  if (Result<void> checked = compiled->checkFinite(); !checked)
    return checked.diagnostics();
  auto results = compiled->run(inputs);
  return results ? Diagnostics() : results.diagnostics();
}

} // namespace proa
