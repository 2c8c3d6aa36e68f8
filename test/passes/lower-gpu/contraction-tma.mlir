// RUN: proa-opt %s --proa-map-to-threads --canonicalize --cse --split-input-file | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Two warpgroups multiply, one warp asks for copies. Rows of x are lines of k. y has its columns side by side: its part
// is two boxes of 64 columns. The buffer has 2 stages of 32 KiB; the sums of a pass and the barriers follow it.
// CHECK-LABEL: func.func @buffer
// CHECK-SAME: %[[MAPX:[a-z0-9]*]]: !llvm.ptr {proa.tensor_map = #proa.tensor_map<buffer = 0, element_bytes = 2, sizes = affine_map<() -> (256, 512)>, box = [128, 64], swizzle = 128>}
// CHECK-SAME: %[[MAPY:[a-z0-9]*]]: !llvm.ptr {proa.tensor_map = #proa.tensor_map<buffer = 1, element_bytes = 2, sizes = affine_map<() -> (512, 384)>, box = [64, 64], swizzle = 128>}
// CHECK: %[[SHARED:.*]] = memref.alloc() {alignment = 1024 : i64} : memref<102432xi8, #gpu.address_space<workgroup>>
// CHECK-NOT: scf
// CHECK: memref.alloca() : memref<index>
// CHECK: memref.alloca() : memref<i32>
// CHECK: scf.if
// CHECK-COUNT-4: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK-COUNT-2: nvvm.prefetch tensormap
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: nvvm.mbarrier.arrive
// CHECK: llvm.extractvalue
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: vector.store %{{.*}} : memref<128x72xf32, #gpu.address_space<workgroup>>, vector<2xf32>
// CHECK: nvvm.barrier id
// CHECK: vector.store %{{.*}} : memref<128x128xf32, strided<[384, 1], offset: ?>>, vector<4xf32>
// CHECK: } else {
// CHECK: scf.if
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAPX]], %{{.*}}, box[%{{[^,]*}}, %{{[^,]*}}]
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAPY]],
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @buffer(%x: memref<256x512xbf16>, %y: memref<512x384xbf16>, %r: memref<256x384xf32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 288>} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %row = %begin to %end step %c1 {
    %i = arith.divui %row, %c3 : index
    %j = arith.remui %row, %c3 : index
    %m = affine.apply affine_map<(i) -> (i * 128)>(%i)
    %n = affine.apply affine_map<(i) -> (i * 128)>(%j)
    %xs = memref.subview %x[%m, 0] [128, 512] [1, 1] : memref<256x512xbf16> to memref<128x512xbf16, strided<[512, 1], offset: ?>>
    %ys = memref.subview %y[0, %n] [512, 128] [1, 1] : memref<512x384xbf16> to memref<512x128xbf16, strided<[384, 1], offset: ?>>
    %rs = memref.subview %r[%m, %n] [128, 128] [1, 1] : memref<256x384xf32> to memref<128x128xf32, strided<[384, 1], offset: ?>>
    linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%xs, %ys : memref<128x512xbf16, strided<[512, 1], offset: ?>>, memref<512x128xbf16, strided<[384, 1], offset: ?>>)
        outs(%rs : memref<128x128xf32, strided<[384, 1], offset: ?>>)
        attrs = {proa.contraction = #proa.contraction<kind = wgmma, tile = [128, 128, 64], warp = [64, 128], stages = 2>, proa.loops = #proa.loops<starts = [0.0 : f32]>} {
    ^bb0(%a: bf16, %b: bf16, %s: f32):
      %c = arith.extf %a : bf16 to f32
      %d = arith.extf %b : bf16 to f32
      %q = arith.mulf %c, %d : f32
      %t = arith.addf %s, %q : f32
      linalg.yield %t : f32
    }
  }
  return
}

// -----

#x = affine_map<(b, m, n, k) -> (k, m)>
#y = affine_map<(b, m, n, k) -> (n, b, k)>
#r = affine_map<(b, m, n, k) -> (b, m, n)>

// The other orders of dims: x has its rows side by side, y has k there. The tensors have the sizes of the whole
// buffers, of which one is a product of dynamic dims.
// CHECK-LABEL: func.func @orders
// CHECK-SAME: proa.tensor_map = #proa.tensor_map<{{.*}} sizes = affine_map<()[s0, s1] -> (64, 64)>, box = [64, 64]
// CHECK-SAME: proa.tensor_map = #proa.tensor_map<{{.*}} sizes = affine_map<()[s0, s1] -> (s0 * s1, 4, 64)>, box = [64, 1, 64]
// CHECK: nvvm.wgmma.mma_async {{.*}} A[<f16>, <one>, <col>], B[<f16>, <one>, <col>]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, box[%{{[^,]*}}, %{{[^,]*}}]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, box[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}]
func.func @orders(%x: memref<64x64xf16>, %base: memref<f16>, %r: memref<4x64x64xf32>, %d0: index, %d1: index, %begin: index, %end: index)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 160>} {
  %stride = affine.apply affine_map<()[s0] -> (s0 * 256)>()[%d1]
  %view = memref.reinterpret_cast %base to offset: [0], sizes: [%d0, %d1, 4, 64], strides: [%stride, 256, 64, 1]
      : memref<f16> to memref<?x?x4x64xf16>
  %y = memref.collapse_shape %view [[0, 1], [2], [3]] : memref<?x?x4x64xf16> into memref<?x4x64xf16>
  %c1 = arith.constant 1 : index
  scf.for %row = %begin to %end step %c1 {
    %ys = memref.subview %y[0, %row, 0] [64, 1, 64] [1, 1, 1] : memref<?x4x64xf16> to memref<64x1x64xf16, strided<[256, 64, 1], offset: ?>>
    %rs = memref.subview %r[%row, 0, 0] [1, 64, 64] [1, 1, 1] : memref<4x64x64xf32> to memref<1x64x64xf32, strided<[4096, 64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %ys : memref<64x64xf16>, memref<64x1x64xf16, strided<[256, 64, 1], offset: ?>>)
        outs(%rs : memref<1x64x64xf32, strided<[4096, 64, 1], offset: ?>>)
        attrs = {proa.contraction = #proa.contraction<kind = wgmma, tile = [1, 64, 64, 64], warp = [64, 64], stages = 2>, proa.loops = #proa.loops<starts = [0.0 : f32]>} {
    ^bb0(%a: f16, %b: f16, %s: f32):
      %c = arith.extf %a : f16 to f32
      %d = arith.extf %b : f16 to f32
      %q = arith.mulf %c, %d : f32
      %t = arith.addf %s, %q : f32
      linalg.yield %t : f32
    }
  }
  return
}
