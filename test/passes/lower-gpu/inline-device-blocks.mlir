// The number of blocks that a multiprocessor must hold.
// RUN: proa-opt %s --pass-pipeline="builtin.module(proa-set-target{gpu=sm_90a},proa-inline-device)" | FileCheck %s

// Two blocks with one warpgroup each, and 74,000 bytes fit twice.
// CHECK: llvm.func @two_blocks
// CHECK-SAME: nvvm.maxntid = array<i32: 160>
// CHECK-SAME: nvvm.minctasm = 2 : i32
// Near misses: two warpgroups; the shared memory fits once; no wgmma.
// CHECK: llvm.func @many_threads
// CHECK-NOT: minctasm
// CHECK: llvm.func @large_memory
// CHECK-NOT: minctasm
// CHECK: llvm.func @no_wgmma
// CHECK-NOT: minctasm
// The registers at entry are known for one block.
// CHECK: llvm.func @exchange(
// CHECK-SAME: nvvm.minctasm = 1 : i32
gpu.module @device {
  llvm.func @two_blocks(%x: i32, %y: i64, %s: !llvm.struct<(f32, f32, f32, f32)>)
      attributes {proa.kernel, proa.launch = #proa.launch<threads = 160, shared_bytes = 74000>} {
    %0 = rt.wgmma f16 (%x, %x, %x, %x), %y, %s : !llvm.struct<(f32, f32, f32, f32)>
    llvm.return
  }
  llvm.func @many_threads(%x: i32, %y: i64, %s: !llvm.struct<(f32, f32, f32, f32)>)
      attributes {proa.kernel, proa.launch = #proa.launch<threads = 288>} {
    %0 = rt.wgmma f16 (%x, %x, %x, %x), %y, %s : !llvm.struct<(f32, f32, f32, f32)>
    llvm.return
  }
  llvm.func @large_memory(%x: i32, %y: i64, %s: !llvm.struct<(f32, f32, f32, f32)>)
      attributes {proa.kernel, proa.launch = #proa.launch<threads = 160, shared_bytes = 150000>} {
    %0 = rt.wgmma f16 (%x, %x, %x, %x), %y, %s : !llvm.struct<(f32, f32, f32, f32)>
    llvm.return
  }
  llvm.func @no_wgmma() attributes {proa.kernel, proa.launch = #proa.launch<threads = 160>} {
    llvm.return
  }
  llvm.func @exchange() attributes {proa.kernel, proa.launch = #proa.launch<threads = 384>} {
    nvvm.setmaxregister increase 232
    llvm.return
  }
}
