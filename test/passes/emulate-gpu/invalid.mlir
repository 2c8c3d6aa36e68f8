// RUN: proa-opt %s --split-input-file --proa-emulate-gpu --verify-diagnostics

llvm.func @unknown_op(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  // expected-error @+1 {{'nvvm.cluster.arrive' op is not an op that the emulator supports}}
  nvvm.cluster.arrive
  // All errors of a kernel are reported.
  // expected-error @+1 {{'nvvm.exit' op is not an op that the emulator supports}}
  nvvm.exit
  llvm.return
}

// -----

llvm.func @__nv_normcdfinvf(f32) -> f32
llvm.func @unknown_function(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %v = llvm.load %x : !llvm.ptr -> f32
  // expected-error @+1 {{calls '__nv_normcdfinvf', which has no equivalent on the host}}
  %a = llvm.call @__nv_normcdfinvf(%v) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @helper() {
  llvm.return
}
llvm.func @calls(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  // expected-error @+1 {{calls 'helper', expected that functions are inlined}}
  llvm.call @helper() : () -> ()
  // expected-error @+1 {{calls through a pointer, which the emulator does not support}}
  llvm.call %x() : !llvm.ptr, () -> ()
  llvm.return
}

// -----

llvm.func @assembly(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  // expected-error @+1 {{is assembly of the device, which the emulator does not support}}
  llvm.inline_asm has_side_effects "exit;", "" : () -> ()
  // expected-error @+1 {{calls 'llvm.nvvm.barrier0', expected an op of the nvvm dialect}}
  llvm.call_intrinsic "llvm.nvvm.barrier0"() : () -> ()
  llvm.return
}

// -----

llvm.func @form(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %v = llvm.load %x : !llvm.ptr -> f32
  // expected-error @+1 {{has a form that the emulator does not support}}
  %d = nvvm.convert.float.to.tf32 %v {rnd = #nvvm.fp_rnd_mode<rn>, relu = true}
  llvm.return
}

// -----

// expected-error @+1 {{the kernel has no size of a block, expected the attribute 'proa.launch' with threads}}
llvm.func @no_threads(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel} {
  llvm.return
}

// -----

// expected-error @+1 {{the kernel has blocks of 2048 threads, expected 1 to 1024}}
llvm.func @many_threads(%begin: i64, %end: i64) attributes {proa.kernel, nvvm.maxntid = array<i32: 64, 32>} {
  llvm.return
}

// -----

// expected-error @+1 {{the kernel has other parameters than pointers and i64, with the first and the last row at the end}}
llvm.func @parameters(%x: f32, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  llvm.return
}

// -----

llvm.mlir.global internal @large() {addr_space = 3 : i32} : !llvm.array<232449 x i8>
// expected-error @+1 {{the kernel has 232449 bytes of shared memory, expected at most 232448}}
llvm.func @shared(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = llvm.mlir.addressof @large : !llvm.ptr<3>
  llvm.return
}

// -----

llvm.mlir.global external @dynamic() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @dynamic_shared(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  // expected-error @+1 {{is the address of 'dynamic', a shared variable without a static size}}
  %a = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func internal @twice_rows(%begin: i64, %end: i64) {
  llvm.return
}
// expected-error @+1 {{the kernel is wrapped already: the module has 'twice_rows'}}
llvm.func @twice(%buffers: !llvm.ptr, %dims: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel} {
  llvm.return
}

// -----

llvm.func @other_dialect(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  // expected-error @+1 {{is not an op of the LLVM dialect}}
  %a = arith.constant 1 : i32
  llvm.return
}

// -----

llvm.mlir.global internal @s() {addr_space = 3 : i32} : !llvm.array<4096 x i8>
llvm.func @forms(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %mask = llvm.mlir.constant(3 : i16) : i16
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  %cluster = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  // expected-error @+1 {{'nvvm.cp.async.bulk.tensor.shared.cluster.global' op has a form that the emulator does not support}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %x, %s, box[%one] multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr
  // expected-error @+1 {{'nvvm.ldmatrix' op has a form that the emulator does not support}}
  %r = nvvm.ldmatrix %s {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>,
                         eltType = #nvvm.ld_st_matrix_elt_type<b8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
  // expected-error @+1 {{'nvvm.mma.sync' op has a form that the emulator does not support}}
  %m = nvvm.mma.sync A[%one, %one] B[%one] C[%one, %one, %one, %one] {layoutA = #nvvm.mma_layout<row>,
      layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s4>,
      multiplicandBPtxType = #nvvm.mma_type<s4>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
      shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

// expected-error @+1 {{attribute 'proa.tensor_map' of argument 3: expected a #proa.tensor_map, found {buffer = 0 : i64}}}
llvm.func @map(%x: !llvm.ptr, %begin: i64, %end: i64, %map: !llvm.ptr {proa.tensor_map = {buffer = 0 : i64}})
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  llvm.return
}

// -----

// expected-error @+1 {{parameter 3 is a tensor map of buffer 1 and 1 dims, which the kernel does not have}}
llvm.func @map(%x: !llvm.ptr, %begin: i64, %end: i64,
    %map: !llvm.ptr {proa.tensor_map = #proa.tensor_map<buffer = 1, element_bytes = 2, sizes = affine_map<()[s0] -> (s0)>,
                                                     box = [64], swizzle = 0>})
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  llvm.return
}

// -----

llvm.func @ptx(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  // expected-error @+1 {{'nvvm.inline_ptx' op has a form that the emulator does not support}}
  nvvm.inline_ptx "exit;"
  llvm.return
}
