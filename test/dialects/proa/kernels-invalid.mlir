// RUN: proa-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{found 'simd', expected fma, mma or wgmma}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = simd>}

// -----
// expected-error@+1 {{duplicate or unknown struct parameter name: parts}}
func.func private @f() attributes {proa.contraction = #proa.contraction<parts = 2>}

// -----
// expected-error@+1 {{C1: `tile` is [32, 0, 16], expected sizes of at least 1}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = fma, tile = [32, 0, 16], warp = [4, 4]>}

// -----
// expected-error@+1 {{C2: `warp` is [4], expected with fma multiples of 4 and 4}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 16], warp = [4]>}

// -----
// expected-error@+1 {{C2: `warp` is [16, 8], expected with mma multiples of 16 and 16}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = mma, tile = [32, 32, 32], warp = [16, 8]>}

// -----
// expected-error@+1 {{C2: `warp` is [32, 64], expected with wgmma multiples of 64 and 8}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = wgmma, tile = [64, 64, 64], warp = [32, 64]>}

// -----
// expected-error@+1 {{C3: `stages` is 0, expected 1 to 8}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = mma, stages = 0>}

// -----
// expected-error@+1 {{C3: `stages` is 1, expected 2 to 8}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = wgmma, stages = 1>}

// -----
// expected-error@+1 {{C4: `split_k` is 5000, expected 1 to 4096}}
func.func private @f() attributes {proa.contraction = #proa.contraction<split_k = 5000>}

// -----
// expected-error@+1 {{C5: `tile` and `warp` are set together, and need `kind`}}
func.func private @f() attributes {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 16]>}

// -----
// expected-error@+1 {{C5: `tile` and `warp` are set together, and need `kind`}}
func.func private @f() attributes {proa.contraction = #proa.contraction<tile = [32, 32, 16], warp = [4, 4]>}

// -----
// expected-error@+1 {{attribute 'proa.contraction': expected a #proa.contraction, found "wgmma" on func.func}}
func.func private @f() attributes {proa.contraction = "wgmma"}

// -----
// expected-error@+1 {{C1: `tile` is [64, 24], expected two multiples of 16 up to 128}}
func.func private @f() attributes {proa.attention = #proa.attention<kind = mma, tile = [64, 24]>}

// -----
// expected-error@+1 {{C1: `tile` is [64], expected two multiples of 16 up to 128}}
func.func private @f() attributes {proa.attention = #proa.attention<kind = mma, tile = [64]>}

// -----
// expected-error@+1 {{C2: `stages` is 9, expected 1 to 8}}
func.func private @f() attributes {proa.attention = #proa.attention<stages = 9>}

// -----
// expected-error@+1 {{C3: `split_keys` is 0, expected 1 to 4096}}
func.func private @f() attributes {proa.attention = #proa.attention<split_keys = 0>}

// -----
// expected-error@+1 {{C4: `tile` needs `kind`}}
func.func private @f() attributes {proa.attention = #proa.attention<tile = [64, 64]>}

// -----
// expected-error@+1 {{attribute 'proa.attention': expected a #proa.attention, found #proa.contraction<kind = mma> on func.func}}
func.func private @f() attributes {proa.attention = #proa.contraction<kind = mma>}

// -----
// expected-error@+1 {{C1: `threads` is 2000, expected 1 to 1024}}
func.func private @f() attributes {proa.launch = #proa.launch<threads = 2000>}

// -----
// expected-error@+1 {{C2: `row_blocks` is 0, expected 1 to 4096}}
func.func private @f() attributes {proa.launch = #proa.launch<row_blocks = 0>}

// -----
// expected-error@+1 {{C3: `resident_blocks` is 65, expected 1 to 64}}
func.func private @f() attributes {proa.launch = #proa.launch<resident_blocks = 65>}

// -----
// expected-error@+1 {{C4: `shared_bytes` is -4, expected 0 to}}
func.func private @f() attributes {proa.launch = #proa.launch<shared_bytes = -4>}

// -----
// expected-error@+1 {{attribute 'proa.launch': expected a #proa.launch, found 64 : i64 on func.func}}
func.func private @f() attributes {proa.launch = 64}

// -----
// expected-error@+1 {{C1: `indices`, `bound` or `axis` is negative, expected indices}}
func.func private @f() attributes {proa.index_checks = [#proa.index_check<indices = -1, bound = 0>]}

// -----
// expected-error@+1 {{C2: neither `bound` nor `size` is set}}
func.func private @f() attributes {proa.index_checks = [#proa.index_check<indices = 1>]}

// -----
// expected-error@+1 {{found 'size', expected index, index_from_end or group_size}}
func.func private @f() attributes {proa.index_checks = [#proa.index_check<indices = 1, size = 4, kind = size>]}

// -----
// expected-error@+1 {{attribute 'proa.index_checks': expected an array of #proa.index_check, found [array<i64: 1, 0, 0, 4, 0>] on func.func}}
func.func private @f() attributes {proa.index_checks = [array<i64: 1, 0, 0, 4, 0>]}

// -----
// expected-error@+1 {{struct is missing required parameter: axis}}
func.func private @f() attributes {proa.dim_checks = [#proa.dim_check<argument = 1, size = 4>]}

// -----
// expected-error@+1 {{C1: a field is negative, expected indices and a size}}
func.func private @f() attributes {proa.dim_checks = [#proa.dim_check<argument = 1, axis = -1, size = 4>]}

// -----
// expected-error@+1 {{C2: expected either `other` and `other_axis`, or `size`}}
func.func private @f() attributes {proa.dim_checks = [#proa.dim_check<argument = 1, axis = 0, other = 1>]}

// -----
// expected-error@+1 {{C2: expected either `other` and `other_axis`, or `size`}}
func.func private @f() attributes {proa.dim_checks = [#proa.dim_check<argument = 1, axis = 0>]}

// -----
// expected-error@+1 {{attribute 'proa.dim_checks': expected an array of #proa.dim_check, found #proa.dim_check<argument = 1, axis = 0, size = 4> on func.func}}
func.func private @f() attributes {proa.dim_checks = #proa.dim_check<argument = 1, axis = 0, size = 4>}

// -----
// expected-error@+1 {{C1: `vector` is 0, expected 1 to 16}}
func.func private @f() attributes {proa.loops = #proa.loops<vector = 0>}

// -----
// expected-error@+1 {{C2: `group` is 2048, expected 1 to 1024}}
func.func private @f() attributes {proa.loops = #proa.loops<group = 2048>}

// -----
// expected-error@+1 {{found 'epilogue', expected operand or result}}
func.func private @f() attributes {proa.loops = #proa.loops<fused_with = epilogue>}

// -----
// expected-error@+1 {{attribute 'proa.loops': expected a #proa.loops, found 4 : i64 on func.func}}
func.func private @f() attributes {proa.loops = 4}

// -----
// expected-error@+1 {{C1: `count` is -1, expected 0 or more}}
func.func private @f() attributes {proa.rows = #proa.rows<count = -1>}

// -----
// expected-error@+1 {{C2: `tiles` are [4, 0], expected sizes of at least 1}}
func.func private @f() attributes {proa.rows = #proa.rows<tiles = [4, 0]>}

// -----
// expected-error@+1 {{C3: `dims` has array<i64: 0, 2>, expected -1 to 1}}
func.func private @f() attributes {proa.rows = #proa.rows<tiles = [4, 4], dims = [[0, 2]]>}

// -----
// expected-error@+1 {{attribute 'proa.rows': expected a #proa.rows, found 8 : i64 on func.func}}
func.func private @f() attributes {proa.rows = 8 : i64}

// -----
// expected-error@+1 {{C1: `buffers` has array<i64: 4, -4>, expected dims that are not negative}}
func.func private @f() attributes {proa.scratch = #proa.scratch<buffers = [[4, -4]]>}

// -----
// expected-error@+1 {{attribute 'proa.scratch': expected a #proa.scratch, found [array<i64: 4>] on func.func}}
func.func private @f() attributes {proa.scratch = [array<i64: 4>]}

// -----
// expected-error@+1 {{C1: `buffer` is -1}}
func.func private @map(memref<4xf32> {proa.tensor_map = #proa.tensor_map<buffer = -1, element_bytes = 2, sizes = affine_map<() -> (4)>, box = [4], swizzle = 0>})

// -----
// expected-error@+1 {{C2: `element_bytes` is 3, expected 1, 2, 4 or 8}}
func.func private @map(memref<4xf32> {proa.tensor_map = #proa.tensor_map<buffer = 0, element_bytes = 3, sizes = affine_map<() -> (4)>, box = [4], swizzle = 0>})

// -----
// expected-error@+1 {{C3: `sizes` is affine_map<()[s0] -> (s0 + 1)>, expected a map of symbols to 1 to 5 products}}
func.func private @map(memref<4xf32> {proa.tensor_map = #proa.tensor_map<buffer = 0, element_bytes = 2, sizes = affine_map<()[s0] -> (s0 + 1)>, box = [4], swizzle = 0>})

// -----
// expected-error@+1 {{C4: `box` is [257], expected 1 sizes of 1 to 256}}
func.func private @map(memref<4xf32> {proa.tensor_map = #proa.tensor_map<buffer = 0, element_bytes = 2, sizes = affine_map<() -> (4)>, box = [257], swizzle = 0>})

// -----
// expected-error@+1 {{C5: `swizzle` is 8, expected 0, 32, 64 or 128}}
func.func private @map(memref<4xf32> {proa.tensor_map = #proa.tensor_map<buffer = 0, element_bytes = 2, sizes = affine_map<() -> (4)>, box = [4], swizzle = 8>})

// -----
// expected-error@+1 {{attribute 'proa.device_kernel': expected a #proa.device_kernel, found unit on func.func}}
func.func private @f() attributes {proa.device_kernel}

// -----
func.func private @callee()
func.func private @f() {
  // expected-error@+1 {{attribute 'proa.kernel_call': expected a #proa.kernel_call, found "exp" on func.call}}
  call @callee() {proa.kernel_call = "exp"} : () -> ()
  return
}

// -----
// expected-error@+1 {{attribute 'proa.strategies': expected an array of strategies, as #proa.contraction, found [4] on func.func}}
func.func private @f() attributes {proa.strategies = [4]}

// -----
// expected-error@+2 {{expected one of [lines, columns, tiles, shared, merge, select, ordered, atomic] for how the threads of a block compute an op together, got: rows}}
// expected-error@+1 {{failed to parse Proa_ThreadStrategyAttr parameter}}
func.func private @f() attributes {proa.strategy = #proa.strategy<rows>}

// -----
// expected-error@+1 {{attribute 'proa.strategy': expected a #proa.strategy, found "lines" on func.func}}
func.func private @f() attributes {proa.strategy = "lines"}

// -----
// expected-error@+1 {{attribute 'proa.kernel': expected unit, found true on func.func}}
func.func private @f() attributes {proa.kernel = true}

// -----
// expected-error@+1 {{unknown attribute 'proa.lunch'; did you mean 'proa.launch'?}}
func.func private @f() attributes {proa.lunch = #proa.launch<threads = 64>}
