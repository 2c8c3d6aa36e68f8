// A ring is chosen on all devices or on none. The 7 rows of the contraction are 3, 2 and 2: the types of the product
// differ, and one device could see another rule than the others.
// RUN: proa-opt %s --dist-propagate --dist-partition=rank=0 | FileCheck %s --check-prefix=MARKED
// RUN: proa-opt %s --dist-propagate --dist-partition=rank=0 --dist-decompose-rings=min-bytes=0 --remarks=dist-decompose-rings 2>&1 | FileCheck %s
// RUN: proa-opt %s --dist-propagate --dist-partition=rank=5 --dist-decompose-rings=min-bytes=0 | FileCheck %s

// MARKED-LABEL: func.func @uneven
// MARKED: pd.matmul {{.*}} {dist.uneven}
// MARKED-LABEL: func.func @even
// MARKED: pd.matmul
// MARKED-NOT: dist.uneven
// CHECK: dist.mesh @m_ring
// CHECK-NOT: dist.uneven
// CHECK-LABEL: func.func @uneven
// CHECK: dist.reduce_scatter
// CHECK-LABEL: func.func @even
// CHECK: dist.recv
// CHECK-NOT: dist.reduce_scatter
dist.mesh @m = <["x"=2, "y"=3]>
func.func @uneven(%a: tensor<6x7xf64> {dist.sharding = #dist.sharding<@m, [{}, {"y"}]>},
    %b: tensor<7x4xf64> {dist.sharding = #dist.sharding<@m, [{"y"}, {"x"}]>})
    -> (tensor<6x4xf64> {dist.sharding = #dist.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = pd.matmul %a, %b : (tensor<6x7xf64>, tensor<7x4xf64>) -> tensor<6x4xf64>
  return %0 : tensor<6x4xf64>
}
func.func @even(%a: tensor<6x9xf64> {dist.sharding = #dist.sharding<@m, [{}, {"y"}]>},
    %b: tensor<9x4xf64> {dist.sharding = #dist.sharding<@m, [{"y"}, {"x"}]>})
    -> (tensor<6x4xf64> {dist.sharding = #dist.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = pd.matmul %a, %b : (tensor<6x9xf64>, tensor<9x4xf64>) -> tensor<6x4xf64>
  return %0 : tensor<6x4xf64>
}
