// RUN: proa-opt %s --proa-choose-launch --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-choose-launch=max-threads=64 --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: proa-opt %s --proa-choose-launch=unrolled-ops=2 --split-input-file | FileCheck %s --check-prefix=LONG
// RUN: proa-opt %s --proa-choose-launch --remarks=proa-choose-launch --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Four floats are 16 bytes; 1024 elements are one chunk of each thread.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: proa.launch = #proa.launch<threads = 256>
// CHECK: linalg.generic {{.*}}proa.loops = #proa.loops<vector = 4
// SMALL-LABEL: func.func @elementwise
// SMALL-SAME: proa.launch = #proa.launch<threads = 64>
// REMARK: a block has 256 threads, for an op of 1024 elements, 4 in a step of a thread
func.func @elementwise(%a: memref<1024xf32>, %r: memref<1024xf32>) attributes {proa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : memref<1024xf32>) outs(%r : memref<1024xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.negf %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// The widest operand decides. A body longer than the limit, counted with its yield, is not copied.
// LONG-LABEL: func.func @mixed_widths
// LONG: linalg.generic {{.*}}proa.loops = #proa.loops<vector = 2
// CHECK-LABEL: func.func @mixed_widths
// CHECK: linalg.generic {{.*}}proa.loops = #proa.loops<vector = 2
func.func @mixed_widths(%a: memref<1024xf64>, %r: memref<1024xf16>) attributes {proa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : memref<1024xf64>) outs(%r : memref<1024xf16>) {
  ^bb0(%x: f64, %y: f16):
    %z = arith.truncf %x : f64 to f16
    linalg.yield %z : f16
  }
  return
}

// -----

// LONG-LABEL: func.func @long
// LONG: linalg.generic {{.*}}proa.loops = #proa.loops<vector = 1
func.func @long(%r: memref<1024xf32>) attributes {proa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%r : memref<1024xf32>) {
  ^bb0(%y: f32):
    %z = arith.negf %y : f32
    %u = math.absf %z : f32
    linalg.yield %u : f32
  }
  return
}

// -----

// Chunks of 4 do not divide rows of 6 elements; a single loop may have a rest.
// CHECK-LABEL: func.func @rest
// CHECK: linalg.generic {{.*}}proa.loops = #proa.loops<vector = 1
// CHECK: linalg.generic {{.*}}proa.loops = #proa.loops<vector = 4
func.func @rest(%a: memref<8x6xf32>, %b: memref<1025xf32>) attributes {proa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%a : memref<8x6xf32>) {
  ^bb0(%y: f32):
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%b : memref<1025xf32>) {
  ^bb0(%y: f32):
    linalg.yield %y : f32
  }
  return
}

// -----

// One result: the block computes it. 16 results: a warp for each. Results along the memory: threads share the terms of
// adjacent results. 8
// terms: 8 lanes. An op without a neutral element: one thread.
// CHECK-LABEL: func.func @groups
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}}proa.loops = #proa.loops<vector = 4, group = 256>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}}proa.loops = #proa.loops<vector = {{[0-9]+}}, group = 32>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]{{.*}}proa.loops = #proa.loops<vector = 4, group = 16>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}}proa.loops = #proa.loops<vector = {{[0-9]+}}, group = 8>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}}proa.loops = #proa.loops<vector = {{[0-9]+}}, group = 1>
func.func @groups(%a: memref<1024xf32>, %s: memref<f32>, %b: memref<16x64xf32>, %r: memref<16xf32>, %c: memref<64x64xf32>,
                  %t: memref<64xf32>, %d: memref<32x8xf32>, %u: memref<32xf32>) attributes {proa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<1024xf32>) outs(%s : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%b : memref<16x64xf32>) outs(%r : memref<16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.maximumf %x, %y : f32
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%c : memref<64x64xf32>) outs(%t : memref<64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%d : memref<32x8xf32>) outs(%u : memref<32xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<1024xf32>) outs(%s : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.subf %y, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func @refused
// CHECK-SAME: attributes {proa.kernel} {
// REMARK: the kernel stays on the host: it has the op 'memref.copy' outside of loops
func.func @refused(%a: memref<4xf32>, %b: memref<4xf32>) attributes {proa.kernel} {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @other
// CHECK-NOT: proa.launch
func.func @other() {
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// The tensor memory accelerator cannot read scratch memory: mma computes the tile.
// CHECK-LABEL: func.func @scratch_operand
// CHECK-SAME: proa.launch = #proa.launch<threads = 64>
// CHECK: proa.contraction = #proa.contraction<kind = mma, tile = [64, 128, 32], warp = [64, 64], stages = 2>
// REMARK: mma is used instead of wgmma, which cannot read operand 0: it is not a view of a contiguous buffer of the kernel
func.func @scratch_operand(%y: memref<64x128xbf16>, %r: memref<64x128xf32>)
    attributes {proa.kernel, proa.launch = #proa.launch<resident_blocks = 1>} {
  %x = memref.alloc() : memref<64x64xbf16>
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x64xbf16>, memref<64x128xbf16>) outs(%r : memref<64x128xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = wgmma, tile = [64, 128, 64], warp = [64, 128], stages = 4>} {
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

// Nor can it stop at the end of a slice along k: what follows there is not zero.
// CHECK-LABEL: func.func @slice_of_k
// CHECK: proa.contraction = #proa.contraction<kind = mma
// REMARK: which cannot read operand 0: it is a slice along k
func.func @slice_of_k(%x: memref<64x256xbf16>, %y: memref<64x128xbf16>, %r: memref<64x128xf32>) attributes {proa.kernel} {
  %s = memref.subview %x[0, 64] [64, 64] [1, 1] : memref<64x256xbf16> to memref<64x64xbf16, strided<[256, 1], offset: 64>>
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %y : memref<64x64xbf16, strided<[256, 1], offset: 64>>, memref<64x128xbf16>) outs(%r : memref<64x128xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = wgmma, tile = [64, 128, 64], warp = [64, 128], stages = 4>} {
  ^bb0(%a: bf16, %b: bf16, %s2: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s2, %q : f32
    linalg.yield %t : f32
  }
  return
}
