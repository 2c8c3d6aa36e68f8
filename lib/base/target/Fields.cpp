//! Names, bounds and descriptions of the facts.
#include "lib/base/target/FactsFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace proa {
namespace {

/// The fields of DeviceFacts as fields of a kind of device, then its own.
template <class Facts, size_t N> constexpr auto withDeviceFields(const FactField<Facts> (&own)[N]) {
  std::array<FactField<Facts>, N + 7> all = {{
      {"assumed_dim", &Facts::assumedDim, 1, "assumed size of an unknown dim"},
      {"memory_bandwidth", &Facts::memoryBandwidth, 1, "MB/s read and written"},
      {"matmul_rate", &Facts::matmulRate, 1, "MFLOP/s of a large float32 matmul"},
      {"step_nanoseconds", &Facts::stepNanoseconds, 1, "ns to start a kernel or another step"},
      {"link_nanoseconds", &Facts::linkNanoseconds, 0, "ns of a message to another rank besides its bytes"},
      {"link_bandwidth", &Facts::linkBandwidth, 1, "MB/s that a rank receives"},
      {"async_nanoseconds", &Facts::asyncNanoseconds, 0, "ns to start an asynchronous collective"},
  }};
  std::copy(std::begin(own), std::end(own), all.end() - N);
  return all;
}

constexpr auto cpuFields = withDeviceFields<CpuFacts>({
    {"vector_bits", &CpuFacts::vectorBits, 32, "bits of a vector register"},
    {"l1_bytes", &CpuFacts::l1Bytes, 1024, "bytes of the first data cache"},
    {"l2_bytes", &CpuFacts::l2Bytes, 1024, "bytes of the second cache"},
    {"l3_bytes", &CpuFacts::l3Bytes, 1024, "bytes of the cache that cores share, for each core"},
    {"matmul64_rate", &CpuFacts::matmul64Rate, 1, "MFLOP/s of a large float64 matmul"},
    {"access_cost", &CpuFacts::accessCost, 0, "ps for the loads and the store of an element"},
    {"arithmetic_cost", &CpuFacts::arithmeticCost, 0, "ps to add, multiply, compare or select an element"},
    {"divide_cost", &CpuFacts::divideCost, 0, "ps for a quotient, remainder or square root of floats"},
    {"integer_divide_cost", &CpuFacts::integerDivideCost, 0, "ps for a quotient or remainder of integers"},
    {"function_cost", &CpuFacts::functionCost, 0, "ps for exp, tanh, ... of float32"},
    {"double_function_cost", &CpuFacts::doubleFunctionCost, 0, "ps for exp, tanh, ... of float64"},
    {"power_cost", &CpuFacts::powerCost, 0, "ps for a power of floats"},
    {"complex_cost", &CpuFacts::complexCost, 0, "ps for an operation on complex numbers"},
    {"gather_cost", &CpuFacts::gatherCost, 0, "ps for a load at a computed index"},
    {"sort_cost", &CpuFacts::sortCost, 0, "ps for an element of a scan, a sort or a search"},
    {"masked_store_cost", &CpuFacts::maskedStoreCost, 0, "ps for a store of some elements of a vector"},
    {"fork_nanoseconds", &CpuFacts::forkNanoseconds, 1,
     "ns of work that are worth a thread that waits busily"},
    {"wake_nanoseconds", &CpuFacts::wakeNanoseconds, 1, "ns of work that are worth a thread that sleeps"},
});

constexpr auto gpuFields = withDeviceFields<GpuFacts>({
    {"multiprocessors", &GpuFacts::multiprocessors, 1, "multiprocessors of the device"},
    {"clock_megahertz", &GpuFacts::clockMegahertz, 1, "MHz under load"},
    {"shared_bytes", &GpuFacts::sharedBytes, 16384, "bytes of shared memory that a block may have"},
    {"static_shared_bytes", &GpuFacts::staticSharedBytes, 0, "bytes of them without a size at launch"},
    {"registers", &GpuFacts::registers, 1024, "32-bit registers that a block may have"},
    {"l2_bytes_per_clock", &GpuFacts::l2BytesPerClock, 1,
     "bytes that a multiprocessor reads of the L2 cache"},
    {"shared_bytes_per_clock", &GpuFacts::sharedBytesPerClock, 1,
     "bytes that a multiprocessor reads of its shared memory"},
    {"fma32_rate", &GpuFacts::fma32Rate, 1, "float32 multiply-adds of a multiprocessor per clock"},
    {"fma64_rate", &GpuFacts::fma64Rate, 1, "float64 multiply-adds of a multiprocessor per clock"},
    {"mma_rate", &GpuFacts::mmaRate, 1, "16-bit multiply-adds of a multiprocessor per clock with mma.sync"},
    {"mma8_rate", &GpuFacts::mma8Rate, 1, "the same of 8-bit integers"},
    {"wgmma_rate", &GpuFacts::wgmmaRate, 0,
     "16-bit multiply-adds per clock with wgmma; 0: the device does not have it"},
    {"wgmma8_rate", &GpuFacts::wgmma8Rate, 0, "the same of 8-bit integers and floats"},
    {"tile_start_clocks", &GpuFacts::tileStartClocks, 0,
     "clocks of a tile in which the first operands arrive and the results are stored"},
    {"library_nanoseconds", &GpuFacts::libraryNanoseconds, 0,
     "ns, without tensor cores, from which on a matmul is computed by a library"},
    {"sort_nanoseconds", &GpuFacts::sortNanoseconds, 0, "ns to sort the keys of a scatter"},
});

// Each member is in the table: nothing but a name precedes the values.
static_assert(sizeof(CpuFacts) ==
              sizeof(std::string) + sizeof(int64_t) * std::tuple_size_v<decltype(cpuFields)>);
static_assert(sizeof(GpuFacts) ==
              sizeof(std::string) + sizeof(int64_t) * std::tuple_size_v<decltype(gpuFields)>);

template <class Facts> std::string whyInvalid(std::string_view kind, const Facts &facts) {
  for (const FactField<Facts> &field : fieldsOf<Facts>())
    if (facts.*field.value < field.least || facts.*field.value > largestFact)
      return fmt::format("{}: {} is {}, expected {} to {}", kind, field.name, facts.*field.value, field.least,
                         largestFact);
  return "";
}

template <class Facts> std::string table(std::string_view kind, const Facts &facts) {
  std::string text = fmt::format("{} {}\n", kind, facts.name);
  for (const FactField<Facts> &field : fieldsOf<Facts>())
    text += fmt::format("  {:<24}{:>10}  {}\n", field.name, facts.*field.value, field.description);
  return text;
}

} // namespace

