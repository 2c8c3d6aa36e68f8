// Stages of a pipeline: meshes of one device, channels by the order of messages.
// RUN: proa-opt %s --dist-from-process-groups="rank=1" | FileCheck %s
// RUN: proa-opt %s --dist-from-process-groups="rank=1" --dist-to-process-groups="rank=1" | FileCheck %s --check-prefix=BACK
// CHECK: dist.mesh @mesh = <["pp"=3]>
// CHECK-DAG: dist.mesh @mesh_0 = <[], devices = [0]>
// CHECK-DAG: dist.mesh @mesh_1 = <[], devices = [1]>
// CHECK-DAG: dist.mesh @mesh_2 = <[], devices = [2]>
// CHECK: %[[R:.*]] = dist.recv of tensor<4xf32> from <@mesh_0, [{}]> to <@mesh_1, [{}]> channel 0
// CHECK: dist.send %[[R]] of tensor<4xf32> from <@mesh_1, [{}]> to <@mesh_2, [{}]> channel 0
// CHECK: dist.send %[[R]] of tensor<4xf32> from <@mesh_1, [{}]> to <@mesh_2, [{}]> channel 1
// BACK-NOT: dist.
// BACK: %[[R:.*]] = pd.recv_v2 {dtype = f32, out_shape = array<i64: 4>, ring_id = 2 : i64} : () -> tensor<4xf32>
// BACK: pd.send_v2 %[[R]] {peer = 2 : i64, ring_id = 2 : i64}
dist.mesh @mesh = <["pp"=3]>
func.func @main() {
  %0 = pd.recv_v2 {out_shape = array<i64: 4>, dtype = f32, peer = 0 : i64, ring_id = 2 : i64} : () -> tensor<4xf32>
  pd.send_v2 %0 {peer = 2 : i64, ring_id = 2 : i64} : (tensor<4xf32>) -> ()
  pd.send_v2 %0 {peer = 2 : i64, ring_id = 2 : i64} : (tensor<4xf32>) -> ()
  return
}
