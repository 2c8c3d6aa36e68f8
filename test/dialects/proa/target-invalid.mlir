// RUN: proa-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{found 'avx3', expected one of avx2, avx512, generic}}
module attributes {proa.target = #proa.target<cpu "avx3">} {}

// -----
// expected-error@+1 {{found 'sm_70', expected one of sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a}}
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_70">} {}

// -----
// expected-error@+1 {{unknown fact 'multiprocesors'; did you mean 'multiprocessors'?}}
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90" {multiprocesors = 3}>} {}

// -----
// A GPU does not take the facts of a CPU.
// expected-error@+1 {{unknown fact 'multiprocessors'}}
module attributes {proa.target = #proa.target<cpu "avx2" {multiprocessors = 3}>} {}

// -----
// expected-error@+1 {{expected integer value}}
module attributes {proa.target = #proa.target<cpu "avx2" {l1_bytes = "32 KiB"}>} {}

// -----
// expected-error@+1 {{expected 'cpu'}}
module attributes {proa.target = #proa.target<gpu "sm_90">} {}

// -----
// expected-error@+1 {{C1: cpu: assumed_dim is 0, expected 1 to 1000000000000}}
module attributes {proa.target = #proa.target<cpu "avx2" {assumed_dim = 0}>} {}

// -----
// expected-error@+1 {{C1: gpu: multiprocessors is -1, expected 1 to 1000000000000}}
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90" {multiprocessors = -1}>} {}

// -----
// expected-error@+1 {{attribute 'proa.target': expected a #proa.target on a module, found 3 : i64 on builtin.module}}
module attributes {proa.target = 3} {}

// -----
// expected-error@+1 {{attribute 'proa.target': expected a #proa.target on a module, found #proa.target<cpu "avx2"> on func.func}}
func.func private @f() attributes {proa.target = #proa.target<cpu "avx2">}
