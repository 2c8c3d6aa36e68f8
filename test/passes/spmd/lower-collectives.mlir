// RUN: proa-opt %s --dist-lower-collectives | FileCheck %s
// Collectives keep their order in the whole pipeline. An unused one is removed on all ranks, before the lowering.
// RUN: proa-opt %s --proa-cpu | FileCheck %s --check-prefix=CPU

dist.mesh @m = <["x"=2, "y"=2]>
dist.mesh @next = <["x"=2], devices = [4, 5]>

// CHECK-LABEL: func @main
// CPU-LABEL: func @main
func.func @main(%x: tensor<4x6xf32> {pd.feed = "x"}, %n: tensor<?x6xf32> {pd.feed = "n"})
    -> (tensor<8x6xf32> {pd.fetch = "y"}, tensor<?x6xf32> {pd.fetch = "z"}) {
  // CHECK: %[[S:.*]] = rt.all_reduce %{{.*}} of [4, 6] on <["x"=2, "y"=2]> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> number 0 : tensor<4x6xf32> -> tensor<4x6xf32>
  // CPU: %[[S:.*]] = rt.all_reduce
  %0 = dist.all_reduce %x of tensor<4x6xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]>
    : tensor<4x6xf32> -> tensor<4x6xf32>
  // CHECK-NEXT: %[[R:.*]] = pd.relu %[[S]]
  %1 = pd.relu %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK-NEXT: %[[F:.*]] = rt.all_gather %[[R]] of [8, 6] on <["x"=2, "y"=2]> from <@m, [{"y"}, {}]> to <@m, [{}, {}]> number 1 : tensor<4x6xf32> -> !dist.future<tensor<8x6xf32>>
  // CPU: rt.all_gather
  %2 = dist.all_gather %1 of tensor<8x6xf32> from <@m, [{"y"}, {}]> to <@m, [{}, {}]>
    : tensor<4x6xf32> -> !dist.future<tensor<8x6xf32>>
  // A dynamic dim is -1.
  // CHECK: %[[P:.*]] = rt.permute %{{.*}} of [-1, 6] {{.*}} number 2 : tensor<?x6xf32> -> tensor<?x6xf32>
  // CPU: rt.permute
  %3 = dist.permute %n of tensor<?x6xf32> from <@m, [{"x"}, {}]> to <@m, [{"y"}, {}]> : tensor<?x6xf32> -> tensor<?x6xf32>
  // CHECK-NEXT: %[[G:.*]] = rt.wait %[[F]] of %[[R]] : !dist.future<tensor<8x6xf32>> of tensor<4x6xf32> -> tensor<8x6xf32>
  // CPU: rt.wait
  %4 = dist.wait %2 : !dist.future<tensor<8x6xf32>> -> tensor<8x6xf32>
  // CHECK: rt.reduce_scatter {{.*}} number 3 : tensor<4x6xf32> -> tensor<2x6xf32>
  // CPU-NOT: rt.reduce_scatter
  %5 = dist.reduce_scatter %x of tensor<4x6xf32> from <@m, [{}, {}], partial = [max {"x"}]> to <@m, [{"x"}, {}]>
    : tensor<4x6xf32> -> tensor<2x6xf32>
  // CHECK: return %[[G]], %[[P]]
  return %4, %3 : tensor<8x6xf32>, tensor<?x6xf32>
}

