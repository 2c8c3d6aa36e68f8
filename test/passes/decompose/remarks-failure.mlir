// RUN: proa-opt %s --pd-decompose --remarks=pd-decompose --verify-diagnostics -o /dev/null

// The derivative of a convolution by its input needs the size of the filter.
func.func @filter_vjp(%arg0: tensor<1x2x9x9xf32>, %arg1: tensor<2x2x?x?xf32>, %arg2: tensor<1x2x?x?xf32>) -> (tensor<1x2x?x?xf32>, tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) {
  %0 = pd.conv2d %arg0, %arg1 : (tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  // expected-remark @below {{pd.vjp is not decomposed: its derivative needs static dims; operand 1 of 'pd.conv2d' has dynamic dims: 'tensor<2x2x?x?xf32>'}}
  %1:2 = pd.vjp(%arg0, %arg1 : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) saved(%0 : tensor<1x2x?x?xf32>) cotangents(%arg2 : tensor<1x2x?x?xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64: 0>} : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32> {
  ^bb0(%arg3: tensor<1x2x9x9xf32>, %arg4: tensor<2x2x?x?xf32>):
    %2 = pd.conv2d %arg3, %arg4 : (tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) -> tensor<1x2x?x?xf32>
    pd.yield %2 : tensor<1x2x?x?xf32>
  }
  return %0, %1#0, %1#1 : tensor<1x2x?x?xf32>, tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>
}

// A decomposition that gives the reason itself, and its near miss.
func.func @dynamic(%x: tensor<?xf32>, %y: tensor<3xf32>) -> tensor<i1> {
  // expected-remark @below {{pd.equal_all is not decomposed: dynamic dims may differ, and the result depends on that}}
  %0 = pd.equal_all %x, %y : (tensor<?xf32>, tensor<3xf32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func @static(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<i1> {
  // expected-remark @below {{pd.equal_all is decomposed}}
  %0 = pd.equal_all %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<i1>
  return %0 : tensor<i1>
}
