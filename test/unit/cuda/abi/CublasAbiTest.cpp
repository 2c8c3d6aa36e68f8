// cuBLAS (cublas_v2.h).
#if __has_include(<cublas_v2.h>)
#include "lib/runtime/cuda/Cublas.cpp"
#include "test/unit/cuda/abi/Abi.h"

#include <cublas_v2.h>

namespace proa::cuda {
namespace {

TEST(CublasAbi, Functions) {
  Cublas::Api api;
  EXPECT_FUNCTION(api.create, cublasCreate_v2);
  EXPECT_FUNCTION(api.destroy, cublasDestroy_v2);
  EXPECT_FUNCTION(api.setStream, cublasSetStream_v2);
  EXPECT_FUNCTION(api.statusName, cublasGetStatusName);
  EXPECT_FUNCTION(api.scaleFloat, cublasSscal_v2_64);
  EXPECT_FUNCTION(api.scaleDouble, cublasDscal_v2_64);
  EXPECT_FUNCTION(api.geam[0], cublasSgeam_64);
  EXPECT_FUNCTION(api.pack[0], cublasStrttp);
  EXPECT_FUNCTION(api.unpack[0], cublasStpttr);
  EXPECT_FUNCTION(api.trsm[0], cublasStrsm_v2_64);
  EXPECT_FUNCTION(api.geam[1], cublasDgeam_64);
  EXPECT_FUNCTION(api.pack[1], cublasDtrttp);
  EXPECT_FUNCTION(api.unpack[1], cublasDtpttr);
  EXPECT_FUNCTION(api.trsm[1], cublasDtrsm_v2_64);
  EXPECT_FUNCTION(api.geam[2], cublasCgeam_64);
  EXPECT_FUNCTION(api.pack[2], cublasCtrttp);
  EXPECT_FUNCTION(api.unpack[2], cublasCtpttr);
  EXPECT_FUNCTION(api.trsm[2], cublasCtrsm_v2_64);
  EXPECT_FUNCTION(api.geam[3], cublasZgeam_64);
  EXPECT_FUNCTION(api.pack[3], cublasZtrttp);
  EXPECT_FUNCTION(api.unpack[3], cublasZtpttr);
  EXPECT_FUNCTION(api.trsm[3], cublasZtrsm_v2_64);
}

TEST(CublasAbi, Constants) {
  EXPECT_VALUE(plain, CUBLAS_OP_N);
  EXPECT_VALUE(transposedOp, CUBLAS_OP_T);
  EXPECT_VALUE(conjugated, CUBLAS_OP_C);
  // cuBLAS is passed the values of conditions: 0 or 1.
  EXPECT_VALUE(0, CUBLAS_FILL_MODE_LOWER);
  EXPECT_VALUE(1, CUBLAS_FILL_MODE_UPPER);
  EXPECT_VALUE(0, CUBLAS_SIDE_LEFT);
  EXPECT_VALUE(1, CUBLAS_SIDE_RIGHT);
  EXPECT_VALUE(0, CUBLAS_DIAG_NON_UNIT);
  EXPECT_VALUE(1, CUBLAS_DIAG_UNIT);
}

} // namespace
} // namespace proa::cuda
#else
#include <gtest/gtest.h>

TEST(CublasAbi, Functions) { GTEST_SKIP() << "cublas_v2.h was not found: run ./bootstrap.sh cuda-headers"; }
#endif
