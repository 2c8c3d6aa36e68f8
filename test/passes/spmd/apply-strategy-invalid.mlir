// RUN: not proa-opt %s --dist-apply-strategy=strategy=dp2,xx,zero4,dp4,acc,sp 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not proa-opt %s --dist-apply-strategy=strategy=dp2,sp 2>&1 | FileCheck %s --check-prefix=SEQUENCE
// RUN: not proa-opt %s --dist-apply-strategy='strategy=dp2 function=other' 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not proa-opt %s --dist-apply-strategy=strategy=dp,cp2 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: proa-opt %s --dist-apply-strategy=strategy=dp2 --verify-diagnostics
// RUN: proa-opt %s --dist-apply-strategy=strategy=amp | FileCheck %s --check-prefix=NONE

// PARTS: unknown component 'xx' of a strategy: expected components among ppN
// PARTS: unknown component 'zero4' of a strategy
// PARTS: 'dp' is given twice
// PARTS: expected a number from 1 to 16777216 after 'acc', found 'acc'
// SEQUENCE: sp splits over the axis mp: expected a component mpN of at least 2
// FUNCTION: expected a function 'other'
// NUMBER: 'dp' has no size and there is no mesh: expected dpN, or a mesh with an axis 'dp'
// NONE-LABEL: @main
// NONE-NOT: dist.sharding

// expected-error @below {{expected that the symbol 'mesh' is free or a mesh}}
func.func private @mesh()
func.func @main(%x: tensor<8xf32> {pd.feed = "x"}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
