/// Plans of kernels written by hand, on a recorded device.
#pragma once

#include "lib/compiler/planner/Lifetimes.h"
#include "lib/compiler/planner/PlaceOnDevice.h"
#include "lib/compiler/planner/ResidentStates.h"
#include "lib/runtime/cuda/CudaDevice.h"
#include "lib/runtime/cuda/RecordingDriver.h"
#include "lib/runtime/run/Executable.h"

#include <gmock/gmock.h>

#include <cmath>

namespace proa::runtime {

using cuda::CudaDevice;
using cuda::CudaDeviceOptions;
using cuda::DeviceCode;
using cuda::RecordingDriver;

// Compiled kernels, written by hand with the compiler's calling convention.

inline void addRows(void *const *buffers, const int64_t *, int64_t begin, int64_t end) { // [n, 4] + [4]
  auto x = static_cast<const float *>(buffers[0]), w = static_cast<const float *>(buffers[1]);
  auto out = static_cast<float *>(buffers[2]);
  for (int64_t i = begin; i < end; ++i)
    for (int64_t j = 0; j < 4; ++j)
      out[i * 4 + j] = x[i * 4 + j] + w[j];
}
inline void addRowsShape(const int64_t *inputDims, int64_t *result) { result[0] = result[1] = inputDims[0]; }
inline void twice(void *const *buffers, const int64_t *, int64_t begin, int64_t end) { // [n, 4]
  for (int64_t i = begin * 4; i < end * 4; ++i)
    static_cast<float *>(buffers[1])[i] = static_cast<const float *>(buffers[0])[i] * 2;
}
/// [?] scaled by its own length, which it reads from dims.
inline void timesLength(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(buffers[1])[i] =
        static_cast<const float *>(buffers[0])[i] * static_cast<float>(dims[0]);
}
inline void logarithm(void *const *buffers, const int64_t *, int64_t begin, int64_t end) { // [n, 4]
  for (int64_t i = begin * 4; i < end * 4; ++i)
    static_cast<float *>(buffers[1])[i] = std::log(static_cast<const float *>(buffers[0])[i]);
}
// Single numbers.
inline void less(void *const *buffers, const int64_t *, int64_t, int64_t) {
  *static_cast<bool *>(buffers[2]) =
      *static_cast<int64_t *>(buffers[0]) < *static_cast<int64_t *>(buffers[1]);
}
inline void increment(void *const *buffers, const int64_t *, int64_t, int64_t) {
  *static_cast<int64_t *>(buffers[1]) = *static_cast<int64_t *>(buffers[0]) + 1;
}
inline void twiceNumber(void *const *buffers, const int64_t *, int64_t, int64_t) {
  *static_cast<float *>(buffers[1]) = *static_cast<float *>(buffers[0]) * 2;
}

inline const std::map<std::string, KernelFunction> &kernels() {
  static const std::map<std::string, KernelFunction> all{
      {"add_rows", addRows}, {"twice", twice},   {"times_length", timesLength}, {"log", logarithm},
      {"less", less},        {"inc", increment}, {"twice_number", twiceNumber}};
  return all;
}

inline void *resolve(const std::string &symbol) {
  if (symbol.ends_with("_shape"))
    return reinterpret_cast<void *>(addRowsShape);
  auto found = kernels().find(symbol);
  return found == kernels().end() ? nullptr : reinterpret_cast<void *>(found->second);
}

/// A step on the host; `onDevice` makes it one on the device.
inline Step kernelStep(const std::string &symbol, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
                       int64_t rows = 1) {
  Step step;
  step.symbol = step.label = symbol;
  step.inputs = std::move(inputs);
  step.outputs = std::move(outputs);
  step.rows = rows;
  step.location = "net.py:7";
  return step;
}

class PlanMaker {
public:
  Plan plan;

