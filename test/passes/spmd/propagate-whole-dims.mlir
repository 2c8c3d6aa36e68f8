// Splits that an op does not keep: inference dropout keeps all, and the other ops say why they do not.
// RUN: proa-opt %s --dist-propagate=check --split-input-file | FileCheck %s
// RUN: proa-opt %s --dist-propagate --remarks=dist-propagate --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// CHECK-LABEL: func.func @dropout
// CHECK-NOT: dist.reshard
// CHECK: pd.dropout {{.*}}dist.shardings = [#dist.sharding<@m, [{"x"}, {"y"}]>, #dist.sharding<@m, [{"x"}, {"y"}]>]
// CHECK-NOT: dist.reshard
dist.mesh @m = <["x"=2, "y"=2]>
func.func @dropout(%x: tensor<8x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<8x6xf32> {
  %0, %mask = pd.dropout %x {is_test = true, p = 0.1 : f64} : (tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xui8>)
  return %0 : tensor<8x6xf32>
}

// -----

// CHECK-LABEL: func.func @along
// REMARK: remark: {{.*}}pd.kthvalue: dimension 1 of operand 0, which is split over {y}, is gathered: pd.topk of its decomposition needs the whole dimension
dist.mesh @m = <["x"=2, "y"=2]>
func.func @along(%x: tensor<8x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<8xf32> {
  %0, %i = pd.kthvalue %x {k = 2 : i64, axis = 1 : i64} : (tensor<8x6xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  return %0 : tensor<8xf32>
}

// -----

// A dimension without a factor, and a constant, which has no split to lose.
// REMARK: remark: {{.*}}pd.pad: dimension 1 of operand 0, which is split over {y}, is gathered: the op needs the whole dimension
dist.mesh @m = <["x"=2, "y"=2]>
func.func @without_factor(%x: tensor<8x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %c = pd.constant dense<1.0> : tensor<f32>
  %0 = pd.pad %x {paddings = array<i64: 0, 0, 1, 1>} : (tensor<8x6xf32>) -> tensor<8x8xf32>
  %1 = pd.add %0, %c : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// REMARK: remark: {{.*}}pd.reshape: dimension 0 of operand 0, which is split over {x}, is gathered: the dims before and after have no more factors in common
dist.mesh @m = <["x"=2, "y"=2]>
func.func @no_common_factor(%x: tensor<4x9xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> tensor<9x4xf32> {
  %0 = pd.reshape %x {shape = array<i64: 9, 4>} : (tensor<4x9xf32>) -> tensor<9x4xf32>
  return %0 : tensor<9x4xf32>
}