template <> std::span<const FactField<CpuFacts>> fieldsOf<CpuFacts>() { return cpuFields; }
template <> std::span<const FactField<GpuFacts>> fieldsOf<GpuFacts>() { return gpuFields; }

int64_t GpuFacts::concurrentBlocks() const {
  constexpr int64_t ofMultiprocessor = 8;
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(ofMultiprocessor * multiprocessors)));
}

int64_t GpuFacts::busyBlocks() const {
  return static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(multiprocessors / 2, 1))));
}

double GpuFacts::l2BytesPerNanosecond() const {
  return static_cast<double>(l2BytesPerClock) * static_cast<double>(clockMegahertz) / 1000;
}

double GpuFacts::nanosecondsOf(double multiplications, int64_t rate) const {
  return multiplications * 1000 /
         (static_cast<double>(rate) * static_cast<double>(multiprocessors) *
          static_cast<double>(clockMegahertz));
}

double GpuFacts::libraryNanosecondsWith(int64_t kernels, int64_t bytes) const {
  return static_cast<double>(libraryNanoseconds) +
         static_cast<double>(kernels) * static_cast<double>(stepNanoseconds) +
         static_cast<double>(bytes) / copiedBytesPerSecond() * 1e9;
}

std::string whyInvalid(const TargetFacts &facts) {
  std::string why = whyInvalid("cpu", facts.cpu);
  return why.empty() && facts.gpu ? whyInvalid("gpu", *facts.gpu) : why;
}

std::string describe(const TargetFacts &facts) {
  return table("cpu", facts.cpu) + (facts.gpu ? table("gpu", *facts.gpu) : "");
}

} // namespace proa
