/// Assembly of PTX to machine code for one chip.
#pragma once

#include "lib/compiler/codegen/ObjectCache.h"
#include "lib/compiler/codegen/cuda/CudaToolkit.h"
#include "lib/compiler/codegen/cuda/KernelResources.h"

#include "proa/Result.h"

#include <memory>
#include <string>
#include <vector>

namespace proa::cuda {

struct Cubin {
  std::string bytes;  ///< an ELF file that the CUDA driver API loads
  std::string report; ///< verbose output of the assembler
  std::vector<KernelResources> kernels;
};

/// NVIDIA's assembler. Needs neither a device nor a CUDA driver. Thread-safe.
class Assembler {
public:
  enum class Kind : uint8_t {
    /// ptxas, or else nvJitLink, which assembles code that is linked.
    /// Such code has more registers, spills in kernels that have none by ptxas,
    /// and ignores `setmaxnreg`.
    Any,
    NvJitLink, ///< libnvJitLink, loaded into this process
    Ptxas,     ///< the program `ptxas`, as a child process
  };

  virtual ~Assembler() = default;

  /// Error: the toolkit has no such assembler, or the library cannot be loaded.
  static Result<std::unique_ptr<Assembler>> create(const CudaToolkit &toolkit, Kind kind = Kind::Any);

  /// Assembles `ptx` for `chip` ("sm_90a"). With a cache, equal PTX is assembled once per chip and version of
  /// the assembler. Error: the messages of the assembler.
  Result<Cubin> assemble(const std::string &ptx, const std::string &chip, const ObjectCache *cache = nullptr);

  /// Name and version, for cache keys: "nvJitLink 13.0".
  const std::string &version() const { return versionText; }

protected:
  /// Machine code and report; the kernels are read from the report.
  virtual Result<Cubin> run(const std::string &ptx, const std::string &chip) = 0;

  std::string versionText;
};

/// SASS of a cubin, by nvdisasm. Error: it is not installed, or fails.
Result<std::string> disassemble(const std::string &cubin, const CudaToolkit &toolkit);

/// Number of instructions by opcode with modifiers, "LDG.E.128" or "HGMMA.64x128x16.F32", for each kernel:
/// lines "softmax: LDG.E.128 1".
std::string instructionMix(const std::string &sass);

} // namespace proa::cuda
