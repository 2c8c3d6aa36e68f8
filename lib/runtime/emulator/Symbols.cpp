// The names by which compiled kernels call the emulator.
#include "lib/runtime/emulator/Functions.h"

#include "proa/Half.h"

#include <bit>
#include <cmath>

namespace proa::emulator {
namespace {

template <class T> T reciprocalSquareRoot(T value) { return T(1) / std::sqrt(value); }
template <class T> T reciprocal(T value) { return T(1) / value; }
template <class T> T integerPower(T base, int32_t exponent) {
  return std::pow(base, static_cast<T>(exponent));
}

/// A value of 16 bits is returned in the low bits of the register of a float.
float inLowBits(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

/// Rounds to odd: a second rounding to fewer bits is then right.
float roundToOdd(double value) {
  auto rounded = static_cast<float>(value);
  if (static_cast<double>(rounded) == value || !std::isfinite(value))
    return rounded;
  auto bits = std::bit_cast<uint32_t>(rounded);
  if (std::abs(static_cast<double>(rounded)) > std::abs(value))
    --bits; // towards zero
  return std::bit_cast<float>(bits | 1);
}

template <class Half> float truncateFloat(float value) { return inLowBits(Half(value).bits); }
template <class Half> float truncateDouble(double value) { return inLowBits(Half(roundToOdd(value)).bits); }
float extendHalf(float bits) {
  Float16 half;
  half.bits = static_cast<uint16_t>(std::bit_cast<uint32_t>(bits));
  return static_cast<float>(half);
}

template <class Function> Symbol symbol(const char *name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

} // namespace

std::span<const Symbol> symbols() {
  static const Symbol table[] = {
      symbol("proa_emulate_launch", launch),
      symbol("proa_emulate_register", readRegister),
      symbol("proa_emulate_check_buffer", checkBuffer),
      symbol("proa_emulate_check_shared", checkShared),
      symbol("proa_emulate_check_anywhere", checkAnywhere),
      symbol("proa_emulate_check_masked", checkMasked),
      symbol("proa_emulate_fence", fence),
      symbol("proa_emulate_barrier", barrier),
      symbol("proa_emulate_barrier_arrive", barrierArrive),
      symbol("proa_emulate_shfl", shuffle),
      symbol("proa_emulate_vote", vote),
      symbol("proa_emulate_redux", reduce),
      symbol("proa_emulate_match", match),
      symbol("proa_emulate_elect", elect),
      symbol("proa_emulate_sync_warp", syncWarp),
      symbol("proa_emulate_ldmatrix", loadMatrix),
      symbol("proa_emulate_stmatrix", storeMatrix),
      symbol("proa_emulate_mma", multiplyMatrices),
      symbol("proa_emulate_cvt_tf32", roundToTensorFloat32),
      symbol("proa_emulate_cp_async", copyAsync),
      symbol("proa_emulate_cp_async_commit", commitCopies),
      symbol("proa_emulate_cp_async_wait", waitForCopies),
      symbol("proa_emulate_mbarrier_init", mbarrierInit),
      symbol("proa_emulate_mbarrier_inval", mbarrierInvalidate),
      symbol("proa_emulate_mbarrier_expect_tx", mbarrierExpect),
      symbol("proa_emulate_mbarrier_complete_tx", mbarrierComplete),
      symbol("proa_emulate_mbarrier_arrive", mbarrierArrive),
      symbol("proa_emulate_mbarrier_wait", mbarrierWait),
      symbol("proa_emulate_cp_async_mbarrier_arrive", mbarrierArriveByCopies),
      symbol("proa_emulate_tensor_map", makeTensorMap),
      symbol("proa_emulate_tma_load", loadTensor),
      symbol("proa_emulate_tma_store", storeTensor),
      symbol("proa_emulate_bulk_load", loadBulk),
      symbol("proa_emulate_bulk_store", storeBulk),
      symbol("proa_emulate_bulk_commit", commitBulkCopies),
      symbol("proa_emulate_bulk_wait", waitForBulkCopies),
      symbol("proa_emulate_wgmma", multiplyInWarpgroup),
      symbol("proa_emulate_wgmma_registers", multiplyRegistersInWarpgroup),
      symbol("proa_emulate_set_registers", setRegisters),
      symbol("proa_emulate_wgmma_fence", fenceProducts),
      symbol("proa_emulate_wgmma_commit", commitProducts),
      symbol("proa_emulate_wgmma_wait", waitForProducts),
      symbol("proa_emulate_wgmma_number", lastProduct),
      symbol("proa_emulate_check_wgmma", checkProduct),
      // Functions of libdevice without an equivalent in libm.
      symbol("proa_emulate_rsqrtf", reciprocalSquareRoot<float>),
      symbol("proa_emulate_rsqrt", reciprocalSquareRoot<double>),
      symbol("proa_emulate_rcpf", reciprocal<float>),
      symbol("proa_emulate_rcp", reciprocal<double>),
      symbol("proa_emulate_powif", integerPower<float>),
      symbol("proa_emulate_powi", integerPower<double>),
      // Functions of the compiler's support library, which LLVM calls for 16-bit floats on CPUs without
      // instructions for them. Not every such library has them.
      symbol("__truncsfhf2", truncateFloat<Float16>),
      symbol("__truncdfhf2", truncateDouble<Float16>),
      symbol("__truncsfbf2", truncateFloat<BFloat16>),
      symbol("__truncdfbf2", truncateDouble<BFloat16>),
      symbol("__extendhfsf2", extendHalf),
  };
  return table;
}

} // namespace proa::emulator
