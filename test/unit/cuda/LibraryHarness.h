/// Runs one library kernel on a recorded device, and compares it with the kernel of the CPU.
#pragma once

#include "lib/compiler/planner/Lifetimes.h"
#include "lib/compiler/planner/PlaceOnDevice.h"
#include "lib/runtime/cuda/CudaDevice.h"
#include "lib/runtime/cuda/DeviceLibraries.h"
#include "lib/runtime/cuda/RecordingDriver.h"
#include "test/unit/runtime/KernelHarness.h"

#include <gmock/gmock.h>

#include <complex>

namespace proa::runtime {

/// Recording doubles of all libraries.
inline std::shared_ptr<cuda::Libraries>
recordedLibraries(const std::shared_ptr<cuda::RecordingDriver> &driver) {
  auto libraries = cuda::Libraries::none("not recorded");
  libraries->blas.set(cuda::recordingBlas(driver));
  libraries->dnn.set(cuda::recordingDnn(driver));
  libraries->fft.set(cuda::recordingFft(driver));
  libraries->solver.set(cuda::recordingSolver(driver));
  libraries->collectives.set(cuda::recordingCollectives(driver, 2));
  return libraries;
}

struct DeviceRun {
  Result<std::vector<Tensor>> results;
  std::vector<std::string> log; ///< of the second run
  std::string library;          ///< that computes the step; empty: the host
  std::string reason;           ///< why none does
};

/// The step of the case where chooseLibrary places it, run twice.
inline DeviceRun runOnDevice(const KernelCase &c, std::shared_ptr<cuda::RecordingDriver> driver = nullptr,
                             std::shared_ptr<cuda::Libraries> libraries = nullptr) {
  if (!driver)
    driver = std::make_shared<cuda::RecordingDriver>();
  if (!libraries)
    libraries = recordedLibraries(driver);
  Plan plan = planOf(c);
  cuda::LibraryChoice choice = cuda::chooseLibrary(plan.steps[0], plan, libraries.get());
  DeviceRun ran{Diagnostics(), {}, choice.library, choice.reason};
  if (choice.library.empty())
    return ran;
  plan.steps[0].launch.library = choice.library;
  planner::placeOnDevice(plan);
  planner::placeValues(plan, {});
  auto device = std::make_shared<cuda::CudaDevice>(driver, cuda::DeviceCode(),
                                                   cuda::CudaDeviceOptions{.libraries = libraries});
  auto executable =
      Executable::create(plan, "test", [](const std::string &) { return nullptr; }, nullptr, device);
  if (!executable) {
    ran.results = executable.diagnostics();
    return ran;
  }
  NamedTensors feeds, parameters;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    bool isConstant = std::ranges::find(c.constantInputs, i) != c.constantInputs.end();
    if (c.inputs[i].data())
      (isConstant ? parameters : feeds)["in" + std::to_string(i)] = c.inputs[i];
  }
  if (Result<void> done = (*executable)->bindParameters(parameters); !done) {
    ran.results = done.diagnostics();
    return ran;
  }
  auto session = Session::create(*executable);
  if (!session) {
    ran.results = session.diagnostics();
    return ran;
  }
  ran.results = (*session)->run(feeds);
  driver->clearLog();
  if (ran.results)
    ran.results = (*session)->run(feeds);
  ran.log = driver->log();
  return ran;
}

/// Real numbers of a tensor; a complex number is two.
inline std::vector<double> realsOf(const Tensor &tensor) {
  std::vector<double> values;
  bool isDouble = tensor.dtype() == DType::Float64 || tensor.dtype() == DType::Complex128;
  bool isComplex = tensor.dtype() == DType::Complex64 || tensor.dtype() == DType::Complex128;
  int64_t count = tensor.size() * (isComplex ? 2 : 1);
  for (int64_t i = 0; i < count; ++i)
    values.push_back(tensor.dtype() == DType::Int32 ? tensor.as<int32_t>()[i]
                     : isDouble                     ? static_cast<const double *>(tensor.data())[i]
                                                    : static_cast<const float *>(tensor.data())[i]);
  return values;
}

inline void expectNear(const Tensor &found, const Tensor &expected, double tolerance) {
  ASSERT_EQ(found.dims(), expected.dims());
  std::vector<double> a = realsOf(found), b = realsOf(expected);
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << "number " << i;
}

/// Compares all results with the CPU kernel's, whose test compares it with its definition.
/// Returns the device's run.
inline DeviceRun expectAsOnCpu(const KernelCase &c, const char *library, double tolerance = 1e-5) {
  DeviceRun ran = runOnDevice(c);
  EXPECT_EQ(ran.library, library) << ran.reason;
  auto expected = runCase(c);
  EXPECT_TRUE(bool(expected)) << expected.diagnostics().text();
  EXPECT_TRUE(bool(ran.results)) << ran.results.diagnostics().text();
  if (!expected || !ran.results || ran.library.empty())
    return ran;
  EXPECT_EQ(ran.results->size(), expected->size());
  for (size_t i = 0; i < expected->size(); ++i)
    expectNear((*ran.results)[i], (*expected)[i], tolerance);
  return ran;
}

} // namespace proa::runtime