// CHECK-LABEL: func @others
func.func @others(%x: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: rt.slice %{{.*}} number 4
  %0 = dist.slice %x of tensor<8x4xf32> from <@m, [{}, {}]> to <@m, [{"x"}, {}]> : tensor<8x4xf32> -> tensor<4x4xf32>
  // CHECK: rt.all_to_all %{{.*}} number 4
  %1 = dist.all_to_all %0 of tensor<8x4xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<4x4xf32> -> tensor<8x2xf32>
  // CHECK: rt.to_partial %{{.*}} number 5
  %2 = dist.to_partial %1 of tensor<8x4xf32> from <@m, [{}, {"x"}]> to <@m, [{}, {}], partial = [sum {"x"}]>
    : tensor<8x2xf32> -> tensor<8x4xf32>
  // CHECK: rt.broadcast %{{.*}} on <["x"=2, "y"=2]> over <@m, {"y"}> root [1] number 5
  %3 = dist.broadcast %x over <@m, {"y"}> root [1] : tensor<8x4xf32> -> tensor<8x4xf32>
  return %0, %2, %3 : tensor<4x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @stages
func.func @stages(%x: tensor<4x4xf32>) -> tensor<8x2xf32> {
  // CHECK: rt.send %{{.*}} of [8, 4] on <["x"=2, "y"=2]> from <@m, [{"x"}, {}]> on <["x"=2], devices = [4, 5]> to <@next, [{}, {"x"}]> channel 3 : tensor<4x4xf32>
  %0 = dist.send %x of tensor<8x4xf32> from <@m, [{"x"}, {}]> to <@next, [{}, {"x"}]> channel 3
    : tensor<4x4xf32> -> !dist.future<>
  // CHECK-NEXT: %[[R:.*]] = rt.recv of [8, 4] {{.*}} channel 4 : tensor<8x2xf32>
  %1 = dist.recv of tensor<8x4xf32> from <@next, [{}, {"x"}]> to <@m, [{}, {"x"}]> channel 4 : tensor<8x2xf32>
  // CHECK-NEXT: return %[[R]]
  dist.wait %0 : !dist.future<>
  return %1 : tensor<8x2xf32>
}

// Rows are exchanged as a collective of the mesh. Collectives are numbered for each mesh.
// CHECK-LABEL: func @rows
func.func @rows(%x: tensor<6x4xf32>, %sent: tensor<2xi64>, %received: tensor<2xi64>) -> tensor<?x4xf32> {
  // CHECK: rt.exchange_rows %{{.*}}, %{{.*}}, %{{.*}} on <["x"=2, "y"=2]> over <@m, {"y"}> number {{[0-9]+}} : tensor<6x4xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<?x4xf32>
  %0 = dist.exchange_rows %x, %sent, %received over <@m, {"y"}> : tensor<6x4xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A future that another block waits for, or several ops do: the op communicates where it starts.
// CHECK-LABEL: func @elsewhere
func.func @elsewhere(%x: tensor<4xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]] = rt.all_gather {{.*}} : tensor<4xf32> -> tensor<8xf32>
  %0 = dist.all_gather %x of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> !dist.future<tensor<8xf32>>
  %1 = scf.if %c -> tensor<8xf32> {
    %2 = dist.wait %0 : !dist.future<tensor<8xf32>> -> tensor<8xf32>
    // CHECK: scf.yield %[[A]]
    scf.yield %2 : tensor<8xf32>
  } else {
    %2 = dist.wait %0 : !dist.future<tensor<8xf32>> -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  // CHECK: %[[B:.*]] = rt.all_gather {{.*}} : tensor<4xf32> -> tensor<8xf32>
  %3 = dist.all_gather %x of tensor<8xf32> from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32> -> !dist.future<tensor<8xf32>>
  %4 = dist.wait %3 : !dist.future<tensor<8xf32>> -> tensor<8xf32>
  %5 = dist.wait %3 : !dist.future<tensor<8xf32>> -> tensor<8xf32>
  // CHECK: return %{{.*}}, %[[B]], %[[B]]
  return %1, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @received
func.func @received() -> tensor<8x2xf32> {
  // CHECK: %[[F:.*]] = rt.recv {{.*}} channel 4 : !dist.future<tensor<8x2xf32>>
  %0 = dist.recv of tensor<8x4xf32> from <@next, [{}, {"x"}]> to <@m, [{}, {"x"}]> channel 4 : !dist.future<tensor<8x2xf32>>
  // CHECK: rt.wait %[[F]] : !dist.future<tensor<8x2xf32>> -> tensor<8x2xf32>
  %1 = dist.wait %0 : !dist.future<tensor<8x2xf32>> -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}
