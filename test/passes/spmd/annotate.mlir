// RUN: split-file %s %t
// RUN: proa-opt %t/program.mlir --dist-annotate="mesh=dp=2,mp=4 shardings=%t/plan.json" | FileCheck %t/program.mlir
// RUN: proa-opt %t/program.mlir --dist-annotate="shardings=%t/with-mesh.json" | FileCheck %t/program.mlir --check-prefix=FILE
// RUN: proa-opt %t/program.mlir --dist-annotate="mesh=dp=2,mp=1 shardings=%t/unit.json" | FileCheck %t/program.mlir --check-prefix=UNIT
// RUN: not proa-opt %t/program.mlir --dist-annotate="mesh=dp=2 shardings=%t/wrong.json" 2>&1 | FileCheck %t/program.mlir --check-prefix=WRONG
// RUN: not proa-opt %t/program.mlir --dist-annotate="mesh=dp=x" 2>&1 | FileCheck %t/program.mlir --check-prefix=MESH
// RUN: not proa-opt %t/program.mlir --dist-annotate="mesh=dp=4 shardings=%t/with-mesh.json" 2>&1 | FileCheck %t/program.mlir --check-prefix=DIFFERENT
// RUN: not proa-opt %t/program.mlir --dist-annotate 2>&1 | FileCheck %t/program.mlir --check-prefix=NONE
// RUN: not proa-opt %t/program.mlir --dist-annotate=shardings=%t/absent.json 2>&1 | FileCheck %t/program.mlir --check-prefix=ABSENT
// RUN: not proa-opt %t/program.mlir --dist-annotate=shardings=%t/list.json 2>&1 | FileCheck %t/program.mlir --check-prefix=LIST

//--- plan.json
{"shardings": [
  {"name": "fc_*.w_0", "sharding": "[{}, {mp}]"},
  {"name": "fc_1.w_0", "sharding": "[{\"mp\"}, {}]"},
  {"name": "x", "sharding": "[{dp, mp:(1)2, ?}p1, {}]"}]}

//--- with-mesh.json
{"mesh": {"y": 2, "x": 4}, "shardings": [{"name": "out", "sharding": "[{x}, {}], partial = [sum {y}]"}]}

//--- unit.json
{"shardings": [{"name": "fc_*.w_0", "sharding": "[{mp}p1, {}]"},
  {"name": "x", "sharding": "[{dp, mp}, {}]"},
  {"name": "out", "sharding": "[{}, {}], partial = [sum {dp, mp}]"}]}

//--- wrong.json
{"shardings": [
  {"name": "fc_2.w_0", "sharding": "[{}, {dp}]"},
  {"name": "x", "sharding": "[{mp}, {}]"},
  {"name": "x", "sharding": "[{dp}]"},
  {"name": "x", "sharding": "[{dp"},
  {"name": "x", "axes": "[{dp}]"},
  {"name": "[", "sharding": "[{dp}]"}]}

//--- list.json
[1]

//--- program.mlir
// CHECK: dist.mesh @mesh = <["dp"=2, "mp"=4]>
// CHECK: %arg0: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp", "mp":(1)2, ?}p1, {}]>, pd.feed = "x"}
// CHECK-SAME: %arg1: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.param = "fc_0.w_0"}
// CHECK-SAME: %arg2: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>, pd.param = "fc_1.w_0"}
// CHECK-SAME: (tensor<8x8xf32> {pd.fetch = "out"}, tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.state = "fc_0.w_0"})

// FILE: dist.mesh @mesh = <["y"=2, "x"=4]>
// FILE: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"x"}, {}], partial = [sum {"y"}]>, pd.fetch = "out"}

// UNIT: dist.mesh @mesh = <["dp"=2, "mp"=1]>
// UNIT: %arg0: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>, pd.feed = "x"}
// UNIT-SAME: %arg1: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>, pd.param = "fc_0.w_0"}
// UNIT-SAME: {dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = [sum {"dp"}]>, pd.fetch = "out"}

// WRONG-DAG: wrong.json: shardings[0]: no feed, parameter, fetch or state has a name that matches 'fc_2.w_0'; did you mean 'fc_0.w_0', 'fc_1.w_0'
// WRONG-DAG: wrong.json: shardings[1]: 'x': C3: expected an axis of the mesh, found "mp"; the axes are "dp"
// WRONG-DAG: wrong.json: shardings[2]: 'x': C2: expected a sharding with 2 dimensions, found 1
// WRONG-DAG: wrong.json: shardings[3]: expected a sharding such as [{mp}, {}], found '[{dp': unbalanced '{'
// WRONG-DAG: wrong.json: shardings[4]: expected an object with the texts 'name' and 'sharding'
// WRONG-DAG: wrong.json: shardings[5]: expected a pattern of names, found '['
// MESH: expected a mesh as AXIS=SIZE,AXIS=SIZE, found 'dp=x'
// DIFFERENT: expected equal meshes in the option and in {{.*}}with-mesh.json, found
// NONE: expected a mesh in the option, in the file, or one in the module; found 0
// ABSENT: absent.json: {{.*}}
// LIST: list.json: expected an object with the keys 'mesh' and 'shardings'
func.func @main(%x: tensor<8x8xf32> {pd.feed = "x"}, %w0: tensor<8x8xf32> {pd.param = "fc_0.w_0"},
    %w1: tensor<8x8xf32> {pd.param = "fc_1.w_0"})
    -> (tensor<8x8xf32> {pd.fetch = "out"}, tensor<8x8xf32> {pd.state = "fc_0.w_0"}) {
  return %x, %w0 : tensor<8x8xf32>, tensor<8x8xf32>
}
