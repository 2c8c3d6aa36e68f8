// RUN: proa-opt %s --dist-decompose-rings=min-bytes=100 --remarks=dist-decompose-rings 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: proa-opt %s --dist-decompose-rings=min-bytes=100 --dist-lower-collectives | FileCheck %s --check-prefix=LOWERED
// RUN: proa-opt %s --dist-decompose-rings | FileCheck %s --check-prefix=LARGE

// The device after each one sends to it: position 1 of the second mesh is device 0 where x is 3.
// CHECK: dist.mesh @m = <["x"=3, "y"=2]>
// CHECK-NEXT: dist.mesh @m_ring = <["x"=3, "y"=2], devices = [4, 5, 0, 1, 2, 3]>
dist.mesh @m = <["x"=3, "y"=2]>

// CHECK-LABEL: @gather
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x6xf32>)
// CHECK-NEXT: dist.send %[[X]] of tensor<24x8xf32> from <@m, [{"x", "y"}, {}]> to <@m_ring, [{"x", "y"}, {}]> channel 524288
// CHECK-NEXT: %[[A:.*]] = pd.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[X1:.*]] = dist.recv of tensor<24x8xf32> {{.*}} channel 524288
// CHECK-NEXT: dist.send %[[X1]] {{.*}} channel 524289
// CHECK-NEXT: %[[B:.*]] = pd.matmul %[[X1]], %[[W]]
// CHECK-NEXT: %[[X2:.*]] = dist.recv {{.*}} channel 524289
// CHECK-NEXT: %[[C:.*]] = pd.matmul %[[X2]], %[[W]]
// CHECK-NEXT: %[[ALL:.*]] = pd.concat %[[A]], %[[B]], %[[C]], %[[A]], %[[B]] :
// CHECK: pd.constant dense<[0, 8, 4]>
// CHECK: pd.slice %[[ALL]]
// CHECK-NOT: dist.all_gather
// CHECK: return
// REMARK: dist.all_gather and pd.matmul become a ring of 3 devices
// LOWERED-LABEL: @gather
// LOWERED: rt.send
// LOWERED: rt.recv
// LARGE-LABEL: @gather
// LARGE-NEXT: dist.all_gather
func.func @gather(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<12x6xf32> {
  %0 = dist.all_gather %x of tensor<12x8xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x8xf32> -> tensor<12x8xf32>
  %1 = pd.matmul %0, %w : (tensor<12x8xf32>, tensor<8x6xf32>) -> tensor<12x6xf32>
  return %1 : tensor<12x6xf32>
}

// The sum of the rows of a shard is complete where they are wanted.
// CHECK-LABEL: @scatter
// CHECK: pd.constant dense<[4, 8, 0]>
// CHECK: %[[A:.*]] = pd.matmul
// CHECK-NEXT: dist.send %[[A]] {{.*}} channel 524290
// CHECK: pd.constant dense<[8, 0, 4]>
// CHECK: %[[B:.*]] = pd.matmul
// CHECK-NEXT: %[[R:.*]] = dist.recv {{.*}} channel 524290
// CHECK-NEXT: %[[S:.*]] = pd.add %[[B]], %[[R]]
// CHECK-NEXT: dist.send %[[S]] {{.*}} channel 524291
// CHECK: pd.constant dense<[0, 4, 8]>
// CHECK: pd.matmul
// CHECK-NEXT: dist.recv {{.*}} channel 524291
// CHECK-NEXT: %[[LAST:.*]] = pd.add
// CHECK-NEXT: return %[[LAST]]
// REMARK: dist.reduce_scatter and pd.matmul become a ring of 3 devices
func.func @scatter(%x: tensor<12x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = pd.matmul %x, %w : (tensor<12x8xf32>, tensor<8x6xf32>) -> tensor<12x6xf32>
  %1 = dist.reduce_scatter %0 of tensor<12x6xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<12x6xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// The gathered value is needed whole too; the gathered dimension is contracted; the sum is of 16 bits; an op without
// a contraction; shards of 2 and 1 rows.
// CHECK-LABEL: @stay
// CHECK-NEXT: dist.all_gather
// CHECK-NEXT: pd.matmul
// CHECK-NEXT: dist.all_gather
// CHECK-NEXT: pd.matmul
// CHECK-NEXT: pd.matmul
// CHECK-NEXT: dist.reduce_scatter
// CHECK-NEXT: dist.all_gather
// CHECK-NEXT: pd.exp
// CHECK-NEXT: dist.all_gather
// CHECK-NEXT: pd.matmul
// REMARK: dist.all_gather stays: its result is not the rows of one contraction
// REMARK: dist.all_gather stays: its result is not the rows of one contraction
// REMARK: dist.reduce_scatter stays: it is not a sum of f32 or f64
// REMARK: dist.all_gather stays: its result is not the rows of one contraction
func.func @stay(%x: tensor<4x12xf32>, %w: tensor<12x6xf32>, %h: tensor<12x8xbf16>, %g: tensor<8x6xbf16>, %u: tensor<?x12xf32>)
    -> (tensor<12x12xf32>, tensor<12x6xf32>, tensor<12x6xf32>, tensor<4x6xbf16>, tensor<12x12xf32>, tensor<5x6xf32>) {
  %0 = dist.all_gather %x of tensor<12x12xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x12xf32> -> tensor<12x12xf32>
  %1 = pd.matmul %0, %w : (tensor<12x12xf32>, tensor<12x6xf32>) -> tensor<12x6xf32>
  %2 = dist.all_gather %x of tensor<12x12xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x12xf32> -> tensor<12x12xf32>
  %3 = pd.matmul %2, %w {transpose_x = true} : (tensor<12x12xf32>, tensor<12x6xf32>) -> tensor<12x6xf32>
  %4 = pd.matmul %h, %g : (tensor<12x8xbf16>, tensor<8x6xbf16>) -> tensor<12x6xbf16>
  %5 = dist.reduce_scatter %4 of tensor<12x6xbf16> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<12x6xbf16> -> tensor<4x6xbf16>
  %6 = dist.all_gather %x of tensor<12x12xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x12xf32> -> tensor<12x12xf32>
  %7 = pd.exp %6 : (tensor<12x12xf32>) -> tensor<12x12xf32>
  %8 = dist.all_gather %u of tensor<5x12xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<?x12xf32> -> tensor<5x12xf32>
  %9 = pd.matmul %8, %w : (tensor<5x12xf32>, tensor<12x6xf32>) -> tensor<5x6xf32>
  return %0, %1, %3, %5, %7, %9 : tensor<12x12xf32>, tensor<12x6xf32>, tensor<12x6xf32>, tensor<4x6xbf16>, tensor<12x12xf32>, tensor<5x6xf32>
}
