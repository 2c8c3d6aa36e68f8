/// Facts about the machine that a program is compiled for. KnownTargets.cpp has the values of known machines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace proa {

/// Facts about a processor that computes the program of one rank: a core of a CPU, or a GPU. Fields.cpp names
/// and describes each field.
struct DeviceFacts {
  std::string name;             ///< "avx2", "sm_90a"
  int64_t assumedDim = 0;       ///< assumed size of an unknown dim
  int64_t memoryBandwidth = 0;  ///< MB/s
  int64_t matmulRate = 0;       ///< MFLOP/s of float32
  int64_t stepNanoseconds = 0;  ///< start of a kernel or a step
  int64_t linkNanoseconds = 0;  ///< a message, besides its bytes
  int64_t linkBandwidth = 0;    ///< MB/s
  int64_t asyncNanoseconds = 0; ///< start of an asynchronous collective

  bool operator==(const DeviceFacts &) const = default;

  // The same in seconds, bytes/s and FLOP/s.
  double linkLatency() const { return static_cast<double>(linkNanoseconds) * 1e-9; }
  double linkBytesPerSecond() const { return static_cast<double>(linkBandwidth) * 1e6; }
  double stepSeconds() const { return static_cast<double>(stepNanoseconds) * 1e-9; }
  /// Of a copy, which reads and writes each byte.
  double copiedBytesPerSecond() const { return static_cast<double>(memoryBandwidth) * 1e6 / 2; }
  double flopsPerSecond() const { return static_cast<double>(matmulRate) * 1e6; }
};

/// One core of a CPU. Costs are of one element in vectorized code, in picoseconds.
struct CpuFacts : DeviceFacts {
  int64_t vectorBits = 0;
  int64_t l1Bytes = 0;
  int64_t l2Bytes = 0;
  int64_t l3Bytes = 0;        ///< of the cache that cores share, for each core
  int64_t matmul64Rate = 0;   ///< MFLOP/s of float64
  int64_t accessCost = 0;     ///< the loads and the store of an element
  int64_t arithmeticCost = 0; ///< add, multiply, compare, select
  int64_t divideCost = 0;     ///< also square root
  int64_t integerDivideCost = 0;
  int64_t functionCost = 0;       ///< exp, tanh, ... of float32
  int64_t doubleFunctionCost = 0; ///< of float64, which is not vectorized
  int64_t powerCost = 0;
  int64_t complexCost = 0;
  int64_t gatherCost = 0;      ///< a load at a computed index
  int64_t sortCost = 0;        ///< an element of a scan, a sort or a search
  int64_t maskedStoreCost = 0; ///< a store of some elements of a vector
  // Work, in nanoseconds, that a thread must take over to be worth it.
  int64_t forkNanoseconds = 0; ///< of threads that wait busily
  int64_t wakeNanoseconds = 0; ///< of threads that sleep

  bool operator==(const CpuFacts &) const = default;
};

/// A GPU. Rates are of one multiprocessor, for each clock; multiplications include an addition.
struct GpuFacts : DeviceFacts {
  int64_t multiprocessors = 0;
  int64_t clockMegahertz = 0;
  int64_t sharedBytes = 0;         ///< shared memory of a block, at most
  int64_t staticSharedBytes = 0;   ///< of which without a size at launch
  int64_t registers = 0;           ///< 32-bit registers of a block
  int64_t l2BytesPerClock = 0;     ///< read from the cache that all multiprocessors share
  int64_t sharedBytesPerClock = 0; ///< read from shared memory
  int64_t fma32Rate = 0;           ///< multiplications of float32 without tensor cores
  int64_t fma64Rate = 0;
  int64_t mmaRate = 0;            ///< multiplications of 16-bit floats by mma.sync
  int64_t mma8Rate = 0;           ///< of 8-bit integers by mma.sync
  int64_t wgmmaRate = 0;          ///< of 16-bit floats by wgmma; 0: the GPU does not have it
  int64_t wgmma8Rate = 0;         ///< of 8-bit integers and floats by wgmma
  int64_t tileStartClocks = 0;    ///< of a tile of a matmul in which nothing is multiplied
  int64_t libraryNanoseconds = 0; ///< a call, see libraryNanosecondsWith()
  int64_t sortNanoseconds = 0;    ///< sort of the keys of a scatter

  bool operator==(const GpuFacts &) const = default;

  /// wgmma, and the tensor memory accelerator.
  bool hasWgmma() const { return wgmmaRate > 0; }
  /// Blocks that occupy the device: two for each multiprocessor.
  int64_t residentBlocks() const { return 2 * multiprocessors; }
  /// Blocks of 256 threads that run at once, a power of two.
  int64_t concurrentBlocks() const;
  /// Blocks that keep half of the device busy, a power of two: row counts often are one.
  int64_t busyBlocks() const;
  /// Shared memory of a block if a multiprocessor has this many; 1 KiB of each is reserved.
  int64_t sharedBytesOf(int64_t blocks) const { return sharedBytes / blocks - 1024; }
  /// Bytes that one multiprocessor reads of the L2 cache.
  double l2BytesPerNanosecond() const;
  /// Nanoseconds of multiplications at a rate of each multiprocessor.
  double nanosecondsOf(double multiplications, int64_t rate) const;
  /// Nanoseconds that a call of a library takes besides the multiplications, if `kernels` kernels compute
  /// operands for it: they write `bytes`, which the library reads.
  double libraryNanosecondsWith(int64_t kernels, int64_t bytes) const;
};

/// The machine that a program is compiled for.
struct TargetFacts {
  CpuFacts cpu;                ///< runs the host's code
  std::optional<GpuFacts> gpu; ///< runs kernels

  bool operator==(const TargetFacts &) const = default;
  /// The processor that computes.
  const DeviceFacts &device() const { return gpu ? static_cast<const DeviceFacts &>(*gpu) : cpu; }
};

/// A field of CpuFacts or GpuFacts.
template <class Facts> struct FactField {
  std::string_view name; ///< "multiprocessors"
  int64_t Facts::*value;
  int64_t least; ///< the smallest valid value
  std::string_view description;
};

/// All fields, in the order in which they are printed. Defined for CpuFacts and GpuFacts.
template <class Facts> std::span<const FactField<Facts>> fieldsOf();
template <> std::span<const FactField<CpuFacts>> fieldsOf<CpuFacts>();
template <> std::span<const FactField<GpuFacts>> fieldsOf<GpuFacts>();

/// Known processors by name: "avx2", "avx512", "generic"; "sm_80", "sm_90a", ... Null if unknown.
template <class Facts> const Facts *knownFacts(std::string_view name);
template <> const CpuFacts *knownFacts<CpuFacts>(std::string_view name);
template <> const GpuFacts *knownFacts<GpuFacts>(std::string_view name);
/// "avx2, avx512, generic", for messages.
template <class Facts> std::string knownNames();
template <> std::string knownNames<CpuFacts>();
template <> std::string knownNames<GpuFacts>();

/// Assumed where a module does not say what it is compiled for.
const TargetFacts &defaultTarget();
const GpuFacts &defaultGpu();

/// The first wrong fact: "gpu: multiprocessors is -1, expected at least 1". Empty: none.
std::string whyInvalid(const TargetFacts &facts);
/// A table of all facts with their descriptions.
std::string describe(const TargetFacts &facts);

} // namespace proa
