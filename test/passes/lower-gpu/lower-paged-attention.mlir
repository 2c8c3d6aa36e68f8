// RUN: proa-opt %s --proa-choose-attention --proa-lower-attention --split-input-file --verify-diagnostics | FileCheck %s

// Two blocks share the keys of each of two heads of two sequences. The kernel gets scratch memory for 16 rows of 64 sums,
// a maximum and a sum of weights for each block, counters, and a word for the check of the block table.
// CHECK-LABEL: func.func private @parts
// CHECK-SAME: %[[TABLE:[^:]*]]: memref<2x40xi32>
// CHECK-SAME: proa.index_checks = [#proa.index_check<indices = 3, bound = 1, size = 9>]
// CHECK-SAME: proa.launch = #proa.launch<threads = 32>, proa.rows = #proa.rows<count = 8, nanoseconds = {{[^>]*}}>, proa.scratch = #proa.scratch<buffers = {{\[\[}}8, 16, 264]], counters = true>
// Entries are checked once, then the rows are copied by the table.
// CHECK: memref.load %[[TABLE]]
// CHECK: memref.atomic_rmw minu
// CHECK: %[[ENTRY:.*]] = memref.load %[[TABLE]]
// CHECK: nvgpu.device_async_copy
// The last block combines the parts.
// CHECK: nvvm.memory.barrier
// CHECK: memref.atomic_rmw addi
// CHECK: scf.if
// CHECK: nvvm.memory.barrier
// CHECK: arith.maximumf
// CHECK: vector.store
func.func private @parts(%q: tensor<2x6x64xf16>, %k: tensor<9x2x16x64xf16>, %v: tensor<9x2x16x64xf16>,
    %t: tensor<2x40xi32>, %n: tensor<2xi32>) -> tensor<2x6x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.paged_attention %q, %k, %v, %t, %n {proa.attention = #proa.attention<split_keys = 2>}
      : (tensor<2x6x64xf16>, tensor<9x2x16x64xf16>, tensor<9x2x16x64xf16>,
      tensor<2x40xi32>, tensor<2xi32>) -> tensor<2x6x64xf16>
  return %0 : tensor<2x6x64xf16>
}

// -----

// CHECK-LABEL: func.func private @whole
// CHECK-NOT: proa.scratch
// CHECK-SAME: proa.rows = #proa.rows<count = 4, nanoseconds = {{[^>]*}}>
func.func private @whole(%q: tensor<2x6x64xf16>, %k: tensor<9x2x16x64xf16>, %t: tensor<2x40xi32>, %n: tensor<2xi32>)
    -> tensor<2x6x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.paged_attention %q, %k, %k, %t, %n {proa.attention = #proa.attention<split_keys = 1>}
      : (tensor<2x6x64xf16>, tensor<9x2x16x64xf16>, tensor<9x2x16x64xf16>,
      tensor<2x40xi32>, tensor<2xi32>) -> tensor<2x6x64xf16>
  return %0 : tensor<2x6x64xf16>
}

// -----

// There are counters for 1024 rows.
func.func private @counters(%q: tensor<600x6x64xf16>, %k: tensor<9x2x16x64xf16>, %t: tensor<600x40xi32>,
    %n: tensor<600xi32>) -> tensor<600x6x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @below {{`split_keys` is 2, expected 1 for more than 1024 tiles of queries, found 1200}}
  %0 = pd.paged_attention %q, %k, %k, %t, %n {proa.attention = #proa.attention<split_keys = 2>}
      : (tensor<600x6x64xf16>, tensor<9x2x16x64xf16>, tensor<9x2x16x64xf16>,
      tensor<600x40xi32>, tensor<600xi32>) -> tensor<600x6x64xf16>
  return %0 : tensor<600x6x64xf16>
}
