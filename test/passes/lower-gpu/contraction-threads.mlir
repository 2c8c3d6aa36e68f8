// RUN: proa-opt %s --proa-map-to-threads --canonicalize --cse --split-input-file | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Each thread adds 4x4 products. 16 bytes of each operand are loaded at once, for the next part while this one is
// multiplied; the block waits before and after it fills shared memory. The sums go through shared memory.
// CHECK-LABEL: func.func @fma
// CHECK-DAG: %[[SHARED:.*]] = memref.alloc() {alignment = 16 : i64} : memref<9216xi8, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[X:.*]] = memref.view %[[SHARED]][%c0]{{.*}} to memref<32x36xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[Y:.*]] = memref.view %[[SHARED]][%c4608]{{.*}} to memref<32x36xf32, #gpu.address_space<workgroup>>
// CHECK: vector.load %arg0[{{.*}}] {alignment = 16 : i64} : memref<64x64xf32>, vector<4xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32 iter_args
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK: vector.store %{{.*}}, %[[Y]]{{.*}} {alignment = 16 : i64}
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: vector.load %arg0
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c16 iter_args
// CHECK: vector.load %[[X]]{{.*}} {alignment = 16 : i64}
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: gpu.barrier
// CHECK: vector.store %{{.*}} : memref<8x40xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %arg2[{{.*}}] {alignment = 16 : i64} : memref<64x64xf32>, vector<4xf32>
func.func @fma(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %r: memref<64x64xf32>)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 64>} {
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 32], warp = [4, 4]>, proa.loops = #proa.loops<starts = [0.0 : f32]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Rows of 31 elements are not aligned, so elements are loaded one by one, and only those inside of the operands.
// CHECK-LABEL: func.func @unaligned
// CHECK-NOT: vector.load %arg0
// CHECK: arith.cmpi slt, %{{.*}}, %c31
// CHECK: scf.if
// CHECK: memref.load %arg0
// CHECK: else
// CHECK-NEXT: scf.yield %cst
func.func @unaligned(%x: memref<31x31xf32>, %y: memref<31x31xf32>, %r: memref<31x31xf32>)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 64>} {
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<31x31xf32>, memref<31x31xf32>) outs(%r : memref<31x31xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 32], warp = [4, 4]>, proa.loops = #proa.loops<starts = [0.0 : f32]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (k, m)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// Tensor cores: both operands are stored with k first, so ldmatrix transposes them. The epilogue rounds the sums, which
// are not stored before.
// CHECK-LABEL: func.func @mma
// CHECK-SAME: %[[SUMS:arg2]]: memref<64x64xf32>, %[[OUT:arg3]]: memref<64x64xbf16>
// CHECK: vector.load %arg0[{{.*}}] {alignment = 16 : i64} : memref<64x64xbf16>, vector<8xbf16>
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true} : memref<32x40xbf16
// CHECK: vector.bitcast %{{.*}} : vector<2xbf16> to vector<1xi32>
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-NOT: %[[SUMS]]
// CHECK: arith.truncf
// CHECK: vector.store %{{.*}}, %[[OUT]][{{.*}}] {alignment = 16 : i64} : memref<64x64xbf16>, vector<8xbf16>
// CHECK-NOT: %[[SUMS]]
// CHECK: return
func.func @mma(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>, %r: memref<64x64xf32>, %o: memref<64x64xbf16>)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 128>} {
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xbf16>, memref<64x64xbf16>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = mma, tile = [32, 32, 32], warp = [16, 16]>, proa.loops = #proa.loops<starts = [0.0 : f32]>} {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : memref<64x64xf32>) outs(%o : memref<64x64xbf16>) attrs = {proa.loops = #proa.loops<fused_with = result>} {
  ^bb0(%a: f32, %b: bf16):
    %c = arith.truncf %a : f32 to bf16
    linalg.yield %c : bf16
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Three stages: the next two parts are copied asynchronously, 16 bytes at a time, none of them where the operands end.
// After the barrier the stage of the last part is free. A wait precedes the end, when the sums take the place of the
// operands.
// CHECK-LABEL: func.func @stages
// CHECK-DAG: %[[X:.*]] = memref.view %{{.*}} to memref<3x32x40xbf16, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: memref.subview %[[X]][0, 0, 0] [1, 32, 40]
// CHECK: nvgpu.device_async_copy %arg0[{{.*}}], %{{.*}}[{{.*}}], 8, %{{.*}} {bypassL1}
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvgpu.device_async_copy %arg0
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK: nvgpu.device_async_copy
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvgpu.ldmatrix
// CHECK: nvvm.mma.sync
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: nvgpu.device_async_copy
func.func @stages(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>, %r: memref<64x64xf32>)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 128>} {
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xbf16>, memref<64x64xbf16>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = mma, tile = [32, 32, 32], warp = [16, 16], stages = 3>, proa.loops = #proa.loops<starts = [0.0 : f32]>} {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Near miss: rows of 33 elements are not aligned.
// CHECK-LABEL: func.func @unaligned_stages
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: nvvm.mma.sync
func.func @unaligned_stages(%x: memref<64x33xbf16>, %y: memref<33x64xbf16>, %r: memref<64x64xf32>)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 128>} {
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x33xbf16>, memref<33x64xbf16>) outs(%r : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = mma, tile = [32, 32, 32], warp = [16, 16], stages = 2>, proa.loops = #proa.loops<starts = [0.0 : f32]>} {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}
