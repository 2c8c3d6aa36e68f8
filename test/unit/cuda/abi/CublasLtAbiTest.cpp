// cuBLASLt (cublasLt.h).
#if __has_include(<cublasLt.h>)
#include "lib/runtime/cuda/CublasLt.cpp"
#include "test/unit/cuda/abi/Abi.h"

#include <cublasLt.h>

namespace proa::cuda {
namespace {

TEST(CublasLtAbi, Functions) {
  Api api;
  EXPECT_FUNCTION(api.create, cublasLtCreate);
  EXPECT_FUNCTION(api.destroy, cublasLtDestroy);
  EXPECT_FUNCTION(api.statusName, cublasLtGetStatusName);
  EXPECT_FUNCTION(api.layoutCreate, cublasLtMatrixLayoutCreate);
  EXPECT_FUNCTION(api.layoutDestroy, cublasLtMatrixLayoutDestroy);
  EXPECT_FUNCTION(api.layoutSet, cublasLtMatrixLayoutSetAttribute);
  EXPECT_FUNCTION(api.descriptionCreate, cublasLtMatmulDescCreate);
  EXPECT_FUNCTION(api.descriptionDestroy, cublasLtMatmulDescDestroy);
  EXPECT_FUNCTION(api.descriptionSet, cublasLtMatmulDescSetAttribute);
  EXPECT_FUNCTION(api.preferenceCreate, cublasLtMatmulPreferenceCreate);
  EXPECT_FUNCTION(api.preferenceDestroy, cublasLtMatmulPreferenceDestroy);
  EXPECT_FUNCTION(api.preferenceSet, cublasLtMatmulPreferenceSetAttribute);
  EXPECT_FUNCTION(api.heuristic, cublasLtMatmulAlgoGetHeuristic);
  EXPECT_FUNCTION(api.matmul, cublasLtMatmul);
}

TEST(CublasLtAbi, Structures) {
  EXPECT_EQ(sizeof(Algorithm), sizeof(cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(HeuristicResult), sizeof(cublasLtMatmulHeuristicResult_t));
  EXPECT_FIELD(HeuristicResult, algorithm, cublasLtMatmulHeuristicResult_t, algo);
  EXPECT_FIELD(HeuristicResult, workspaceBytes, cublasLtMatmulHeuristicResult_t, workspaceSize);
  EXPECT_FIELD(HeuristicResult, state, cublasLtMatmulHeuristicResult_t, state);
  EXPECT_FIELD(HeuristicResult, waves, cublasLtMatmulHeuristicResult_t, wavesCount);
}

TEST(CublasLtAbi, Constants) {
  EXPECT_VALUE(value::compute32F, CUBLAS_COMPUTE_32F);
  EXPECT_VALUE(value::compute64F, CUBLAS_COMPUTE_64F);
  EXPECT_VALUE(value::compute32FFastTF32, CUBLAS_COMPUTE_32F_FAST_TF32);
  EXPECT_VALUE(value::real32F, CUDA_R_32F);
  EXPECT_VALUE(value::real64F, CUDA_R_64F);
  EXPECT_VALUE(value::real16F, CUDA_R_16F);
  EXPECT_VALUE(value::real16BF, CUDA_R_16BF);
  EXPECT_VALUE(value::notTransposed, CUBLAS_OP_N);
  EXPECT_VALUE(value::transposed, CUBLAS_OP_T);
  EXPECT_VALUE(value::batchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  EXPECT_VALUE(value::stridedBatchOffset, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  EXPECT_VALUE(value::transposeA, CUBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_VALUE(value::transposeB, CUBLASLT_MATMUL_DESC_TRANSB);
  EXPECT_VALUE(value::epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
  EXPECT_VALUE(value::biasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  EXPECT_VALUE(value::plain, CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_VALUE(value::relu, CUBLASLT_EPILOGUE_RELU);
  EXPECT_VALUE(value::bias, CUBLASLT_EPILOGUE_BIAS);
  EXPECT_VALUE(value::gelu, CUBLASLT_EPILOGUE_GELU);
  EXPECT_VALUE(value::relu | value::bias, CUBLASLT_EPILOGUE_RELU_BIAS);
  EXPECT_VALUE(value::gelu | value::bias, CUBLASLT_EPILOGUE_GELU_BIAS);
  EXPECT_VALUE(value::maxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  EXPECT_VALUE(value::alignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  EXPECT_VALUE(value::alignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  EXPECT_VALUE(value::alignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  EXPECT_VALUE(value::alignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  EXPECT_VALUE(value::notSupported, CUBLAS_STATUS_NOT_SUPPORTED);
}

} // namespace
} // namespace proa::cuda
#else
#include <gtest/gtest.h>

TEST(CublasLtAbi, Functions) { GTEST_SKIP() << "cublasLt.h was not found: run ./bootstrap.sh cuda-headers"; }
#endif
