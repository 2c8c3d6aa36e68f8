// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --mlir-print-op-generic | proa-opt | FileCheck %s

// The locations of a call, at the end of this file.
// CHECK: #[[$A:loc[0-9]*]] = loc("a")
// CHECK: #[[$B:loc[0-9]*]] = loc("b")

// Fields in any order; those that are not set are not printed.
// CHECK: @all() attributes {proa.contraction = #proa.contraction<kind = wgmma, tile = [1, 128, 256, 64], warp = [64, 256], stages = 3, split_k = 4, whole_steps = true>}
func.func private @all() attributes {proa.contraction = #proa.contraction<whole_steps = true, split_k = 4, stages = 3,
    warp = [64, 256], tile = [1, 128, 256, 64], kind = wgmma>}
// CHECK: @some() attributes {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 16], warp = [4, 4]>}
func.func private @some() attributes {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 16], warp = [4, 4],
    whole_steps = false>}
// CHECK: @split() attributes {proa.contraction = #proa.contraction<split_k = 1>}
func.func private @split() attributes {proa.contraction = #proa.contraction<split_k = 1>}
// CHECK: @attention() attributes {proa.attention = #proa.attention<kind = mma, tile = [64, 128], stages = 2, split_keys = 8>}
func.func private @attention() attributes {proa.attention = #proa.attention<kind = mma, tile = [64, 128], stages = 2,
    split_keys = 8>}
// CHECK: @kind() attributes {proa.attention = #proa.attention<kind = fma>}
func.func private @kind() attributes {proa.attention = #proa.attention<kind = fma>}
// CHECK: @launch() attributes {proa.launch = #proa.launch<threads = 256, row_blocks = 4, resident_blocks = 2, shared_bytes = 65536>}
func.func private @launch() attributes {proa.launch = #proa.launch<shared_bytes = 65536, resident_blocks = 2,
    row_blocks = 4, threads = 256>}
// CHECK: @checks() attributes
// CHECK-SAME: proa.dim_checks = [#proa.dim_check<argument = 1, axis = 0, other = 0, other_axis = 2>, #proa.dim_check<argument = 1, axis = 1, size = 16>, #proa.dim_check<argument = 0, axis = 1, size = 4, may_be_one = true>]
// CHECK-SAME: proa.index_checks = [#proa.index_check<indices = 3, bound = 1, axis = 2, size = 9>, #proa.index_check<size = 4, kind = index_from_end>, #proa.index_check<indices = 2, bound = 0, kind = group_size>]
func.func private @checks() attributes {
    proa.dim_checks = [#proa.dim_check<argument = 1, axis = 0, other = 0, other_axis = 2>,
                       #proa.dim_check<argument = 1, axis = 1, size = 16>,
                       #proa.dim_check<argument = 0, axis = 1, size = 4, may_be_one = true>],
    proa.index_checks = [#proa.index_check<indices = 3, bound = 1, axis = 2, size = 9, kind = index>,
                         #proa.index_check<size = 4, kind = index_from_end>,
                         #proa.index_check<indices = 2, bound = 0, axis = 0, kind = group_size>]}
// CHECK: @loops() attributes {proa.loops = #proa.loops<vector = 4, group = 32, starts = [0.000000e+00 : f32, unit], neutral = [1.000000e+00 : f32, 0], fused_with = result>}
func.func private @loops() attributes {proa.loops = #proa.loops<fused_with = result, neutral = [1.0 : f32, 0 : i64],
    starts = [0.0 : f32, unit], group = 32, vector = 4>}
// CHECK: @operand() attributes {proa.loops = #proa.loops<fused_with = operand>}
func.func private @operand() attributes {proa.loops = #proa.loops<fused_with = operand>}
// CHECK: @strategy() attributes {proa.strategy = #proa.strategy<columns>}
func.func private @strategy() attributes {proa.strategy = #proa.strategy<columns>}
// CHECK: @rows() attributes {proa.rows = #proa.rows<count = 16, nanoseconds = 5.000000e+00 : f64, tiles = [1, 256], dims = {{\[\[}}0, 1], [0, -1], []]>}
func.func private @rows() attributes {proa.rows = #proa.rows<dims = [[0, 1], [0, -1], []], tiles = [1, 256],
    nanoseconds = 5.0 : f64, count = 16>}
// CHECK: @dynamic() attributes {proa.rows = #proa.rows<count = ?>, proa.scratch = #proa.scratch<buffers = {{\[\[}}?, 4], [8]], counters = true>}
func.func private @dynamic() attributes {proa.rows = #proa.rows<count = ?>,
    proa.scratch = #proa.scratch<counters = true, buffers = [[?, 4], [8]]>}

// CHECK-LABEL: func.func private @device_kernels
// CHECK-SAME: %{{.*}}: memref<4xf32> {proa.tensor_map = #proa.tensor_map<buffer = 0, element_bytes = 2, sizes = affine_map<()[s0] -> (s0 * 4, 128)>, box = [64, 64], swizzle = 128>}
// CHECK-SAME: proa.device_kernel = #proa.device_kernel<op>
func.func private @device_kernels(%x: memref<4xf32> {proa.tensor_map = #proa.tensor_map<buffer = 0, element_bytes = 2, sizes = affine_map<()[s0] -> (s0 * 4, 128)>, box = [64, 64], swizzle = 128>})
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  return
}

// CHECK-LABEL: func.func private @calls
// CHECK: proa.kernel_call = #proa.kernel_call<label = "exp+sum", locations = [#[[$A]], #[[$B]]]>
func.func private @calls(%x: memref<4xf32>) attributes {proa.device_kernel = #proa.device_kernel<threads>} {
  func.call @device_kernels(%x) {proa.kernel_call = #proa.kernel_call<label = "exp+sum", locations = [loc("a"), loc("b")]>} : (memref<4xf32>) -> ()
  return
}
