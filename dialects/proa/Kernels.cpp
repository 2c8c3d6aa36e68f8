//! Attributes of kernels: verifiers and accessors.
#include "dialects/proa/Proa.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace mlir;

namespace proa {
namespace {

using EmitError = function_ref<InFlightDiagnostic()>;

constexpr int64_t mostStages = 8, mostSharingBlocks = 4096;

std::string textOf(ArrayRef<int64_t> sizes) {
  return "[" + llvm::join(llvm::map_range(sizes, [](int64_t size) { return std::to_string(size); }), ", ") +
         "]";
}

LogicalResult verifyRange(EmitError emitError, StringRef field, std::optional<int64_t> value, int64_t least,
                          int64_t most) {
  if (!value || (*value >= least && *value <= most))
    return success();
  return emitError() << field << " is " << *value << ", expected " << least << " to " << most;
}

LogicalResult verifyWarp(EmitError emitError, MatmulKind kind, ArrayRef<int64_t> warp) {
  const MatrixInstruction &instruction = instructionOf(kind);
  int64_t rows = instruction.rows, columns = instruction.loadedColumns;
  if (warp.size() == 2 && warp[0] >= 1 && warp[1] >= 1 && warp[0] % rows == 0 && warp[1] % columns == 0)
    return success();
  return emitError() << "C2: `warp` is " << textOf(warp) << ", expected with " << stringifyMatmulKind(kind)
                     << " multiples of " << rows << " and " << columns;
}

} // namespace

const MatrixInstruction &instructionOf(MatmulKind kind) {
  switch (kind) {
  case MatmulKind::Mma:
    return mmaInstruction;
  case MatmulKind::Wgmma:
    return wgmmaInstruction;
  case MatmulKind::Fma:
    break;
  }
  return fmaInstruction;
}

std::optional<MatmulKind> requestedKind(MatmulStrategy strategy) {
  return symbolizeMatmulKind(stringifyMatmulStrategy(strategy));
}

LogicalResult ContractionAttr::verify(EmitError emitError, std::optional<MatmulKind> kind,
                                      ArrayRef<int64_t> tile, ArrayRef<int64_t> warp,
                                      std::optional<int64_t> stages, std::optional<int64_t> splitK, bool) {
  if (llvm::any_of(tile, [](int64_t size) { return size < 1; }))
    return emitError() << "C1: `tile` is " << textOf(tile) << ", expected sizes of at least 1";
  if (tile.empty() != warp.empty() || (!tile.empty() && !kind))
    return emitError() << "C5: `tile` and `warp` are set together, and need `kind`";
  if (!warp.empty() && failed(verifyWarp(emitError, *kind, warp)))
    return failure();
  int64_t leastStages = kind == MatmulKind::Wgmma ? 2 : 1;
  return success(succeeded(verifyRange(emitError, "C3: `stages`", stages, leastStages, mostStages)) &&
                 succeeded(verifyRange(emitError, "C4: `split_k`", splitK, 1, mostSharingBlocks)));
}

ContractionAttr ContractionAttr::withSplitK(int64_t blocks) const {
  return get(getContext(), getKind(), getTile(), getWarp(), getStages(), blocks, getWholeSteps());
}

ContractionAttr ContractionAttr::withWholeSteps() const {
  return get(getContext(), getKind(), getTile(), getWarp(), getStages(), getSplitK(), true);
}

LogicalResult AttentionAttr::verify(EmitError emitError, std::optional<MatmulKind> kind,
                                    ArrayRef<int64_t> tile, std::optional<int64_t> stages,
                                    std::optional<int64_t> splitKeys) {
  constexpr int64_t unit = 16, most = 128;
  auto isSize = [](int64_t size) { return size >= unit && size <= most && size % unit == 0; };
  if (!tile.empty() && (tile.size() != 2 || !llvm::all_of(tile, isSize)))
    return emitError() << "C1: `tile` is " << textOf(tile) << ", expected two multiples of " << unit
                       << " up to " << most;
  if (!tile.empty() && !kind)
    return emitError() << "C4: `tile` needs `kind`";
  return success(succeeded(verifyRange(emitError, "C2: `stages`", stages, 1, mostStages)) &&
                 succeeded(verifyRange(emitError, "C3: `split_keys`", splitKeys, 1, mostSharingBlocks)));
}

LogicalResult LaunchAttr::verify(EmitError emitError, std::optional<int64_t> threads,
                                 std::optional<int64_t> rowBlocks, std::optional<int64_t> residentBlocks,
                                 std::optional<int64_t> sharedBytes) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  return success(succeeded(verifyRange(emitError, "C1: `threads`", threads, 1, 1024)) &&
                 succeeded(verifyRange(emitError, "C2: `row_blocks`", rowBlocks, 1, mostSharingBlocks)) &&
                 succeeded(verifyRange(emitError, "C3: `resident_blocks`", residentBlocks, 1, 64)) &&
                 succeeded(verifyRange(emitError, "C4: `shared_bytes`", sharedBytes, 0, most)));
}

