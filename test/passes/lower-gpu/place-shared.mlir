// RUN: proa-opt %s --proa-place-shared --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-place-shared=shared-bytes=64 --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: proa-opt %s --proa-place-shared=shared-bytes=64 --remarks=proa-place-shared --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SMALL-REMARK
// RUN: proa-opt %s --proa-place-shared --remarks=proa-place-shared --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Each buffer begins at a multiple of 16 bytes. Views of it are in workgroup memory, too.
// CHECK: memref.global "private" @two_shared : memref<80xi8, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-LABEL: func.func @two
// CHECK: %[[MEMORY:.*]] = memref.get_global @two_shared
// CHECK: %[[A:.*]] = memref.view %[[MEMORY]][%c0][] : {{.*}} to memref<5xi8, #gpu.address_space<workgroup>>
// CHECK: %[[B:.*]] = memref.view %[[MEMORY]][%c16][] : {{.*}} to memref<4x4xf32, #gpu.address_space<workgroup>>
// CHECK: memref.subview %[[B]]{{.*}} to memref<2x4xf32, strided<[4, 1]>, #gpu.address_space<workgroup>>
// SMALL-REMARK: 1 scratch buffer is in global memory: 0 are dynamic, and the others need 80 bytes of shared memory, of which a block has 64
// REMARK: a block has 80 bytes of static shared memory, of which 49152 may be static
// SMALL-LABEL: func.func @two
// SMALL-SAME: proa.scratch = #proa.scratch<buffers = {{\[\[}}1, 64]]>
// SMALL: memref.view %{{.*}} : memref<?xi8> to memref<4x4xf32>
func.func @two(%i: index, %v: f32, %b: i8) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<5xi8>
  %c = memref.alloc() : memref<4x4xf32>
  %part = memref.subview %c[0, 0] [2, 4] [1, 1] : memref<4x4xf32> to memref<2x4xf32, strided<[4, 1]>>
  memref.store %b, %a[%i] : memref<5xi8>
  memref.store %v, %part[%i, %i] : memref<2x4xf32, strided<[4, 1]>>
  return
}

// -----

// A buffer of dynamic size is a part of scratch memory in global memory; the function of shapes computes its bytes.
// CHECK-LABEL: func.func @dynamic(%arg0: index, %arg1: f32, %arg2: memref<i8> {llvm.noalias}, %arg3: index, %arg4: index, %arg5: index)
// CHECK-SAME: proa.scratch = #proa.scratch<buffers = {{\[\[}}1, ?]]>
// CHECK: memref.view %{{.*}} : memref<?xi8> to memref<?xf32>
// CHECK-LABEL: func.func private @dynamic_shape(%arg0: index) -> (index, index)
// REMARK: 1 scratch buffer is in global memory: 1 are dynamic, and the others need 0 bytes of shared memory, of which a block has 232448
func.func @dynamic(%n: index, %v: f32, %begin: index, %end: index) attributes {proa.kernel, proa.rows = #proa.rows<count = 1>, proa.launch = #proa.launch<threads = 32>} {
  %c1 = arith.constant 1 : index
  scf.for %row = %begin to %end step %c1 {
    %a = memref.alloc(%n) : memref<?xf32>
    memref.store %v, %a[%row] : memref<?xf32>
  }
  return
}

// -----

// The size depends on the row.
// CHECK-LABEL: func.func @of_row
// CHECK-SAME: attributes {proa.kernel{{(, proa.rows = #proa.rows<count = 9>)?}}} {
// REMARK: the kernel stays on the host: the size of a scratch buffer depends on more than the dims of operands
func.func @of_row(%v: f32, %begin: index, %end: index) attributes {proa.kernel, proa.rows = #proa.rows<count = 9>, proa.launch = #proa.launch<threads = 32>} {
  %c1 = arith.constant 1 : index
  scf.for %row = %begin to %end step %c1 {
    %a = memref.alloc(%row) : memref<?xf32>
    memref.store %v, %a[%row] : memref<?xf32>
  }
  return
}

// -----

// A pass may have chosen shared memory, also for users of its own. Other memory spaces are refused.
// CHECK-LABEL: func.func @chosen
// CHECK: memref.view
// CHECK: memref.extract_aligned_pointer_as_index
func.func @chosen() -> index attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
  %p = memref.extract_aligned_pointer_as_index %a : memref<4xf32, #gpu.address_space<workgroup>> -> index
  return %p : index
}

// Vectors of code that was unrolled before.
// CHECK-LABEL: func.func @vectors
// CHECK: vector.store %{{.*}}, %{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK: vector.load %{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
func.func @vectors(%i: index, %v: vector<4xf32>) -> vector<4xf32> attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<8xf32>
  vector.store %v, %a[%i] : memref<8xf32>, vector<4xf32>
  %r = vector.load %a[%i] : memref<8xf32>, vector<4xf32>
  return %r : vector<4xf32>
}

// CHECK-LABEL: func.func @elsewhere
// CHECK-SAME: attributes {proa.kernel{{(, proa.rows = #proa.rows<count = 9>)?}}} {
// REMARK: the kernel stays on the host: a scratch buffer has a layout or a memory space of its own
func.func @elsewhere() attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<4xf32, 5>
  return
}

// CHECK-LABEL: func.func @escapes
// CHECK-SAME: attributes {proa.kernel{{(, proa.rows = #proa.rows<count = 9>)?}}} {
// REMARK: the kernel stays on the host: a scratch buffer is used by 'memref.copy'
func.func @escapes(%r: memref<4xf32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %a, %r : memref<4xf32> to memref<4xf32>
  return
}

// -----

// More than 48 KiB are dynamic. The alignment of a buffer for shared memory stays.
// CHECK: memref.global "private" @large_shared : memref<66560xi8, #gpu.address_space<workgroup>> = uninitialized {alignment = 1024 : i64}
// REMARK: a block has 66560 bytes of dynamic shared memory, of which 49152 may be static
// CHECK-LABEL: func.func @large
// CHECK-SAME: proa.launch = #proa.launch<threads = 32, shared_bytes = 66560>
// CHECK: memref.view %{{.*}}[%c1024]
// SMALL-LABEL: func.func @large
// SMALL-SAME: attributes {proa.kernel} {
// SMALL-REMARK: the kernel stays on the host: its scratch buffers need {{[0-9]+}} bytes of shared memory, a block has 64
func.func @large(%i: index) -> index attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<16xi8, #gpu.address_space<workgroup>>
  %b = memref.alloc() {alignment = 1024 : i64} : memref<65536xi8, #gpu.address_space<workgroup>>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xi8, #gpu.address_space<workgroup>> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<65536xi8, #gpu.address_space<workgroup>> -> index
  %s = arith.addi %p, %q : index
  return %s : index
}
