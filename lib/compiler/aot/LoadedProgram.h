/// A program compiled ahead of time, loaded into this process. It needs no compiler.
#pragma once

#include "lib/compiler/aot/Description.h"
#include "lib/runtime/run/Executable.h"
#include "proa-c/runtime.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proa::aot {

/// The number of the CUDA device of programs that are created afterwards.
void setDevice(int device);

/// May be used by one thread at a time.
class LoadedProgram {
public:
  /// `data` must outlive the program. `weightsPath`: a .safetensors or .pdiparams file; empty: the embedded
  /// weights. Error: see proa_program_create.
  static Result<std::unique_ptr<LoadedProgram>> create(const proa_program_data &data,
                                                       const std::string &weightsPath);

  const std::vector<TensorInfo> &inputs() const { return inputInfos; }
  const std::vector<TensorInfo> &outputs() const { return outputInfos; }

  /// Creates the kernels for inputs of these dims, packs weights and takes memory, as the first run does too.
  /// Runs the program on `tensors`, with zeros for those without data; states and random numbers stay.
  Result<void> prepare(std::span<const Tensor> tensors);
  /// Runs once. `tensors` are in the order of inputs(), the results in the order of outputs().
  Result<std::vector<Tensor>> run(std::span<const Tensor> tensors);

  /// The state variables that a run reads.
  const std::vector<TensorInfo> &states() const { return stateInfos; }
  /// Their values, in the order of states().
  Tensor state(size_t index) const { return stateValues.at(stateInfos.at(index).name); }
  /// Error: a value of another type.
  Result<void> setState(size_t index, const Tensor &value);
  /// Writes weights and states to a .safetensors file.
  Result<void> save(const std::string &path) const;

  /// Starts or ends the collection of times; starting drops earlier ones.
  void setProfile(bool on);
  /// The steps that ran since the collection was started.
  std::vector<StepTime> stepTimes() const;

private:
  LoadedProgram(const Description &description);
  Result<void> bindStates();
  Result<void> checkInputs(std::span<const Tensor> tensors) const;
  runtime::NamedTensors feedsOf(std::span<const Tensor> tensors) const;

  std::string name;
  std::vector<TensorInfo> inputInfos, outputInfos, stateInfos, weightInfos;
  std::vector<std::string> stateNames; ///< states among the results of the plan, after the outputs
  runtime::NamedTensors weights;       ///< of the file, or embedded, without the states
  runtime::NamedTensors stateValues;   ///< fed states after the last run
  std::shared_ptr<runtime::Executable> executable;
  std::unique_ptr<runtime::Session> session;
  std::unique_ptr<runtime::Profile> profile;
};

} // namespace proa::aot