  ValueId value(DType dtype, std::vector<int64_t> dims, Storage storage, const std::string &name) {
    plan.values.push_back({dtype, std::move(dims), storage, 0, none, name});
    auto id = static_cast<ValueId>(plan.values.size() - 1);
    if (storage == Storage::Feed)
      plan.feeds.push_back(id);
    if (storage == Storage::Parameter)
      plan.parameters.push_back(id);
    return id;
  }
  ValueId rows(Storage storage, const std::string &name) {
    return value(DType::Float32, {2, 4}, storage, name);
  }
  void fetch(ValueId id) {
    plan.fetches.push_back(id);
    plan.fetchNames.push_back(plan.values[static_cast<size_t>(id)].name);
  }
};

/// Places the kernel steps with these symbols on the device.
inline Plan placed(Plan plan, const std::vector<std::string> &onDevice) {
  for (auto *steps : {&plan.prepare, &plan.steps})
    forEachStep(*steps, [&](Step &step) {
      if (step.kind != StepKind::Kernel || std::ranges::find(onDevice, step.symbol) == onDevice.end())
        return;
      step.launch.threads = 128;
      for (const auto *ids : {&step.inputs, &step.outputs})
        for (ValueId id : *ids) {
          const Value &value = plan.values[static_cast<size_t>(id)];
          step.launch.parameters += 'p';
          step.launch.parameters.append(static_cast<size_t>(std::ranges::count(value.dims, dynamicDim)), 'd');
        }
    });
  planner::placeOnDevice(plan);
  planner::completeStates(plan);
  planner::placeValues(plan, {});
  return plan;
}

class DevicePlanTest : public ::testing::Test {
protected:
  std::shared_ptr<RecordingDriver> driver = std::make_shared<RecordingDriver>();

  std::shared_ptr<Device> device(const Plan &plan, const CudaDeviceOptions &options = {}) {
    DeviceCode code{"sm_90", {}};
    for (const auto *steps : {&plan.prepare, &plan.steps})
      forEachStep(*steps, [&](const Step &step) {
        if (!step.isOnDevice() || step.kind != StepKind::Kernel)
          return;
        code.kernels.push_back({step.symbol, "cubin", ""});
        driver->registerRowKernel(step.symbol, kernels().at(step.symbol), step.launch.parameters);
      });
    return std::make_shared<CudaDevice>(driver, code, options);
  }

  std::shared_ptr<Executable> load(const Plan &plan, const CudaDeviceOptions &options = {}) {
    auto executable = Executable::create(plan, "net", resolve, nullptr, device(plan, options));
    EXPECT_TRUE(bool(executable)) << executable.diagnostics().text();
    return executable ? *executable : nullptr;
  }

  static std::vector<float> floats(const Tensor &tensor) {
    auto *data = static_cast<const float *>(tensor.data());
    return {data, data + tensor.size()};
  }
  static Tensor tensor(std::vector<int64_t> dims, const std::vector<float> &values) {
    Tensor result(DType::Float32, std::move(dims));
    std::ranges::copy(values, static_cast<float *>(result.data()));
    return result;
  }
  template <class T> static Tensor number(DType dtype, T value) {
    Tensor result(dtype, {});
    *static_cast<T *>(result.data()) = value;
    return result;
  }
  size_t count(const std::string &line) const {
    return static_cast<size_t>(std::ranges::count(driver->log(), line));
  }
};

inline const std::vector<float> eight = {1, 2, 3, 4, 5, 6, 7, 8};

/// y = 2 * (log of nothing: twice(x + w)), with w a parameter.
inline Plan straightPlan() {
  PlanMaker maker;
  ValueId x = maker.rows(Storage::Feed, "x"), w = maker.value(DType::Float32, {4}, Storage::Parameter, "w"),
          sum = maker.rows(Storage::Arena, "sum"), y = maker.rows(Storage::Arena, "y");
  maker.plan.steps = {kernelStep("add_rows", {x, w}, {sum}, 2), kernelStep("twice", {sum}, {y}, 2)};
  maker.fetch(y);
  return maker.plan;
}

} // namespace proa::runtime
