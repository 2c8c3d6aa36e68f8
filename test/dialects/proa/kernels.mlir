// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --mlir-print-op-generic | proa-opt | FileCheck %s

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
