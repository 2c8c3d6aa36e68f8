#include "lib/runtime/host/ForkCost.h"

#include "lib/base/target/TargetFacts.h"
#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/host/ThreadPool.h"

#include <algorithm>
#include <utility>

namespace proa::runtime {
namespace {

thread_local const CpuFacts *scopedCpu = nullptr;

} // namespace

const CpuFacts &factsOfThisCpu(const CpuFacts *ofProgram) {
  static const CpuFacts &known = *knownFacts<CpuFacts>(nameOf(vectorIsa()));
  return ofProgram && ofProgram->name == known.name ? *ofProgram : known;
}

CpuScope::CpuScope(const CpuFacts *ofProgram) : outer(std::exchange(scopedCpu, &factsOfThisCpu(ofProgram))) {}

CpuScope::~CpuScope() { scopedCpu = outer; }

double minimalForkNanoseconds() {
  const CpuFacts &cpu = scopedCpu ? *scopedCpu : factsOfThisCpu(nullptr);
  return static_cast<double>(threadsSleep() ? cpu.wakeNanoseconds : cpu.forkNanoseconds);
}

int64_t workersFor(double nanoseconds, int64_t count) {
  int64_t most = std::max<int64_t>(std::min<int64_t>(count, threads()), 1);
  return static_cast<int64_t>(
      std::clamp(nanoseconds / minimalForkNanoseconds(), 1.0, static_cast<double>(most)));
}

int64_t grainFor(double nanoseconds) {
  constexpr double least = 1e-3; // an estimate of nothing
  return static_cast<int64_t>(minimalForkNanoseconds() / std::max(nanoseconds, least)) + 1;
}

} // namespace proa::runtime
