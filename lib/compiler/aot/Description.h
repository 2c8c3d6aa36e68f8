/// Metadata of a library compiled ahead of time, besides code and weights.
#pragma once

#include "lib/runtime/cuda/DeviceCode.h"
#include "lib/runtime/plan/Plan.h"
#include "proa/Model.h"

#include <map>
#include <string>
#include <vector>

namespace proa::aot {

/// A tensor among the embedded weights.
struct EmbeddedTensor {
  TensorInfo info;
  uint64_t offset = 0; ///< in bytes, a multiple of runtime::addressAlignment
};

/// The program for one CUDA chip.
struct DeviceProgram {
  runtime::Plan plan;
  cuda::DeviceCode code;
};

struct Description {
  std::string name;   ///< name of the library in messages
  runtime::Plan plan; ///< for CUDA the plan of the first of `devicePrograms`
  /// For CUDA: one for each chip, with equal feeds, parameters and fetches; empty: the program runs on the
  /// CPU.
  std::vector<DeviceProgram> devicePrograms;
  /// The first fetches of the plan are results; the others are new values of the state variables named by
  /// fetchNames.
  size_t resultCount = 0;
  /// TensorInfo::dimNames of the feeds that have any.
  std::map<std::string, std::vector<std::string>> dimNames;
  std::vector<std::string> kernels; ///< symbols of the kernels, in the order of the address table
  /// Names of the tensors of a .pdiparams file, which stores none.
  std::vector<std::string> savedVariables;
  std::vector<EmbeddedTensor> embedded;
  /// Instruction sets that the code may use (lib/runtime/host/CpuFeatures.h).
  std::vector<std::string> cpuFeatures;

  /// Names of the state variables.
  std::vector<std::string> states() const;
  /// The feeds that are state. State that is written before it is read is not fed.
  std::vector<TensorInfo> fedStates() const;
  /// The other feeds.
  std::vector<TensorInfo> inputs() const;
  std::vector<TensorInfo> outputs() const;
  /// Variables that need a value before the first run: parameters and fed states.
  std::vector<TensorInfo> weights() const;
};

/// Serialization of the description (CBOR). Reading verifies everything except code addresses; `weightsBytes`
/// is the size of the embedded weights.
std::vector<uint8_t> serialize(const Description &description);
Result<Description> deserializeDescription(std::span<const uint8_t> bytes, uint64_t weightsBytes,
                                           const std::string &where);

} // namespace proa::aot
