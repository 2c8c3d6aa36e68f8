// RUN: proa-opt %s --dist-propagate=check --split-input-file | FileCheck %s

// x:(1)2 and x:(3)2 of 6 do not nest: no placement has both, so one operand is gathered.
// CHECK-LABEL: func.func @not_nesting
// CHECK: dist.reshard
// CHECK: pd.add
// CHECK-NOT: "x":(1)2{{.*}}"x":(3)2
dist.mesh @m = <["x"=6]>
func.func @not_nesting(%a: tensor<12xf32> {dist.sharding = #dist.sharding<@m, [{"x":(1)2}]>},
    %b: tensor<12xf32> {dist.sharding = #dist.sharding<@m, [{"x":(3)2}]>}) -> tensor<12x12xf32> {
  %0 = pd.unsqueeze %a {axis = array<i64: 1>} : (tensor<12xf32>) -> tensor<12x1xf32>
  %1 = pd.add %0, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  return %1 : tensor<12x12xf32>
}

// -----

// The product is partial over x:(2)2 because its operand is, and over x:(1)2 because of its own sum: together, over x.
// CHECK-LABEL: func.func @joined_partial_axes
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"x"}]>]}
dist.mesh @m = <["x"=4]>
func.func @joined_partial_axes(%a: tensor<1024x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x":(2)2}]>},
    %b: tensor<8x1024xf32> {dist.sharding = #dist.sharding<@m, [{"x":(2)2}, {"x":(1)2}]>},
    %c: tensor<1024x8xf32> {dist.sharding = #dist.sharding<@m, [{"x":(1)2}, {}]>}) -> tensor<1024x8xf32> {
  %0 = pd.matmul %a, %b : (tensor<1024x8xf32>, tensor<8x1024xf32>) -> tensor<1024x1024xf32>
  %1 = pd.matmul %0, %c : (tensor<1024x1024xf32>, tensor<1024x8xf32>) -> tensor<1024x8xf32>
  return %1 : tensor<1024x8xf32>
}