LaunchAttr LaunchAttr::of(Operation *kernel) { return kernel->getAttrOfType<LaunchAttr>(launchAttribute); }

LaunchAttr LaunchAttr::orEmpty(Operation *kernel) {
  LaunchAttr launch = of(kernel);
  return launch ? launch : get(kernel->getContext(), {}, {}, {}, {});
}

LaunchAttr LaunchAttr::withThreads(std::optional<int64_t> threads) const {
  return get(getContext(), threads, getRowBlocks(), getResidentBlocks(), getSharedBytes());
}

LaunchAttr LaunchAttr::withRowBlocks(std::optional<int64_t> blocks) const {
  return get(getContext(), getThreads(), blocks, getResidentBlocks(), getSharedBytes());
}

LaunchAttr LaunchAttr::withResidentBlocks(std::optional<int64_t> blocks) const {
  return get(getContext(), getThreads(), getRowBlocks(), blocks, getSharedBytes());
}

LaunchAttr LaunchAttr::withSharedBytes(std::optional<int64_t> bytes) const {
  return get(getContext(), getThreads(), getRowBlocks(), getResidentBlocks(), bytes);
}

void LaunchAttr::setOn(Operation *kernel) const {
  if (getThreads() || getRowBlocks() || getResidentBlocks() || getSharedBytes())
    kernel->setAttr(launchAttribute, *this);
  else
    kernel->removeAttr(launchAttribute);
}

LogicalResult IndexCheckAttr::verify(EmitError emitError, std::optional<int64_t> indices,
                                     std::optional<int64_t> bound, int64_t axis, std::optional<int64_t> size,
                                     CheckedNumber) {
  if (indices.value_or(0) < 0 || bound.value_or(0) < 0 || axis < 0)
    return emitError() << "C1: `indices`, `bound` or `axis` is negative, expected indices";
  if (!bound && !size)
    return emitError() << "C2: neither `bound` nor `size` is set";
  return success();
}

LogicalResult DimCheckAttr::verify(EmitError emitError, int64_t argument, int64_t axis,
                                   std::optional<int64_t> other, std::optional<int64_t> otherAxis,
                                   std::optional<int64_t> size, bool) {
  if (argument < 0 || axis < 0 || other.value_or(0) < 0 || otherAxis.value_or(0) < 0 || size.value_or(0) < 0)
    return emitError() << "C1: a field is negative, expected indices and a size";
  if (other.has_value() != otherAxis.has_value() || other.has_value() == size.has_value())
    return emitError() << "C2: expected either `other` and `other_axis`, or `size`";
  return success();
}

LogicalResult LoopsAttr::verify(EmitError emitError, std::optional<int64_t> vector,
                                std::optional<int64_t> group, ArrayAttr, ArrayAttr,
                                std::optional<FusedWith>) {
  return success(succeeded(verifyRange(emitError, "C1: `vector`", vector, 1, 16)) &&
                 succeeded(verifyRange(emitError, "C2: `group`", group, 1, 1024)));
}

LoopsAttr LoopsAttr::of(Operation *op) {
  auto loops = op->getAttrOfType<LoopsAttr>(loopsAttribute);
  return loops ? loops : get(op->getContext(), {}, {}, {}, {}, {});
}

LoopsAttr LoopsAttr::withVector(int64_t elements) const {
  return get(getContext(), elements, getGroup(), getStarts(), getNeutral(), getFusedWith());
}

LoopsAttr LoopsAttr::withGroup(int64_t threads) const {
  return get(getContext(), getVector(), threads, getStarts(), getNeutral(), getFusedWith());
}

