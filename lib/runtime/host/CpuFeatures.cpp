#include "lib/runtime/host/CpuFeatures.h"

#include <algorithm>

namespace proa::runtime {

// __builtin_cpu_supports takes literals alone.
// clang-format off
#define PROA_CPU_FEATURES(X)                                                              \
  X("popcnt") X("sse4.2") X("avx") X("avx2") X("fma") X("f16c") X("bmi") X("bmi2")        \
  X("lzcnt") X("gfni") X("avxvnni")                                                       \
  X("avx512f") X("avx512bw") X("avx512cd") X("avx512dq") X("avx512vl") X("avx512ifma")    \
  X("avx512vbmi") X("avx512vbmi2") X("avx512bitalg") X("avx512vpopcntdq")                 \
  X("avx512vnni") X("avx512bf16") X("avx512fp16")
// clang-format on

std::vector<std::string> knownCpuFeatures() {
  std::vector<std::string> features;
#if defined(__x86_64__)
#define PROA_ADD(name) features.push_back(name);
  PROA_CPU_FEATURES(PROA_ADD)
#undef PROA_ADD
#endif
  return features;
}

std::vector<std::string> cpuFeatures() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  __builtin_cpu_init();
#define PROA_ADD(name)                                                                                       \
  if (__builtin_cpu_supports(name))                                                                          \
    features.push_back(name);
  PROA_CPU_FEATURES(PROA_ADD)
#undef PROA_ADD
#endif
  return features;
}

std::vector<std::string> missingCpuFeatures(std::span<const std::string> needed) {
  std::vector<std::string> present = cpuFeatures(), missing;
  std::copy_if(needed.begin(), needed.end(), std::back_inserter(missing), [&](const std::string &feature) {
    return std::find(present.begin(), present.end(), feature) == present.end();
  });
  return missing;
}

} // namespace proa::runtime
