//! The facts of known processors: the only source of hardware figures.
//!
//! Sizes, counts and peak rates of GPUs are from NVIDIA's documentation, for the largest device with the
//! chip. Estimates, which no device has measured yet, are marked. `proa-tune --measure` measures a machine.
#include "lib/base/target/TargetFacts.h"

#include <algorithm>

namespace proa {
namespace {

/// Ranks of a mesh are threads or processes of one machine, or of machines in a network.
CpuFacts cpu(std::string name) {
  CpuFacts facts;
  facts.name = std::move(name);
  facts.assumedDim = 128;
  facts.memoryBandwidth = 20000;
  facts.matmulRate = 40000; // of vectors of 128 bits
  facts.stepNanoseconds = 1000;
  facts.linkNanoseconds = 5000;
  facts.linkBandwidth = 10000;
  facts.asyncNanoseconds = 1600;
  facts.vectorBits = 128;
  facts.l1Bytes = 32 << 10;
  facts.l2Bytes = 1 << 20;
  facts.l3Bytes = 4 << 20;
  // Costs of vectors of 256 to 512 bits; they decide whether threads are worth it.
  facts.accessCost = 50;
  facts.arithmeticCost = 30;
  facts.divideCost = 150;
  facts.integerDivideCost = 2000;
  facts.functionCost = 300;
  facts.doubleFunctionCost = 10000;
  facts.powerCost = 10000;
  facts.complexCost = 1000;
  facts.gatherCost = 500;
  facts.sortCost = 20000;
  facts.maskedStoreCost = 4000;   // VMASKMOVPS of AVX2 takes 12 clocks and more on an AMD EPYC (Zen 3)
  facts.forkNanoseconds = 8000;   // by networks on two threads, AMD EPYC (Zen 5)
  facts.wakeNanoseconds = 100000; // by networks beside busy processes, AMD EPYC (Zen 3)
  return facts;
}

/// A CPU of which a core multiplies as many elements as are in its vectors.
CpuFacts withVectors(CpuFacts facts, int64_t bits) {
  facts.matmulRate = facts.matmulRate * bits / facts.vectorBits;
  facts.matmul64Rate = facts.matmulRate / 2; // half of the elements in a vector
  facts.vectorBits = bits;
  return facts;
}

CpuFacts avx2() {
  CpuFacts facts = withVectors(cpu("avx2"), 256);
  facts.forkNanoseconds = 5000; // by networks on two threads, AMD EPYC (Zen 3)
  return facts;
}

CpuFacts avx512() {
  CpuFacts facts = withVectors(cpu("avx512"), 512);
  facts.maskedStoreCost = 500; // estimate: it has registers for masks
  return facts;
}

/// Facts that all chips have in common, and facts of which only estimates exist.
GpuFacts gpu(std::string name) {
  GpuFacts facts;
  facts.name = std::move(name);
  facts.assumedDim = 1024;
  facts.stepNanoseconds = 1000;    // estimate, in a CUDA graph
  facts.linkNanoseconds = 5000;    // estimate
  facts.asyncNanoseconds = 1600;   // estimate
  facts.libraryNanoseconds = 9000; // estimate
  facts.sortNanoseconds = 116000;  // estimate
  facts.tileStartClocks = 1200;    // estimate
  facts.l2BytesPerClock = 40;      // estimate
  facts.staticSharedBytes = 48 << 10;
  facts.registers = 65536;
  facts.sharedBytesPerClock = 128;
  return facts;
}

/// With the rate of float32 without tensor cores, and of 8 bits with them, which is twice the rate of 16
/// bits. NVIDIA's white papers and data sheets: A100 (Ampere GA100) 624 TOPS of INT8 and 312 TFLOPS of FP16,
/// A40 (GA102) 299.3 and 149.7, L40S (Ada) 733 and 362.05, also of FP8, H100 with SXM (Hopper) 1979 and
/// 989.4, also of FP8.
GpuFacts finished(GpuFacts facts) {
  facts.matmulRate = 2 * facts.fma32Rate * facts.multiprocessors * facts.clockMegahertz;
  facts.mma8Rate = 2 * facts.mmaRate;
  facts.wgmma8Rate = 2 * facts.wgmmaRate;
  return facts;
}

/// A100.
GpuFacts sm80() {
  GpuFacts facts = gpu("sm_80");
  facts.multiprocessors = 108;
  facts.clockMegahertz = 1410;
  facts.memoryBandwidth = 2039000;
  facts.linkBandwidth = 300000;
  facts.sharedBytes = 163 << 10;
  facts.fma32Rate = 64;
  facts.fma64Rate = 32;
  facts.mmaRate = 1024;
  return finished(facts);
}

/// A40.
GpuFacts sm86() {
  GpuFacts facts = gpu("sm_86");
  facts.multiprocessors = 84;
  facts.clockMegahertz = 1740;
  facts.memoryBandwidth = 696000;
  facts.linkBandwidth = 25000;
  facts.sharedBytes = 99 << 10;
  facts.fma32Rate = 128;
  facts.fma64Rate = 2;
  facts.mmaRate = 512;
  return finished(facts);
}

/// L40S.
GpuFacts sm89() {
  GpuFacts facts = sm86();
  facts.name = "sm_89";
  facts.multiprocessors = 142;
  facts.clockMegahertz = 2520;
  facts.memoryBandwidth = 864000;
  return finished(facts);
}

/// H100 with SXM.
GpuFacts sm90() {
  GpuFacts facts = gpu("sm_90");
  facts.multiprocessors = 132;
  facts.clockMegahertz = 1755;
  facts.memoryBandwidth = 3350000;
  facts.linkBandwidth = 450000;
  facts.sharedBytes = 227 << 10;
  facts.fma32Rate = 128;
  facts.fma64Rate = 64;
  facts.mmaRate = 1024;
  return finished(facts);
}

GpuFacts sm90a() {
  GpuFacts facts = sm90();
  facts.name = "sm_90a";
  facts.wgmmaRate = 2048;
  return finished(facts);
}

/// B200. mma.sync has the rate of sm_90; tcgen05, which is faster, is not used.
GpuFacts sm100(std::string name) {
  GpuFacts facts = sm90();
  facts.name = std::move(name);
  facts.multiprocessors = 148;
  facts.clockMegahertz = 1850;
  facts.memoryBandwidth = 8000000;
  facts.linkBandwidth = 900000;
  return finished(facts);
}

// Statics of functions: objects of other files that are created before main() use them.
std::span<const CpuFacts> cpus() {
  static const CpuFacts known[] = {avx2(), avx512(), withVectors(cpu("generic"), 128)};
  return known;
}

std::span<const GpuFacts> gpus() {
  static const GpuFacts known[] = {sm80(),  sm86(),          sm89(),          sm90(),
                                   sm90a(), sm100("sm_100"), sm100("sm_100a")};
  return known;
}

template <class Facts> const Facts *named(std::span<const Facts> known, std::string_view name) {
  auto found = std::ranges::find(known, name, &Facts::name);
  return found == known.end() ? nullptr : &*found;
}

template <class Facts> std::string namesOf(std::span<const Facts> known) {
  std::string names;
  for (const Facts &facts : known)
    names += (names.empty() ? "" : ", ") + facts.name;
  return names;
}

} // namespace

template <> const CpuFacts *knownFacts<CpuFacts>(std::string_view name) {
  return named<CpuFacts>(cpus(), name);
}
template <> const GpuFacts *knownFacts<GpuFacts>(std::string_view name) {
  return named<GpuFacts>(gpus(), name);
}
template <> std::string knownNames<CpuFacts>() { return namesOf<CpuFacts>(cpus()); }
template <> std::string knownNames<GpuFacts>() { return namesOf<GpuFacts>(gpus()); }

const TargetFacts &defaultTarget() {
  static const TargetFacts facts{*knownFacts<CpuFacts>("avx2"), std::nullopt};
  return facts;
}

const GpuFacts &defaultGpu() { return *knownFacts<GpuFacts>("sm_90a"); }

} // namespace proa
