// RUN: proa-opt %s --canonicalize | FileCheck %s

// Of an op with a region the operands may be constants and a value that the region captures not: the gradient
// by a constant is the captured value.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[F:.*]]: tensor<2xf32>
// CHECK: %[[G:.*]] = pd.vjp
// CHECK: pd.multiply %{{.*}}, %[[F]]
// CHECK: return %[[G]]
func.func @main(%f: tensor<2xf32> {pd.feed = "f"}) -> (tensor<2xf32> {pd.fetch = "g"}) {
  %x = pd.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = pd.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %g = pd.vjp(%x : tensor<2xf32>) cotangents(%c : tensor<2xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %y = pd.multiply %a, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    pd.yield %y : tensor<2xf32>
  }
  return %g : tensor<2xf32>
}

// The captured value is only the gradient itself, not an operand of an op.
// CHECK-LABEL: func.func @returned
// CHECK: pd.vjp
func.func @returned(%f: tensor<2xf32>) -> tensor<2xf32> {
  %x = pd.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %g = pd.vjp(%x : tensor<2xf32>) cotangents(%x : tensor<2xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %y = pd.divide %a, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    pd.yield %y : tensor<2xf32>
  }
  return %g : tensor<2xf32>
}

// Near miss: a captured constant.
// CHECK-LABEL: func.func @constant
// CHECK: %[[G:.*]] = pd.constant dense<[3.000000e+00, 5.000000e+00]>
// CHECK: return %[[G]]
func.func @constant() -> tensor<2xf32> {
  %x = pd.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %f = pd.constant dense<[3.0, 5.0]> : tensor<2xf32>
  %c = pd.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %g = pd.vjp(%x : tensor<2xf32>) cotangents(%c : tensor<2xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %y = pd.multiply %a, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    pd.yield %y : tensor<2xf32>
  }
  return %g : tensor<2xf32>
}
