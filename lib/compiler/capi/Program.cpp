//! The C interface of programs compiled ahead of time.
#include "proa-c/runtime.h"

#include "lib/base/support/Cores.h"
#include "lib/base/support/ThreadLimit.h"
#include "lib/compiler/aot/LoadedProgram.h"
#include "lib/compiler/capi/Boundary.h"
#include "lib/runtime/host/ThreadPool.h"

#include <fmt/format.h>

#include <optional>

using namespace proa;

struct proa_program {
  std::unique_ptr<aot::LoadedProgram> loaded;
  std::vector<Tensor> outputs; ///< outputs of the last run
  mutable Tensor state;        ///< the value that proa_program_get_state gave last
  /// Of the profile; computed after the last run when they are asked for.
  mutable std::optional<std::vector<StepTime>> steps = std::nullopt;
};

namespace {

std::span<const TensorInfo> inputsOf(const proa_program *program) {
  return program ? std::span<const TensorInfo>(program->loaded->inputs()) : std::span<const TensorInfo>();
}

std::span<const TensorInfo> outputsOf(const proa_program *program) {
  return program ? std::span<const TensorInfo>(program->loaded->outputs()) : std::span<const TensorInfo>();
}

constexpr const char *stateKind = "state variable";

std::span<const TensorInfo> statesOf(const proa_program *program) {
  return program ? std::span<const TensorInfo>(program->loaded->states()) : std::span<const TensorInfo>();
}

/// Error: there is no such state variable.
Result<void> checkState(const proa_program *program, size_t index) {
  proa_tensor_info ignored;
  return capi::describeEntry(statesOf(program), index, stateKind, &ignored);
}

const std::vector<StepTime> &stepsOf(const proa_program &program) {
  if (!program.steps)
    program.steps = program.loaded->stepTimes();
  return *program.steps;
}

} // namespace

int proa_set_threads(int count) {
  return capi::guardedCall([&]() -> Result<void> {
    if (count < 0 || count > maxThreads)
      return errorAt("proa_set_threads", fmt::format("found {}, expected 0 to {}", count, maxThreads));
    runtime::setThreads(count > 0 ? count : availableCores());
    return {};
  });
}

int proa_set_device(int device) {
  return capi::guardedCall([&]() -> Result<void> {
    if (device < 0)
      return errorAt("proa_set_device", fmt::format("found {}, expected 0 or more", device));
    aot::setDevice(device);
    return {};
  });
}

proa_program *proa_program_create(const proa_program_data *data, const char *weights_path) {
  return capi::guarded<proa_program *>(nullptr, [&]() -> Result<proa_program *> {
    if (!data)
      return errorAt("proa_program_create", "the compiled library is NULL");
    auto loaded = aot::LoadedProgram::create(*data, weights_path ? weights_path : "");
    if (!loaded)
      return loaded.diagnostics();
    return new proa_program{std::move(*loaded), {}, {}};
  });
}

void proa_program_destroy(proa_program *program) { delete program; }

size_t proa_program_input_count(const proa_program *program) { return inputsOf(program).size(); }

int proa_program_input(const proa_program *program, size_t index, proa_tensor_info *info) {
  return capi::guardedCall([&] { return capi::describeEntry(inputsOf(program), index, "input", info); });
}

size_t proa_program_output_count(const proa_program *program) { return outputsOf(program).size(); }

int proa_program_output(const proa_program *program, size_t index, proa_tensor_info *info) {
  return capi::guardedCall([&] { return capi::describeEntry(outputsOf(program), index, "output", info); });
}

int proa_program_prepare(proa_program *program, const proa_tensor *inputs) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!program)
      return errorAt("proa_program_prepare", "the program is NULL");
    auto given = capi::tensorsFromC(inputs, program->loaded->inputs(), /*needsData=*/false);
    return given ? program->loaded->prepare(*given) : Result<void>(given.diagnostics());
  });
}

int proa_program_run(proa_program *program, const proa_tensor *inputs, proa_tensor *outputs) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!program)
      return errorAt("proa_program_run", "the program is NULL");
    if (!outputs && !program->loaded->outputs().empty())
      return errorAt("proa_program_run", "the place for the outputs is NULL");
    auto given = capi::tensorsFromC(inputs, program->loaded->inputs());
    if (!given)
      return given.diagnostics();
    program->steps.reset();
    auto results = program->loaded->run(*given);
    if (!results)
      return results.diagnostics();
    program->outputs = std::move(*results);
    capi::tensorsToC(program->outputs, outputs);
    return {};
  });
}

size_t proa_program_state_count(const proa_program *program) { return statesOf(program).size(); }

int proa_program_state(const proa_program *program, size_t index, proa_tensor_info *info) {
  return capi::guardedCall([&] { return capi::describeEntry(statesOf(program), index, stateKind, info); });
}

int proa_program_get_state(const proa_program *program, size_t index, proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!value)
      return errorAt("proa_program_get_state", "the place for the value is NULL");
    if (Result<void> known = checkState(program, index); !known)
      return known;
    program->state = program->loaded->state(index);
    *value = capi::tensorToC(program->state);
    return {};
  });
}

int proa_program_set_state(proa_program *program, size_t index, const proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!value)
      return errorAt("proa_program_set_state", "the value is NULL");
    if (Result<void> known = checkState(program, index); !known)
      return known;
    auto tensor = capi::tensorFromC(*value, "state variable '" + statesOf(program)[index].name + "'");
    return tensor ? program->loaded->setState(index, *tensor) : Result<void>(tensor.diagnostics());
  });
}

int proa_program_save(const proa_program *program, const char *path) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!program || !path)
      return errorAt("proa_program_save", program ? "the path is NULL" : "the program is NULL");
    return program->loaded->save(path);
  });
}

int proa_program_set_profile(proa_program *program, int on) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!program)
      return errorAt("proa_program_set_profile", "the program is NULL");
    program->steps.reset();
    program->loaded->setProfile(on != 0);
    return {};
  });
}

size_t proa_program_step_count(const proa_program *program) {
  return capi::guarded<size_t>(
      0, [&]() -> Result<size_t> { return program ? stepsOf(*program).size() : size_t(0); });
}

int proa_program_step(const proa_program *program, size_t index, proa_step_time *time) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!program || !time)
      return errorAt("proa_program_step", program ? "the place for the time is NULL" : "the program is NULL");
    const std::vector<StepTime> &steps = stepsOf(*program);
    if (index >= steps.size())
      return errorAt("proa_program_step",
                     fmt::format("found step {}, but {} steps were measured", index, steps.size()));
    *time = capi::stepToC(steps[index]);
    return {};
  });
}
