//! rt-offload-states: states are fetched before their uses and stored after their updates.
#include "passes/offload/Passes.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/rt/Rt.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_OFFLOADSTATES
#include "passes/offload/Passes.h.inc"

namespace {

/// A state variable of the function.
struct StateVariable {
  StringAttr name;
  BlockArgument argument;
  unsigned result = 0;
  int64_t bytes = 0; ///< 0: its dims are not static
};

class OffloadStatesPass : public impl::OffloadStatesBase<OffloadStatesPass> {
public:
  using OffloadStatesBase::OffloadStatesBase;

  void runOnOperation() override {
    for (auto [name, value] : {std::pair("ahead", int64_t(ahead)), std::pair("keep", int64_t(keep))})
      if (value < 0) {
        getOperation().emitError() << getArgumentName() << ": expected '" << name << "' of at least 0, found "
                                   << value;
        return signalPassFailure();
      }
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal() || !llvm::hasSingleElement(main.getBody()))
      return;
    number(main);
    llvm::DenseSet<Value> fetched = dependenciesOfFetches(main);
    llvm::BitVector arguments(main.getNumArguments()), results(main.getNumResults());
    for (const StateVariable &state : statesOf(main)) {
      bool isOptimizer = !fetched.contains(state.argument);
      if (!(isOptimizer ? optimizer : parameters))
        continue;
      if (state.bytes < std::max<int64_t>(minBytes, 1)) {
        remarks.missed(main) << "state '" << state.name.getValue() << "' stays: "
                             << (state.bytes == 0 ? "its dims are not static"
                                                  : "it has " + std::to_string(state.bytes) +
                                                        " bytes, fewer than " + std::to_string(minBytes));
        continue;
      }
      offload(main, state);
      arguments.set(state.argument.getArgNumber());
      results.set(state.result);
    }
    main.getBody().front().getTerminator()->eraseOperands(results);
    (void)main.eraseResults(results);
    (void)main.eraseArguments(arguments);
  }

private:
  /// Whether a step of the plan computes.
  static bool isWork(Operation *op) {
    return isa<func::CallOp, pd::LibraryOpInterface>(op) || op->getNumRegions() > 0;
  }

  /// Gives each op of the block the number of steps before it.
  void number(func::FuncOp main) {
    int64_t next = 0;
    for (Operation &op : main.getBody().front()) {
      positions[&op] = next;
      next += isWork(&op);
    }
  }

  static int64_t bytesOf(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return 0;
    return tensor.getNumElements() *
           static_cast<int64_t>(DataLayout().getTypeSize(tensor.getElementType()).getFixedValue());
  }

  /// States whose new value differs from the old one.
  static SmallVector<StateVariable> statesOf(func::FuncOp main) {
    llvm::StringMap<unsigned> results;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      if (auto name = main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute))
        results[name] = i;
    SmallVector<StateVariable> states;
    Operation *end = main.getBody().front().getTerminator();
    for (BlockArgument argument : main.getArguments()) {
      auto name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::parameterAttribute);
      auto result = name ? results.find(name) : results.end();
      if (result != results.end() && end->getOperand(result->second) != argument &&
          end->getOperand(result->second).getType() == argument.getType())
        states.push_back({name, argument, result->second, bytesOf(argument.getType())});
    }
    return states;
  }

  /// The values that results with `pd.fetch` depend on.
  static llvm::DenseSet<Value> dependenciesOfFetches(func::FuncOp main) {
    llvm::DenseSet<Value> values;
    SmallVector<Value> work;
    Operation *end = main.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(end->getOperands()))
      if (main.getResultAttr(i, pd::fetchAttribute))
        work.push_back(value);
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!values.insert(value).second)
        continue;
      if (Operation *op = value.getDefiningOp())
        op->walk([&](Operation *inner) { llvm::append_range(work, inner->getOperands()); });
      else if (auto *parent = cast<BlockArgument>(value).getOwner()->getParentOp(); parent != main)
        llvm::append_range(work, parent->getOperands());
    }
    return values;
  }

  /// Uses of a value that one fetch serves.
  using Uses = SmallVector<OpOperand *>;

  /// The op of the function's block that an operand belongs to.
  static Operation *ownerOf(OpOperand *use, Block &block) {
    return block.findAncestorOpInBlock(*use->getOwner());
  }

  /// The uses in groups, in program order.
  std::vector<Uses> groupsOf(BlockArgument argument) {
    Block &block = *argument.getOwner();
    Uses uses;
    for (OpOperand &use : argument.getUses())
      uses.push_back(&use);
    llvm::sort(uses, [&](OpOperand *a, OpOperand *b) {
      Operation *first = ownerOf(a, block), *second = ownerOf(b, block);
      return first != second ? first->isBeforeInBlock(second) : false;
    });
    std::vector<Uses> groups;
    for (OpOperand *use : uses) {
      bool isNear = !groups.empty() &&
                    positions[ownerOf(use, block)] - positions[ownerOf(groups.back().back(), block)] <= keep;
      if (isNear)
        groups.back().push_back(use);
      else
        groups.push_back({use});
    }
    return groups;
  }

  void offload(func::FuncOp main, const StateVariable &state) {
    Block &block = main.getBody().front();
    Operation *end = block.getTerminator();
    auto type = cast<RankedTensorType>(state.argument.getType());
    Value value = end->getOperand(state.result);
    Operation *last = value.getDefiningOp();
    std::vector<Uses> groups = groupsOf(state.argument);
    for (const Uses &uses : groups) {
      Operation *first = ownerOf(uses.front(), block), *start = first;
      while (start->getPrevNode() && positions[first] - positions[start->getPrevNode()] <= ahead)
        start = start->getPrevNode();
      OpBuilder builder(start);
      Location location = first->getLoc();
      Value future =
          rt::FetchOp::create(builder, location, dist::FutureType::get(&getContext(), type), state.name);
      builder.setInsertionPoint(first);
      auto wait = rt::WaitOp::create(builder, location, type, future, Value());
      positions[future.getDefiningOp()] = positions[start];
      positions[wait] = positions[first];
      for (OpOperand *use : uses) {
        use->set(wait);
        Operation *owner = ownerOf(use, block);
        if (!last || last->isBeforeInBlock(owner))
          last = owner;
      }
    }
    OpBuilder builder(end);
    if (last && last != end)
      builder.setInsertionPointAfter(last);
    auto store = rt::StoreOp::create(builder, value.getLoc(), state.name, value);
    positions[store] = positions[store->getNextNode()];
    remarks.done(main) << "state '" << state.name.getValue() << "' of " << std::to_string(state.bytes)
                       << " bytes is stored outside of the program, and fetched "
                       << std::to_string(groups.size()) << " times";
  }

  llvm::DenseMap<Operation *, int64_t> positions;
  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
