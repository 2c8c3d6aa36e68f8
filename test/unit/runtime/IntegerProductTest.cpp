// Products of bytes compared with their definition in 64 bits; every element must be equal.
#include "test/unit/runtime/KernelHarness.h"

namespace proa::runtime {
namespace {

using Shape = std::vector<int64_t>;

/// Bytes of the whole range, or with `extreme` only its ends, whose products saturate in 16 bits.
Tensor randomBytes(DType dtype, const Shape &dims, unsigned seed, bool extreme = false) {
  Tensor out(dtype, dims);
  std::mt19937 generator(seed);
  int low = dtype == DType::Int8 ? -128 : 0;
  std::uniform_int_distribution<int> distribution(low, low + 255);
  for (int64_t i = 0; i < out.size(); ++i) {
    int value = distribution(generator);
    out.as<uint8_t>()[i] = static_cast<uint8_t>(extreme ? (value % 4 == 0 ? low : low + 255) : value);
  }
  return out;
}

int64_t byteAt(const Tensor &tensor, int64_t i) {
  return tensor.dtype() == DType::Int8 ? int64_t(tensor.as<int8_t>()[i]) : int64_t(tensor.as<uint8_t>()[i]);
}

void expectSums(const KernelCase &c, const std::vector<int64_t> &expected) {
  auto results = runCase(c);
  ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
  const Tensor &out = (*results)[0];
  ASSERT_EQ(out.size(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out.as<int32_t>()[i], expected[static_cast<size_t>(i)]) << "element " << i;
}

struct Matmul {
  DType x;
  int64_t batch, rows, inner, columns;
  bool transposeX = false, transposeY = false, batchedY = false, extreme = false;

  void check() const {
    Shape xDims{batch, rows, inner}, yDims{batch, inner, columns};
    if (transposeX)
      std::swap(xDims[1], xDims[2]);
    if (transposeY)
      std::swap(yDims[1], yDims[2]);
    if (!batchedY)
      yDims.erase(yDims.begin());
    Tensor a = randomBytes(x, xDims, 1, extreme), b = randomBytes(DType::Int8, yDims, 2, extreme);
    std::vector<int64_t> sums;
    for (int64_t g = 0; g < batch; ++g)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          int64_t sum = 0;
          for (int64_t k = 0; k < inner; ++k)
            sum += byteAt(a, g * rows * inner + (transposeX ? k * rows + i : i * inner + k)) *
                   byteAt(b, (batchedY ? g * inner * columns : 0) +
                                 (transposeY ? j * inner + k : k * columns + j));
          sums.push_back(sum);
        }
    KernelCase c{"integer_matmul",
                 {{"transpose_x", transposeX}, {"transpose_y", transposeY}},
                 {a, b},
                 {{DType::Int32, {batch, rows, columns}}}};
    expectSums(c, sums);
    c.dims = Dims::Dynamic;
    expectSums(c, sums);
    if (batchedY)
      return;
    c.constantInputs = {1};
    expectSums(c, sums);
    c.dims = Dims::Static;
    expectSums(c, sums);
  }
};

struct Conv {
  DType x;
  int64_t channels, size, outputs, kernel, stride, padding, dilation, groups;
  bool channelsLast = false, extreme = false;

  int64_t outSize() const { return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1; }

  int64_t position(int64_t n, int64_t c, int64_t h, int64_t w, int64_t count, int64_t side) const {
    return channelsLast ? ((n * side + h) * side + w) * count + c : ((n * count + c) * side + h) * side + w;
  }

