// Each rank samples its part of a tensor, with the numbers that one device has there: uneven parts of two dimensions,
// numbers that share a block of the generator, and an op without a seed of its own.
// RUN: proa-run %s --params random:5 --seed 3 --cache off -q -o %t.safetensors --repeat 1 --warmup 0
// RUN: echo '{"mesh": {"x": 2, "y": 3}, "shardings": [{"name": "*", "sharding": "[{x}, {y}]"}]}' > %t.json
// RUN: proa-run %s --params random:5 --seed 3 --shardings %t.json --simulate-mesh --cache off --expect=%t.safetensors -q | FileCheck %s
// RUN: echo '{"mesh": {"x": 2, "y": 3}, "shardings": [{"name": "*", "sharding": "[{y, x}, {}]"}]}' > %t.json
// RUN: proa-run %s --params random:5 --seed 3 --shardings %t.json --simulate-mesh --cache off --expect=%t.safetensors -q | FileCheck %s
// RUN: proa-run %s --params random:5 --seed 3 --shardings %t.json --simulate-mesh --cache off --target=cuda-emulated --expect=%t.safetensors -q | FileCheck %s --check-prefix=DEVICE
// DEVICE: PASS
// CHECK: max abs error 0
// CHECK: PASS
func.func @main(%x: tensor<7x5xf32> {pd.feed = "x"}) -> (tensor<7x5xf32> {pd.fetch = "uniform"}, tensor<7x5xf64> {pd.fetch = "uniform64"},
    tensor<7x5xf32> {pd.fetch = "gaussian"}, tensor<7x5xf32> {pd.fetch = "truncated"}, tensor<7x5xi64> {pd.fetch = "randint"},
    tensor<7x5xf32> {pd.fetch = "poisson"}, tensor<7x5xf32> {pd.fetch = "gamma"}, tensor<7x5xi64> {pd.fetch = "binomial"},
    tensor<7x5xf32> {pd.fetch = "other"}) {
  %0 = pd.uniform {dtype = f32, shape = array<i64: 7, 5>, seed = 3 : i64} : () -> tensor<7x5xf32>
  %1 = pd.uniform {dtype = f64, shape = array<i64: 7, 5>, seed = 4 : i64} : () -> tensor<7x5xf64>
  %2 = pd.gaussian {dtype = f32, shape = array<i64: 7, 5>, seed = 5 : i64} : () -> tensor<7x5xf32>
  %3 = pd.truncated_gaussian_random {dtype = f32, shape = array<i64: 7, 5>, seed = 6 : i64} : () -> tensor<7x5xf32>
  %4 = pd.randint {dtype = i64, shape = array<i64: 7, 5>, seed = 7 : i64, high = 1000 : i64} : () -> tensor<7x5xi64>
  %mean = pd.abs %x : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %5 = pd.poisson %mean {seed = 8 : i64} : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %6 = pd.standard_gamma %mean {seed = 9 : i64} : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %chance = pd.sigmoid %x : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %7 = pd.binomial %4, %chance {seed = 10 : i64} : (tensor<7x5xi64>, tensor<7x5xf32>) -> tensor<7x5xi64>
  %8 = pd.uniform {dtype = f32, shape = array<i64: 7, 5>} : () -> tensor<7x5xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<7x5xf32>, tensor<7x5xf64>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi64>,
    tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi64>, tensor<7x5xf32>
}
