// RUN: not proa-opt %s --dist-apply-strategy=strategy=dp2,xx,zero4,dp4,cp,sp 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not proa-opt %s --dist-apply-strategy='strategy=dp2 function=other' 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: proa-opt %s --dist-apply-strategy=strategy=dp2 --verify-diagnostics
// RUN: proa-opt %s --dist-apply-strategy=strategy=amp | FileCheck %s --check-prefix=NONE

// PARTS: unknown part 'xx' of a strategy: expected parts among dpN
// PARTS: unknown part 'zero4' of a strategy
// PARTS: 'dp' is given twice
// PARTS: expected a number from 1 to 16777216 after 'cp', found 'cp'
// PARTS: sp splits over the axis mp: expected a part mpN of at least 2
// FUNCTION: expected a function 'other'
// NONE-NOT: dist.sharding

// expected-error @below {{the strategy defines the mesh 'mesh'}}
dist.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {pd.feed = "x"}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
