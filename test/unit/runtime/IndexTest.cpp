/// Kernels that sort, scan, gather and scatter, against their definitions.
#include "test/unit/runtime/KernelHarness.h"

#include "proa/Half.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <numeric>

namespace proa::runtime {
namespace {

using Shape = std::vector<int64_t>;

/// NaN is above all numbers.
bool isLess(double a, double b) { return a < b || (!std::isnan(a) && std::isnan(b)); }

double valueAt(const Tensor &x, int64_t i) {
  switch (x.dtype()) {
  case DType::Float32:
    return double(x.as<float>()[i]);
  case DType::Float64:
    return x.as<double>()[i];
  case DType::Float16:
    return double(static_cast<float>(x.as<Float16>()[i]));
  case DType::UInt8:
    return x.as<uint8_t>()[i];
  case DType::UInt32:
    return x.as<uint32_t>()[i];
  case DType::Int32:
    return x.as<int32_t>()[i];
  default:
    return static_cast<double>(x.as<int64_t>()[i]);
  }
}

void setValue(Tensor &x, int64_t i, double value) {
  switch (x.dtype()) {
  case DType::Float32:
    x.as<float>()[i] = static_cast<float>(value);
    break;
  case DType::Float64:
    x.as<double>()[i] = value;
    break;
  case DType::Float16:
    x.as<Float16>()[i] = Float16(static_cast<float>(value));
    break;
  case DType::UInt8:
    x.as<uint8_t>()[i] = static_cast<uint8_t>(value);
    break;
  case DType::UInt32:
    x.as<uint32_t>()[i] = static_cast<uint32_t>(value);
    break;
  case DType::Int32:
    x.as<int32_t>()[i] = static_cast<int32_t>(value);
    break;
  default:
    x.as<int64_t>()[i] = static_cast<int64_t>(value);
  }
}

bool isFloat(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::Float32 || dtype == DType::Float64;
}

/// Whole numbers of [0, range) or around zero, so that some are equal; of floats some are NaN, infinite or
/// -0.
Tensor manyTies(DType dtype, Shape dims, int range, unsigned seed) {
  Tensor x(dtype, std::move(dims));
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> values(0, range - 1), kinds(0, 19);
  bool isUnsigned = dtype == DType::UInt8 || dtype == DType::UInt32;
  for (int64_t i = 0; i < x.size(); ++i) {
    double value = values(generator) - (isUnsigned ? 0 : range / 2);
    if (isFloat(dtype))
      switch (kinds(generator)) {
      case 0:
        value = std::nan("");
        break;
      case 1:
        value = INFINITY;
        break;
      case 2:
        value = -INFINITY;
        break;
      case 3:
        value = -0.0;
        break;
      default:
        break;
      }
    setValue(x, i, value);
  }
  return x;
}

struct SortCase {
  std::string kernel;
  DType dtype;
  Shape dims;
  int64_t axis, count;
  bool descending;
  int range;
};

/// The positions of the first elements of each line by an algorithm of the standard library.
void expectOrder(
    const SortCase &c, nlohmann::json attributes,
    const std::function<void(std::vector<int64_t> &, const std::function<bool(int64_t, int64_t)> &)> &order) {
  Tensor x = manyTies(c.dtype, c.dims, c.range, 7);
  Shape outDims = c.dims;
  outDims[static_cast<size_t>(c.axis)] = c.count;
  attributes["axis"] = c.axis;
  attributes[c.kernel == "topk" ? "largest" : "descending"] = c.descending;
  if (c.kernel == "topk")
    attributes["k"] = c.count;
  auto result = runCase({c.kernel, attributes, {x}, {{c.dtype, outDims}, {DType::Int64, outDims}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  int64_t dim = c.dims[static_cast<size_t>(c.axis)], inner = 1, wrong = 0;
  for (size_t i = static_cast<size_t>(c.axis) + 1; i < c.dims.size(); ++i)
    inner *= c.dims[i];
  for (int64_t line = 0; line < x.size() / dim && wrong == 0; ++line) {
    int64_t from = line / inner * dim * inner + line % inner,
            to = line / inner * c.count * inner + line % inner;
    std::vector<int64_t> positions(static_cast<size_t>(dim));
    std::iota(positions.begin(), positions.end(), 0);
    order(positions, [&](int64_t a, int64_t b) {
      double left = valueAt(x, from + a * inner), right = valueAt(x, from + b * inner);
      return c.descending ? isLess(right, left) : isLess(left, right);
    });
    for (int64_t i = 0; i < c.count; ++i) {
      int64_t at = (*result)[1].as<int64_t>()[to + i * inner];
      double value = valueAt((*result)[0], to + i * inner), expected = valueAt(x, from + at * inner);
      wrong += at != positions[static_cast<size_t>(i)] || (value != expected && !std::isnan(expected));
    }
  }
  EXPECT_EQ(wrong, 0) << c.kernel << " " << nameOf(c.dtype) << " of " << dim << ", " << c.count;
}

std::vector<SortCase> sortCases(const std::string &kernel, bool ofAll) {
  std::vector<SortCase> cases;
  std::vector<std::pair<Shape, int64_t>> shapes{{{5, 768}, 5},   {{2, 9000}, 300}, {{1, 20000}, 50},
                                                {{3, 100}, 100}, {{4, 7}, 3},      {{2, 1000}, 400},
                                                {{3, 70}, 1},    {{1, 1}, 1},      {{2, 400}, 200}};
  for (DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::UInt8, DType::UInt32,
                      DType::Int32, DType::Int64})
    for (bool descending : {false, true})
      for (const auto &[dims, count] : shapes)
        for (int range : {4, 200}) {
          cases.push_back({kernel, dtype, dims, 1, ofAll ? dims[1] : count, descending, range});
          cases.push_back({kernel, dtype, {dims[1], dims[0]}, 0, ofAll ? dims[1] : count, descending, range});
        }
  return cases;
}

TEST(SortedLines, StableSelectionEqualsStableSort) {
  for (const SortCase &c : sortCases("topk", false))
    expectOrder(c, {{"stable", true}}, [](auto &positions, const auto &before) {
      std::stable_sort(positions.begin(), positions.end(), before);
    });
}

TEST(SortedLines, StableSortKeepsTheOrderOfEqualElements) {
  for (const SortCase &c : sortCases("argsort", true))
    expectOrder(c, {{"stable", true}}, [](auto &positions, const auto &before) {
      std::stable_sort(positions.begin(), positions.end(), before);
    });
}

// Paddle's kernels call these algorithms, which decide the order of equal elements.
TEST(SortedLines, TiesHaveTheOrderOfPaddlesAlgorithms) {
  for (const SortCase &c : sortCases("argsort", true))
    expectOrder(c, {}, [](auto &positions, const auto &before) {
      std::sort(positions.begin(), positions.end(), before);
    });
  for (const SortCase &c : sortCases("topk", false))
    expectOrder(c, {}, [&](auto &positions, const auto &before) {
      auto begin = positions.begin(), end = positions.end();
      if (c.count * 64 < end - begin)
        return std::partial_sort(begin, begin + c.count, end, before);
      std::nth_element(begin, begin + (c.count - 1), end, before);
      std::sort(begin, begin + (c.count - 1), before);
    });
}

TEST(SortedLines, ArgmaxIsTheFirstOfEqualElementsAndNoNan) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::UInt8, DType::Int64})
    for (Shape dims : {Shape{7, 100}, Shape{3, 31}, Shape{2, 1}, Shape{100, 300}, Shape{33, 5}})
      for (int64_t axis : {0, 1})
        for (const char *kernel : {"argmax", "argmin"}) {
          Tensor x = manyTies(dtype, dims, 100, 3);
          int64_t dim = dims[static_cast<size_t>(axis)], inner = axis == 0 ? dims[1] : 1;
          auto result = runCase({kernel, {{"axis", axis}}, {x}, {{DType::Int64, {x.size() / dim}}}});
          ASSERT_TRUE(result) << result.diagnostics().text();
          double sign = std::string(kernel) == "argmax" ? 1 : -1;
          for (int64_t line = 0; line < x.size() / dim; ++line) {
            int64_t best = 0;
            double held = dtype == DType::Float32   ? double(std::numeric_limits<float>::lowest())
                          : dtype == DType::Float64 ? std::numeric_limits<double>::lowest()
                          : dtype == DType::Float16 ? -65504
                                                    : -1e9;
            for (int64_t i = 0; i < dim; ++i) {
              double value = sign * valueAt(x, line / inner * dim * inner + line % inner + i * inner);
              if (value > held) {
                best = i;
                held = value;
              }
            }
            ASSERT_EQ((*result)[0].as<int64_t>()[line], best)
                << kernel << " " << nameOf(dtype) << " " << line;
          }
        }
}

TEST(Scans, AlongAnyAxisEqualTheirDefinition) {
  for (Shape dims : {Shape{3, 5, 7}, Shape{2, 9, 1}, Shape{1, 4, 2500}})
    for (size_t axis : {0, 1, 2})
      for (bool exclusive : {false, true})
        for (bool reverse : {false, true}) {
          Tensor x = randomFloats(dims, 5), decay = randomFloats(dims, 6);
          nlohmann::json attributes = {{"axis", axis}, {"reverse", reverse}};
          auto recurrence = runCase({"linear_recurrence", attributes, {x, decay}, {{DType::Float32, dims}}});
          attributes["exclusive"] = exclusive;
          auto sum = runCase({"cumsum", attributes, {x}, {{DType::Float32, dims}}});
          ASSERT_TRUE(sum && recurrence);
          int64_t dim = dims[axis], inner = std::accumulate(dims.begin() + static_cast<ptrdiff_t>(axis) + 1,
                                                            dims.end(), int64_t{1}, std::multiplies<>());
          std::vector<double> sums(static_cast<size_t>(x.size())), decayed = sums;
          for (int64_t line = 0; line < x.size() / dim; ++line) {
            double total = 0, state = 0;
            for (int64_t i = 0; i < dim; ++i) {
              int64_t at = line / inner * dim * inner + line % inner + (reverse ? dim - 1 - i : i) * inner;
              double value = valueAt(x, at);
              sums[static_cast<size_t>(at)] = exclusive ? total : total + value;
              total += value;
              state = i == 0 ? value : value + valueAt(decay, at) * state;
              decayed[static_cast<size_t>(at)] = state;
            }
          }
          expectClose((*sum)[0], sums, 1e-5);
          expectClose((*recurrence)[0], decayed, 1e-5);
        }
}

TEST(Scans, ExtremesKeepNansAndTheLastOfEqualElements) {
  for (size_t axis : {0, 1})
    for (DType indexType : {DType::Int32, DType::Int64})
      for (bool greatest : {false, true}) {
        Shape dims{20, 1100};
        Tensor x = manyTies(DType::Float32, dims, 10, 9);
        auto result = runCase({greatest ? "cummax" : "cummin",
                               {{"axis", axis}},
                               {x},
                               {{DType::Float32, dims}, {indexType, dims}}});
        ASSERT_TRUE(result) << result.diagnostics().text();
        int64_t dim = dims[axis], inner = axis == 0 ? dims[1] : 1;
        for (int64_t line = 0; line < x.size() / dim; ++line) {
          int64_t best = 0, begin = line / inner * dim * inner + line % inner;
          for (int64_t i = 0; i < dim; ++i) {
            double value = valueAt(x, begin + i * inner), held = valueAt(x, begin + best * inner);
            if (std::isnan(value) || (greatest ? value >= held : value <= held))
              best = i;
            ASSERT_EQ(valueAt((*result)[1], begin + i * inner), double(best)) << line << ", " << i;
            double expected = valueAt(x, begin + best * inner);
            ASSERT_TRUE(valueAt((*result)[0], begin + i * inner) == expected || std::isnan(expected));
          }
        }
      }
}

TEST(Gather, RunsOfIndicesAndSingleElements) {
  for (DType dtype : {DType::UInt8, DType::Float16, DType::Float32, DType::Int64})
    for (int64_t inner : {1, 3})
      for (const Shape &index : {Shape{3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7}, Shape{0, 5, 2, 9, -1, 4},
                                 Shape{2, 3, 4, 5, 6, 7, 8, 9}, Shape{4}, Shape{}}) {
        Tensor x = manyTies(dtype, {5, 10, inner}, 100, 4);
        auto count = static_cast<int64_t>(index.size());
        if (count == 0)
          continue;
        auto result =
            runCase({"gather", {{"axis", 1}}, {x, longs({count}, index)}, {{dtype, {5, count, inner}}}});
        ASSERT_TRUE(result) << result.diagnostics().text();
        for (int64_t i = 0; i < 5 * count * inner; ++i) {
          int64_t at = index[static_cast<size_t>(i / inner % count)];
          double expected =
              valueAt(x, (i / inner / count * 10 + (at < 0 ? at + 10 : at)) * inner + i % inner);
          double found = valueAt((*result)[0], i);
          ASSERT_TRUE(found == expected || std::isnan(expected)) << i;
        }
      }
}

TEST(Scatter, AlongAxisEqualsItsDefinition) {
  for (size_t axis : {0, 1, 2})
    for (const char *reduce : {"assign", "add", "multiply", "amin", "amax"})
      for (DType indexType : {DType::Int32, DType::Int64})
        for (int64_t last : {1, 4, 300}) { // the updates broadcast, or not
          Shape dims{3, 5, 300}, indexDims{2, 4, 300};
          Tensor x = randomFloats(dims, 1), values = randomFloats({2, 1, last == 4 ? 300 : last}, 2);
          Tensor index(indexType, indexDims);
          for (int64_t i = 0; i < index.size(); ++i)
            setValue(index, i, double(i * 7 % dims[axis] - (i % 3 == 0 ? dims[axis] : 0)));
          auto result = runCase({"put_along_axis",
                                 {{"axis", axis}, {"reduce", reduce}},
                                 {x, index, values},
                                 {{DType::Float32, dims}}});
          ASSERT_TRUE(result) << result.diagnostics().text();
          std::vector<double> expected(static_cast<size_t>(x.size()));
          for (int64_t i = 0; i < x.size(); ++i)
            expected[static_cast<size_t>(i)] = valueAt(x, i);
          for (int64_t i = 0; i < index.size(); ++i) {
            Shape at{i / 1200, i / 300 % 4, i % 300};
            double value = valueAt(values, at[0] * values.dims()[2] + (values.dims()[2] == 1 ? 0 : at[2]));
            auto place = static_cast<int64_t>(valueAt(index, i));
            at[axis] = place < 0 ? place + dims[axis] : place;
            double &target = expected[static_cast<size_t>((at[0] * 5 + at[1]) * 300 + at[2])];
            std::string how = reduce;
            target = how == "assign"     ? value
                     : how == "add"      ? target + value
                     : how == "multiply" ? target * value
                     : how == "amin"     ? std::min(target, value)
                                         : std::max(target, value);
          }
          expectClose((*result)[0], expected, 1e-4);
        }
}

TEST(Scatter, BadIndexAlongAxisIsNamed) {
  Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  auto result = runCase({"put_along_axis",
                         {{"axis", 1}},
                         {x, longs({2, 2}, {0, -3, 1, 3}), floats({2, 2}, {1, 1, 1, 1})},
                         {{DType::Float32, {2, 3}}}});
  EXPECT_THAT(result.diagnostics().text(), ::testing::HasSubstr("index 3 at [1, 1] is outside of [-3, 3)"));
}

// By the definition of Paddle's positions.
TEST(Interpolate, NearestCopiesElements) {
  for (DType dtype : {DType::Float32, DType::Float16, DType::Int64, DType::UInt8})
    for (bool isLast : {false, true})
      for (bool align : {false, true})
        for (auto [height, width] : {std::pair<int64_t, int64_t>{5, 7},
                                     {10, 14},
                                     {15, 21},
                                     {20, 28},
                                     {8, 9},
                                     {25, 35},
                                     {2, 3},
                                     {1, 1}}) {
          Shape dims = isLast ? Shape{2, 5, 7, 3} : Shape{2, 3, 5, 7};
          Shape out = isLast ? Shape{2, height, width, 3} : Shape{2, 3, height, width};
          Tensor x = manyTies(dtype, dims, 100, 8);
          auto result = runCase({"interpolate",
                                 {{"interp_method", "nearest"},
                                  {"align_corners", align},
                                  {"out_h", height},
                                  {"out_w", width},
                                  {"data_format", isLast ? "NHWC" : "NCHW"}},
                                 {x},
                                 {{dtype, out}}});
          ASSERT_TRUE(result) << result.diagnostics().text();
          auto source = [&](int64_t i, int64_t in, int64_t size) {
            if (size == 1)
              return int64_t{0};
            float ratio = align ? float(in - 1) / float(size - 1) : float(in) / float(size);
            return std::min(static_cast<int64_t>(ratio * float(i) + (align ? 0.5f : 0.0f)), in - 1);
          };
          for (int64_t n = 0; n < 2; ++n)
            for (int64_t c = 0; c < 3; ++c)
              for (int64_t h = 0; h < height; ++h)
                for (int64_t w = 0; w < width; ++w) {
                  int64_t y = source(h, 5, height), z = source(w, 7, width);
                  int64_t to = isLast ? ((n * height + h) * width + w) * 3 + c
                                      : ((n * 3 + c) * height + h) * width + w;
                  int64_t from = isLast ? ((n * 5 + y) * 7 + z) * 3 + c : ((n * 3 + c) * 5 + y) * 7 + z;
                  double expected = valueAt(x, from), found = valueAt((*result)[0], to);
                  ASSERT_TRUE(found == expected || std::isnan(expected)) << height << " " << h << " " << w;
                }
        }
}

/// Twice the rows and columns: less than a vector, whole vectors, and one that overlaps the one before.
TEST(Interpolate, NearestDoublesRows) {
  for (int64_t width : {1, 7, 8, 9, 16, 20, 33})
    for (int64_t repeats : {1, 2, 3}) {
      SCOPED_TRACE(width);
      int64_t height = 3, planes = 6;
      Tensor x = randomFloats({2, 3, height, width}, 1);
      auto result = runCase({"interpolate",
                             {{"interp_method", "nearest"},
                              {"align_corners", false},
                              {"out_h", repeats * height},
                              {"out_w", 2 * width},
                              {"data_format", "NCHW"}},
                             {x},
                             {{DType::Float32, {2, 3, repeats * height, 2 * width}}}});
      ASSERT_TRUE(result) << result.diagnostics().text();
      std::vector<float> expected;
      for (int64_t row = 0; row < planes * height * repeats; ++row)
        for (int64_t column = 0; column < 2 * width; ++column)
          expected.push_back(x.as<float>()[row / repeats * width + column / 2]);
      EXPECT_EQ(valuesOf<float>((*result)[0]), expected);
    }
}

} // namespace
} // namespace proa::runtime
