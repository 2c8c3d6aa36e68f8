// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @block_quantized_matmul_c1(%x: tensor<40xf32>, %c: tensor<6x24xui8>, %s: tensor<18xf32>) {
  // expected-error@+1 {{C1: x is tensor<40xf32>, codes tensor<6x24xui8> and scales tensor<18xf32>}}
  %0 = pd.block_quantized_matmul %x, %c, %s {block_size = 16} : (tensor<40xf32>, tensor<6x24xui8>, tensor<18xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @block_quantized_matmul_c2(%x: tensor<5x40xf32>, %c: tensor<6x24xui8>, %s: tensor<3x6xf32>) {
  // expected-error@+1 {{C2: bits is 3 and block_size 16, expected 2, 4 or 8 bits, and blocks of whole bytes}}
  %0 = pd.block_quantized_matmul %x, %c, %s {block_size = 16, bits = 3} : (tensor<5x40xf32>, tensor<6x24xui8>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @block_quantized_matmul_c3(%x: tensor<5x49xf32>, %c: tensor<6x24xui8>, %s: tensor<3x6xf32>) {
  // expected-error@+1 {{C3: x is tensor<5x49xf32>, codes tensor<6x24xui8> and scales tensor<3x6xf32> for blocks of 16 elements of 4 bits}}
  %0 = pd.block_quantized_matmul %x, %c, %s {block_size = 16} : (tensor<5x49xf32>, tensor<6x24xui8>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @block_quantized_matmul_c4(%x: tensor<5x40xf32>, %c: tensor<6x24xui8>, %s: tensor<3x6xf32>, %z: tensor<3x7xf32>) {
  // expected-error@+1 {{C4: codes is tensor<6x24xui8>, scales tensor<3x6xf32>, zero_points tensor<3x7xf32>}}
  %0 = pd.block_quantized_matmul %x, %c, %s, %z {block_size = 16} : (tensor<5x40xf32>, tensor<6x24xui8>, tensor<3x6xf32>, tensor<3x7xf32>) -> tensor<5x6xf32>
  return
}
