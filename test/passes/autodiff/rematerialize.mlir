// RUN: proa-opt %s --pd-rematerialize="function=cheap report=%t.json" --cse | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json
// RUN: proa-opt %s --pd-rematerialize="function=products" | FileCheck %s --check-prefix=PRODUCTS
// RUN: proa-opt %s --pd-rematerialize="function=products memory-budget=1000000" | FileCheck %s --check-prefix=PRODUCTS
// RUN: proa-opt %s --pd-rematerialize="function=products memory-budget=0" 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not proa-opt %s --pd-rematerialize="function=cheap memory-budget=-2" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: the memory budget must be a number of bytes, or -1 for none, found -2

// Of three values that the second half needs, the two after the random op are recomputed.
// CHECK-LABEL: func @cheap(
// CHECK: %[[U:.*]] = pd.uniform
// CHECK: pd.exp %[[U]]
// CHECK: pd.sin
// CHECK: %[[LAST:.*]] = pd.sum
// CHECK: pd.matmul
// CHECK: %[[B:.*]] = pd.optimization_barrier %[[U]]
// CHECK: pd.exp %[[B]]
// CHECK-NOT: pd.uniform
// CHECK: return
// REPORT: "function": "cheap"
// REPORT: "operations_added": 2048
// REPORT: "peak_bytes_after": 12292
// REPORT: "peak_bytes_before": 20484
// REPORT: "recomputed_ops": 3
func.func @cheap(%w: tensor<32x32xf32>) -> (tensor<f32>, tensor<32x32xf32>) {
  %u = pd.uniform {shape = array<i64: 32, 32>, dtype = f32} : () -> tensor<32x32xf32>
  %e = pd.exp %u : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %s = pd.sin %e : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = pd.matmul %s, %w : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %q = pd.matmul %p, %w : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %y = pd.sum %q : (tensor<32x32xf32>) -> tensor<f32>
  %d = pd.multiply %w, %y : (tensor<32x32xf32>, tensor<f32>) -> tensor<32x32xf32>
  %0 = pd.matmul %d, %w : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = pd.multiply %s, %0 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = pd.multiply %e, %1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = pd.multiply %u, %2 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %y, %3 : tensor<f32>, tensor<32x32xf32>
}

// Products are computed again only where a budget asks for it.
// PRODUCTS-LABEL: func @products(
// PRODUCTS-NOT: pd.optimization_barrier
// PRODUCTS: return
// BUDGET: warning: needs {{[0-9]+}} bytes even with recomputation, expected at most the budget of 0
// BUDGET-LABEL: func @products(
// BUDGET: pd.sum
// BUDGET: %[[B:.*]] = pd.optimization_barrier %arg0
// BUDGET: pd.matmul %[[B]], %[[B]]
// BUDGET: return
func.func @products(%x: tensor<32x32xf32>) -> (tensor<f32>, tensor<32x32xf32>) {
  %a = pd.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %b = pd.matmul %a, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %c = pd.matmul %b, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %d = pd.matmul %c, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %y = pd.sum %d : (tensor<32x32xf32>) -> tensor<f32>
  %0 = pd.matmul %d, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = pd.multiply %c, %0 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = pd.matmul %1, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = pd.multiply %b, %2 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %4 = pd.matmul %3, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %5 = pd.multiply %a, %4 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %y, %5 : tensor<f32>, tensor<32x32xf32>
}
