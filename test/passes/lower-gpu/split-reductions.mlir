// RUN: proa-opt %s --proa-choose-slices --split-input-file | FileCheck %s --check-prefix=CHOOSE
// RUN: proa-opt %s --proa-choose-slices --proa-split-reductions --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-choose-slices --proa-split-reductions --remarks=proa-.* --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// One row of a million terms is shared by blocks: a partial result of each is in scratch memory, and the last block
// combines them.
// REMARK: proa-choose-slices: {{[0-9]+}} blocks share the reductions of a row: 1 rows of 1048576 terms, where 264 blocks occupy the device
// CHOOSE-LABEL: func.func @sum
// CHOOSE-SAME: proa.launch = #proa.launch<row_blocks = [[PARTS:[0-9]+]]>
// CHECK-LABEL: func.func @sum
// CHECK-SAME: %{{.*}}: memref<i8> {llvm.noalias}, %{{.*}}: memref<i32> {llvm.noalias}, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: proa.scratch = #proa.scratch<buffers = {{\[\[}}1, {{[0-9]+}}, 16]], counters = true>
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK: nvvm.memory.barrier
// CHECK: gpu.barrier
// CHECK: memref.atomic_rmw addi
// CHECK: scf.if
// CHECK: linalg.generic
func.func @sum(%x: memref<1048576xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = #proa.rows<count = 1>} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.loops = #proa.loops<starts = [0.0 : f32]>} ins(%x : memref<1048576xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// A short row stays with one block.
// REMARK: proa-choose-slices: each row is computed by one block: 1 rows of 1024 terms, where 264 blocks occupy the device and a slice has at least 4096 terms
// CHOOSE-LABEL: func.func @short
// CHOOSE-NOT: proa.launch
// CHOOSE: return
// CHECK-LABEL: func.func @short
// CHECK-NOT: memref.atomic_rmw
func.func @short(%x: memref<1024xf32>, %r: memref<f32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = #proa.rows<count = 1>} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"],
                  proa.loops = #proa.loops<starts = [0.0 : f32]>} ins(%x : memref<1024xf32>) outs(%r : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Parts of a product have whole steps of its tile, and are parts of the buffers, as the tensor memory accelerator
// reads them for wgmma.
// CHECK-LABEL: func.func @product
// CHECK: %[[BEGIN:.*]] = affine.apply {{.*}}
// CHECK-DAG: memref.subview %arg0[%{{.*}}, %{{.*}}] [64, %{{.*}}] [1, 1] : memref<128x1000xbf16>
// CHECK-DAG: memref.subview %arg1[%{{.*}}, 0] [%{{.*}}, 64] [1, 1] : memref<1000x64xbf16>
// CHECK: linalg.generic
// CHECK-SAME: whole_steps = true>
func.func @product(%x: memref<128x1000xbf16>, %y: memref<1000x64xbf16>, %out: memref<128x64xf32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = #proa.rows<count = 2>} {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %begin to %end step %c1 {
    %row = arith.muli %i, %c64 : index
    %rows = memref.subview %x[%row, 0] [64, 1000] [1, 1] : memref<128x1000xbf16> to memref<64x1000xbf16, strided<[1000, 1], offset: ?>>
    %tile = memref.subview %out[%row, 0] [64, 64] [1, 1] : memref<128x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%rows, %y : memref<64x1000xbf16, strided<[1000, 1], offset: ?>>, memref<1000x64xbf16>)
        outs(%tile : memref<64x64xf32, strided<[64, 1], offset: ?>>)
        attrs = {proa.contraction = #proa.contraction<kind = wgmma, tile = [64, 64, 64], warp = [64, 64], stages = 4, split_k = 4>} {
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

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// Near miss: with whole steps the last of 20 parts would be empty.
// CHECK-LABEL: func.func @short_parts
// CHECK-NOT: whole_steps
// CHECK: return
func.func @short_parts(%x: memref<64x1000xbf16>, %y: memref<1000x64xbf16>, %out: memref<64x64xf32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.rows = #proa.rows<count = 1>} {
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<64x1000xbf16>, memref<1000x64xbf16>) outs(%out : memref<64x64xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = wgmma, tile = [64, 64, 64], warp = [64, 64], stages = 4, split_k = 20>} {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %q = arith.mulf %c, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  return
}
