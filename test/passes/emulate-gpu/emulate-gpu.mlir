// RUN: proa-opt %s --split-input-file --proa-emulate-gpu=check-accesses=false | FileCheck %s
// RUN: proa-opt %s --split-input-file --proa-emulate-gpu | FileCheck %s --check-prefix=ACCESS

// The entry point launches the code of a thread; arguments are loaded from the arrays of buffers and dims.
// CHECK: llvm.func @proa_emulate_launch(!llvm.ptr, !llvm.ptr, i32, i32, i32, i64, i32, !llvm.ptr, !llvm.ptr, i64, i64)
// CHECK: llvm.mlir.global internal constant @scale_name("scale\00")
// CHECK-LABEL: llvm.func internal @scale_rows(
// CHECK-SAME: %[[THREAD:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[BUFFERS:.*]]: !llvm.ptr, %[[DIMS:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64) {
// CHECK: llvm.getelementptr %[[BUFFERS]][0]
// CHECK: llvm.getelementptr %[[DIMS]][0]
// CHECK: llvm.getelementptr %[[BUFFERS]][1]
// CHECK: %[[INDEX:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK: llvm.call @proa_emulate_register(%[[THREAD]], %[[INDEX]])
// CHECK-NOT: nvvm
// CHECK-LABEL: llvm.func @scale(
// CHECK-SAME: %[[B:.*]]: !llvm.ptr, %[[D:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK-SAME: attributes {proa.kernel, proa.rows = #proa.rows<count = 1>}
// CHECK: llvm.mlir.addressof @scale_name
// CHECK: %[[CODE:.*]] = llvm.mlir.addressof @scale_rows
// CHECK: llvm.mlir.constant(64 : i32)
// Threads do not wait for each other.
// CHECK: %[[SYNCHRONIZES:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @proa_emulate_launch(%{{.*}}, %[[CODE]], {{.*}}, %[[SYNCHRONIZES]], %[[B]], %[[D]], %[[BEGIN]], %[[END]])
// CHECK: llvm.func internal @scale_shape_dims
// CHECK: llvm.func @scale_shape(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @scale(%x: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64}, %n: i64, %y: !llvm.ptr, %begin: i64, %end: i64)
    attributes {proa.kernel, gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 64>, proa.launch = #proa.launch<threads = 64>,
                proa.rows = #proa.rows<count = 1>} {
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %p = llvm.getelementptr %x[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  %v = llvm.load %p : !llvm.ptr -> f32
  %q = llvm.getelementptr %y[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  llvm.store %v, %q : f32, !llvm.ptr
  llvm.return
}
llvm.func @scale_shape(%n: i64) -> i64 {
  llvm.return %n : i64
}

// -----

// Operations of a warp, and a float as the value of a shuffle.
// CHECK-LABEL: llvm.func internal @warp_rows
// CHECK: %[[VALID:.*]] = llvm.alloca %{{.*}} x i32
// CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : f32 to i32
// CHECK: %[[R:.*]] = llvm.call @proa_emulate_shfl(%{{.*}}, %{{.*}}, %[[M:[^,]*]], %[[BITS]],
// CHECK: llvm.bitcast %[[R]] : i32 to f32
// CHECK: llvm.call @proa_emulate_vote
// CHECK: llvm.icmp "ne"
// CHECK: llvm.call @proa_emulate_redux
// CHECK: llvm.call @proa_emulate_match
// CHECK: llvm.call @proa_emulate_elect
// CHECK: llvm.call @proa_emulate_sync_warp
// CHECK: llvm.call @proa_emulate_barrier_arrive
// CHECK: llvm.call @proa_emulate_barrier
// CHECK-NOT: nvvm
// CHECK-LABEL: llvm.func @warp(
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.mlir.constant(1 : i32)
llvm.func @warp(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %m = llvm.mlir.constant(-1 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %true = llvm.mlir.constant(true) : i1
  %n = llvm.mlir.constant(32 : i32) : i32
  %v = llvm.load %x : !llvm.ptr -> f32
  %s = nvvm.shfl.sync bfly %m, %v, %one, %one : f32 -> f32
  %a = nvvm.vote.sync any %m, %true -> i1
  %r = nvvm.redux.sync add %one, %m : i32 -> i32
  %k = nvvm.match.sync any %m, %one : i32 -> i32
  %e = nvvm.elect.sync -> i1
  nvvm.bar.warp.sync %m : i32
  nvvm.barrier.arrive id = %one number_of_threads = %n
  nvvm.barrier id = %one number_of_threads = %n
  nvvm.memory.barrier #nvvm.mem_scope<gpu>
  llvm.store %s, %x : f32, !llvm.ptr
  llvm.return
}

// -----

// Shared variables follow each other in the memory of the block; address spaces are dropped.
// CHECK-LABEL: llvm.func internal @shared_rows(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[SHARED:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64
// CHECK: llvm.getelementptr %[[SHARED]][0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.getelementptr %[[SHARED]][128] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NOT: addrspacecast
// CHECK: llvm.call @proa_emulate_cp_async(
// CHECK: llvm.call @proa_emulate_cp_async_commit(
// CHECK: llvm.call @proa_emulate_cp_async_wait(
// CHECK: llvm.call @proa_emulate_ldmatrix(
// CHECK-NOT: ptr<
// CHECK-LABEL: llvm.func @shared(
// CHECK: llvm.mlir.constant(192 : i64)
llvm.mlir.global internal @first() {addr_space = 3 : i32} : !llvm.array<100 x i8>
llvm.mlir.global internal @second() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<16 x f32>
llvm.func @shared(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = llvm.mlir.addressof @first : !llvm.ptr<3>
  %b = llvm.mlir.addressof @second : !llvm.ptr<3>
  %global = llvm.addrspacecast %x : !llvm.ptr to !llvm.ptr<1>
  nvvm.cp.async.shared.global %a, %global, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
  %r = nvvm.ldmatrix %b {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
                         eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  llvm.store %r, %a : i32, !llvm.ptr<3>
  llvm.return
}

// -----

// Functions of libdevice.
// CHECK-DAG: llvm.func @expf(f32) -> f32
// CHECK-DAG: llvm.func @proa_emulate_rsqrtf(f32) -> f32
// CHECK-LABEL: llvm.func internal @math_rows
// CHECK: llvm.call @expf(%{{.*}}) : (f32) -> f32
// CHECK: llvm.call @expf(%{{.*}}) : (f32) -> f32
// CHECK: llvm.call @proa_emulate_rsqrtf(%{{.*}}) : (f32) -> f32
// CHECK: llvm.call @proa_emulate_cvt_tf32
// CHECK: llvm.fdiv
llvm.func @__nv_expf(f32) -> f32
llvm.func @__nv_fast_expf(f32) -> f32
llvm.func @__nv_rsqrtf(f32) -> f32
llvm.func @math(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %v = llvm.load %x : !llvm.ptr -> f32
  %a = llvm.call @__nv_expf(%v) : (f32) -> f32
  %b = llvm.call @__nv_fast_expf(%a) : (f32) -> f32
  %c = llvm.call @__nv_rsqrtf(%b) : (f32) -> f32
  %d = nvvm.convert.float.to.tf32 %c {rnd = #nvvm.fp_rnd_mode<rna>}
  %e = llvm.bitcast %d : i32 to f32
  %f = nvvm.rcp.approx.ftz.f %e : f32
  llvm.store %f, %x : f32, !llvm.ptr
  llvm.return
}

// -----

// mbarriers, bulk copies and wgmma.
// CHECK-LABEL: llvm.func internal @hopper_rows
// CHECK: %[[P:.*]] = llvm.zext %{{.*}} : i1 to i32
// CHECK-NEXT: llvm.call @proa_emulate_mbarrier_init(%{{.*}}, %{{.*}}, %{{.*}}, %[[P]])
// CHECK: llvm.call @proa_emulate_mbarrier_expect_tx
// CHECK: llvm.call @proa_emulate_mbarrier_complete_tx
// CHECK: %[[STATE:.*]] = llvm.call @proa_emulate_mbarrier_arrive(
// CHECK: %[[IS_STATE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @proa_emulate_mbarrier_wait(%{{.*}}, %{{.*}}, %[[STATE]], %[[IS_STATE]])
// CHECK: %[[PHASE:.*]] = llvm.zext %{{.*}} : i32 to i64
// CHECK: %[[IS_PARITY:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @proa_emulate_mbarrier_wait(%{{.*}}, %{{.*}}, %[[PHASE]], %[[IS_PARITY]])
// CHECK: llvm.call @proa_emulate_cp_async_mbarrier_arrive
// CHECK: llvm.call @proa_emulate_mbarrier_arrive
// CHECK: llvm.call @proa_emulate_tma_load
// CHECK: llvm.call @proa_emulate_tma_store
// CHECK: llvm.call @proa_emulate_bulk_load
// CHECK: llvm.call @proa_emulate_bulk_store
// CHECK: llvm.call @proa_emulate_bulk_commit
// CHECK: llvm.call @proa_emulate_bulk_wait
// CHECK: %[[MBARRIER_INIT:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.call @proa_emulate_fence(%{{.*}}, %[[MBARRIER_INIT]])
// CHECK: %[[PROXY:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @proa_emulate_fence(%{{.*}}, %[[PROXY]])
// CHECK: llvm.call @proa_emulate_wgmma_fence
// CHECK: llvm.call @proa_emulate_wgmma(
// CHECK: llvm.call @proa_emulate_wgmma_commit
// CHECK: llvm.call @proa_emulate_wgmma_wait
// CHECK: llvm.call @proa_emulate_stmatrix
// CHECK: llvm.call @proa_emulate_mma
// CHECK: llvm.call @proa_emulate_mbarrier_inval
// CHECK-NOT: nvvm
// CHECK-LABEL: llvm.func @hopper(
llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<4096 x i8>
llvm.mlir.global internal @bar() {addr_space = 3 : i32} : i64
llvm.func @hopper(%x: !llvm.ptr, %d: i64, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 128>} {
  %true = llvm.mlir.constant(true) : i1
  %one = llvm.mlir.constant(1 : i32) : i32
  %size = llvm.mlir.constant(64 : i32) : i32
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  %b = llvm.mlir.addressof @bar : !llvm.ptr<3>
  %global = llvm.addrspacecast %x : !llvm.ptr to !llvm.ptr<1>
  %cluster = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  nvvm.mbarrier.init %b, %one, predicate = %true : !llvm.ptr<3>, i32, i1
  nvvm.mbarrier.expect_tx %b, %size : !llvm.ptr<3>, i32
  nvvm.mbarrier.complete_tx %b, %size : !llvm.ptr<3>, i32
  %state = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64
  %done = nvvm.mbarrier.test.wait %b, %state : !llvm.ptr<3>, i64 -> i1
  nvvm.mbarrier.try_wait.parity %b, %one, %one : !llvm.ptr<3>, i32, i32
  nvvm.cp.async.mbarrier.arrive %b : !llvm.ptr<3>
  nvvm.mbarrier.arrive.expect_tx %b, %size, predicate = %true : !llvm.ptr<3>, i32, i1
  nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %x, %b, box[%one, %one] : !llvm.ptr<7>, !llvm.ptr
  nvvm.cp.async.bulk.tensor.global.shared.cta %x, %s, box[%one, %one] : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.shared.cluster.global %cluster, %global, %b, %size : !llvm.ptr<7>, !llvm.ptr<1>
  nvvm.cp.async.bulk.global.shared.cta %global, %s, %size : !llvm.ptr<1>, !llvm.ptr<3>
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0
  nvvm.fence.mbarrier.init
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  %zero = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.fence.aligned
  %r = nvvm.wgmma.mma_async %d, %d, %zero, <m = 64, n = 8, k = 16>, D [<f32>, <zero>], A [<f16>, <one>, <row>],
      B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  nvvm.stmatrix %s, %one {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
                          eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
  %m = nvvm.mma.sync A[%one, %one] B[%one] C[%one, %one, %one, %one] {layoutA = #nvvm.mma_layout<row>,
      layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s8>,
      multiplicandBPtxType = #nvvm.mma_type<s8>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
      shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  nvvm.mbarrier.inval %b : !llvm.ptr<3>
  llvm.return
}

// -----

// The module has other functions than kernels; they stay.
// CHECK-LABEL: llvm.func @host()
// CHECK: inttoptr
llvm.func @host() -> !llvm.ptr {
  %c = llvm.mlir.constant(8 : i64) : i64
  %p = llvm.inttoptr %c : i64 to !llvm.ptr
  llvm.return %p : !llvm.ptr
}

// -----

// A tensor map is made by the thread, of the buffer and dims that its description names. Dynamic shared memory has the
// size that the kernel's attribute names. PTX text.
// CHECK: llvm.func @proa_emulate_tensor_map(!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr, !llvm.ptr, i32)
// CHECK-NOT: @dynamic_shared()
// CHECK-LABEL: llvm.func internal @dynamic_rows
// CHECK: llvm.alloca %{{.*}} x !llvm.array<128 x i8> {alignment = 64 : i64}
// CHECK: %[[ROWS:.*]] = llvm.mul %{{.*}}, %{{.*}} : i64
// CHECK: llvm.call @proa_emulate_tensor_map(
// CHECK-NOT: nvvm
// CHECK-LABEL: llvm.func @dynamic(
// CHECK: llvm.mlir.constant(65536 : i64)
llvm.mlir.global external @dynamic_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @dynamic(%x: !llvm.ptr, %n: i64, %m: i64, %begin: i64, %end: i64,
    %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant,
                     proa.tensor_map = #proa.tensor_map<buffer = 0, element_bytes = 2,
                       sizes = affine_map<()[s0, s1] -> (s0 * s1, 128)>, box = [64, 64], swizzle = 128>})
    attributes {proa.kernel, nvvm.kernel, proa.launch = #proa.launch<threads = 32, shared_bytes = 65536>} {
  %s = llvm.mlir.addressof @dynamic_shared : !llvm.ptr<3>
  %b = llvm.getelementptr %s[65528] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %one = llvm.mlir.constant(1 : i32) : i32
  %moved = nvvm.inline_ptx "mov.b32 $0, $1;" ro (%one : i32) -> i32
  nvvm.mbarrier.init %b, %moved : !llvm.ptr<3>, i32
  %cluster = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %map, %b, box[%one, %one] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

// The number of the wgmma that writes registers follows them through a loop. Accumulators may be in flight; a read is
// checked. The scope of a memory barrier decides whether it counts.
// ACCESS-LABEL: llvm.func internal @accumulate_rows
// ACCESS: %[[NONE:.*]] = llvm.mlir.constant(0 : i64) : i64
// ACCESS: llvm.br ^[[LOOP:.*]](%{{.*}}, %{{.*}}, %[[NONE]] : i64, !llvm.struct<(f32, f32, f32, f32)>, i64)
// ACCESS: ^[[LOOP]](%{{.*}}: i64, %{{.*}}: !llvm.struct<(f32, f32, f32, f32)>, %[[SO_FAR:.*]]: i64)
// ACCESS-NOT: check_wgmma
// ACCESS: llvm.call @proa_emulate_wgmma(
// ACCESS: %[[NEXT:.*]] = llvm.call @proa_emulate_wgmma_number
// ACCESS: llvm.cond_br %{{.*}}, ^[[LOOP]](%{{.*}}, %{{.*}}, %[[NEXT]] : {{.*}}), ^[[EXIT:.*]]
// ACCESS: ^[[EXIT]]
// ACCESS: llvm.call @proa_emulate_wgmma_wait
// ACCESS: llvm.extractvalue
// ACCESS: llvm.call @proa_emulate_check_wgmma(%{{.*}}, %[[NEXT]])
// ACCESS-NOT: check_wgmma
// ACCESS: llvm.store
// ACCESS: %[[MEMORY:.*]] = llvm.mlir.constant(0 : i32)
// ACCESS: llvm.call @proa_emulate_fence(%{{.*}}, %[[MEMORY]])
// ACCESS-NOT: proa_emulate_fence
// ACCESS: llvm.return
llvm.func @accumulate(%x: !llvm.ptr, %d: i64, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 128>} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %zero = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
  llvm.br ^loop(%begin, %zero : i64, !llvm.struct<(f32, f32, f32, f32)>)
^loop(%i: i64, %sums: !llvm.struct<(f32, f32, f32, f32)>):
  nvvm.wgmma.fence.aligned
  %r = nvvm.wgmma.mma_async %d, %d, %sums, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>],
      B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %end : i64
  llvm.cond_br %more, ^loop(%next, %r : i64, !llvm.struct<(f32, f32, f32, f32)>), ^exit
^exit:
  nvvm.wgmma.wait.group.sync.aligned 0
  %v = llvm.extractvalue %r[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %v, %x : f32, !llvm.ptr
  nvvm.memory.barrier <gpu>
  nvvm.memory.barrier <cta>
  llvm.return
}

// -----

// A wgmma with its first operand in registers, which the sums of the last one go into without a read.
// CHECK-LABEL: llvm.func internal @registers
// CHECK: llvm.store
// CHECK: llvm.call @proa_emulate_wgmma_registers(%{{.*}}, %[[N:.*]], %[[K:.*]], %{{.*}}) :
// CHECK: llvm.call @proa_emulate_wgmma_registers(
// ACCESS-LABEL: llvm.func internal @registers
// ACCESS: llvm.call @proa_emulate_wgmma_registers(
// ACCESS-NOT: check_wgmma
// ACCESS: llvm.call @proa_emulate_wgmma_registers(
// ACCESS: llvm.call @proa_emulate_wgmma_wait
// ACCESS: llvm.call @proa_emulate_check_wgmma(
llvm.func @registers(%x: !llvm.ptr, %d: i64, %begin: i64, %end: i64) attributes {proa.kernel, proa.launch = #proa.launch<threads = 128>} {
  %a = llvm.load %x : !llvm.ptr -> i32
  %zero = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.fence.aligned
  %s = rt.wgmma f16 (%a, %a, %a, %a), %d, %zero {transposes_y} : !llvm.struct<(f32, f32, f32, f32)>
  %r = rt.wgmma bf16 (%a, %a, %a, %a), %d, %s : !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  %v = llvm.extractvalue %r[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %v, %x : f32, !llvm.ptr
  llvm.return
}
