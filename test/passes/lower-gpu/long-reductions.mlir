// RUN: proa-opt %s --proa-map-to-threads --canonicalize --cse --split-input-file | FileCheck %s

// 5,200 chunks are 20 steps of 256 threads and a rest: a thread reads four chunks at once, and the rest one by one.
// CHECK-LABEL: func.func @long
// CHECK: scf.for {{.*}} step %c1024
// CHECK-COUNT-4: memref.load
// CHECK-NOT: memref.load
// CHECK: scf.yield
// CHECK: scf.for {{.*}} step %c256
// CHECK-COUNT-1: memref.load
// CHECK-NOT: memref.load
// CHECK: scf.yield
func.func @long(%a: memref<5200xf32>, %r: memref<f32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 256>} {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<5200xf32>) outs(%r : memref<f32>) attrs = {proa.loops = #proa.loops<group = 256>} {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Near miss: fewer than four steps.
// CHECK-LABEL: func.func @short
// CHECK-NOT: step %c1024
// CHECK: scf.for {{.*}} step %c256
// CHECK-COUNT-1: memref.load
// CHECK-NOT: memref.load
// CHECK: scf.yield
func.func @short(%a: memref<1000xf32>, %r: memref<f32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 256>} {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<1000xf32>) outs(%r : memref<f32>) attrs = {proa.loops = #proa.loops<group = 256>} {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  return
}
