// cuFFT (cufft.h).
#if __has_include(<cufft.h>)
#include "lib/runtime/cuda/Cufft.cpp"
#include "test/unit/cuda/abi/Abi.h"

#include <cufft.h>

namespace proa::cuda {
namespace {

TEST(CufftAbi, Functions) {
  Api api;
  EXPECT_FUNCTION(api.create, cufftCreate);
  EXPECT_FUNCTION(api.destroy, cufftDestroy);
  EXPECT_FUNCTION(api.setAutoAllocation, cufftSetAutoAllocation);
  EXPECT_FUNCTION(api.setWorkArea, cufftSetWorkArea);
  EXPECT_FUNCTION(api.setStream, cufftSetStream);
  EXPECT_FUNCTION(api.makePlan, cufftMakePlanMany64);
  EXPECT_FUNCTION(api.complexToComplex, cufftExecC2C);
  EXPECT_FUNCTION(api.doubleComplex, cufftExecZ2Z);
  EXPECT_FUNCTION(api.realToComplex, cufftExecR2C);
  EXPECT_FUNCTION(api.doubleToComplex, cufftExecD2Z);
  EXPECT_FUNCTION(api.complexToReal, cufftExecC2R);
  EXPECT_FUNCTION(api.complexToDouble, cufftExecZ2D);
}

TEST(CufftAbi, Constants) {
  EXPECT_VALUE(Type::realToComplex, CUFFT_R2C);
  EXPECT_VALUE(Type::complexToReal, CUFFT_C2R);
  EXPECT_VALUE(Type::complexToComplex, CUFFT_C2C);
  EXPECT_VALUE(Type::doubleToComplex, CUFFT_D2Z);
  EXPECT_VALUE(Type::complexToDouble, CUFFT_Z2D);
  EXPECT_VALUE(Type::doubleComplex, CUFFT_Z2Z);
  EXPECT_VALUE(forwardDirection, CUFFT_FORWARD);
  EXPECT_VALUE(backwardDirection, CUFFT_INVERSE);
}

} // namespace
} // namespace proa::cuda
#else
#include <gtest/gtest.h>

TEST(CufftAbi, Functions) { GTEST_SKIP() << "cufft.h was not found: run ./bootstrap.sh cuda-headers"; }
#endif
