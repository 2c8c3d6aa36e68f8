// Ranks with shards of different sizes start the same collectives: 127 rows over x are 64 and 63, of 16384 and 16128
// bytes, and the least bytes of a started collective lie between.
// RUN: proa-opt %s --dist-propagate --dist-partition=rank=0 --dist-overlap-collectives=min-bytes=16384 | FileCheck %s --check-prefixes=CHECK,FIRST
// RUN: proa-opt %s --dist-propagate --dist-partition=rank=2 --dist-overlap-collectives=min-bytes=16384 | FileCheck %s --check-prefixes=CHECK,LAST
// RUN: proa-opt %s --dist-propagate --dist-partition=rank=2 --dist-overlap-collectives=min-bytes=16385 | FileCheck %s --check-prefix=SMALL
// RUN: proa-run %s --params random:1 --simulate-mesh --cache off -q | FileCheck %s --check-prefix=RESULT

// CHECK-LABEL: func.func @main
// FIRST: dist.all_reduce {{.*}} : tensor<64x64xf32> -> !dist.future<tensor<64x64xf32>>
// LAST: dist.all_reduce {{.*}} : tensor<63x64xf32> -> !dist.future<tensor<63x64xf32>>
// CHECK: dist.wait
// SMALL-LABEL: func.func @main
// SMALL-NOT: dist.wait
// RESULT: result0
dist.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<127x64xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>},
    %b: tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>},
    %u: tensor<64x128xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<127x64xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>},
        tensor<64x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %c = pd.matmul %a, %b : (tensor<127x64xf32>, tensor<64x64xf32>) -> tensor<127x64xf32>
  %w = pd.matmul %u, %u {transpose_y = true} : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x64xf32>
  %e = pd.tanh %w : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %f = pd.tanh %c : (tensor<127x64xf32>) -> tensor<127x64xf32>
  return %f, %e : tensor<127x64xf32>, tensor<64x64xf32>
}
