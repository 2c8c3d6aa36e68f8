// Shards of a tensor, in a process group of some devices: device 4 is process 1 of those with dp = 1. The other shards of what
// arrives are zero.
// RUN: proa-opt %s --dist-from-process-groups="rings=0=dp,1=pp rank=4" | FileCheck %s
dist.mesh @mesh = <["dp"=2, "pp"=3]>
// CHECK-LABEL: func.func @shards
// CHECK: %[[P:.*]] = dist.recv of tensor<4xf32> from <@mesh_3, [{}]> to <@mesh_4, [{}]> channel
// CHECK: pd.pad %[[P]] {{.*}}paddings = array<i64: 4, 0>{{.*}} : (tensor<4xf32>) -> tensor<8xf32>
// CHECK: pd.slice {{.*}} -> tensor<4xf32>
// CHECK: dist.send {{.*}} to <@mesh_5, [{}]> channel
func.func @shards() {
  %0 = pd.partial_recv {out_shape = array<i64: 2, 4>, dtype = f32, peer = 0 : i64, ring_id = 1 : i64, num = 2 : i64, id = 1 : i64} : () -> tensor<2x4xf32>
  pd.partial_send %0 {peer = 2 : i64, ring_id = 1 : i64, num = 2 : i64, id = 0 : i64} : (tensor<2x4xf32>) -> ()
  return
}
