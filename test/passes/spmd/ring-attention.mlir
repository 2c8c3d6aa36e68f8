// RUN: proa-opt %s --dist-decompose-rings=min-bytes=100 --remarks=dist-decompose-rings 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

dist.mesh @m = <["x"=2]>

// The formula of attention after partitioning: the product with the keys is a ring, whose steps give columns of the
// scores. The values are gathered: pd-form-attention forms the op whose local form is a ring before partitioning.
// CHECK-LABEL: @formula
// CHECK-SAME: (%[[Q:.*]]: tensor<1x6x4xf32>, %[[K:.*]]: tensor<1x6x4xf32>, %[[V:.*]]: tensor<1x6x5xf32>)
// CHECK: dist.send %[[K]]
// CHECK: pd.matmul %[[Q]], %[[K]] {transpose_y = true}
// CHECK: pd.matmul %[[Q]], %{{.*}} {transpose_y = true}
// CHECK: pd.softmax
// CHECK-NEXT: pd.matmul
// REMARK: dist.all_gather and pd.matmul become a ring of 2 devices
// REMARK: dist.all_gather stays: its result is not the rows of one contraction
func.func @formula(%q: tensor<1x6x4xf32>, %k: tensor<1x6x4xf32>, %v: tensor<1x6x5xf32>) -> tensor<1x6x5xf32> {
  %0 = dist.all_gather %k of tensor<1x12x4xf32> from <@m, [{}, {"x"}, {}]> to <@m, [{}, {}, {}]> : tensor<1x6x4xf32> -> tensor<1x12x4xf32>
  %1 = dist.all_gather %v of tensor<1x12x5xf32> from <@m, [{}, {"x"}, {}]> to <@m, [{}, {}, {}]> : tensor<1x6x5xf32> -> tensor<1x12x5xf32>
  %2 = pd.matmul %q, %0 {transpose_y = true} : (tensor<1x6x4xf32>, tensor<1x12x4xf32>) -> tensor<1x6x12xf32>
  %3 = pd.softmax %2 : (tensor<1x6x12xf32>) -> tensor<1x6x12xf32>
  %4 = pd.matmul %3, %1 : (tensor<1x6x12xf32>, tensor<1x12x5xf32>) -> tensor<1x6x5xf32>
  return %4 : tensor<1x6x5xf32>
}