  void check() const {
    Shape xDims = channelsLast ? Shape{2, size, size, channels} : Shape{2, channels, size, size};
    int64_t out = outSize(), perGroup = channels / groups;
    Shape outDims = channelsLast ? Shape{2, out, out, outputs} : Shape{2, outputs, out, out};
    Tensor a = randomBytes(x, xDims, 1, extreme),
           b = randomBytes(DType::Int8, {outputs, perGroup, kernel, kernel}, 2, extreme);
    std::vector<int64_t> sums(static_cast<size_t>(2 * outputs * out * out));
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t o = 0; o < outputs; ++o)
        for (int64_t h = 0; h < out; ++h)
          for (int64_t w = 0; w < out; ++w) {
            int64_t sum = 0;
            for (int64_t c = 0; c < perGroup; ++c)
              for (int64_t i = 0; i < kernel; ++i)
                for (int64_t j = 0; j < kernel; ++j) {
                  int64_t y = h * stride + i * dilation - padding, z = w * stride + j * dilation - padding;
                  if (y >= 0 && y < size && z >= 0 && z < size)
                    sum +=
                        byteAt(a, position(n, o / (outputs / groups) * perGroup + c, y, z, channels, size)) *
                        byteAt(b, ((o * perGroup + c) * kernel + i) * kernel + j);
                }
            sums[static_cast<size_t>(position(n, o, h, w, outputs, out))] = sum;
          }
    KernelCase c{"integer_conv2d",
                 {{"strides", Shape{stride, stride}},
                  {"paddings", Shape{padding, padding}},
                  {"padding_algorithm", "EXPLICIT"},
                  {"dilations", Shape{dilation, dilation}},
                  {"groups", groups},
                  {"data_format", channelsLast ? "NHWC" : "NCHW"}},
                 {a, b},
                 {{DType::Int32, outDims}}};
    expectSums(c, sums);
    c.constantInputs = {1};
    expectSums(c, sums);
    c.dims = Dims::Dynamic;
    expectSums(c, sums);
  }
};

} // namespace

TEST(IntegerProduct, Matrices) {
  for (DType x : {DType::Int8, DType::UInt8})
    for (bool transposeX : {false, true})
      for (bool transposeY : {false, true}) {
        Matmul{x, 1, 5, 7, 3, transposeX, transposeY}.check();
        Matmul{x, 1, 33, 300, 65, transposeX, transposeY}.check();
        Matmul{x, 3, 17, 64, 40, transposeX, transposeY, true}.check();
      }
}

TEST(IntegerProduct, ExtremeBytes) {
  for (DType x : {DType::Int8, DType::UInt8})
    for (int64_t inner : {2, 514, 515, 1024, 1025, 1100})
      Matmul{.x = x, .batch = 1, .rows = 4, .inner = inner, .columns = 48, .extreme = true}.check();
  for (DType x : {DType::Int8, DType::UInt8})
    for (int64_t channels : {16, 57, 58, 64, 114, 240}) // sums of 240 are above 2^24: float32 rounds them
      Conv{x, channels, 6, 32, 3, 1, 1, 1, 1, true, true}.check();
}

TEST(IntegerProduct, Empty) {
  Matmul{DType::UInt8, 1, 3, 0, 4}.check();
  Matmul{DType::UInt8, 1, 0, 3, 4}.check();
  Matmul{DType::Int8, 0, 3, 3, 4, false, false, true}.check();
}

TEST(IntegerProduct, Images) {
  for (DType x : {DType::Int8, DType::UInt8})
    for (bool last : {false, true}) {
      Conv{x, 3, 9, 8, 3, 2, 1, 1, 1, last}.check();
      Conv{x, 16, 8, 5, 1, 1, 0, 1, 1, last}.check();
      Conv{x, 8, 8, 16, 3, 1, 2, 2, 2, last}.check();   // groups and dilations
      Conv{x, 16, 7, 16, 3, 1, 1, 1, 16, last}.check(); // depthwise
      // Sums that float32 holds because of the weights, and others.
      Conv{x, 64, 6, 8, 3, 1, 1, 1, 1, last}.check();
      Conv{x, 160, 6, 8, 3, 1, 1, 1, 1, last}.check();
    }
}

} // namespace proa::runtime
