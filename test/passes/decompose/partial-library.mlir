// RUN: proa-opt %s --pd-decompose=target=cpu | FileCheck %s
// RUN: proa-opt %s --pd-decompose=target=cpu --remarks=pd-decompose -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=ALL

// A composite whose library kernel computes some of its forms: the others are decomposed.
// ALL-LABEL: func.func
// ALL-NOT: pd.fused_attention

// REMARK: pd.fused_attention is not decomposed: the target cpu has the library kernel 'fused_attention'
// CHECK-LABEL: func.func @floats
// CHECK: pd.fused_attention
func.func @floats(%q: tensor<1x2x5x8xf32>) -> tensor<1x2x5x8xf32> {
  %o, %m, %s = pd.fused_attention %q, %q, %q : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>)
  return %o : tensor<1x2x5x8xf32>
}

// REMARK: pd.fused_attention has no library kernel: its elements are float64
// CHECK-LABEL: func.func @doubles
// CHECK-NOT: pd.fused_attention
func.func @doubles(%q: tensor<1x2x5x8xf64>) -> tensor<1x2x5x8xf64> {
  %o, %m, %s = pd.fused_attention %q, %q, %q : (tensor<1x2x5x8xf64>, tensor<1x2x5x8xf64>, tensor<1x2x5x8xf64>) -> (tensor<1x2x5x8xf64>, tensor<1x2x5xf64>, tensor<1x2x5xf64>)
  return %o : tensor<1x2x5x8xf64>
}

// CHECK-LABEL: func.func @dropout
// CHECK: pd.fused_attention
func.func @dropout(%q: tensor<1x2x5x8xf32>, %call: tensor<2xi64>) -> tensor<1x2x5x8xf32> {
  %o, %m, %s = pd.fused_attention %q, %q, %q dropout_call = %call {dropout_p = 0.5 : f64} : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<2xi64>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>)
  return %o : tensor<1x2x5x8xf32>
}
