// Each collective says for which use it exists, and why the op of that use does not keep the split.
// RUN: proa-opt %s --dist-propagate --dist-partition --remarks=dist-partition -o /dev/null 2>&1 | FileCheck %s

// CHECK: remark: dist-partition: dist.all_gather for operand 0 of pd.kthvalue: pd.topk of its decomposition needs the whole dimension
// CHECK: remark: dist-partition: dist.all_reduce for operand 0 of func.return
dist.mesh @m = <["x"=2]>
func.func @main(%x: tensor<8x6xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>}, %w: tensor<6x4xf32>)
    -> (tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>}, tensor<8xf32>) {
  %0, %i = pd.kthvalue %x {k = 2 : i64, axis = 1 : i64} : (tensor<8x6xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  %1 = pd.matmul %x, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %1, %0 : tensor<8x4xf32>, tensor<8xf32>
}
