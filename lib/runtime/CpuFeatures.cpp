#include "lib/runtime/CpuFeatures.h"

#include <algorithm>

namespace proa::runtime {

std::vector<std::string> cpuFeatures() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  __builtin_cpu_init();
  // __builtin_cpu_supports takes literals alone.
#define PROA_CPU_FEATURE(name)                                                                               \
  if (__builtin_cpu_supports(name))                                                                          \
  features.push_back(name)
  PROA_CPU_FEATURE("popcnt");
  PROA_CPU_FEATURE("sse4.2");
  PROA_CPU_FEATURE("avx");
  PROA_CPU_FEATURE("avx2");
  PROA_CPU_FEATURE("fma");
  PROA_CPU_FEATURE("bmi");
  PROA_CPU_FEATURE("bmi2");
  PROA_CPU_FEATURE("gfni");
  PROA_CPU_FEATURE("avx512f");
  PROA_CPU_FEATURE("avx512bw");
  PROA_CPU_FEATURE("avx512cd");
  PROA_CPU_FEATURE("avx512dq");
  PROA_CPU_FEATURE("avx512vl");
  PROA_CPU_FEATURE("avx512ifma");
  PROA_CPU_FEATURE("avx512vbmi");
  PROA_CPU_FEATURE("avx512vbmi2");
  PROA_CPU_FEATURE("avx512bitalg");
  PROA_CPU_FEATURE("avx512vpopcntdq");
  PROA_CPU_FEATURE("avx512vnni");
  PROA_CPU_FEATURE("avx512bf16");
#undef PROA_CPU_FEATURE
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