LoopsAttr LoopsAttr::withStarts(ArrayAttr constants) const {
  return get(getContext(), getVector(), getGroup(), constants, getNeutral(), getFusedWith());
}

LoopsAttr LoopsAttr::withNeutral(ArrayAttr constants) const {
  return get(getContext(), getVector(), getGroup(), getStarts(), constants, getFusedWith());
}

LoopsAttr LoopsAttr::withFusedWith(FusedWith role) const {
  return get(getContext(), getVector(), getGroup(), getStarts(), getNeutral(), role);
}

void LoopsAttr::setOn(Operation *op) const { op->setAttr(loopsAttribute, *this); }

LogicalResult RowsAttr::verify(EmitError emitError, std::optional<int64_t> count, FloatAttr,
                               ArrayRef<int64_t> tiles, ArrayAttr dims) {
  if (count && *count < 0 && !ShapedType::isDynamic(*count))
    return emitError() << "C1: `count` is " << *count << ", expected 0 or more";
  if (llvm::any_of(tiles, [](int64_t tile) { return tile < 1; }))
    return emitError() << "C2: `tiles` are " << textOf(tiles) << ", expected sizes of at least 1";
  auto most = static_cast<int64_t>(tiles.size()) - 1;
  for (Attribute own : dims ? dims.getValue() : ArrayRef<Attribute>()) {
    auto rows = dyn_cast<DenseI64ArrayAttr>(own);
    auto isWrong = [&](int64_t row) { return row < -1 || row > most; };
    if (!rows || llvm::any_of(rows.asArrayRef(), isWrong))
      return emitError() << "C3: `dims` has " << own << ", expected -1 to " << most;
  }
  return success();
}

RowsAttr RowsAttr::orEmpty(Operation *kernel) {
  auto rows = kernel->getAttrOfType<RowsAttr>(rowsAttribute);
  return rows ? rows : get(kernel->getContext(), {}, {}, {}, {});
}

int64_t RowsAttr::countOf(Operation *kernel) {
  auto rows = kernel->getAttrOfType<RowsAttr>(rowsAttribute);
  return rows ? rows.getCount().value_or(1) : 1;
}

std::optional<double> RowsAttr::nanosecondsOf(Operation *kernel) {
  auto rows = kernel->getAttrOfType<RowsAttr>(rowsAttribute);
  return rows && rows.getNanoseconds() ? std::optional(rows.getNanoseconds().getValueAsDouble())
                                       : std::nullopt;
}

RowsAttr RowsAttr::withCount(int64_t count) const {
  return get(getContext(), count, getNanoseconds(), getTiles(), getDims());
}

RowsAttr RowsAttr::withNanoseconds(double nanoseconds) const {
  return get(getContext(), getCount(), Builder(getContext()).getF64FloatAttr(nanoseconds), getTiles(),
             getDims());
}

RowsAttr RowsAttr::withTiles(ArrayRef<int64_t> tiles, ArrayAttr dims) const {
  return get(getContext(), getCount(), getNanoseconds(), tiles, dims);
}

void RowsAttr::setOn(Operation *kernel) const { kernel->setAttr(rowsAttribute, *this); }

LogicalResult ScratchAttr::verify(EmitError emitError, ArrayAttr buffers, bool) {
  for (Attribute own : buffers ? buffers.getValue() : ArrayRef<Attribute>()) {
    auto dims = dyn_cast<DenseI64ArrayAttr>(own);
    auto isWrong = [](int64_t dim) { return dim < 0 && !ShapedType::isDynamic(dim); };
    if (!dims || llvm::any_of(dims.asArrayRef(), isWrong))
      return emitError() << "C1: `buffers` has " << own << ", expected dims that are not negative";
  }
  return success();
}

ScratchAttr ScratchAttr::orEmpty(Operation *kernel) {
  auto scratch = kernel->getAttrOfType<ScratchAttr>(scratchAttribute);
  return scratch ? scratch : get(kernel->getContext(), {}, false);
}

SmallVector<DenseI64ArrayAttr> ScratchAttr::buffersOf(Operation *kernel) {
  auto scratch = kernel->getAttrOfType<ScratchAttr>(scratchAttribute);
  ArrayAttr buffers = scratch ? scratch.getBuffers() : ArrayAttr();
  return buffers ? llvm::to_vector(buffers.getAsRange<DenseI64ArrayAttr>())
                 : SmallVector<DenseI64ArrayAttr>();
}

