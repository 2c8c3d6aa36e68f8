// NCCL 2 (nccl.h).
#if __has_include(<nccl.h>)
#include "lib/runtime/cuda/Nccl.cpp"
#include "test/unit/cuda/abi/Abi.h"

#include <nccl.h>

namespace proa::cuda {
namespace {

TEST(NcclAbi, Functions) {
  Api api;
  EXPECT_FUNCTION(api.version, ncclGetVersion);
  EXPECT_FUNCTION(api.uniqueId, ncclGetUniqueId);
  EXPECT_FUNCTION(api.join, ncclCommInitRank);
  EXPECT_FUNCTION(api.destroy, ncclCommDestroy);
  EXPECT_FUNCTION(api.abort, ncclCommAbort);
  EXPECT_FUNCTION(api.asyncError, ncclCommGetAsyncError);
  EXPECT_FUNCTION(api.errorString, ncclGetErrorString);
  EXPECT_FUNCTION(api.lastError, ncclGetLastError);
  EXPECT_FUNCTION(api.allReduce, ncclAllReduce);
  EXPECT_FUNCTION(api.reduce, ncclReduce);
  EXPECT_FUNCTION(api.reduceScatter, ncclReduceScatter);
  EXPECT_FUNCTION(api.allGather, ncclAllGather);
  EXPECT_FUNCTION(api.send, ncclSend);
  EXPECT_FUNCTION(api.receive, ncclRecv);
  EXPECT_FUNCTION(api.begin, ncclGroupStart);
  EXPECT_FUNCTION(api.end, ncclGroupEnd);
}

TEST(NcclAbi, Structures) { EXPECT_EQ(sizeof(UniqueId), sizeof(ncclUniqueId)); }

TEST(NcclAbi, Constants) {
  EXPECT_VALUE(*typeOf(DType::Int8), ncclInt8);
  EXPECT_VALUE(*typeOf(DType::UInt8), ncclUint8);
  EXPECT_VALUE(*typeOf(DType::Bool), ncclUint8);
  EXPECT_VALUE(*typeOf(DType::Int32), ncclInt32);
  EXPECT_VALUE(*typeOf(DType::UInt32), ncclUint32);
  EXPECT_VALUE(*typeOf(DType::Int64), ncclInt64);
  EXPECT_VALUE(*typeOf(DType::UInt64), ncclUint64);
  EXPECT_VALUE(*typeOf(DType::Float16), ncclFloat16);
  EXPECT_VALUE(*typeOf(DType::Float32), ncclFloat32);
  EXPECT_VALUE(*typeOf(DType::Float64), ncclFloat64);
  EXPECT_VALUE(*typeOf(DType::BFloat16), ncclBfloat16);
  EXPECT_VALUE(operationOf(spmd::Reduction::Sum), ncclSum);
  EXPECT_VALUE(operationOf(spmd::Reduction::Prod), ncclProd);
  EXPECT_VALUE(operationOf(spmd::Reduction::Max), ncclMax);
  EXPECT_VALUE(operationOf(spmd::Reduction::Any), ncclMax);
  EXPECT_VALUE(operationOf(spmd::Reduction::Min), ncclMin);
  EXPECT_VALUE(operationOf(spmd::Reduction::All), ncclMin);
  EXPECT_VALUE(operationOf(spmd::Reduction::Avg), ncclAvg);
}

} // namespace
} // namespace proa::cuda
#else
#include <gtest/gtest.h>

TEST(NcclAbi, Functions) { GTEST_SKIP() << "nccl.h was not found: run ./bootstrap.sh cuda-headers"; }
#endif
