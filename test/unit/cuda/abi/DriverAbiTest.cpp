// The driver API (cuda.h). cudaTypedefs.h has the type of each version of a function: those are the newest
// ones that cuGetProcAddress returns for the version that proa requests.
#if __has_include(<cudaTypedefs.h>)
#include "lib/runtime/cuda/NvidiaDriver.cpp"
#include "test/unit/cuda/abi/Abi.h"

#include <cudaTypedefs.h>

namespace proa::cuda {
namespace {

TEST(DriverAbi, Functions) {
  Api api;
  EXPECT_FUNCTION_TYPE(api.init, PFN_cuInit_v2000);
  EXPECT_FUNCTION_TYPE(api.getErrorName, PFN_cuGetErrorName_v6000);
  EXPECT_FUNCTION_TYPE(api.getErrorString, PFN_cuGetErrorString_v6000);
  EXPECT_FUNCTION_TYPE(api.driverGetVersion, PFN_cuDriverGetVersion_v2020);
  EXPECT_FUNCTION_TYPE(api.deviceGetCount, PFN_cuDeviceGetCount_v2000);
  EXPECT_FUNCTION_TYPE(api.deviceGet, PFN_cuDeviceGet_v2000);
  EXPECT_FUNCTION_TYPE(api.deviceGetName, PFN_cuDeviceGetName_v2000);
  EXPECT_FUNCTION_TYPE(api.deviceGetAttribute, PFN_cuDeviceGetAttribute_v2000);
  EXPECT_FUNCTION_TYPE(api.deviceTotalMem, PFN_cuDeviceTotalMem_v3020);
  EXPECT_FUNCTION_TYPE(api.devicePrimaryCtxRetain, PFN_cuDevicePrimaryCtxRetain_v7000);
  EXPECT_FUNCTION_TYPE(api.devicePrimaryCtxRelease, PFN_cuDevicePrimaryCtxRelease_v11000);
  EXPECT_FUNCTION_TYPE(api.ctxSetCurrent, PFN_cuCtxSetCurrent_v4000);
  EXPECT_FUNCTION_TYPE(api.memGetInfo, PFN_cuMemGetInfo_v3020);
  EXPECT_FUNCTION_TYPE(api.memAlloc, PFN_cuMemAlloc_v3020);
  EXPECT_FUNCTION_TYPE(api.memFree, PFN_cuMemFree_v3020);
  EXPECT_FUNCTION_TYPE(api.memHostAlloc, PFN_cuMemHostAlloc_v2020);
  EXPECT_FUNCTION_TYPE(api.memFreeHost, PFN_cuMemFreeHost_v2000);
  EXPECT_FUNCTION_TYPE(api.memcpyHtoDAsync, PFN_cuMemcpyHtoDAsync_v3020);
  EXPECT_FUNCTION_TYPE(api.memcpyDtoHAsync, PFN_cuMemcpyDtoHAsync_v3020);
  EXPECT_FUNCTION_TYPE(api.memcpyDtoDAsync, PFN_cuMemcpyDtoDAsync_v3020);
  EXPECT_FUNCTION_TYPE(api.memcpy2DAsync, PFN_cuMemcpy2DAsync_v3020);
  EXPECT_FUNCTION_TYPE(api.memsetD8Async, PFN_cuMemsetD8Async_v3020);
  EXPECT_FUNCTION_TYPE(api.streamCreate, PFN_cuStreamCreate_v2000);
  EXPECT_FUNCTION_TYPE(api.streamDestroy, PFN_cuStreamDestroy_v4000);
  EXPECT_FUNCTION_TYPE(api.streamSynchronize, PFN_cuStreamSynchronize_v2000);
  EXPECT_FUNCTION_TYPE(api.streamQuery, PFN_cuStreamQuery_v2000);
  EXPECT_FUNCTION_TYPE(api.eventCreate, PFN_cuEventCreate_v2000);
  EXPECT_FUNCTION_TYPE(api.eventDestroy, PFN_cuEventDestroy_v4000);
  EXPECT_FUNCTION_TYPE(api.eventRecord, PFN_cuEventRecord_v2000);
  EXPECT_FUNCTION_TYPE(api.eventSynchronize, PFN_cuEventSynchronize_v2000);
  EXPECT_FUNCTION_TYPE(api.eventElapsedTime, PFN_cuEventElapsedTime_v2000);
  EXPECT_FUNCTION_TYPE(api.streamWaitEvent, PFN_cuStreamWaitEvent_v3020);
  EXPECT_FUNCTION_TYPE(api.moduleLoadDataEx, PFN_cuModuleLoadDataEx_v2010);
  EXPECT_FUNCTION_TYPE(api.moduleUnload, PFN_cuModuleUnload_v2000);
  EXPECT_FUNCTION_TYPE(api.moduleGetFunction, PFN_cuModuleGetFunction_v2000);
  EXPECT_FUNCTION_TYPE(api.funcSetAttribute, PFN_cuFuncSetAttribute_v9000);
  EXPECT_FUNCTION_TYPE(api.launchKernel, PFN_cuLaunchKernel_v4000);
  EXPECT_FUNCTION_TYPE(api.tensorMapEncodeTiled, PFN_cuTensorMapEncodeTiled_v12000);
  EXPECT_FUNCTION_TYPE(api.streamBeginCapture, PFN_cuStreamBeginCapture_v10010);
  EXPECT_FUNCTION_TYPE(api.streamEndCapture, PFN_cuStreamEndCapture_v10000);
  EXPECT_FUNCTION(api.graphInstantiate, cuGraphInstantiateWithFlags);
  EXPECT_FUNCTION_TYPE(api.graphLaunch, PFN_cuGraphLaunch_v10000);
  EXPECT_FUNCTION_TYPE(api.graphDestroy, PFN_cuGraphDestroy_v10000);
  EXPECT_FUNCTION_TYPE(api.graphExecDestroy, PFN_cuGraphExecDestroy_v10000);
}

TEST(DriverAbi, Structures) {
  EXPECT_EQ(sizeof(Memcpy2D), sizeof(CUDA_MEMCPY2D));
  EXPECT_FIELD(Memcpy2D, fromX, CUDA_MEMCPY2D, srcXInBytes);
  EXPECT_FIELD(Memcpy2D, fromY, CUDA_MEMCPY2D, srcY);
  EXPECT_FIELD(Memcpy2D, fromType, CUDA_MEMCPY2D, srcMemoryType);
  EXPECT_FIELD(Memcpy2D, fromHost, CUDA_MEMCPY2D, srcHost);
  EXPECT_FIELD(Memcpy2D, from, CUDA_MEMCPY2D, srcDevice);
  EXPECT_FIELD(Memcpy2D, fromArray, CUDA_MEMCPY2D, srcArray);
  EXPECT_FIELD(Memcpy2D, fromPitch, CUDA_MEMCPY2D, srcPitch);
  EXPECT_FIELD(Memcpy2D, toX, CUDA_MEMCPY2D, dstXInBytes);
  EXPECT_FIELD(Memcpy2D, toY, CUDA_MEMCPY2D, dstY);
  EXPECT_FIELD(Memcpy2D, toType, CUDA_MEMCPY2D, dstMemoryType);
  EXPECT_FIELD(Memcpy2D, toHost, CUDA_MEMCPY2D, dstHost);
  EXPECT_FIELD(Memcpy2D, to, CUDA_MEMCPY2D, dstDevice);
  EXPECT_FIELD(Memcpy2D, toArray, CUDA_MEMCPY2D, dstArray);
  EXPECT_FIELD(Memcpy2D, toPitch, CUDA_MEMCPY2D, dstPitch);
  EXPECT_FIELD(Memcpy2D, widthBytes, CUDA_MEMCPY2D, WidthInBytes);
  EXPECT_FIELD(Memcpy2D, height, CUDA_MEMCPY2D, Height);
  EXPECT_EQ(sizeof(TensorMap), sizeof(CUtensorMap));
  EXPECT_EQ(alignof(TensorMap), 64U); // as cuTensorMapEncodeTiled requires; the type of cuda.h has more
  EXPECT_EQ(sizeof(DeviceAddress), sizeof(CUdeviceptr));
}

TEST(DriverAbi, Constants) {
  EXPECT_VALUE(success, CUDA_SUCCESS);
  EXPECT_VALUE(notReady, CUDA_ERROR_NOT_READY);
  EXPECT_VALUE(clockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  EXPECT_VALUE(multiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_VALUE(memoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  EXPECT_VALUE(memoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  EXPECT_VALUE(l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_VALUE(majorVersion, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_VALUE(minorVersion, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_VALUE(sharedPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_VALUE(errorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_VALUE(errorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_VALUE(maxDynamicSharedSize, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_VALUE(Memcpy2D().fromType, CU_MEMORYTYPE_DEVICE);
  EXPECT_VALUE(Memcpy2D().toType, CU_MEMORYTYPE_DEVICE);
}

} // namespace
} // namespace proa::cuda
#else
#include <gtest/gtest.h>

TEST(DriverAbi, Functions) {
  GTEST_SKIP() << "cudaTypedefs.h was not found: run ./bootstrap.sh cuda-headers";
}
#endif
