// Patterns of a file: the match, and near misses with the condition that fails, its op and its line.
// RUN: proa-opt %s --pdl-patterns=%S/Inputs/relu6.pdll 2>%t | FileCheck %s
// RUN: proa-opt %s --pd-apply-patterns=file=%S/Inputs/relu6.pdll --check-numerics --check-numerics-finite -o /dev/null
// RUN: proa-opt %s --pdl-patterns=%S/Inputs/relu6.pdll --remarks=pd-apply-patterns --verify-diagnostics -o /dev/null

// expected-remark @below {{pd-apply-patterns: pattern FuseRelu6: 2 matches}}
module {
  // CHECK-LABEL: @matches
  // CHECK-NEXT: pd.relu6 %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: pd.relu6 %{{.*}} : (tensor<3xf64>) -> tensor<3xf64>
  // CHECK-NEXT: return
  func.func @matches(%x: tensor<2x3xf32>, %y: tensor<3xf64>) -> (tensor<2x3xf32>, tensor<3xf64>) {
    %six = pd.constant dense<6.0> : tensor<f32>
    %six_of_double = pd.constant dense<6.0> : tensor<1xf64>
    %relu = pd.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-remark @below {{pattern FuseRelu6 matches}}
    %0 = pd.minimum %relu, %six : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %relu_of_double = pd.relu %y : (tensor<3xf64>) -> tensor<3xf64>
    // expected-remark @below {{pattern FuseRelu6 matches}}
    %1 = pd.minimum %relu_of_double, %six_of_double : (tensor<3xf64>, tensor<1xf64>) -> tensor<3xf64>
    return %0, %1 : tensor<2x3xf32>, tensor<3xf64>
  }

  // CHECK-LABEL: @near_misses
  // CHECK-NOT: pd.relu6
  func.func @near_misses(%x: tensor<3xf32>, %y: tensor<2x3xf32>)
      -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>) {
    %six = pd.constant dense<6.0> : tensor<f32>
    %five = pd.constant dense<5.0> : tensor<f32>
    %0 = pd.relu %x : (tensor<3xf32>) -> tensor<3xf32>
    // expected-remark @below {{pattern FuseRelu6 does not match: HasOneUse of the result of pd.relu at}}
    %1 = pd.minimum %0, %six : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = pd.relu %x : (tensor<3xf32>) -> tensor<3xf32>
    // expected-remark @below {{it is 5, expected 6}}
    %3 = pd.minimum %2, %five : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %4 = pd.relu %x : (tensor<3xf32>) -> tensor<3xf32>
    %sixes = pd.constant dense<6.0> : tensor<2x3xf32>
    // expected-remark @below {{SameType of the result of pd.minimum}}
    %5 = pd.minimum %4, %sixes : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    // The operand is not computed by pd.relu: this is another formula, not a near miss.
    %6 = pd.tanh %x : (tensor<3xf32>) -> tensor<3xf32>
    %7 = pd.minimum %6, %six : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0, %1, %3, %5, %7 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>
  }
}