bool ScratchAttr::hasCounters(Operation *kernel) {
  auto scratch = kernel->getAttrOfType<ScratchAttr>(scratchAttribute);
  return scratch && scratch.getCounters();
}

ScratchAttr ScratchAttr::withBuffer(ArrayRef<int64_t> dims) const {
  Builder builder(getContext());
  SmallVector<Attribute> all;
  if (getBuffers())
    llvm::append_range(all, getBuffers());
  all.push_back(builder.getDenseI64ArrayAttr(dims));
  return get(getContext(), builder.getArrayAttr(all), getCounters());
}

ScratchAttr ScratchAttr::withCounters() const { return get(getContext(), getBuffers(), true); }

void ScratchAttr::setOn(Operation *kernel) const { kernel->setAttr(scratchAttribute, *this); }

std::optional<ThreadStrategy> ThreadStrategyAttr::of(Operation *op) {
  auto attribute = op->getAttrOfType<ThreadStrategyAttr>(strategyAttribute);
  return attribute ? std::optional(attribute.getValue()) : std::nullopt;
}

void ThreadStrategyAttr::setOn(Operation *op, ThreadStrategy strategy) {
  op->setAttr(strategyAttribute, get(op->getContext(), strategy));
}

bool DeviceKernelAttr::isOn(Operation *function) { return function->hasAttr(deviceKernelAttribute); }

bool DeviceKernelAttr::isOn(Operation *function, DeviceKernel form) {
  auto attribute = function->getAttrOfType<DeviceKernelAttr>(deviceKernelAttribute);
  return attribute && attribute.getValue() == form;
}

KernelCallAttr KernelCallAttr::of(Operation *call) {
  return call->getAttrOfType<KernelCallAttr>(kernelCallAttribute);
}

void KernelCallAttr::setOn(Operation *call) const { call->setAttr(kernelCallAttribute, *this); }

LogicalResult TensorMapAttr::verify(EmitError emitError, int64_t buffer, int64_t elementBytes,
                                    AffineMapAttr sizes, ArrayRef<int64_t> box, int64_t swizzle) {
  // Limits of cuTensorMapEncodeTiled.
  constexpr size_t mostDims = 5;
  constexpr int64_t mostOfBox = 256;
  if (failed(verifyRange(emitError, "C1: `buffer`", buffer, 0, std::numeric_limits<int64_t>::max())))
    return failure();
  if (elementBytes < 1 || elementBytes > 8 || !llvm::isPowerOf2_64(static_cast<uint64_t>(elementBytes)))
    return emitError() << "C2: `element_bytes` is " << elementBytes << ", expected 1, 2, 4 or 8";
  AffineMap map = sizes.getValue();
  auto isProduct = [](AffineExpr size) { return SizeFactors::of(size).has_value(); };
  if (map.getNumDims() > 0 || map.getNumResults() < 1 || map.getNumResults() > mostDims ||
      !llvm::all_of(map.getResults(), isProduct))
    return emitError() << "C3: `sizes` is " << sizes << ", expected a map of symbols to 1 to " << mostDims
                       << " products";
  bool isBox = llvm::all_of(box, [](int64_t size) { return size >= 1 && size <= mostOfBox; });
  if (!isBox || box.size() != map.getNumResults())
    return emitError() << "C4: `box` is " << textOf(box) << ", expected " << map.getNumResults()
                       << " sizes of 1 to " << mostOfBox;
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "C5: `swizzle` is " << swizzle << ", expected 0, 32, 64 or 128";
  return success();
}

std::optional<SizeFactors> SizeFactors::of(AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return SizeFactors{constant.getValue(), {}};
  if (auto symbol = dyn_cast<AffineSymbolExpr>(size))
    return SizeFactors{1, {symbol.getPosition()}};
  auto product = dyn_cast<AffineBinaryOpExpr>(size);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto left = of(product.getLHS()), right = of(product.getRHS());
  if (!left || !right)
    return std::nullopt;
  left->constant *= right->constant;
  left->dims.append(right->dims);
  return left;
}

} // namespace proa
