// A kernel of pd.paged_attention becomes the code of one thread: see proa-lower-attention in Passes.td.
#include "passes/analysis/IndexChecks.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/KernelForm.h"
#include "passes/lower-gpu/GlobalScratch.h"
#include "passes/lower-gpu/LastBlock.h"
#include "passes/lower-gpu/attention/AttentionKernel.h"
#include "passes/lower-gpu/attention/PagedThreads.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {
namespace {

class PagedKernel : private AttentionLowering {
public:
  PagedKernel(func::FuncOp kernel, pd::PagedAttentionOp op, OpBuilder &builder)
      : AttentionLowering(kernel, op, builder), op(op), sizes(AttentionSizes::of(op)) {}

  LogicalResult lower(ModuleOp module) {
    FailureOr<AttentionChoice> read = AttentionChoice::read(op);
    if (failed(read) || failed(verifyNotReferenced(kernel, module)) || failed(readSlices(*read)))
      return failure();
    choice = *read;
    setWork(tiles * slices);
    addCheckWords(); // PagedThreads creates the only check
    changeToMemory();
    replaceBody();
    return success();
  }

private:
  pd::PagedAttentionOp op;
  AttentionSizes sizes;
  int64_t tiles = 0, slices = 1;

  LogicalResult readSlices(const AttentionChoice &own) {
    tiles = sizes.heads * static_cast<int64_t>(llvm::divideCeil(sizes.queries, own.queries));
    slices = own.splitKeys;
    // Each tile of queries that several blocks share has a counter.
    if (slices == 1 || tiles <= mostSharedRows)
      return success();
    return op.emitError() << "`split_keys` is " << slices << ", expected 1 for more than " << mostSharedRows
                          << " tiles of queries, found " << tiles;
  }

  /// Memory [batch, heads, elements] as [batch, heads of keys, query heads of each, elements].
  AttentionTensor byKeyHeads(Value memory) {
    auto type = cast<MemRefType>(memory.getType());
    ArrayRef<int64_t> shape = type.getShape();
    int64_t heads = sizes.heads / shape[0];
    auto own = MemRefType::get({shape[0], heads, sizes.queries, shape[2]}, type.getElementType());
    Value view = memref::ExpandShapeOp::create(b, loc, own, memory,
                                               SmallVector<ReassociationIndices>{{0}, {1, 2}, {3}});
    return tensorOf(view, {0, 1, 2, 3});
  }

  AttentionTensor paged(Value cache, Value table) {
    AttentionTensor tensor = tensorOf(cache, {0, 1, 2, 3});
    ArrayRef<int64_t> shape = cast<MemRefType>(cache.getType()).getShape();
    tensor.blockTable = table;
    tensor.blocks = shape[0];
    tensor.rowsOfBlock = shape[2];
    tensor.sizes[0] = b.getIndexAttr(cast<MemRefType>(table.getType()).getDimSize(0));
    tensor.sizes[2] = b.getIndexAttr(sizes.keys);
    return tensor;
  }

  /// Memory for the results of slices, and counters of tiles.
  PagedThreads::Slices makeSlices() {
    PagedThreads::Slices own;
    own.count = slices;
    if (slices == 1)
      return own;
    constexpr int64_t bytes = 4;
    int64_t slots = tiles * slices, rows = choice.queries;
    int64_t size = slots * rows * (sizes.value + 2) * bytes;
    Value base = addScratchArgument(kernel, {slots, rows, (sizes.value + 2) * bytes}).front();
    Value all = vectorAt(b, loc, base, constant(size));
    auto view = [&](ArrayRef<int64_t> shape, int64_t first) -> Value {
      return memref::ViewOp::create(b, loc, MemRefType::get(shape, b.getF32Type()), all,
                                    constant(first * bytes), ValueRange());
    };
    int64_t outputs = slots * rows * sizes.value;
    own.outputs = tensorOf(view({slots, 1, rows, sizes.value}, 0), {0, 1, 2, 3});
    own.maxima = view({slots, rows}, outputs);
    own.sums = view({slots, rows}, outputs + slots * rows);
    own.counters = vectorAt(b, loc, addCountersArgument(kernel), constant(tiles));
    return own;
  }

  void replaceBody() {
    SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), memoryOf);
    pd::KernelChecks checks;
    checks.words = checkWords();
    pd::ElementBuilder code(b, op, operands, &checks);
    Value table = memoryOf(op.getBlockTable());
    AttentionSite site{b,
                       loc,
                       kernel,
                       byKeyHeads(memoryOf(op.getQ())),
                       paged(memoryOf(op.getKeyCache()), table),
                       paged(memoryOf(op.getValueCache()), table),
                       byKeyHeads(destinationOf(op.getOut())),
                       choice,
                       sizes.element,
                       gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x)};
    std::unique_ptr<AttentionTile> tile = makeStagedAttention(site);
    tile->prepare();
    AttentionCode::Operands scores;
    scores.lengths = memoryOf(op.getLengths());
    scores.scale = op.getScale().convertToDouble();
    PagedThreads threads(site, *tile, scores, makeSlices(), code);
    overRows([&](Value row) { threads.build(row); });
    describeChecks(kernel, checks);
    finish();
  }
};

} // namespace

LogicalResult lowerPagedAttention(func::FuncOp kernel, pd::PagedAttentionOp op, ModuleOp module) {
  OpBuilder builder(kernel.getContext());
  return PagedKernel(kernel, op, builder).lower(module);
}

} // namespace proa
