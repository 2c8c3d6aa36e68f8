// The values in the way of the op that the script looks for become arguments; nothing else is left.
// RUN: printf '#!/bin/sh\n! grep -q pd.softmax "$1"\n' > %t.sh && chmod +x %t.sh
// RUN: proa-reduce %s --reduce=test=%t.sh | FileCheck %s
// CHECK:      module {
// CHECK-NEXT:   func.func @main(%[[X:.*]]: tensor<?x4xf32>) -> (tensor<?x4xf32> {pd.fetch = "out"}) {
// CHECK-NEXT:     %[[Y:.*]] = pd.softmax %[[X]]
// CHECK-NEXT:     return %[[Y]]
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @main(%x: tensor<?x3xf32> {pd.feed = "x"}, %w: tensor<3x4xf32> {pd.param = "w"}, %b: tensor<4xf32> {pd.param = "b"})
    -> (tensor<4xf32>, tensor<?x4xf32> {pd.fetch = "out"}) {
  %0 = pd.relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = pd.matmul %0, %w : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %2 = pd.add %1, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %3 = pd.softmax %2 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = func.call @twice(%3) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %5 = pd.exp %b : (tensor<4xf32>) -> tensor<4xf32>
  return %5, %4 : tensor<4xf32>, tensor<?x4xf32>
}
func.func @twice(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = pd.add %x, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// What cannot be reduced leaves the output file as it was.
// RUN: echo old > %t.out
// RUN: not proa-reduce %s --reduce=test=%t.none -o %t.out 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: '{{.*}}.none' is not executable, expected test=SCRIPT
// RUN: printf '#!/bin/sh\nexit 0\n' > %t.never.sh && chmod +x %t.never.sh
// RUN: not proa-reduce %s --reduce=test=%t.never.sh -o %t.out 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: error: the input is not interesting
// RUN: grep -x old %t.out
