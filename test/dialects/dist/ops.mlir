// Ops of the dist dialect, parsed and printed.
// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --mlir-print-op-generic | proa-opt | FileCheck %s
// Unused collectives are removed and equal ones are merged; sends and receives stay.
// RUN: proa-opt %s --cse | FileCheck %s --check-prefix=CSE

dist.mesh @m = <["x"=2, "y"=2]>
dist.mesh @next = <["x"=2], devices = [4, 5]>

// CHECK-LABEL: func @global_form
func.func @global_form(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: dist.constrain %{{.*}} to <@m, [{"x", ?}, {}]> : tensor<8x16xf32>
  %0 = dist.constrain %x to <@m, [{"x", ?}, {}]> : tensor<8x16xf32>
  // CHECK: dist.reshard %{{.*}} from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<8x16xf32>
  %1 = dist.reshard %0 from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<8x16xf32>
  // CHECK: dist.reshard %{{.*}} from <@m, [{}, {"x"}]> to <@next, [{"x"}, {}]> : tensor<8x16xf32>
  %2 = dist.reshard %1 from <@m, [{}, {"x"}]> to <@next, [{"x"}, {}]> : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// Shards of 9 rows are 5 and 4: the local dim is dynamic, or the local dim of one device.
// CHECK-LABEL: func @local_types
func.func @local_types(%x: tensor<8x16xf32>, %uneven: tensor<9x16xf32>, %fused: tensor<8x16xf32>, %dynamic: tensor<?x16xf32>) {
  // CHECK: dist.to_local %{{.*}} with <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  %0 = dist.to_local %x with <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  // CHECK: dist.to_global %{{.*}} with <@m, [{"x"}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  %1 = dist.to_global %0 with <@m, [{"x"}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  // CHECK: -> tensor<?x16xf32>
  %2 = dist.to_local %uneven with <@m, [{"x"}, {}]> : tensor<9x16xf32> -> tensor<?x16xf32>
  // CHECK: -> tensor<5x16xf32>
  %3 = dist.to_local %uneven with <@m, [{"x"}, {}]> : tensor<9x16xf32> -> tensor<5x16xf32>
  // CHECK: -> tensor<4x16xf32>
  %4 = dist.to_local %uneven with <@m, [{"x"}, {}]> : tensor<9x16xf32> -> tensor<4x16xf32>
  // CHECK: dist.to_local %{{.*}} with <@m, [{}, {"x"} blocks(8, 4, 4)]> : tensor<8x16xf32> -> tensor<8x8xf32>
  %5 = dist.to_local %fused with <@m, [{}, {"x"} blocks(8, 4, 4)]> : tensor<8x16xf32> -> tensor<8x8xf32>
  // CHECK: dist.to_local %{{.*}} : tensor<?x16xf32> -> tensor<?x8xf32>
  %6 = dist.to_local %dynamic with <@m, [{"y"}, {"x"}]> : tensor<?x16xf32> -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: func @steps
// CSE-LABEL: func @steps
// CSE-NEXT: return
func.func @steps(%shard: tensor<4x16xf32>, %whole: tensor<8x16xf32>, %block: tensor<2x16xf32>,
                 %sent: tensor<2xi64>, %received: tensor<?xi64>) {
  // CHECK: dist.slice %{{.*}} of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  %0 = dist.slice %whole of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  // CHECK: dist.to_partial %{{.*}} to <@m, [{}, {}], partial = [sum {"x"}]>
  %1 = dist.to_partial %shard of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  // CHECK: dist.all_gather
  %2 = dist.all_gather %shard of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  // CHECK: dist.all_to_all
  %3 = dist.all_to_all %shard of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  // CHECK: dist.permute
  %4 = dist.permute %block of tensor<8x16xf32> from <@m, [{"x", "y"}, {}]> to <@m, [{"y", "x"}, {}]> : tensor<2x16xf32> -> tensor<2x16xf32>
  // CHECK: dist.reduce_scatter
  %5 = dist.reduce_scatter %whole of tensor<8x16xf32> from <@m, [{}, {}], partial = [max {"x"}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  // CHECK: dist.all_reduce
  %6 = dist.all_reduce %whole of tensor<8x16xf32> from <@m, [{}, {}], partial = [avg {"x", "y"}]> to <@m, [{}, {}], partial = [avg {"y"}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  // CHECK: dist.broadcast %{{.*}} over <@m, {"x"}> root [1] : tensor<8x16xf32> -> tensor<8x16xf32>
  %7 = dist.broadcast %whole over <@m, {"x"}> root [1] : tensor<8x16xf32> -> tensor<8x16xf32>
  // CHECK: dist.exchange_rows %{{.*}}, %{{.*}}, %{{.*}} over <@m, {"x"}> : tensor<8x16xf32>, tensor<2xi64>, tensor<?xi64> -> tensor<?x16xf32>
  %8 = dist.exchange_rows %whole, %sent, %received over <@m, {"x"}> : tensor<8x16xf32>, tensor<2xi64>, tensor<?xi64> -> tensor<?x16xf32>
  return
}

// CHECK-LABEL: func @asynchronous
func.func @asynchronous(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[F:.*]] = dist.all_reduce {{.*}} : tensor<8xf32> -> !dist.future<tensor<8xf32>>
  %0 = dist.all_reduce %x of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<8xf32> -> !dist.future<tensor<8xf32>>
  // CHECK: dist.wait %[[F]] : !dist.future<tensor<8xf32>> -> tensor<8xf32>
  %1 = dist.wait %0 : !dist.future<tensor<8xf32>> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func @stages
// CSE-LABEL: func @stages
func.func @stages(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: dist.send %{{.*}} of tensor<8xf32> from <@m, [{"x"}]> to <@next, [{"x"}]> channel 0 : tensor<4xf32>
  // CSE: dist.send
  dist.send %x of tensor<8xf32> from <@m, [{"x"}]> to <@next, [{"x"}]> channel 0 : tensor<4xf32>
  // CHECK: %[[S:.*]] = dist.send %{{.*}} channel 1 : tensor<4xf32> -> !dist.future<>
  %0 = dist.send %x of tensor<8xf32> from <@m, [{"x"}]> to <@next, [{"x"}]> channel 1 : tensor<4xf32> -> !dist.future<>
  // CHECK: dist.wait %[[S]] : !dist.future<>
  // CSE: dist.wait
  dist.wait %0 : !dist.future<>
  // CHECK: dist.recv of tensor<8xf32> from <@m, [{"x"}]> to <@next, [{"x"}]> channel 0 : tensor<4xf32>
  // CSE: dist.recv
  %1 = dist.recv of tensor<8xf32> from <@m, [{"x"}]> to <@next, [{"x"}]> channel 0 : tensor<4xf32>
  // CHECK: dist.recv {{.*}} channel 2 : !dist.future<tensor<4xf32>>
  // CSE: dist.recv
  %2 = dist.recv of tensor<8xf32> from <@m, [{"x"}]> to <@next, [{"x"}]> channel 2 : !dist.future<tensor<4xf32>>
  %3 = dist.wait %2 : !dist.future<tensor<4xf32>> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
