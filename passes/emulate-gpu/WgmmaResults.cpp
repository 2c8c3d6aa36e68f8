// Checks that registers are not read before the wgmma that writes them is complete. The number of that wgmma
// follows the registers through branches, as an i64 of its own; 0 is the number of other values.
#include "passes/emulate-gpu/ThreadCode.h"

#include "dialects/rt/Wgmma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace proa {
namespace {

bool isWgmma(Operation *op) { return isa<NVVM::WgmmaMmaAsyncOp, rt::WgmmaOp>(op); }

/// Whether the operand is a sum that the wgmma adds to: it may be in flight.
bool isAccumulator(OpOperand &use) {
  if (auto wgmma = dyn_cast<NVVM::WgmmaMmaAsyncOp>(use.getOwner()))
    return use.get() == wgmma.getInouts();
  auto wgmma = dyn_cast<rt::WgmmaOp>(use.getOwner());
  return wgmma && &use == &wgmma.getSumsMutable();
}

class ResultChecker {
public:
  explicit ResultChecker(ThreadCode &code) : code(code), builder(code.function()) {}

  void run() {
    code.function().walk([&](Operation *op) {
      if (isWgmma(op))
        values.insert(op->getResult(0));
    });
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses())
        forEachBlockArgument(use, [&](BlockArgument argument) { values.insert(argument); });
    passNumbers();
    for (Value value : values)
      checkReads(value);
  }

private:
  ThreadCode &code;
  OpBuilder builder;
  llvm::SetVector<Value> values; ///< that a wgmma may have written
  llvm::DenseMap<Value, Value> numbers;

  /// Calls `visit` for the arguments of blocks that the operand of a branch becomes.
  template <class Visit> static bool forEachBlockArgument(OpOperand &use, const Visit &visit) {
    auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
    std::optional<BlockArgument> argument =
        branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt;
    if (argument)
      visit(*argument);
    return argument.has_value();
  }

  Value numberOf(Value value) {
    if (Value found = numbers.lookup(value))
      return found;
    OpBuilder::InsertionGuard guard(builder);
    if (!values.contains(value)) {
      builder.setInsertionPointToStart(&code.function().getBody().front());
      return numbers[value] = i64Constant(builder, value.getLoc(), 0);
    }
    builder.setInsertionPointAfterValue(value);
    return numbers[value] =
               code.call(builder, value.getLoc(), "proa_emulate_wgmma_number", builder.getI64Type(), {});
  }

  /// Gives blocks an argument for the number of each of their arguments that a wgmma may have written.
  void passNumbers() {
    auto arguments = llvm::map_to_vector(llvm::make_filter_range(values, llvm::IsaPred<BlockArgument>),
                                         [](Value value) { return cast<BlockArgument>(value); });
    for (BlockArgument argument : arguments)
      numbers[argument] = argument.getOwner()->addArgument(builder.getI64Type(), argument.getLoc());
    for (BlockArgument argument : arguments) {
      Block *block = argument.getOwner();
      for (auto predecessor = block->pred_begin(); predecessor != block->pred_end(); ++predecessor) {
        auto branch = cast<BranchOpInterface>((*predecessor)->getTerminator());
        unsigned successor = predecessor.getSuccessorIndex();
        Value passed = branch.getSuccessorOperands(successor)[argument.getArgNumber()];
        branch.getSuccessorOperands(successor).append(numberOf(passed));
      }
    }
  }

  /// Adds the ops that read registers of `value`. Registers that become accumulators are not read.
  void findReads(Value value, SmallVectorImpl<Operation *> &reads) {
    for (OpOperand &use : value.getUses()) {
      if (isAccumulator(use) || forEachBlockArgument(use, [](BlockArgument) {}))
        continue;
      if (auto element = dyn_cast<LLVM::ExtractValueOp>(use.getOwner()))
        llvm::append_range(reads, element.getRes().getUsers());
      else
        reads.push_back(use.getOwner());
    }
  }

  /// Before the first read of each block: registers that are complete remain so.
  void checkReads(Value value) {
    SmallVector<Operation *> reads;
    findReads(value, reads);
    llvm::MapVector<Block *, Operation *> first;
    for (Operation *read : reads) {
      Operation *&earliest = first[read->getBlock()];
      if (!earliest || read->isBeforeInBlock(earliest))
        earliest = read;
    }
    for (auto [block, read] : first) {
      Value scalar = numberOf(value);
      builder.setInsertionPoint(read);
      code.call(builder, read->getLoc(), "proa_emulate_check_wgmma", {}, scalar);
    }
  }
};

} // namespace

void checkWgmmaResults(ThreadCode &code) { ResultChecker(code).run(); }

} // namespace proa
