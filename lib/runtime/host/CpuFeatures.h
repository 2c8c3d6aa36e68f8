/// Instruction sets of the CPU that this process runs on.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace proa::runtime {

/// Names, as compilers spell them ("avx512f"), of the instruction sets that compiled kernels may use. Empty
/// on CPUs other than x86-64, for which no instruction sets are distinguished.
std::vector<std::string> knownCpuFeatures();

/// Those of them that this CPU has.
std::vector<std::string> cpuFeatures();

/// Those of `needed` that this CPU lacks.
std::vector<std::string> missingCpuFeatures(std::span<const std::string> needed);

} // namespace proa::runtime
