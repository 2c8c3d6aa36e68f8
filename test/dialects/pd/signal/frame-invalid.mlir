// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @frame_axis(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{C1: axis must be 0 or -1 and x have rank 1 or more, found axis 1 and tensor<2x8xf32>}}
  %0 = "pd.frame"(%x) {frame_length = 4 : i64, hop_length = 2 : i64, axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @frame_length(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{C2: the frame length must be above 0 and at most the signal's, the hop above 0, found 9, 8 and 2}}
  %0 = "pd.frame"(%x) {frame_length = 9 : i64, hop_length = 2 : i64} : (tensor<2x8xf32>) -> tensor<2x9x0xf32>
  return
}

// -----

func.func @window(%x: tensor<2x8xf32>, %w: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 and the window n_fft elements, found tensor<2x8xf32>, tensor<3xf32> and 4}}
  %0 = "pd.stft"(%x, %w) {hop_length = 2 : i64, n_fft = 4 : i64} : (tensor<2x8xf32>, tensor<3xf32>) -> tensor<2x3x3xcomplex<f32>>
  return
}

// -----

func.func @overlap_add_c1(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{C1: axis must be 0 or -1 and x have rank 2 or more, found axis 1 and tensor<2x4x3xf32>}}
  %0 = pd.overlap_add %x {hop_length = 2 : i64, axis = 1 : i64} : (tensor<2x4x3xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @overlap_add_c2(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{C2: hop_length must be above 0, found 0}}
  %0 = pd.overlap_add %x {hop_length = 0 : i64} : (tensor<2x4x3xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @stft_c2(%x: tensor<2x8xf32>, %window: tensor<4xf32>) {
  // expected-error@+1 {{C2: the frame length must be above 0 and at most the signal's, the hop above 0, found 4, 8 and 0}}
  %0 = pd.stft %x, %window {hop_length = 0 : i64, n_fft = 4 : i64} : (tensor<2x8xf32>, tensor<4xf32>) -> tensor<2x3x3xcomplex<f32>>
  return
}

// -----

func.func @frame_c2_hop(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{C2: the frame length must be above 0 and at most the signal's, the hop above 0, found 4, 8 and 0}}
  %0 = pd.frame %x {frame_length = 4 : i64, hop_length = 0 : i64} : (tensor<2x8xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @stft_c2_n(%x: tensor<2x8xf32>, %window: tensor<9xf32>) {
  // expected-error@+1 {{C2: the frame length must be above 0 and at most the signal's, the hop above 0, found 9, 8 and 2}}
  %0 = pd.stft %x, %window {hop_length = 2 : i64, n_fft = 9 : i64} : (tensor<2x8xf32>, tensor<9xf32>) -> tensor<2x3x3xcomplex<f32>>
  return
}

// -----

func.func @stft_c1(%x: tensor<2x8xf32>, %window: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 and the window n_fft elements, found tensor<2x8xf32>, tensor<3xf32> and 4}}
  %0 = pd.stft %x, %window {hop_length = 2 : i64, n_fft = 4 : i64} : (tensor<2x8xf32>, tensor<3xf32>) -> tensor<2x3x3xcomplex<f32>>
  return
}
