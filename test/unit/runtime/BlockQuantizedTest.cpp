// Products with matrices of 4 and 8 bits compared with their definition in float64.
#include "test/unit/runtime/KernelHarness.h"

namespace proa::runtime {
namespace {

struct Product {
  int64_t rows, inner, columns, blockSize, bits = 4;
  bool hasZeros = false;

  int64_t blocks() const { return (inner + blockSize - 1) / blockSize; }
  int64_t columnBytes() const { return blocks() * blockSize * bits / 8; }

  int64_t codeAt(const Tensor &codes, int64_t column, int64_t k) const {
    uint8_t byte = codes.as<uint8_t>()[column * columnBytes() + k * bits / 8];
    return bits == 8 ? byte : k % 2 == 0 ? byte & 15 : byte >> 4;
  }

  void check() const {
    std::mt19937 generator(7);
    std::normal_distribution<float> normal;
    std::uniform_int_distribution<int> bytes(0, 255);
    Tensor x(DType::Float32, {rows, inner}), codes(DType::UInt8, {columns, columnBytes()}),
        scales(DType::Float32, {blocks(), columns}), zeros;
    for (Tensor *tensor : {&x, &scales})
      std::generate_n(tensor->as<float>(), tensor->size(), [&] { return normal(generator); });
    std::generate_n(codes.as<uint8_t>(), codes.size(),
                    [&] { return static_cast<uint8_t>(bytes(generator)); });
    if (hasZeros) {
      zeros = Tensor(DType::Float32, {blocks(), columns});
      std::generate_n(zeros.as<float>(), zeros.size(),
                      [&] { return static_cast<float>(bytes(generator) % (1 << bits)) + 0.5f; });
    }
    KernelCase c{"block_quantized_matmul",
                 {{"block_size", blockSize}, {"bits", bits}},
                 {x, codes, scales, zeros},
                 {{DType::Float32, {rows, columns}}}};
    expectDefinition(c);
    c.dims = Dims::Dynamic;
    expectDefinition(c);
    c.constantInputs = {1, 2};
    if (hasZeros)
      c.constantInputs.push_back(3);
    expectDefinition(c);
    c.dims = Dims::Static;
    expectDefinition(c);
  }

  void expectDefinition(const KernelCase &c) const {
    auto results = runCase(c);
    ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
    const float *x = c.inputs[0].as<float>(), *scales = c.inputs[2].as<float>();
    const float *zeros = hasZeros ? c.inputs[3].as<float>() : nullptr;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < inner; ++k) {
          int64_t at = k / blockSize * columns + j;
          double zero = zeros ? zeros[at] : 1 << (bits - 1);
          double code = static_cast<double>(codeAt(c.inputs[1], j, k));
          sum += x[i * inner + k] * scales[at] * (code - zero);
          size += std::abs(x[i * inner + k] * scales[at]) * (1 << (bits - 1));
        }
        ASSERT_NEAR((*results)[0].as<float>()[i * columns + j], sum, 3e-7 * size) << i << ", " << j;
      }
  }
};

TEST(BlockQuantizedTest, RowsInRegisters) {
  for (int64_t rows : {1, 2, 3, 4, 5, 8})
    for (bool hasZeros : {false, true})
      Product{rows, 64, 40, 32, 4, hasZeros}.check();
}

TEST(BlockQuantizedTest, RowsByPanels) {
  for (int64_t rows : {9, 70, 250})
    Product{rows, 800, 35, 32, 4, rows == 70}.check(); // several parts of the summed dimension
}

TEST(BlockQuantizedTest, LastBlockIsCut) {
  for (int64_t rows : {1, 20})
    for (int64_t inner : {1, 33, 47, 63})
      Product{rows, inner, 17, 16}.check();
}

TEST(BlockQuantizedTest, Bytes) {
  for (int64_t rows : {1, 7, 12})
    Product{rows, 100, 20, 16, 8, rows == 7}.check();
}

TEST(BlockQuantizedTest, BlocksLargerThanAPart) {
  for (int64_t rows : {1, 10})
    Product{rows, 1000, 3, 1024}.check();
}

TEST(BlockQuantizedTest, RefusesOtherBits) {
  KernelCase c{"block_quantized_matmul",
               {{"block_size", 16}, {"bits", 2}},
               {Tensor(DType::Float32, {1, 16}), Tensor(DType::UInt8, {1, 4}), Tensor(DType::Float32, {1, 1}),
                Tensor()},
               {{DType::Float32, {1, 1}}}};
  auto results = runCase(c);
  ASSERT_FALSE(bool(results));
  EXPECT_NE(results.diagnostics()[0].message.find("bits is 2 and block_size 16"), std::string::npos)
      << results.diagnostics()[0].message;
}

} // namespace
} // namespace proa::runtime
