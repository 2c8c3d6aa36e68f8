// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<8x9x9xui8>, %w: tensor<16x8x3x3xi8>) {
  // expected-error@+1 {{C1: input and filter must have rank 4, found ranks 3 and 4}}
  %0 = pd.integer_conv2d %x, %w : (tensor<8x9x9xui8>, tensor<16x8x3x3xi8>) -> tensor<1x16x7x7xi32>
  return
}

// -----

func.func @channels(%x: tensor<1x6x9x9xui8>, %w: tensor<16x8x3x3xi8>) {
  // expected-error@+1 {{C3: the input must have groups (1) times the filter's 8 channels, found 6}}
  %0 = pd.integer_conv2d %x, %w : (tensor<1x6x9x9xui8>, tensor<16x8x3x3xi8>) -> tensor<1x16x7x7xi32>
  return
}

// -----

func.func @groups(%x: tensor<1x24x9x9xui8>, %w: tensor<16x8x3x3xi8>) {
  // expected-error@+1 {{C4: groups must be above 0 and divide the 16 output channels, found 3}}
  %0 = pd.integer_conv2d %x, %w {groups = 3} : (tensor<1x24x9x9xui8>, tensor<16x8x3x3xi8>) -> tensor<1x16x7x7xi32>
  return
}

// -----

func.func @strides(%x: tensor<1x8x9x9xui8>, %w: tensor<16x8x3x3xi8>) {
  // expected-error@+1 {{C5: }}
  %0 = pd.integer_conv2d %x, %w {strides = array<i64: 0, 1>} : (tensor<1x8x9x9xui8>, tensor<16x8x3x3xi8>) -> tensor<1x16x7x7xi32>
  return
}

// -----

func.func @kernel(%x: tensor<1x8x2x2xui8>, %w: tensor<16x8x5x5xi8>) {
  // expected-error@+1 {{C7: }}
  %0 = pd.integer_conv2d %x, %w : (tensor<1x8x2x2xui8>, tensor<16x8x5x5xi8>) -> tensor<1x16x1x1xi32>
  return
}

// -----

func.func @unsigned_filter(%x: tensor<1x8x9x9xui8>, %w: tensor<16x8x3x3xui8>) {
  // expected-error@+1 {{operand #1 must be ranked tensor of i8}}
  %0 = pd.integer_conv2d %x, %w : (tensor<1x8x9x9xui8>, tensor<16x8x3x3xui8>) -> tensor<1x16x7x7xi32>
  return
}
