// Collectives of the rt dialect, parsed and printed.
// RUN: proa-opt %s | proa-opt | FileCheck %s

dist.mesh @m = <["x"=2, "y"=2]>
dist.mesh @next = <["x"=2], devices = [4, 5]>

// CHECK-LABEL: func @collectives
func.func @collectives(%arg0: tensor<8x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<?x4xf32>)
    -> (tensor<8x4xf32>, tensor<4x4xf32>, tensor<8x4xf32>, tensor<?x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>) {
  // CHECK: rt.slice %{{.*}} of [8, 4] on <["x"=2, "y"=2]> from <@m, [{}, {}]> to <@m, [{"x"}, {}]> number 0
  %0 = rt.slice %arg0 of [8, 4] on <["x"=2, "y"=2]> from <@m, [{}, {}]> to <@m, [{"x"}, {}]> number 0
    : tensor<8x4xf32> -> tensor<4x4xf32>
  // CHECK: rt.all_to_all %{{.*}} of [8, 4] on <["x"=2, "y"=2]> from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> number 0
  %1 = rt.all_to_all %0 of [8, 4] on <["x"=2, "y"=2]> from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> number 0
    : tensor<4x4xf32> -> tensor<8x2xf32>
  // CHECK: rt.to_partial %{{.*}} of [8, 4] on <["x"=2, "y"=2]> from <@m, [{}, {"x"}]> to <@m, [{}, {}], partial = [sum {"x"}]> number 1
  %2 = rt.to_partial %1 of [8, 4] on <["x"=2, "y"=2]> from <@m, [{}, {"x"}]> to <@m, [{}, {}], partial = [sum {"x"}]> number 1
    : tensor<8x2xf32> -> tensor<8x4xf32>
  // CHECK: rt.all_reduce %{{.*}} of [8, 4] on <["x"=2, "y"=2]> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> number 1
  %3 = rt.all_reduce %2 of [8, 4] on <["x"=2, "y"=2]> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> number 1
    : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: rt.reduce_scatter %{{.*}} of [8, 4] on <["x"=2, "y"=2]> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> number 2
  %4 = rt.reduce_scatter %2 of [8, 4] on <["x"=2, "y"=2]> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> number 2
    : tensor<8x4xf32> -> tensor<4x4xf32>
  // CHECK: rt.all_gather %{{.*}} of [8, 4] on <["x"=2, "y"=2]> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> number 3
  %5 = rt.all_gather %4 of [8, 4] on <["x"=2, "y"=2]> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> number 3
    : tensor<4x4xf32> -> tensor<8x4xf32>
  // CHECK: rt.permute %{{.*}} of [-1, 4] on <["x"=2, "y"=2]> from <@m, [{"x"}, {}]> to <@m, [{"y"}, {}]> number 4
  %6 = rt.permute %arg2 of [-1, 4] on <["x"=2, "y"=2]> from <@m, [{"x"}, {}]> to <@m, [{"y"}, {}]> number 4
    : tensor<?x4xf32> -> tensor<?x4xf32>
  // CHECK: rt.broadcast %{{.*}} on <["x"=2, "y"=2]> over <@m, {"x"}> root [0] number 5
  %7 = rt.broadcast %arg0 on <["x"=2, "y"=2]> over <@m, {"x"}> root [0] number 5 : tensor<8x4xf32> -> tensor<8x4xf32>
  %counts = pd.constant dense<4> : tensor<2xi64>
  // CHECK: rt.exchange_rows %{{.*}}, %{{.*}}, %{{.*}} on <["x"=2, "y"=2]> over <@m, {"x"}> number 6 : tensor<8x4xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<?x4xf32>
  %rows = rt.exchange_rows %arg0, %counts, %counts on <["x"=2, "y"=2]> over <@m, {"x"}> number 6
    : tensor<8x4xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<?x4xf32>
  // CHECK: rt.send %{{.*}} of [8, 4] on <["x"=2, "y"=2]> from <@m, [{"x"}, {}]> on <["x"=2], devices = [4, 5]> to <@next, [{"x"}, {}]> channel 1
  rt.send %arg1 of [8, 4] on <["x"=2, "y"=2]> from <@m, [{"x"}, {}]> on <["x"=2], devices = [4, 5]> to <@next, [{"x"}, {}]> channel 1
    : tensor<4x4xf32>
  // CHECK: rt.recv of [8, 4] on <["x"=2], devices = [4, 5]> from <@next, [{"x"}, {}]> on <["x"=2, "y"=2]> to <@m, [{"x"}, {}]> channel 2
  %8 = rt.recv of [8, 4] on <["x"=2], devices = [4, 5]> from <@next, [{"x"}, {}]> on <["x"=2, "y"=2]> to <@m, [{"x"}, {}]> channel 2
    : tensor<4x4xf32>
  // CHECK: %[[F:.*]] = rt.all_reduce {{.*}} number 6 : tensor<8x4xf32> -> !dist.future<tensor<8x4xf32>>
  %9 = rt.all_reduce %2 of [8, 4] on <["x"=2, "y"=2]> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> number 6
    : tensor<8x4xf32> -> !dist.future<tensor<8x4xf32>>
  // CHECK: rt.wait %[[F]] of %{{.*}} : !dist.future<tensor<8x4xf32>> of tensor<8x4xf32> -> tensor<8x4xf32>
  %10 = rt.wait %9 of %2 : !dist.future<tensor<8x4xf32>> of tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: %[[R:.*]] = rt.recv {{.*}} channel 3 : !dist.future<tensor<4x4xf32>>
  %11 = rt.recv of [8, 4] on <["x"=2], devices = [4, 5]> from <@next, [{"x"}, {}]> on <["x"=2, "y"=2]> to <@m, [{"x"}, {}]> channel 3
    : !dist.future<tensor<4x4xf32>>
  // CHECK: rt.wait %[[R]] : !dist.future<tensor<4x4xf32>> -> tensor<4x4xf32>
  %12 = rt.wait %11 : !dist.future<tensor<4x4xf32>> -> tensor<4x4xf32>
  return %3, %4, %5, %6, %7, %8 : tensor<8x4xf32>, tensor<4x4xf32>, tensor<8x4xf32>, tensor<?x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func @variables
func.func @variables() {
  // CHECK: rt.fetch "m" : tensor<4xf32>
  %0 = rt.fetch "m" : tensor<4xf32>
  // CHECK: %[[F:.*]] = rt.fetch "m" : !dist.future<tensor<4xf32>>
  %1 = rt.fetch "m" : !dist.future<tensor<4xf32>>
  // CHECK: rt.wait %[[F]] : !dist.future<tensor<4xf32>> -> tensor<4xf32>
  %2 = rt.wait %1 : !dist.future<tensor<4xf32>> -> tensor<4xf32>
  // CHECK: rt.store "m", %{{.*}} : tensor<4xf32>
  rt.store "m", %2 : tensor<4xf32>
  return
}
