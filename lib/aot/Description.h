/// What a library compiled ahead of time holds beside its code and weights.
#pragma once

#include "lib/runtime/Plan.h"
#include "proa/Model.h"

#include <string>
#include <vector>

namespace proa::aot {

/// A tensor among the embedded weights.
struct EmbeddedTensor {
  TensorInfo info;
  uint64_t offset = 0; ///< in bytes, a multiple of runtime::addressAlignment
};

struct Description {
  std::string name; ///< begins the messages of the loaded library
  runtime::Plan plan;
  /// The first fetches of the plan are results; the others are the new values of the state variables that
  /// their fetchNames say.
  size_t resultCount = 0;
  std::vector<std::string> kernels; ///< symbols, in the order of the table of addresses
  /// Names of the tensors of a .pdiparams file, which has none itself.
  std::vector<std::string> savedVariables;
  std::vector<EmbeddedTensor> embedded;
  /// Instruction sets that the code may use (lib/runtime/CpuFeatures.h).
  std::vector<std::string> cpuFeatures;

  /// Names of the state variables.
  std::vector<std::string> states() const;
  /// The feeds that are state; not all state is read before it is written.
  std::vector<TensorInfo> fedStates() const;
  /// The feeds that are not state, in order.
  std::vector<TensorInfo> inputs() const;
  std::vector<TensorInfo> outputs() const;
  /// What must have a value before the first run: parameters and fed states.
  std::vector<TensorInfo> weights() const;
};

/// The description as bytes (CBOR), and back. Reading verifies all of it but the addresses of code;
/// `weightsBytes` is the size of the embedded weights.
std::vector<uint8_t> serialize(const Description &description);
Result<Description> deserializeDescription(std::span<const uint8_t> bytes, uint64_t weightsBytes,
                                           const std::string &where);

} // namespace proa::aot
