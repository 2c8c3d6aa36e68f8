// cuSOLVER (cusolverDn.h).
#if __has_include(<cusolverDn.h>)
#include "lib/runtime/cuda/Cusolver.cpp"
#include "test/unit/cuda/abi/Abi.h"

#include <cusolverDn.h>

namespace proa::cuda {
namespace {

/// The functions of the type with this letter; `O` and `S` are the names of orgqr and syevd.
#define EXPECT_TYPED(api, L, O, S)                                                                           \
  EXPECT_FUNCTION((api).potrfBytes, cusolverDn##L##potrf_bufferSize);                                        \
  EXPECT_FUNCTION((api).potrf, cusolverDn##L##potrf);                                                        \
  EXPECT_FUNCTION((api).getrfBytes, cusolverDn##L##getrf_bufferSize);                                        \
  EXPECT_FUNCTION((api).getrf, cusolverDn##L##getrf);                                                        \
  EXPECT_FUNCTION((api).geqrfBytes, cusolverDn##L##geqrf_bufferSize);                                        \
  EXPECT_FUNCTION((api).geqrf, cusolverDn##L##geqrf);                                                        \
  EXPECT_FUNCTION((api).gesvdjBytes, cusolverDn##L##gesvdj_bufferSize);                                      \
  EXPECT_FUNCTION((api).gesvdj, cusolverDn##L##gesvdj);                                                      \
  EXPECT_FUNCTION((api).orgqrBytes, cusolverDn##L##O##_bufferSize);                                          \
  EXPECT_FUNCTION((api).orgqr, cusolverDn##L##O);                                                            \
  EXPECT_FUNCTION((api).syevdBytes, cusolverDn##L##S##_bufferSize);                                          \
  EXPECT_FUNCTION((api).syevd, cusolverDn##L##S);                                                            \
  EXPECT_FUNCTION((api).potrs, cusolverDn##L##potrs);                                                        \
  EXPECT_FUNCTION((api).getrs, cusolverDn##L##getrs);

TEST(CusolverAbi, Functions) {
  Api api;
  EXPECT_FUNCTION(api.create, cusolverDnCreate);
  EXPECT_FUNCTION(api.destroy, cusolverDnDestroy);
  EXPECT_FUNCTION(api.setStream, cusolverDnSetStream);
  EXPECT_FUNCTION(api.jacobiCreate, cusolverDnCreateGesvdjInfo);
  EXPECT_FUNCTION(api.jacobiDestroy, cusolverDnDestroyGesvdjInfo);
  TypedApi typed;
  EXPECT_TYPED(typed, S, orgqr, syevd)
  EXPECT_TYPED(typed, D, orgqr, syevd)
  EXPECT_TYPED(typed, C, ungqr, heevd)
  EXPECT_TYPED(typed, Z, ungqr, heevd)
}

TEST(CusolverAbi, Constants) {
  // cuSOLVER is passed the values of conditions: 0 or 1.
  EXPECT_VALUE(0, CUSOLVER_EIG_MODE_NOVECTOR);
  EXPECT_VALUE(1, CUSOLVER_EIG_MODE_VECTOR);
  EXPECT_VALUE(0, CUBLAS_OP_N);
  EXPECT_VALUE(0, CUBLAS_FILL_MODE_LOWER);
  EXPECT_VALUE(1, CUBLAS_FILL_MODE_UPPER);
}

} // namespace
} // namespace proa::cuda
#else
#include <gtest/gtest.h>

TEST(CusolverAbi, Functions) {
  GTEST_SKIP() << "cusolverDn.h was not found: run ./bootstrap.sh cuda-headers";
}
#endif
