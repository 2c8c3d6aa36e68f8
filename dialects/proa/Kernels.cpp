//! #proa.contraction and #proa.attention: verifiers and accessors.
#include "dialects/proa/Proa.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace proa {
namespace {

using EmitError = function_ref<InFlightDiagnostic()>;

constexpr int64_t mostStages = 8, mostSharingBlocks = 4096;

/// The tile of a warp, a warpgroup or a thread has multiples of these rows and columns.
std::pair<int64_t, int64_t> unitsOf(MatmulKind kind) {
  switch (kind) {
  case MatmulKind::Fma:
    return {4, 4};
  case MatmulKind::Mma:
    return {16, 16};
  case MatmulKind::Wgmma:
    return {64, 8};
  }
  return {1, 1};
}

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
  auto [rows, columns] = unitsOf(kind);
  if (warp.size() == 2 && warp[0] >= 1 && warp[1] >= 1 && warp[0] % rows == 0 && warp[1] % columns == 0)
    return success();
  return emitError() << "C2: `warp` is " << textOf(warp) << ", expected with " << stringifyMatmulKind(kind)
                     << " multiples of " << rows << " and " << columns;
}

} // namespace

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

} // namespace proa
