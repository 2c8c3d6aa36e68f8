#include "lib/runtime/kernels/matmul/PanelGemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

namespace proa::runtime {
namespace {

/// Numbers in [-1, 1) that differ from element to element.
float number(int64_t i) { return static_cast<float>((i * 7919 + 13) % 2048 - 1024) / 1024; }

/// Rows, inner dim, columns.
class Panels : public testing::TestWithParam<std::tuple<int64_t, int64_t, int64_t>> {
protected:
  static constexpr float untouched = 77;

  /// The product of rows with stride 3 in x and 5 in the result.
  void check(bool wide, bool transposed, bool accumulates, bool biased) const {
    auto [rows, inner, columns] = GetParam();
    int64_t xStride = inner + 3, outStride = columns + 5;
    std::vector<float> x, y, bias, out(static_cast<size_t>(rows * outStride), untouched);
    for (int64_t i = 0; i < rows * xStride; ++i)
      x.push_back(number(i));
    for (int64_t i = 0; i < inner * columns; ++i)
      y.push_back(number(3 * i + 1));
    for (int64_t i = 0; i < columns; ++i)
      bias.push_back(number(5 * i + 2));
    int64_t innerStride = transposed ? 1 : columns, columnStride = transposed ? inner : 1;
    PanelLayout layout{inner, columns};
    std::vector<float> panels(static_cast<size_t>(layout.size()), NAN);
    layout.pack(y.data(), innerStride, columnStride, panels.data());
    PanelGemm product{layout, panels.data(), rows, x.data(), xStride, out.data(), outStride, accumulates};
    product.backward = transposed;
    if (biased)
      product.bias = bias.data();
    if (wide)
      multiplyPanels(product, {0, rows, 0, columns}, true);
    else
      product.run();
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < outStride; ++column) {
        float found = out[static_cast<size_t>(row * outStride + column)];
        if (column >= columns) {
          ASSERT_EQ(found, untouched) << "behind row " << row;
          continue;
        }
        double want = accumulates ? static_cast<double>(untouched) : 0.0;
        if (biased)
          want += static_cast<double>(bias[static_cast<size_t>(column)]);
        for (int64_t k = 0; k < inner; ++k)
          want += static_cast<double>(x[static_cast<size_t>(row * xStride + k)]) *
                  static_cast<double>(y[static_cast<size_t>(k * innerStride + column * columnStride)]);
        ASSERT_NEAR(static_cast<double>(found), want, 1e-6 * (20 + static_cast<double>(inner)))
            << "row " << row << ", column " << column;
      }
  }
};

TEST_P(Panels, EqualDefinition) {
  for (bool wide : {false, true})
    for (bool transposed : {false, true})
      for (bool accumulates : {false, true})
        for (bool biased : {false, true}) {
          SCOPED_TRACE(testing::Message()
                       << (wide ? "wide " : "") << (transposed ? "transposed " : "")
                       << (accumulates ? "accumulating " : "") << (biased ? "biased" : ""));
          check(wide, transposed, accumulates, biased);
        }
}

INSTANTIATE_TEST_SUITE_P(Rows, Panels,
                         testing::Combine(testing::Range<int64_t>(1, 27), testing::Values(5, 37),
                                          testing::Values(17)));
INSTANTIATE_TEST_SUITE_P(Inner, Panels,
                         testing::Combine(testing::Values(1, 7, 80),
                                          testing::Values(0, 1, 2, 383, 384, 385, 1000),
                                          testing::Values(1, 16, 33)));
// Groups of panels by one or two rows, of which the last one has fewer.
INSTANTIATE_TEST_SUITE_P(FewRows, Panels,
                         testing::Combine(testing::Range<int64_t>(1, 7), testing::Values(0, 37, 385),
                                          testing::Values(47, 48, 64, 130)));
// Several blocks of panels and several blocks of rows.
INSTANTIATE_TEST_SUITE_P(Blocks, Panels, testing::Values(std::tuple(700, 150, 300), std::tuple(3, 20, 600)));

// A softmax of large logits makes a difference by rounding between equal columns visible: networks of ONNX's
// tests have weights that are all the same.
TEST(PanelGemm, EqualColumnsHaveEqualResults) {
  constexpr int64_t inner = 4096, columns = 1000;
  PanelLayout layout{inner, columns};
  std::vector<float> x, y, panels(static_cast<size_t>(layout.size()));
  for (int64_t i = 0; i < 6 * inner; ++i)
    x.push_back(number(i));
  for (int64_t i = 0; i < inner * columns; ++i)
    y.push_back(number(i / columns));
  layout.pack(y.data(), columns, 1, panels.data());
  for (int64_t rows = 1; rows <= 6; ++rows)
    for (bool wide : {false, true}) {
      std::vector<float> out(static_cast<size_t>(rows * columns));
      PanelGemm product{layout, panels.data(), rows, x.data(), inner, out.data(), columns};
      multiplyPanels(product, {0, rows, 0, columns}, wide);
      for (size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], out[i - i % columns]) << rows << " rows, element " << i;
    }
}

/// A block is finished once, and after all its terms are added.
void checkFinished(int64_t rows, int64_t inner, int64_t columns) {
  SCOPED_TRACE(testing::Message() << rows << " x " << inner << " x " << columns);
  PanelLayout layout{inner, columns};
  std::vector<float> x(static_cast<size_t>(rows * inner), 1), panels(static_cast<size_t>(layout.size()), 1),
      out(static_cast<size_t>(rows * columns));
  PanelGemm::Finish finish = [&](const PanelGemm::Block &block) {
    for (int64_t row = block.row; row < block.row + block.rows; ++row)
      for (int64_t column = block.column; column < block.column + block.columns; ++column) {
        float &value = out[static_cast<size_t>(row * columns + column)];
        value = 2 * value + 1;
      }
  };
  PanelGemm{layout, panels.data(), rows, x.data(), inner, out.data(), columns}.run(&finish);
  for (float value : out)
    ASSERT_EQ(value, static_cast<float>(2 * inner + 1));
}

TEST(PanelGemm, EachElementIsFinishedOnce) {
  checkFinished(700, 200, 530);
  checkFinished(100, 900, 40); // several blocks of terms
  checkFinished(10, 385, 33);
  checkFinished(1, 16, 5);
  checkFinished(1, 400, 150); // several panels at once
  checkFinished(2, 400, 150);
  checkFinished(48, 0, 16);
}

} // namespace
} // namespace proa::runtime
