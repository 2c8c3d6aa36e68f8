#include "passes/lower-gpu/attention/AttentionForm.h"

#include "dialects/pd/ops/attention/FusedAttentionFormula.h"
#include "lib/base/target/WarpgroupRegisters.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/SingleOpKernel.h"

using namespace mlir;

namespace proa {
namespace {

ArrayRef<int64_t> shapeOf(Value tensor) { return cast<ShapedType>(tensor.getType()).getShape(); }

LogicalResult check(Operation *op, const AttentionChoice &choice) {
  AttentionSizes sizes = AttentionSizes::of(op);
  auto refuse = [&]() -> InFlightDiagnostic { return op->emitError("the choice for the attention: "); };
  bool usesTensorCores = choice.kind != MatmulKind::Fma;
  if (usesTensorCores && sizes.element.getIntOrFloatBitWidth() != 16)
    return refuse() << "'" << stringifyMatmulKind(choice.kind) << "' needs elements of f16 or bf16";
  if (sizes.isPaged && choice.kind == MatmulKind::Wgmma)
    return refuse() << "a paged cache has no form with 'wgmma'";
  struct Range {
    int64_t unit, most;
    bool has(int64_t size) const { return size >= unit && size <= most && size % unit == 0; }
  };
  Range queries{choice.kind == MatmulKind::Wgmma ? 64 : 16, choice.kind == MatmulKind::Fma ? 64 : 128},
      keys{16, 128};
  if (choice.isByKeys)
    std::swap(queries, keys);
  if (!queries.has(choice.queries) || !keys.has(choice.keys))
    return refuse() << "`tile` is " << choice.queries << ", " << choice.keys << ", expected with '"
                    << stringifyMatmulKind(choice.kind) << "' multiples of " << queries.unit << " up to "
                    << queries.most << " and of " << keys.unit << " up to " << keys.most;
  int64_t mostStages = choice.kind == MatmulKind::Wgmma ? 8 : sizes.isGradient ? 1 : 2;
  if (choice.stages < 1 || choice.stages > mostStages)
    return refuse() << "`stages` is " << choice.stages << ", expected 1 to " << mostStages;
  if (choice.splitKeys > 1 && !sizes.isPaged)
    return refuse() << "`split_keys` is " << choice.splitKeys << ", expected 1 without a paged cache";
  return success();
}

} // namespace

AttentionSizes AttentionSizes::of(Operation *op) {
  AttentionSizes sizes;
  if (auto paged = dyn_cast<pd::PagedAttentionOp>(op)) {
    ArrayRef<int64_t> q = shapeOf(paged.getQ()), cache = shapeOf(paged.getKeyCache());
    sizes.element = getElementTypeOrSelf(paged.getQ().getType());
    sizes.queries = q[1] / cache[1];
    sizes.keys = shapeOf(paged.getBlockTable())[1] * cache[2];
    sizes.head = q[2];
    sizes.value = shapeOf(paged.getValueCache())[3];
    sizes.isPaged = true;
    sizes.heads = q[0] * cache[1];
    return sizes;
  }
  auto fused = cast<pd::FusedAttentionOpInterface>(op);
  auto dim = [](Value tensor, ArrayRef<int64_t> permutation, unsigned index) {
    return shapeOf(tensor)[static_cast<size_t>(pd::attentionDims(permutation)[index])];
  };
  sizes.element = getElementTypeOrSelf(fused.getQ().getType());
  sizes.queries = dim(fused.getQ(), fused.getQPermutation(), 2);
  sizes.keys = dim(fused.getK(), fused.getKPermutation(), 2);
  sizes.head = dim(fused.getQ(), fused.getQPermutation(), 3);
  sizes.value = dim(fused.getV(), fused.getVPermutation(), 3);
  sizes.isGradient = !isa<pd::FusedAttentionOp>(op);
  sizes.isByKeys = isa<pd::FusedAttentionKvGradOp>(op);
  sizes.isOfScores = isa<pd::FusedAttentionScoreGradOp>(op);
  sizes.hasDropout = fused.getDropoutCall() != nullptr;
  bool hasWindow =
      fused.getCausal() || pd::windowOf(fused.getLeftWindow()) || pd::windowOf(fused.getRightWindow());
  sizes.hasConditions = hasWindow || fused.getKeyLengths() || fused.getMask() || fused.getKeyMask();
  return sizes;
}

bool AttentionChoice::exchangesRegisters() const {
  return threads - storingThreads == WarpgroupRegisters::threads;
}

void AttentionChoice::setThreads() {
  // Fma: 16 threads for each row of four; Mma: a warp for 16 rows; Wgmma: a warpgroup for 64.
  int64_t threadsOfRow = kind == MatmulKind::Fma ? 4 : 2;
  storingThreads = rows() * threadsOfRow;
  if (kind != MatmulKind::Wgmma)
    threads = storingThreads;
  else if (storingThreads > WarpgroupRegisters::threads) // which have more registers beside a whole warpgroup
    threads = storingThreads + WarpgroupRegisters::threads;
  else
    threads = storingThreads + 32;
}

FailureOr<AttentionChoice> AttentionChoice::read(Operation *op) {
  auto attribute = op->getAttrOfType<AttentionAttr>(attentionAttribute);
  if (!attribute || attribute.getTile().empty())
    return op->emitError() << "'" << attentionAttribute
                           << "' needs `kind` and `tile` (--proa-choose-attention)";
  AttentionChoice choice;
  choice.kind = *attribute.getKind();
  choice.isByKeys = AttentionSizes::of(op).isByKeys;
  choice.queries = attribute.getTile()[0];
  choice.keys = attribute.getTile()[1];
  choice.stages = attribute.getStages().value_or(1);
  choice.splitKeys = attribute.getSplitKeys().value_or(1);
  if (failed(check(op, choice)))
    return failure();
  choice.setThreads();
  return choice;
}

int64_t paddedElements(MatmulKind kind, int64_t elements) {
  return static_cast<int64_t>(llvm::alignTo(elements, kind == MatmulKind::Wgmma ? 64 : 16));
}

int64_t sharedBytesOf(const AttentionChoice &choice, const AttentionSizes &sizes) {
  int64_t head = paddedElements(choice.kind, sizes.head), value = paddedElements(choice.kind, sizes.value);
  int64_t bytes = sizes.element.getIntOrFloatBitWidth() / 8;
  if (choice.kind == MatmulKind::Wgmma) {
    constexpr int64_t barriers = 1024;
    int64_t elements = sizes.isGradient
                           ? (choice.rows() + choice.stages * choice.columns()) * (head + value)
                           : choice.queries * head + choice.stages * choice.keys * std::max(head, value);
    return elements * bytes + barriers;
  }
  int64_t pad = choice.kind == MatmulKind::Fma ? 4 : 8, rowElements = head + pad + value + pad;
  int64_t elements = choice.rows() * (sizes.isGradient ? rowElements : head + pad) +
                     choice.stages * choice.columns() * rowElements;
  if (choice.kind == MatmulKind::Fma) // the weights
    elements += choice.rows() * (choice.columns() + pad);
  return elements * bytes;
}

Operation *attentionOf(func::FuncOp kernel) {
  Operation *op = singleOpOf(kernel);
  return isa_and_present<pd::FusedAttentionOpInterface, pd::PagedAttentionOp>(op) ? op : nullptr;
}

} // namespace proa
