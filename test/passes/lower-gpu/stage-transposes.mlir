// RUN: proa-opt %s --proa-stage-transposes --split-input-file | FileCheck %s

// The operand is copied to rows of 65 elements in the order of its memory, and read from there.
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: %[[X:[^:]*]]: memref<64x64xf32>, %[[Y:[^:]*]]: memref<64x64xf32>
// CHECK: %[[TILE:.*]] = memref.alloc() : memref<64x65xf32>
// CHECK: %[[VIEW:.*]] = memref.subview %[[TILE]][0, 0] [64, 64] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[X]] : {{.*}} outs(%[[VIEW]] : {{.*}} {proa.loops = #proa.loops<vector = 1>}
// CHECK: linalg.generic {{.*}} ins(%[[VIEW]] : {{.*}} outs(%[[Y]] : {{.*}} {proa.loops = #proa.loops<vector = 1>}
// CHECK: math.exp
func.func @transpose(%x: memref<64x64xf32>, %y: memref<64x64xf32>) attributes {proa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// Elements of 16 bits: 66 of them are an odd number of banks. The last tile has fewer rows.
// CHECK-LABEL: func.func @half(
// CHECK: memref.alloc() : memref<2x64x66xf16>
func.func @half(%x: memref<2x100x64xf16>, %y: memref<2x64x100xf16>, %row: index) attributes {proa.kernel} {
  %n = affine.min affine_map<(d0) -> (64, d0 * -64 + 100)>(%row)
  %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%row)
  %from = memref.subview %x[0, %o, 0] [2, %n, 64] [1, 1, 1] : memref<2x100x64xf16> to memref<2x?x64xf16, strided<[6400, 64, 1], offset: ?>>
  %to = memref.subview %y[0, 0, %o] [2, 64, %n] [1, 1, 1] : memref<2x64x100xf16> to memref<2x64x?xf16, strided<[6400, 100, 1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%from : memref<2x?x64xf16, strided<[6400, 64, 1], offset: ?>>) outs(%to : memref<2x64x?xf16, strided<[6400, 100, 1], offset: ?>>) {
  ^bb0(%a: f16, %b: f16):
    linalg.yield %a : f16
  }
  return
}

// -----

// Accesses of 16 bytes: 8 elements of 16 bits, 16 of 8 bits. Rows of 66 and 68 elements are an odd number of banks.
// CHECK-LABEL: func.func @wide(
// CHECK: memref.alloc() : memref<64x68xi8>
// CHECK: memref.alloc() : memref<64x66xbf16>
// CHECK: linalg.generic {{.*}} {proa.loops = #proa.loops<vector = 8>}
// CHECK: linalg.generic {{.*}} {proa.loops = #proa.loops<vector = 8>}
// CHECK: linalg.generic {{.*}} {proa.loops = #proa.loops<vector = 16>}
// CHECK: linalg.generic {{.*}} {proa.loops = #proa.loops<vector = 16>}
func.func @wide(%x: memref<4096x1024xbf16>, %y: memref<1024x4096xbf16>, %b: memref<64x64xi8>, %c: memref<64x64xi8>, %row: index) attributes {proa.kernel} {
  %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%row)
  %from = memref.subview %x[%o, 0] [64, 64] [1, 1] : memref<4096x1024xbf16> to memref<64x64xbf16, strided<[1024, 1], offset: ?>>
  %to = memref.subview %y[0, %o] [64, 64] [1, 1] : memref<1024x4096xbf16> to memref<64x64xbf16, strided<[4096, 1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%from : memref<64x64xbf16, strided<[1024, 1], offset: ?>>) outs(%to : memref<64x64xbf16, strided<[4096, 1], offset: ?>>) {
  ^bb0(%a: bf16, %p: bf16):
    linalg.yield %a : bf16
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<64x64xi8>) outs(%c : memref<64x64xi8>) {
  ^bb0(%a: i8, %p: i8):
    linalg.yield %a : i8
  }
  return
}

// -----

// Near misses: rows that begin at odd elements, one side only; a wider operand beside the tile.
// CHECK-LABEL: func.func @narrow(
// CHECK: linalg.generic {{.*}} {proa.loops = #proa.loops<vector = 8>}
// CHECK: linalg.generic {{.*}} {proa.loops = #proa.loops<vector = 1>}
// CHECK: linalg.generic {{.*}} {proa.loops = #proa.loops<vector = 8>}
// CHECK: linalg.generic {{.*}} {proa.loops = #proa.loops<vector = 1>}
func.func @narrow(%x: memref<64x64xf16>, %y: memref<64x64xf16, strided<[65, 1]>>, %w: memref<64x64xf32>, %z: memref<64x64xf16>) attributes {proa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf16>) outs(%y : memref<64x64xf16, strided<[65, 1]>>) {
  ^bb0(%a: f16, %p: f16):
    linalg.yield %a : f16
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : memref<64x64xf16>, memref<64x64xf32>) outs(%z : memref<64x64xf16>) {
  ^bb0(%a: f16, %b: f32, %p: f16):
    %c = arith.truncf %b : f32 to f16
    %s = arith.addf %a, %c : f16
    linalg.yield %s : f16
  }
  return
}

// -----

// Near misses: the innermost dims agree, a tile that is too small, one that is too large, and a reduction.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @near_misses(%x: memref<8x16x64xf32>, %y: memref<16x8x64xf32>, %s: memref<7x9xf32>, %t: memref<9x7xf32>,
                       %l: memref<256x256xf32>, %m: memref<256x256xf32>, %r: memref<64xf32>, %z: memref<64x64xf32>) attributes {proa.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<8x16x64xf32>) outs(%y : memref<16x8x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<7x9xf32>) outs(%t : memref<9x7xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%l : memref<256x256xf32>) outs(%m : memref<256x256xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%z : memref<64x64xf32>) outs(%r : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  return
}
