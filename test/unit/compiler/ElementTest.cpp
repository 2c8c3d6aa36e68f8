// Ops of ElementOpInterface, as kernels for the GPU (cuda-emulated) and by the library kernels of the CPU,
// which share nothing: both must have the same results, also for dims that no tile divides.
#include "proa/Model.h"
#include "test/common/OpenSession.h"

#include "lib/base/support/Files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

using namespace proa;

namespace {

struct ElementCase {
  const char *name;
  /// Function text, in which $n is a dim and $m, $k, ... follow from it.
  const char *text;
  /// The dims of results: factor and offset of n.
  int64_t factor = 1, offset = 0;
  /// Dims that the op accepts.
  int64_t least = 0;
  /// Largest difference, as a part of the greatest element of the feeds.
  double tolerance = 0;
};

constexpr int64_t greatest = 504;

std::string replaced(std::string text, const std::string &key, int64_t value) {
  for (size_t at; (at = text.find(key)) != std::string::npos;)
    text.replace(at, key.size(), std::to_string(value));
  return text;
}

class Element : public testing::TestWithParam<ElementCase> {
protected:
  /// The results of a program on feeds whose elements are small whole numbers, so that sums are exact.
  static std::vector<Tensor> resultsOf(const std::string &text, const std::string &target) {
    std::string path = (std::filesystem::path(testing::TempDir()) / "proa-element-test.mlir").string();
    EXPECT_TRUE(writeFile(path, text));
    ModelOptions options;
    options.cacheDirectory = "off";
    options.target = target;
    auto session = openSession(path, options);
    if (!session) {
      ADD_FAILURE() << session.diagnostics().text() << text;
      return {};
    }
    std::map<std::string, Tensor> feeds;
    for (const auto &feed : session->model().feeds()) {
      Tensor tensor(feed.dtype, std::vector<int64_t>(feed.dims.begin(), feed.dims.end()));
      auto *elements = tensor.as<float>();
      for (int64_t i = 0; i < tensor.size(); ++i)
        elements[i] = static_cast<float>(
            (i * 7919 + static_cast<int64_t>(feeds.size())) % (2 * greatest + 1) - greatest);
      feeds.emplace(feed.name, tensor);
    }
    auto outputs = session->run(feeds);
    if (!outputs) {
      ADD_FAILURE() << outputs.diagnostics().text() << text;
      return {};
    }
    std::vector<Tensor> results;
    for (const auto &output : *outputs)
      results.push_back(output.tensor);
    return results;
  }
};

TEST_P(Element, EqualsTheLibraryKernel) {
  const ElementCase &own = GetParam();
  for (int64_t n : {0, 1, 31, 33, 1025}) {
    if (n < own.least)
      continue;
    std::string text = replaced(replaced(own.text, "$n", n), "$m", own.factor * n + own.offset);
    std::vector<Tensor> kernel = resultsOf(text, "cuda-emulated"), library = resultsOf(text, "cpu");
    ASSERT_EQ(kernel.size(), library.size());
    for (size_t r = 0; r < kernel.size(); ++r) {
      ASSERT_EQ(kernel[r].dims(), library[r].dims()) << own.name << " n = " << n;
      for (int64_t i = 0; i < kernel[r].size(); ++i) {
        float a = kernel[r].as<float>()[i], b = library[r].as<float>()[i];
        bool isEqual =
            a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= own.tolerance * greatest;
        ASSERT_TRUE(isEqual) << own.name << " n = " << n << " element " << i << ": " << a << ", expected "
                             << b;
      }
    }
  }
}

const ElementCase elementCases[] = {
    {"slice", R"(func.func @main(%x: tensor<3x$nxf32>) -> tensor<2x$mxf32> {
  %0 = pd.slice %x {axes = array<i64: 0, 1>, starts = array<i64: 1, -$m>, ends = array<i64: 3, 5000>}
      : (tensor<3x$nxf32>) -> tensor<2x$mxf32>
  return %0 : tensor<2x$mxf32>
})",
     1, -1, 2},
    {"reverse", R"(func.func @main(%x: tensor<3x$nxf32>) -> tensor<3x$nxf32> {
  %0 = pd.slice %x {axes = array<i64: 1>, starts = array<i64: -1>, ends = array<i64: -1>, strides = array<i64: -1>}
      : (tensor<3x$nxf32>) -> tensor<3x$nxf32>
  return %0 : tensor<3x$nxf32>
})"},
    {"concat",
     R"(func.func @main(%x: tensor<3x$nxf32>, %y: tensor<3x2xf32>, %z: tensor<3x$nxf32>) -> tensor<3x$mxf32> {
  %0 = pd.concat %x, %y, %z {axis = 1 : i64} : (tensor<3x$nxf32>, tensor<3x2xf32>, tensor<3x$nxf32>) -> tensor<3x$mxf32>
  %1 = pd.abs %0 : (tensor<3x$mxf32>) -> tensor<3x$mxf32>
  return %1 : tensor<3x$mxf32>
})",
     2, 2},
    {"pad", R"(func.func @main(%x: tensor<3x$nxf32>) -> tensor<4x$mxf32> {
  %0 = pd.pad %x {paddings = array<i64: 0, 1, 2, 1>, pad_value = 7.0} : (tensor<3x$nxf32>) -> tensor<4x$mxf32>
  return %0 : tensor<4x$mxf32>
})",
     1, 3},
    {"roll", R"(func.func @main(%x: tensor<3x$nxf32>) -> (tensor<3x$nxf32>, tensor<3x$nxf32>) {
  %0 = pd.roll %x {axis = array<i64: 0, 1>, shifts = array<i64: -4, 70>} : (tensor<3x$nxf32>) -> tensor<3x$nxf32>
  %1 = pd.roll %x {shifts = array<i64: 5>} : (tensor<3x$nxf32>) -> tensor<3x$nxf32>
  return %0, %1 : tensor<3x$nxf32>, tensor<3x$nxf32>
})"},
    {"pool_max", R"(func.func @main(%x: tensor<2x3x5x$nxf32>) -> tensor<2x3x3x$mxf32> {
  %0 = pd.pool2d %x {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 1>, paddings = array<i64: 1, 1>}
      : (tensor<2x3x5x$nxf32>) -> tensor<2x3x3x$mxf32>
  return %0 : tensor<2x3x3x$mxf32>
})",
     1, 0, 1},
    {"pool_mean",
     R"(func.func @main(%x: tensor<2x3x5x$nxf32>) -> (tensor<2x3x3x$mxf32>, tensor<2x3x3x$mxf32>) {
  %0 = pd.pool2d %x pooling_type = avg
      {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 1>, paddings = array<i64: 1, 1>, exclusive = true}
      : (tensor<2x3x5x$nxf32>) -> tensor<2x3x3x$mxf32>
  %1 = pd.pool2d %x pooling_type = avg
      {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 1>, paddings = array<i64: 1, 1>, exclusive = false}
      : (tensor<2x3x5x$nxf32>) -> tensor<2x3x3x$mxf32>
  return %0, %1 : tensor<2x3x3x$mxf32>, tensor<2x3x3x$mxf32>
})",
     1, 0, 1, 1e-6},
    {"pool_adaptive", R"(func.func @main(%x: tensor<2x5x$nx3xf32>) -> tensor<2x2x7x3xf32> {
  %0 = pd.pool2d %x data_format = NHWC pooling_type = avg {kernel_size = array<i64: 2, 7>, adaptive = true}
      : (tensor<2x5x$nx3xf32>) -> tensor<2x2x7x3xf32>
  return %0 : tensor<2x2x7x3xf32>
})",
     1, 0, 1, 1e-6},
    {"pool_gradient",
     R"(func.func @main(%x: tensor<2x3x5x$nxf32>, %g: tensor<2x3x3x$mxf32>) -> (tensor<2x3x5x$nxf32>,
      tensor<2x3x5x$nxf32>) {
  %0 = pd.pool2d_gradient %x, %g
      {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 1>, paddings = array<i64: 1, 1>}
      : (tensor<2x3x5x$nxf32>, tensor<2x3x3x$mxf32>) -> tensor<2x3x5x$nxf32>
  %1 = pd.pool2d_gradient %x, %g pooling_type = avg
      {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 1>, paddings = array<i64: 1, 1>}
      : (tensor<2x3x5x$nxf32>, tensor<2x3x3x$mxf32>) -> tensor<2x3x5x$nxf32>
  return %0, %1 : tensor<2x3x5x$nxf32>, tensor<2x3x5x$nxf32>
})",
     1, 0, 1, 1e-6},
    {"pool_adaptive_gradient",
     R"(func.func @main(%x: tensor<2x3x5x$nxf32>, %g: tensor<2x3x2x7xf32>) -> tensor<2x3x5x$nxf32> {
  %0 = pd.pool2d_gradient %x, %g pooling_type = avg {kernel_size = array<i64: 2, 7>, adaptive = true}
      : (tensor<2x3x5x$nxf32>, tensor<2x3x2x7xf32>) -> tensor<2x3x5x$nxf32>
  return %0 : tensor<2x3x5x$nxf32>
})",
     1, 0, 1, 1e-6},
    {"fold",
     R"(func.func @main(%x: tensor<$nx12x9xf32>, %y: tensor<$nx12x16xf32>) -> (tensor<$nx2x4x7xf32>,
      tensor<$nx2x4x7xf32>) {
  %0 = pd.fold %x {output_sizes = array<i64: 4, 7>, kernel_sizes = array<i64: 2, 3>, strides = array<i64: 2, 1>,
                   paddings = array<i64: 1, 0>, dilations = array<i64: 1, 2>}
      : (tensor<$nx12x9xf32>) -> tensor<$nx2x4x7xf32>
  %1 = pd.fold %y {output_sizes = array<i64: 4, 7>, kernel_sizes = array<i64: 2, 3>, strides = array<i64: 1, 2>,
                   paddings = array<i64: 1, 2, 0, 1>, dilations = array<i64: 1, 1>}
      : (tensor<$nx12x16xf32>) -> tensor<$nx2x4x7xf32>
  return %0, %1 : tensor<$nx2x4x7xf32>, tensor<$nx2x4x7xf32>
})"},
    {"nearest", R"(func.func @main(%x: tensor<2x3x4x$nxf32>) -> (tensor<2x3x7x$mxf32>, tensor<2x3x7x$mxf32>) {
  %0 = pd.nearest_interp %x {out_h = 7 : i64, out_w = $m : i64, align_corners = false}
      : (tensor<2x3x4x$nxf32>) -> tensor<2x3x7x$mxf32>
  %1 = pd.nearest_interp %x {out_h = 7 : i64, out_w = $m : i64, align_corners = true}
      : (tensor<2x3x4x$nxf32>) -> tensor<2x3x7x$mxf32>
  return %0, %1 : tensor<2x3x7x$mxf32>, tensor<2x3x7x$mxf32>
})",
     2, 1, 1},
    {"bilinear",
     R"(func.func @main(%x: tensor<2x3x4x$nxf32>) -> (tensor<2x3x7x$mxf32>, tensor<2x3x7x$mxf32>) {
  %0 = pd.bilinear_interp %x {out_h = 7 : i64, out_w = $m : i64, align_corners = false, align_mode = 0 : i64}
      : (tensor<2x3x4x$nxf32>) -> tensor<2x3x7x$mxf32>
  %1 = pd.bilinear_interp %x {out_h = 7 : i64, out_w = $m : i64, align_corners = true}
      : (tensor<2x3x4x$nxf32>) -> tensor<2x3x7x$mxf32>
  return %0, %1 : tensor<2x3x7x$mxf32>, tensor<2x3x7x$mxf32>
})",
     2, 1, 1, 1e-6},
    {"bicubic", R"(func.func @main(%x: tensor<2x4x$nx3xf32>) -> tensor<2x7x$mx3xf32> {
  %0 = pd.bicubic_interp %x data_format = NHWC {out_h = 7 : i64, out_w = $m : i64, align_corners = false}
      : (tensor<2x4x$nx3xf32>) -> tensor<2x7x$mx3xf32>
  return %0 : tensor<2x7x$mx3xf32>
})",
     2, 1, 1, 2e-6},
};

INSTANTIATE_TEST_SUITE_P(Ops, Element, testing::ValuesIn(elementCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
