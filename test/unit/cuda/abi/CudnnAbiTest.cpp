// cuDNN 9 (cudnn.h).
#if __has_include(<cudnn.h>)
#include "lib/runtime/cuda/Cudnn.cpp"
#include "test/unit/cuda/abi/Abi.h"

#include <cudnn.h>

namespace proa::cuda {
namespace {

TEST(CudnnAbi, Functions) {
  Api api;
  EXPECT_FUNCTION(api.create, cudnnCreate);
  EXPECT_FUNCTION(api.destroy, cudnnDestroy);
  EXPECT_FUNCTION(api.setStream, cudnnSetStream);
  EXPECT_FUNCTION(api.version, cudnnGetVersion);
  EXPECT_FUNCTION(api.errorString, cudnnGetErrorString);
  EXPECT_FUNCTION(api.lastError, cudnnGetLastErrorString);
  EXPECT_FUNCTION(api.tensorCreate, cudnnCreateTensorDescriptor);
  EXPECT_FUNCTION(api.tensorDestroy, cudnnDestroyTensorDescriptor);
  EXPECT_FUNCTION(api.tensorSet, cudnnSetTensorNdDescriptor);
  EXPECT_FUNCTION(api.filterCreate, cudnnCreateFilterDescriptor);
  EXPECT_FUNCTION(api.filterDestroy, cudnnDestroyFilterDescriptor);
  EXPECT_FUNCTION(api.filterSet, cudnnSetFilterNdDescriptor);
  EXPECT_FUNCTION(api.convolutionCreate, cudnnCreateConvolutionDescriptor);
  EXPECT_FUNCTION(api.convolutionDestroy, cudnnDestroyConvolutionDescriptor);
  EXPECT_FUNCTION(api.convolutionSet, cudnnSetConvolutionNdDescriptor);
  EXPECT_FUNCTION(api.setGroups, cudnnSetConvolutionGroupCount);
  EXPECT_FUNCTION(api.setMath, cudnnSetConvolutionMathType);
  EXPECT_FUNCTION(api.activationCreate, cudnnCreateActivationDescriptor);
  EXPECT_FUNCTION(api.activationDestroy, cudnnDestroyActivationDescriptor);
  EXPECT_FUNCTION(api.activationSet, cudnnSetActivationDescriptor);
  EXPECT_FUNCTION(api.transform, cudnnTransformTensor);
  EXPECT_FUNCTION(api.add, cudnnAddTensor);
  EXPECT_FUNCTION(api.activate, cudnnActivationForward);
  EXPECT_FUNCTION(api.chooseForward, cudnnGetConvolutionForwardAlgorithm_v7);
  EXPECT_FUNCTION(api.chooseImage, cudnnGetConvolutionBackwardDataAlgorithm_v7);
  EXPECT_FUNCTION(api.chooseFilter, cudnnGetConvolutionBackwardFilterAlgorithm_v7);
  EXPECT_FUNCTION(api.forward, cudnnConvolutionForward);
  EXPECT_FUNCTION(api.imageGradient, cudnnConvolutionBackwardData);
  EXPECT_FUNCTION(api.filterGradient, cudnnConvolutionBackwardFilter);
  EXPECT_FUNCTION(api.forwardFused, cudnnConvolutionBiasActivationForward);
}

TEST(CudnnAbi, Structures) {
  EXPECT_EQ(sizeof(AlgorithmChoice), sizeof(cudnnConvolutionFwdAlgoPerf_t));
  EXPECT_FIELD(AlgorithmChoice, algorithm, cudnnConvolutionFwdAlgoPerf_t, algo);
  EXPECT_FIELD(AlgorithmChoice, status, cudnnConvolutionFwdAlgoPerf_t, status);
  EXPECT_FIELD(AlgorithmChoice, time, cudnnConvolutionFwdAlgoPerf_t, time);
  EXPECT_FIELD(AlgorithmChoice, bytes, cudnnConvolutionFwdAlgoPerf_t, memory);
  EXPECT_FIELD(AlgorithmChoice, determinism, cudnnConvolutionFwdAlgoPerf_t, determinism);
  EXPECT_FIELD(AlgorithmChoice, math, cudnnConvolutionFwdAlgoPerf_t, mathType);
  EXPECT_EQ(sizeof(AlgorithmChoice), sizeof(cudnnConvolutionBwdDataAlgoPerf_t));
  EXPECT_FIELD(AlgorithmChoice, algorithm, cudnnConvolutionBwdDataAlgoPerf_t, algo);
  EXPECT_FIELD(AlgorithmChoice, status, cudnnConvolutionBwdDataAlgoPerf_t, status);
  EXPECT_FIELD(AlgorithmChoice, time, cudnnConvolutionBwdDataAlgoPerf_t, time);
  EXPECT_FIELD(AlgorithmChoice, bytes, cudnnConvolutionBwdDataAlgoPerf_t, memory);
  EXPECT_FIELD(AlgorithmChoice, determinism, cudnnConvolutionBwdDataAlgoPerf_t, determinism);
  EXPECT_FIELD(AlgorithmChoice, math, cudnnConvolutionBwdDataAlgoPerf_t, mathType);
  EXPECT_EQ(sizeof(AlgorithmChoice), sizeof(cudnnConvolutionBwdFilterAlgoPerf_t));
  EXPECT_FIELD(AlgorithmChoice, algorithm, cudnnConvolutionBwdFilterAlgoPerf_t, algo);
  EXPECT_FIELD(AlgorithmChoice, status, cudnnConvolutionBwdFilterAlgoPerf_t, status);
  EXPECT_FIELD(AlgorithmChoice, time, cudnnConvolutionBwdFilterAlgoPerf_t, time);
  EXPECT_FIELD(AlgorithmChoice, bytes, cudnnConvolutionBwdFilterAlgoPerf_t, memory);
  EXPECT_FIELD(AlgorithmChoice, determinism, cudnnConvolutionBwdFilterAlgoPerf_t, determinism);
  EXPECT_FIELD(AlgorithmChoice, math, cudnnConvolutionBwdFilterAlgoPerf_t, mathType);
}

TEST(CudnnAbi, Constants) {
  EXPECT_VALUE(value::real32F, CUDNN_DATA_FLOAT);
  EXPECT_VALUE(value::real64F, CUDNN_DATA_DOUBLE);
  EXPECT_VALUE(value::real16F, CUDNN_DATA_HALF);
  EXPECT_VALUE(value::real16BF, CUDNN_DATA_BFLOAT16);
  EXPECT_VALUE(value::channelsFirst, CUDNN_TENSOR_NCHW);
  EXPECT_VALUE(value::channelsLast, CUDNN_TENSOR_NHWC);
  EXPECT_VALUE(value::crossCorrelation, CUDNN_CROSS_CORRELATION);
  EXPECT_VALUE(value::tensorOps, CUDNN_TENSOR_OP_MATH);
  EXPECT_VALUE(value::fmaOnly, CUDNN_FMA_MATH);
  EXPECT_VALUE(value::relu, CUDNN_ACTIVATION_RELU);
  EXPECT_VALUE(value::propagate, CUDNN_PROPAGATE_NAN);
  EXPECT_VALUE(value::notSupported, CUDNN_STATUS_NOT_SUPPORTED);
}

} // namespace
} // namespace proa::cuda
#else
#include <gtest/gtest.h>

TEST(CudnnAbi, Functions) { GTEST_SKIP() << "cudnn.h was not found: run ./bootstrap.sh cuda-headers"; }
#endif
