// A legacy program of tensor parallelism runs on simulated ranks, and gives what the dense program gives: a split table,
// columns and rows of weights. The arguments are parts of the weights of the dense program.
// RUN: proa-run %S/Inputs/rings-dense.mlir --params random:5 -q -o %t.safetensors
// RUN: proa-opt %s --dist-from-process-groups=expand -o %t.mlir
// RUN: proa-run %t.mlir --params random:5 --simulate-mesh --expect=%t.safetensors -q | FileCheck %s
// CHECK: PASS

// The tool converts it too.
// RUN: proa-run %s --params random:5 --rings auto --simulate-mesh --expect=%t.safetensors -q | FileCheck %s
// RUN: proa-run %s --params random:5 --rings 0=mp --simulate-mesh --expect=%t.safetensors -q | FileCheck %s
// RUN: not proa-run %s --rings 0=dp --simulate-mesh 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: rings
// RUN: not proa-run %s --rings auto --strategy mp2 --simulate-mesh 2>&1 | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: the process groups: the program is written for one process; expected no strategy, mixed precision, micro-batches or recomputation
dist.mesh @mesh = <["mp"=2]>
func.func @main(%x: tensor<4x6xf32> {pd.feed = "x"}, %ids: tensor<4xi64> {pd.feed = "ids"},
    %e: tensor<5x6xf32> {pd.param = "e", dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>},
    %w1: tensor<6x8xf32> {pd.param = "w1", dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>},
    %w2: tensor<8x6xf32> {pd.param = "w2", dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>})
    -> (tensor<4x6xf32> {pd.fetch = "y"}) {
  %0 = pd.c_embedding %e, %ids {vocab_size = 10 : i64} : (tensor<5x6xf32>, tensor<4xi64>) -> tensor<4x6xf32>
  %1 = pd.mp_allreduce_sum %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = pd.add %x, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = pd.c_identity %2 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = pd.matmul %3, %w1 : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %5 = pd.gelu %4 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = pd.matmul %5, %w2 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %7 = pd.mp_allreduce_sum %6 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %7 : tensor<4x6xf32>
}
