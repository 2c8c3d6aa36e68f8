func.func @main(%x: tensor<8x6xf32> {pd.feed = "x"}, %w: tensor<6x5xf32> {pd.param = "w"},
    %v: tensor<5x6xf32> {pd.param = "v"}, %b: tensor<6xf32> {pd.param = "b"})
    -> (tensor<8x6xf32> {pd.fetch = "y"}, tensor<8x5xf32> {pd.fetch = "h"}, tensor<6x5xf32> {pd.state = "w"},
        tensor<5x6xf32> {pd.state = "v"}) {
  %0 = pd.matmul %x, %w : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
  %h = pd.tanh %0 : (tensor<8x5xf32>) -> tensor<8x5xf32>
  %1 = pd.matmul %h, %v : (tensor<8x5xf32>, tensor<5x6xf32>) -> tensor<8x6xf32>
  %y = pd.add %1, %b : (tensor<8x6xf32>, tensor<6xf32>) -> tensor<8x6xf32>
  %dv = pd.matmul %h, %y {transpose_x = true} : (tensor<8x5xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %dh = pd.matmul %y, %v {transpose_y = true} : (tensor<8x6xf32>, tensor<5x6xf32>) -> tensor<8x5xf32>
  %dw = pd.matmul %x, %dh {transpose_x = true} : (tensor<8x6xf32>, tensor<8x5xf32>) -> tensor<6x5xf32>
  %nw = pd.subtract %w, %dw : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  %nv = pd.subtract %v, %dv : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
  return %y, %h, %nw, %nv : tensor<8x6xf32>, tensor<8x5xf32>, tensor<6x5xf32>, tensor<5x6xf32>
}
