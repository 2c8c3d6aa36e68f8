// RUN: proa-opt %s --dist-decompose-rings=min-bytes=100 --remarks=dist-decompose-rings 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

dist.mesh @m = <["x"=2]>

// Keys are sent before the scores of the own part are computed, values before these are combined. The mask is cut into
// the columns of the part.
// CHECK-LABEL: @attention
// CHECK-SAME: (%[[Q:.*]]: tensor<1x6x4xf32>, %[[K:.*]]: tensor<1x6x4xf32>, %[[V:.*]]: tensor<1x6x5xf32>, %[[MASK:.*]]: tensor<6x12xf32>)
// CHECK-NEXT: dist.send %[[K]] {{.*}} channel 524288
// CHECK-NEXT: %[[S:.*]] = pd.matmul %[[Q]], %[[K]] {transpose_y = true}
// CHECK: pd.constant dense<[0, 6]>
// CHECK: pd.slice %[[MASK]]
// CHECK: pd.add %[[S]]
// CHECK-NEXT: %[[K1:.*]] = dist.recv {{.*}} channel 524288
// CHECK-NEXT: dist.send %[[V]] {{.*}} channel 524289
// CHECK: pd.max
// CHECK: pd.exp
// CHECK: pd.matmul %{{.*}}, %[[V]]
// CHECK-NEXT: %[[V1:.*]] = dist.recv {{.*}} channel 524289
// CHECK-NEXT: pd.matmul %[[Q]], %[[K1]] {transpose_y = true}
// CHECK: pd.constant dense<[6, 0]>
// CHECK: pd.maximum
// CHECK: pd.matmul %{{.*}}, %[[V1]]
// CHECK-NOT: dist.all_gather
// CHECK: pd.divide
// REMARK: attention becomes a ring of 2 devices
func.func @attention(%q: tensor<1x6x4xf32>, %k: tensor<1x6x4xf32>, %v: tensor<1x6x5xf32>, %mask: tensor<6x12xf32>) -> tensor<1x6x5xf32> {
  %0 = dist.all_gather %k of tensor<1x12x4xf32> from <@m, [{}, {"x"}, {}]> to <@m, [{}, {}, {}]> : tensor<1x6x4xf32> -> tensor<1x12x4xf32>
  %1 = dist.all_gather %v of tensor<1x12x5xf32> from <@m, [{}, {"x"}, {}]> to <@m, [{}, {}, {}]> : tensor<1x6x5xf32> -> tensor<1x12x5xf32>
  %2 = pd.matmul %q, %0 {transpose_y = true} : (tensor<1x6x4xf32>, tensor<1x12x4xf32>) -> tensor<1x6x12xf32>
  %3 = pd.add %2, %mask : (tensor<1x6x12xf32>, tensor<6x12xf32>) -> tensor<1x6x12xf32>
  %4 = pd.softmax %3 : (tensor<1x6x12xf32>) -> tensor<1x6x12xf32>
  %5 = pd.matmul %4, %1 : (tensor<1x6x12xf32>, tensor<1x12x5xf32>) -> tensor<1x6x5xf32>
  return %5 : tensor<1x6x5xf32>
}

// A gradient needs the softmax: only the product with the keys is a ring.
// CHECK-LABEL: @softmax_is_used
// CHECK: pd.softmax
// CHECK-NEXT: pd.matmul
// REMARK: dist.all_gather and pd.matmul become a ring of 2 devices
func.func @softmax_is_used(%q: tensor<1x6x4xf32>, %k: tensor<1x6x4xf32>, %v: tensor<1x6x5xf32>) -> (tensor<1x6x5xf32>, tensor<1x6x12xf32>) {
  %0 = dist.all_gather %k of tensor<1x12x4xf32> from <@m, [{}, {"x"}, {}]> to <@m, [{}, {}, {}]> : tensor<1x6x4xf32> -> tensor<1x12x4xf32>
  %1 = dist.all_gather %v of tensor<1x12x5xf32> from <@m, [{}, {"x"}, {}]> to <@m, [{}, {}, {}]> : tensor<1x6x5xf32> -> tensor<1x12x5xf32>
  %2 = pd.matmul %q, %0 {transpose_y = true} : (tensor<1x6x4xf32>, tensor<1x12x4xf32>) -> tensor<1x6x12xf32>
  %3 = pd.softmax %2 : (tensor<1x6x12xf32>) -> tensor<1x6x12xf32>
  %4 = pd.matmul %3, %1 : (tensor<1x6x12xf32>, tensor<1x12x5xf32>) -> tensor<1x6x5xf32>
  return %4, %3 : tensor<1x6x5xf32>, tensor<1x6x12xf32>
}

// The softmax is along the rows of q.
// CHECK-LABEL: @other_axis
// CHECK: pd.softmax
func.func @other_axis(%q: tensor<1x6x4xf32>, %k: tensor<1x6x4xf32>, %v: tensor<1x6x5xf32>) -> tensor<1x6x5xf32> {
  %0 = dist.all_gather %k of tensor<1x12x4xf32> from <@m, [{}, {"x"}, {}]> to <@m, [{}, {}, {}]> : tensor<1x6x4xf32> -> tensor<1x12x4xf32>
  %1 = dist.all_gather %v of tensor<1x12x5xf32> from <@m, [{}, {"x"}, {}]> to <@m, [{}, {}, {}]> : tensor<1x6x5xf32> -> tensor<1x12x5xf32>
  %2 = pd.matmul %q, %0 {transpose_y = true} : (tensor<1x6x4xf32>, tensor<1x12x4xf32>) -> tensor<1x6x12xf32>
  %3 = pd.softmax %2 {axis = 1} : (tensor<1x6x12xf32>) -> tensor<1x6x12xf32>
  %4 = pd.matmul %3, %1 : (tensor<1x6x12xf32>, tensor<1x12x5xf32>) -> tensor<1x6x5xf32>
  return %4 : tensor<1x6x5xf32>
}
