/// A program compiled ahead of time, loaded into this process. Needs no compiler.
#pragma once

#include "lib/aot/Description.h"
#include "lib/runtime/Executable.h"
#include "proa-c/runtime.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proa::aot {

/// Use one from one thread at a time.
class LoadedProgram {
public:
  /// `data` must stay. `weightsPath`: a .safetensors file, or else a .pdiparams file; empty: the embedded
  /// weights. Errors: see proa_program_create.
  static Result<std::unique_ptr<LoadedProgram>> create(const proa_program_data &data,
                                                       const std::string &weightsPath);

  const std::vector<TensorInfo> &inputs() const { return inputInfos; }
  const std::vector<TensorInfo> &outputs() const { return outputInfos; }

  /// Runs once. `given` is in the order of inputs(), the results in that of outputs().
  Result<std::vector<Tensor>> run(std::span<const Tensor> given);

private:
  LoadedProgram(const Description &description);
  Result<void> bindStates(std::span<const TensorInfo> fed, const runtime::NamedTensors &weights);
  Result<void> checkInputs(std::span<const Tensor> given) const;

  std::string name;
  std::vector<TensorInfo> inputInfos, outputInfos;
  std::vector<std::string> stateNames; ///< of the last results of the plan
  runtime::NamedTensors states;        ///< those that a run is fed, as the last run left them
  std::unique_ptr<runtime::Session> session;
};

} // namespace proa::aot
