// A function that the test script does not care about disappears; the one with arith.divsi stays.
// RUN: printf '#!/bin/sh\nif grep -q arith.divsi "$1"; then exit 1; fi\nexit 0\n' > %t.sh
// RUN: chmod +x %t.sh
// RUN: proa-reduce %s -reduction-tree='traversal-mode=0 test=%t.sh' | FileCheck %s

// CHECK-NOT: @boring
// CHECK: func.func @interesting
// CHECK: arith.divsi
// CHECK-NOT: @boring
func.func @boring(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  return %b : i32
}
func.func @interesting(%a: i32, %b: i32) -> i32 {
  %c = arith.divsi %a, %b : i32
  return %c : i32
}
func.func @boring_too() {
  return
}
