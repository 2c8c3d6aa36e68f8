// RUN: not proa-opt %s --pd-vmap="size=2 mapped=-2" 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not proa-opt %s --pd-vmap="size=0" 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not proa-opt %s --pd-grad="arguments=0,0" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not proa-opt %s --pd-grad="name=f" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not proa-opt %s --pd-grad="name=mesh" 2>&1 | FileCheck %s --check-prefix=MESH
// PLACE: error: the examples' dimension -2 is asked for: expected a place from 0 on, or -1
// SIZE: error: the number of examples must be above 0, or -1 where it is not known, found 0
// TWICE: error: argument 0 is asked for twice
// NAME: error: the module already has a symbol 'f'
// MESH: error: the module already has a symbol 'mesh'
dist.mesh @mesh = <["x"=2]>
func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %s = pd.sum %x : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
