// Fewer, longer loops: see Passes.td.
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/DimensionClasses.h"
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace proa {
#define GEN_PASS_DEF_COLLAPSELOOPS
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;
using proa::DimensionClasses;

namespace {

/// Which class always follows which one in memory.
class Neighbours {
public:
  explicit Neighbours(const DimensionClasses &classes) : classes(classes) {
    for (linalg::LinalgOp op : classes.operations()) {
      addOperands(op);
      addLoops(op);
    }
  }

  /// The class that can be merged into the end of `c`.
  std::optional<unsigned> mergeable(unsigned c) const {
    auto next = after.find(c);
    if (next == after.end() || next->second == none || blocked.contains(c) || blocked.contains(next->second))
      return std::nullopt;
    auto back = before.find(next->second);
    return back != before.end() && back->second == c ? std::optional<unsigned>(next->second) : std::nullopt;
  }

private:
  static constexpr unsigned none = ~0u;
  const DimensionClasses &classes;
  llvm::DenseMap<unsigned, unsigned> after, before;
  llvm::SmallSetVector<unsigned, 8> blocked;

  static void agree(llvm::DenseMap<unsigned, unsigned> &map, unsigned key, unsigned value) {
    auto [entry, inserted] = map.try_emplace(key, value);
    if (!inserted && entry->second != value)
      entry->second = none;
  }

  void block(ArrayRef<unsigned> list) { blocked.insert_range(list); }

  /// Memory of other operations than linalg's cannot be seen under another shape without a copy.
  static bool canReshape(Value value) {
    Operation *op = value.getDefiningOp();
    return !op ||
           isa<linalg::LinalgOp, tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
           op->hasTrait<OpTrait::ConstantLike>();
  }

  void addOperands(linalg::LinalgOp op) {
    SmallVector<unsigned> loops = classes.ofLoops(op);
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      SmallVector<unsigned> dims;
      for (AffineExpr expression : map.getResults()) {
        auto loop = dyn_cast<AffineDimExpr>(expression);
        dims.push_back(loop ? loops[loop.getPosition()] : none);
        if (!loop)
          expression.walk([&](AffineExpr inner) {
            if (auto used = dyn_cast<AffineDimExpr>(inner))
              blocked.insert(loops[used.getPosition()]);
          });
      }
      if (!canReshape(operand.get()))
        block(dims);
      addSequence(dims);
    }
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers())
        if (!isa<linalg::LinalgOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::DimOp>(user) &&
            !user->hasTrait<OpTrait::IsTerminator>())
          block(classes.of(result));
  }

  void addSequence(ArrayRef<unsigned> dims) {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == none)
        continue;
      if (llvm::count(dims, dims[i]) > 1)
        blocked.insert(dims[i]);
      agree(after, dims[i], i + 1 < dims.size() ? dims[i + 1] : none);
      agree(before, dims[i], i > 0 ? dims[i - 1] : none);
    }
  }

  /// Two loops of one operation merge only if both are parallel or both reduce; an index of a merged loop
  /// would need a division in the innermost loop.
  void addLoops(linalg::LinalgOp op) {
    SmallVector<unsigned> loops = classes.ofLoops(op);
    op->walk([&](linalg::IndexOp index) { blocked.insert(loops[index.getDim()]); });
    for (unsigned c : loops)
      if (llvm::count(loops, c) > 1)
        blocked.insert(c);
    for (auto [i, c] : llvm::enumerate(loops))
      for (auto [j, other] : llvm::enumerate(loops))
        if (op.getIteratorTypesArray()[i] != op.getIteratorTypesArray()[j])
          apart.insert({c, other});
  }

public:
  /// Pairs of classes where an op reduces one and not the other.
  llvm::DenseSet<std::pair<unsigned, unsigned>> apart;
};

struct CollapseLoops : proa::impl::CollapseLoopsBase<CollapseLoops> {
  using CollapseLoopsBase::CollapseLoopsBase;

  /// Chains of loops of `op` that become one, in the order of memory.
  static SmallVector<ReassociationIndices> chains(linalg::GenericOp op, const DimensionClasses &classes,
                                                  const Neighbours &neighbours) {
    SmallVector<unsigned> loops = classes.ofLoops(op);
    SmallVector<ReassociationIndices> chains;
    auto next = [&](unsigned c) -> std::optional<unsigned> {
      std::optional<unsigned> other = neighbours.mergeable(c);
      return other && !neighbours.apart.contains({c, *other}) ? other : std::nullopt;
    };
    for (unsigned first : loops) {
      bool isStart = llvm::none_of(loops, [&](unsigned c) { return next(c) == first; });
      ReassociationIndices chain;
      for (std::optional<unsigned> c = first; isStart && c; c = next(*c))
        chain.push_back(llvm::find(loops, *c) - loops.begin());
      if (chain.size() > 1)
        chains.push_back(chain);
    }
    return chains;
  }

  /// Loops in the order of the memory of the operand that has all of them: the input of a reduction, else the
  /// output.
  static void orderLoops(IRRewriter &rewriter, linalg::GenericOp op) {
    bool reduces = op.getNumReductionLoops() > 0;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (op.isDpsInit(&operand) == reduces || !map.isPermutation())
        continue;
      if (map.isIdentity())
        return;
      SmallVector<unsigned> order;
      for (AffineExpr expression : map.getResults())
        order.push_back(cast<AffineDimExpr>(expression).getPosition());
      rewriter.setInsertionPoint(op);
      (void)linalg::interchangeGenericOp(rewriter, op, order);
      return;
    }
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(proa::kernelAttribute) || function.isDeclaration())
      return;
    if (failed(proa::verifyTensorKernel(function)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    DimensionClasses classes(function, DimensionClasses::Kind::Slices);
    Neighbours neighbours(classes);
    SmallVector<std::pair<linalg::GenericOp, SmallVector<ReassociationIndices>>> work;
    for (linalg::LinalgOp op : classes.operations())
      if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
        work.push_back({generic, chains(generic, classes, neighbours)});
    proa::PassRemarks remarks(getArgumentName());
    for (auto &[op, merged] : work) {
      if (merged.empty()) {
        if (op.getNumLoops() > 1)
          remarks.missed(op)
              << "no loops are merged: no two of them run over contiguous memory in all operations "
                 "of the kernel";
        continue;
      }
      rewriter.setInsertionPoint(op);
      auto collapsed = linalg::collapseOpIterationDims(op, merged, rewriter);
      if (failed(collapsed)) {
        remarks.missed(op) << "the loops cannot be merged";
        continue;
      }
      size_t removed = 0;
      for (const ReassociationIndices &chain : merged)
        removed += chain.size() - 1;
      remarks.done(op) << std::to_string(op.getNumLoops()) << " loops become "
                       << std::to_string(op.getNumLoops() - removed);
      rewriter.replaceOp(op, collapsed->results);
    }
    cleanUp(function);
    SmallVector<linalg::GenericOp> generics;
    function.walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      orderLoops(rewriter, op);
  }

  /// Reshapes between merged operations cancel; reshapes of fills and empty tensors move to their operands.
  void cleanUp(func::FuncOp function) {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    if (failed(applyPatternsGreedily(function, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
