// RUN: proa-opt %s --split-input-file | proa-opt --split-input-file | FileCheck %s
// RUN: proa-opt %s --split-input-file --mlir-print-op-generic | proa-opt --split-input-file | FileCheck %s

// CHECK: module attributes {proa.target = #proa.target<cpu "avx2">}
module attributes {proa.target = #proa.target<cpu "avx2">} {}

// -----
// A fact with the known value is not printed; others are, in the order of the fields.
// CHECK: #proa.target<cpu "avx512" {assumed_dim = 64, l1_bytes = 49152}, gpu "sm_90a" {multiprocessors = 114}>
module attributes {proa.target = #proa.target<cpu "avx512" {l1_bytes = 49152, assumed_dim = 64},
                                              gpu "sm_90a" {multiprocessors = 114, wgmma_rate = 2048}>} {}

// -----
// CHECK: #proa.target<cpu "generic", gpu "sm_80">
module attributes {proa.target = #proa.target<cpu "generic", gpu "sm_80">} {}
