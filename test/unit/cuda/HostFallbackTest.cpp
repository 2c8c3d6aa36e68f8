// Library steps that the library of the device refuses in a run.
#include "lib/runtime/cuda/Blas.h"
#include "test/unit/cuda/LibraryHarness.h"

namespace proa::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Has no algorithm for any product, or fails.
class RefusingBlas final : public cuda::Blas {
public:
  explicit RefusingBlas(Diagnostics answer) : answer(std::move(answer)) {}
  size_t workspaceBytes() const override { return 64; }
  Result<void> multiply(const cuda::LibraryMatmul &, const cuda::MatrixAddresses &, cuda::DeviceAddress,
                        cuda::StreamHandle) override {
    ++calls;
    return answer;
  }

  int calls = 0;

private:
  Diagnostics answer;
};

struct Refused {
  std::shared_ptr<RefusingBlas> blas;
  DeviceRun ran;
};

Refused runRefused(Diagnostics answer, Dims dims) {
  KernelCase c{"matmul", {}, {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({3, 2}, {1, 0, 0, 1, 2, 2})}};
  c.outputs = {{DType::Float32, {2, 2}}};
  c.constantInputs = {1};
  c.dims = dims;
  auto driver = std::make_shared<cuda::RecordingDriver>();
  auto libraries = recordedLibraries(driver);
  auto blas = std::make_shared<RefusingBlas>(std::move(answer));
  libraries->blas.set(blas);
  return {blas, runOnDevice(c, driver, libraries)};
}

} // namespace

TEST(HostFallbackTest, ARefusedStepRunsOnTheHost) {
  for (Dims dims : {Dims::Static, Dims::Dynamic}) {
    Refused refused = runRefused(refusal("no algorithm"), dims);
    ASSERT_TRUE(bool(refused.ran.results)) << refused.ran.results.diagnostics().text();
    EXPECT_THAT(valuesOf<float>(refused.ran.results->front()), ElementsAre(7, 8, 16, 17));
    EXPECT_EQ(refused.blas->calls, 1); // the second run does not ask again
    EXPECT_THAT(refused.ran.log,
                ElementsAre("copy to device 24", "copy to host 24", "wait", "copy to host 24", "wait",
                            "copy to device 16", "wait", "copy to host 16", "wait"));
  }
}

TEST(HostFallbackTest, AnErrorOfTheLibraryIsAnError) {
  Refused failed = runRefused(errorAt("", "CUBLAS_STATUS_EXECUTION_FAILED"), Dims::Static);
  ASSERT_FALSE(failed.ran.results);
  EXPECT_THAT(failed.ran.results.diagnostics().text(), HasSubstr("CUBLAS_STATUS_EXECUTION_FAILED"));
}

} // namespace proa::runtime
