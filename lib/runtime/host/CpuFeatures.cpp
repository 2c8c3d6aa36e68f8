#include "lib/runtime/host/CpuFeatures.h"

#include <algorithm>
#include <cstdlib>

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

const char *nameOf(VectorIsa isa) {
  switch (isa) {
  case VectorIsa::Generic:
    return "generic";
  case VectorIsa::Avx2:
    return "avx2";
  case VectorIsa::Avx512:
    return "avx512";
  }
  return "";
}

namespace {

constexpr const char *limitVariable = "PROA_MAX_CPU_ISA";

std::optional<VectorIsa> isaNamed(const std::string &name) {
  for (VectorIsa isa : {VectorIsa::Generic, VectorIsa::Avx2, VectorIsa::Avx512})
    if (name == nameOf(isa))
      return isa;
  return std::nullopt;
}

VectorIsa isaOfCpu() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f"))
    return VectorIsa::Avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return VectorIsa::Avx2;
#endif
  return VectorIsa::Generic;
}

/// Whether the limit allows a feature of knownCpuFeatures.
bool isAllowed(const std::string &feature) {
  auto limit = vectorLimit();
  if (!limit || *limit == VectorIsa::Avx512)
    return true;
  if (*limit == VectorIsa::Generic)
    return feature == "popcnt" || feature == "sse4.2";
  return !feature.starts_with("avx512") && feature != "avxvnni" && feature != "gfni";
}

} // namespace

std::optional<VectorIsa> vectorLimit() {
  static const std::optional<VectorIsa> limit = [] {
    const char *text = std::getenv(limitVariable);
    return text ? isaNamed(text) : std::nullopt;
  }();
  return limit;
}

VectorIsa vectorIsa() {
  static const VectorIsa isa = std::min(isaOfCpu(), vectorLimit().value_or(VectorIsa::Avx512));
  return isa;
}

Result<void> checkVectorLimit() {
  const char *text = std::getenv(limitVariable);
  if (text && !isaNamed(text))
    return errorAt(limitVariable, "found '" + std::string(text) + "', expected generic, avx2 or avx512");
  return {};
}

std::vector<std::string> cpuFeatures() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  __builtin_cpu_init();
#define PROA_ADD(name)                                                                                       \
  if (__builtin_cpu_supports(name) && isAllowed(name))                                                       \
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
