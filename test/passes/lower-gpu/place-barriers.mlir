// RUN: proa-opt %s --proa-place-barriers --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-place-barriers --remarks=proa-place-barriers --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

#id = affine_map<(i) -> (i)>
#flip = affine_map<(i) -> (63 - i)>
#none = affine_map<(i) -> ()>

// Each thread reads what it wrote itself: no barrier. The third op reads elements of other threads.
// CHECK-LABEL: func.func @elementwise
// CHECK: linalg.generic
// CHECK-NOT: gpu.barrier
// CHECK: linalg.generic
// CHECK: gpu.barrier
// CHECK-NEXT: linalg.generic
// CHECK-NOT: gpu.barrier
// REMARK: 1 barrier between the threads of a block
func.func @elementwise(%a: memref<64xf32>, %r: memref<64xf32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %s = memref.alloc() : memref<64xf32>
  %t = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<64xf32>)
      outs(%s : memref<64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : memref<64xf32>)
      outs(%t : memref<64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#flip, #id], iterator_types = ["parallel"]} ins(%t : memref<64xf32>)
      outs(%r : memref<64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Chunks of other sizes belong to other threads.
// CHECK-LABEL: func.func @vectors
// CHECK: linalg.generic
// CHECK: gpu.barrier
// CHECK-NEXT: linalg.generic
func.func @vectors(%a: memref<64xf32>, %r: memref<64xf32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %s = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<64xf32>)
      outs(%s : memref<64xf32>) attrs = {proa.loops = #proa.loops<vector = 4>} {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : memref<64xf32>)
      outs(%r : memref<64xf32>) attrs = {proa.loops = #proa.loops<vector = 2>} {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// The fill becomes the start of the accumulator. The next row overwrites what this row reads.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}}proa.loops = #proa.loops<starts = [0.000000e+00 : f32]>
// CHECK: gpu.barrier
// CHECK-NEXT: linalg.generic
// CHECK: gpu.barrier
// CHECK-NEXT: }
func.func @rows(%a: memref<64xf32>, %r: memref<64xf32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  scf.for %row = %begin to %end step %c1 {
    linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
    linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : memref<64xf32>)
        outs(%s : memref<f32>) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel"]} ins(%s : memref<f32>)
        outs(%r : memref<64xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// A fill of dynamic value, and one that another op reads first, stay.
// CHECK-LABEL: func.func @fills
// CHECK: linalg.fill
// CHECK: gpu.barrier
// CHECK: linalg.generic
// CHECK: linalg.fill
func.func @fills(%a: memref<64xf32>, %v: f32, %s: memref<f32>, %t: memref<f32>, %r: memref<f32>)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  linalg.fill ins(%v : f32) outs(%s : memref<f32>)
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : memref<64xf32>)
      outs(%s : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%t : memref<f32>) outs(%r : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : memref<64xf32>)
      outs(%t : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// A complex constant has no attribute with a type.
// CHECK-LABEL: func.func @complex_fill
// CHECK: linalg.fill
// CHECK: gpu.barrier
func.func @complex_fill(%a: memref<64xcomplex<f32>>, %s: memref<complex<f32>>)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  linalg.fill ins(%zero : complex<f32>) outs(%s : memref<complex<f32>>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<64xcomplex<f32>>) outs(%s : memref<complex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>):
    %z = complex.add %x, %y : complex<f32>
    linalg.yield %z : complex<f32>
  }
  return
}

// -----

// Not a kernel of the GPU.
// CHECK-LABEL: func.func @host
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @host(%s: memref<64xf32>, %v: f32) attributes {proa.kernel} {
  linalg.fill ins(%v : f32) outs(%s : memref<64xf32>)
  linalg.fill ins(%v : f32) outs(%s : memref<64xf32>)
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// An epilogue reads the results of its contraction in registers. Near miss: an op that reads the result of the epilogue
// waits: its threads compute other elements.
// CHECK-LABEL: func.func @epilogue
// CHECK: proa.contraction
// CHECK-NOT: gpu.barrier
// CHECK: proa.loops = #proa.loops<fused_with = result>
// CHECK: gpu.barrier
// CHECK: linalg.generic
// CHECK-LABEL: func.func @reader_of_epilogue
// CHECK: proa.loops = #proa.loops<fused_with = result>
// CHECK: gpu.barrier
// CHECK: linalg.generic
func.func @epilogue(%x: memref<32x32xf32>, %y: memref<32x32xf32>, %r: memref<32x32xf32>, %o: memref<32x32xf32>)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 64>} {
  %sums = memref.alloc() : memref<32x32xf32>
  linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<32x32xf32>, memref<32x32xf32>) outs(%sums : memref<32x32xf32>)
      attrs = {proa.contraction = #proa.contraction<kind = fma>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sums : memref<32x32xf32>) outs(%r : memref<32x32xf32>) attrs = {proa.loops = #proa.loops<fused_with = result>} {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : memref<32x32xf32>) outs(%o : memref<32x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  }
  return
}

func.func @reader_of_epilogue(%a: memref<32x32xf32>, %r: memref<32x32xf32>, %o: memref<32x32xf32>)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 64>} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<32x32xf32>) outs(%r : memref<32x32xf32>) attrs = {proa.loops = #proa.loops<fused_with = result>} {
  ^bb0(%x: f32, %y: f32):
    %c = arith.negf %x : f32
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : memref<32x32xf32>) outs(%o : memref<32x32xf32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.negf %x : f32
    linalg.yield %c : f32
  }
  return
}

// The rows share the memory of the sums, which no thread accesses.
// CHECK-LABEL: func.func @rows_of_epilogue
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @rows_of_epilogue(%x: memref<32x32xf32>, %y: memref<32x32xf32>, %r: memref<32x32xf32>, %begin: index, %end: index)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 64>} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<32x32xf32>
  scf.for %row = %begin to %end step %c1 {
    linalg.fill ins(%zero : f32) outs(%sums : memref<32x32xf32>)
    linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : memref<32x32xf32>, memref<32x32xf32>) outs(%sums : memref<32x32xf32>)
        attrs = {proa.contraction = #proa.contraction<kind = fma>} {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %q = arith.mulf %a, %b : f32
      %t = arith.addf %s, %q : f32
      linalg.yield %t : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%sums : memref<32x32xf32>) outs(%r : memref<32x32xf32>) attrs = {proa.loops = #proa.loops<fused_with = result>} {
    ^bb0(%a: f32, %b: f32):
      %c = arith.negf %a : f32
      linalg.yield %c : f32
    }
  }
  return
}
