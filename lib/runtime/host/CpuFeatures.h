/// Instruction sets of the CPU that this process runs on, and uses: the environment variable PROA_MAX_CPU_ISA
/// limits all code of the process to a lower set, as if the CPU had no other.
#pragma once

#include "proa/Result.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proa::runtime {

/// Names, as compilers spell them ("avx512f"), of the instruction sets that compiled kernels may use. Empty
/// on CPUs other than x86-64, for which no instruction sets are distinguished.
std::vector<std::string> knownCpuFeatures();

/// The known features that this CPU has and PROA_MAX_CPU_ISA allows.
std::vector<std::string> cpuFeatures();

/// The features in `needed` that this CPU lacks.
std::vector<std::string> missingCpuFeatures(std::span<const std::string> needed);

/// Vector instructions: what kernels of the runtime are compiled for. Named as the CPUs of KnownTargets.cpp.
enum class VectorIsa : uint8_t { Generic, Avx2, Avx512 };
const char *nameOf(VectorIsa isa);

/// The best that this CPU has and PROA_MAX_CPU_ISA allows.
VectorIsa vectorIsa();
/// PROA_MAX_CPU_ISA: generic, avx2 or avx512. Nothing: not set.
std::optional<VectorIsa> vectorLimit();
/// Error: PROA_MAX_CPU_ISA has another value.
Result<void> checkVectorLimit();

} // namespace proa::runtime
