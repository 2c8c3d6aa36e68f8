// RUN: proa-opt %s --proa-set-target | FileCheck %s --check-prefix=DEFAULT
// RUN: proa-opt %s --proa-set-target="cpu=avx512 gpu=sm_100a" | FileCheck %s --check-prefix=NAMES
// RUN: proa-opt %s --proa-set-target="gpu=sm_90a facts=%S/Inputs/h100-pcie.json" | FileCheck %s --check-prefix=FACTS
// The facts of a GPU that the module has already stay; facts of another one do not.
// RUN: proa-opt %s --proa-set-target="gpu=sm_90a facts=%S/Inputs/h100-pcie.json" --proa-set-target=gpu=sm_90a | FileCheck %s --check-prefix=FACTS
// RUN: proa-opt %s --proa-set-target="gpu=sm_90a facts=%S/Inputs/h100-pcie.json" --proa-set-target=gpu=sm_80 | FileCheck %s --check-prefix=OTHER
// RUN: not proa-opt %s --proa-set-target=cpu=i386 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not proa-opt %s --proa-set-target=gpu=sm_70 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not proa-opt %s --proa-set-target="gpu=sm_90a facts=%S/Inputs/wrong.json" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not proa-opt %s --proa-set-target="facts=%S/Inputs/h100-pcie.json" 2>&1 | FileCheck %s --check-prefix=NO-GPU
// RUN: not proa-opt %s --proa-set-target="gpu=sm_90 facts=%S/Inputs/h100-pcie.json" 2>&1 | FileCheck %s --check-prefix=OTHER-GPU
// RUN: not proa-opt %s --proa-set-target="facts=%S/Inputs/missing.json" 2>&1 | FileCheck %s --check-prefix=MISSING

// DEFAULT: module attributes {proa.target = #proa.target<cpu "avx2">}
// NAMES: #proa.target<cpu "avx512", gpu "sm_100a">
// FACTS: #proa.target<cpu "avx2" {memory_bandwidth = 41000}, gpu "sm_90a" {link_bandwidth = 64000, multiprocessors = 114}>
// OTHER: #proa.target<cpu "avx2" {memory_bandwidth = 41000}, gpu "sm_80">
// CPU: error: cpu is 'i386', expected one of avx2, avx512, generic
// GPU: error: gpu is 'sm_70', expected one of sm_80,
// WRONG-DAG: wrong.json: /cpu/memory_bandwidth: found -1, expected an integer from 1 to 1000000000000 (MB/s read and written)
// WRONG-DAG: wrong.json: /cpu/l1_bytes: found 32768.5, expected an integer from 1024 to 1000000000000
// WRONG-DAG: wrong.json: /cpu/assumed_dim: found "64", expected an integer from 1 to 1000000000000
// WRONG-DAG: wrong.json: /cpu/vektor_bits: unknown fact; did you mean 'vector_bits'?
// WRONG-DAG: wrong.json: /cpu/name: found "avx512", but the program is compiled for "avx2"
// WRONG-DAG: wrong.json: /gpu/shared_bytes: found 8, expected an integer from 16384 to
// WRONG-DAG: wrong.json: /disk: unknown section, expected cpu or gpu
// NO-GPU: h100-pcie.json: /gpu: the program is compiled for a CPU, expected no facts of a GPU
// OTHER-GPU: /gpu/name: found "sm_90a", but the program is compiled for "sm_90"
// MISSING: missing.json

module {}
