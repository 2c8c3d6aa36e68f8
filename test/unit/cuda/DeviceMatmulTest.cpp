#include "lib/runtime/cuda/DeviceMatmul.h"
#include "test/unit/cuda/LibraryHarness.h"

namespace proa::runtime {
namespace {

using ::testing::HasSubstr;
using json = nlohmann::json;
using Shape = std::vector<int64_t>;

size_t productsOf(const DeviceRun &ran) {
  return static_cast<size_t>(
      std::ranges::count_if(ran.log, [](const std::string &line) { return line.starts_with("multiply"); }));
}

json op(const char *kind) { return {{"kind", kind}}; }

/// Compares with the kernel of the CPU, whose test compares it with plain loops.
void expectProduct(KernelCase c, const Shape &dims, size_t products) {
  c.name = "fused_matmul";
  c.outputs = {{DType::Float32, dims}};
  for (Dims mode : {Dims::Static, Dims::Dynamic})
    for (bool isConstant : {false, true}) {
      SCOPED_TRACE(mode == Dims::Static ? "static" : "dynamic");
      c.dims = mode;
      c.constantInputs = isConstant ? std::vector<size_t>{1} : std::vector<size_t>{};
      auto expected = runCase(c);
      ASSERT_TRUE(bool(expected)) << expected.diagnostics().text();
      DeviceRun ran = runOnDevice(c);
      ASSERT_TRUE(bool(ran.results)) << ran.results.diagnostics().text() << ran.reason;
      EXPECT_EQ(ran.results->front().dims(), dims);
      std::vector<float> values = valuesOf<float>((*expected)[0]);
      expectClose(ran.results->front(), {values.begin(), values.end()}, 3e-6);
      EXPECT_EQ(productsOf(ran), products);
    }
}

} // namespace

TEST(DeviceMatmulTest, SmallProductByHand) {
  KernelCase c{"matmul", {}, {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({3, 2}, {1, 0, 0, 1, 2, 2})}};
  c.outputs = {{DType::Float32, {2, 2}}};
  DeviceRun ran = runOnDevice(c);
  ASSERT_TRUE(bool(ran.results)) << ran.results.diagnostics().text();
  EXPECT_THAT(valuesOf<float>(ran.results->front()), ::testing::ElementsAre(7, 8, 16, 17));
  EXPECT_THAT(ran.log, ::testing::ElementsAre("copy to device 24", "copy to device 24",
                                              "multiply float32 2x2x3 batch 1", "copy to host 16", "wait"));
}

TEST(DeviceMatmulTest, Transposes) {
  for (bool x : {false, true})
    for (bool y : {false, true}) {
      SCOPED_TRACE(std::to_string(x) + std::to_string(y));
      expectProduct(
          {"",
           {{"transpose_x", x}, {"transpose_y", y}},
           {randomFloats(x ? Shape{7, 5} : Shape{5, 7}, 1), randomFloats(y ? Shape{6, 7} : Shape{7, 6}, 2)}},
          {5, 6}, 1);
    }
}

TEST(DeviceMatmulTest, RowsColumnsAndInnerDimOfOne) {
  for (const Shape &mkn : {Shape{1, 7, 5}, Shape{7, 1, 5}, Shape{5, 7, 1}, Shape{1, 1, 1}, Shape{1, 7, 1}})
    for (bool x : {false, true})
      for (bool y : {false, true})
        expectProduct({"",
                       {{"transpose_x", x}, {"transpose_y", y}},
                       {randomFloats(x ? Shape{mkn[1], mkn[0]} : Shape{mkn[0], mkn[1]}, 1),
                        randomFloats(y ? Shape{mkn[2], mkn[1]} : Shape{mkn[1], mkn[2]}, 2)}},
                      {mkn[0], mkn[2]}, 1);
}

TEST(DeviceMatmulTest, Vectors) {
  expectProduct({"", {}, {randomFloats({7}, 1), randomFloats({7, 3}, 2)}}, {3}, 1);
  expectProduct({"", {}, {randomFloats({4, 7}, 1), randomFloats({7}, 2)}}, {4}, 1);
  expectProduct({"", {}, {randomFloats({7}, 1), randomFloats({7}, 2)}}, {}, 1);
}

TEST(DeviceMatmulTest, BatchesAndBroadcasts) {
  expectProduct({"", {}, {randomFloats({3, 4, 5}, 1), randomFloats({3, 5, 6}, 2)}}, {3, 4, 6}, 1);
  expectProduct({"", {}, {randomFloats({3, 4, 5}, 1), randomFloats({5, 6}, 2)}}, {3, 4, 6}, 1);
  expectProduct({"", {}, {randomFloats({4, 5}, 1), randomFloats({3, 5, 6}, 2)}}, {3, 4, 6}, 1);
  expectProduct({"", {}, {randomFloats({2, 1, 4, 5}, 1), randomFloats({1, 3, 5, 6}, 2)}}, {2, 3, 4, 6}, 2);
}

/// The products of attention: heads are an inner axis of the stored tensors.
TEST(DeviceMatmulTest, PermutationsOfAttention) {
  expectProduct({"",
                 {{"x_permutation", {0, 2, 1, 3}},
                  {"y_permutation", {0, 2, 1, 3}},
                  {"transpose_y", true},
                  {"alpha", 0.125}},
                 {randomFloats({2, 8, 4, 6}, 1), randomFloats({2, 8, 4, 6}, 2)}},
                {2, 4, 8, 8}, 2);
  expectProduct({"",
                 {{"y_permutation", {0, 2, 1, 3}}, {"out_permutation", {0, 2, 1, 3}}},
                 {randomFloats({2, 4, 8, 8}, 1), randomFloats({2, 8, 4, 6}, 2)}},
                {2, 8, 4, 6}, 2);
}

TEST(DeviceMatmulTest, Epilogues) {
  Tensor x = randomFloats({5, 7}, 1), y = randomFloats({7, 6}, 2), bias = randomFloats({6}, 3),
         other = randomFloats({5, 6}, 4);
  auto withOps = [](const json &ops) { return json{{"post_ops", ops}}; };
  expectProduct({"", withOps(json::array({op("bias")})), {x, y, bias}}, {5, 6}, 1);
  expectProduct({"", withOps(json::array({op("relu")})), {x, y}}, {5, 6}, 1);
  expectProduct({"", withOps(json::array({op("bias"), op("gelu_tanh")})), {x, y, bias}}, {5, 6}, 1);
  expectProduct({"", withOps(json::array({op("bias"), op("add"), op("relu")})), {x, y, bias, other}}, {5, 6},
                1);
  expectProduct({"", withOps(json::array({op("add"), op("bias")})), {x, y, other, bias}}, {5, 6}, 1);
}

TEST(DeviceMatmulTest, OtherFormsStayOnTheHost) {
  Tensor x = randomFloats({5, 7}, 1), y = randomFloats({7, 6}, 2), bias = randomFloats({6}, 3),
         other = randomFloats({5, 6}, 4);
  auto libraryOf = [](KernelCase c, DType dtype = DType::Float32) {
    c.name = "fused_matmul";
    c.outputs = {{dtype, {5, 6}}};
    Plan plan = planOf(c);
    return cuda::chooseLibrary(plan.steps[0], plan, nullptr).library;
  };
  EXPECT_EQ(libraryOf({"", {}, {x, y}}), cuda::cublasLt);
  EXPECT_EQ(libraryOf({"", {{"post_ops", json::array({op("relu"), op("bias")})}}, {x, y, bias}}), "");
  EXPECT_EQ(libraryOf({"", {{"post_ops", json::array({op("multiply")})}}, {x, y, other}}), "");
  EXPECT_EQ(libraryOf({"", {{"post_ops", json::array({op("tanh")})}}, {x, y}}), "");
  EXPECT_EQ(libraryOf({"", {{"post_ops", json::array({op("add")})}}, {x, y, bias}}), "");
  EXPECT_EQ(libraryOf({"", {{"out_permutation", {1, 0}}}, {x, y}}), "");
  KernelCase integers{"", {}, {Tensor(DType::Int32, {5, 7}), Tensor(DType::Int32, {7, 6})}};
  EXPECT_EQ(libraryOf(integers, DType::Int32), "");
}

TEST(DeviceMatmulTest, EmptyResultsNeedNoProduct) {
  for (const Shape &mn : {Shape{0, 6}, Shape{5, 0}}) {
    KernelCase c{"matmul", {}, {randomFloats({mn[0], 7}, 1), randomFloats({7, mn[1]}, 2)}};
    c.outputs = {{DType::Float32, mn}};
    DeviceRun ran = runOnDevice(c);
    ASSERT_TRUE(bool(ran.results)) << ran.results.diagnostics().text();
    EXPECT_EQ(productsOf(ran), 0U);
  }
  KernelCase c{"matmul", {}, {randomFloats({2, 0}, 1), randomFloats({0, 3}, 2)}};
  c.outputs = {{DType::Float32, {2, 3}}};
  DeviceRun ran = runOnDevice(c);
  ASSERT_FALSE(ran.results);
  EXPECT_THAT(ran.results.diagnostics().text(),
              HasSubstr("does not support a matmul with an inner dim of 0"));
}

TEST(DeviceMatmulTest, StepNeedsTheLibrary) {
  KernelCase c{"matmul", {}, {randomFloats({2, 3}, 1), randomFloats({3, 2}, 2)}};
  c.outputs = {{DType::Float32, {2, 2}}};
  Plan plan = planOf(c);
  plan.steps[0].launch.library = cuda::cublasLt;
  planner::placeOnDevice(plan);
  planner::placeValues(plan, {});
  auto read = deserialize(serialize(plan), "test");
  ASSERT_TRUE(bool(read)) << read.diagnostics().text();
  auto device =
      std::make_shared<cuda::CudaDevice>(std::make_shared<cuda::RecordingDriver>(), cuda::DeviceCode());
  auto executable =
      Executable::create(*read, "test", [](const std::string &) { return nullptr; }, nullptr, device);
  ASSERT_FALSE(executable);
  EXPECT_THAT(executable.diagnostics().text(),
              HasSubstr("the step needs the library 'cublaslt': the device has no libraries"));
}

TEST(CublasLtTest, MissingLibraryIsAnError) {
  auto driver = std::make_shared<cuda::RecordingDriver>();
  auto blas = cuda::openCublasLt(driver, "/missing/libcublasLt.so");
  ASSERT_FALSE(blas);
  EXPECT_THAT(blas.diagnostics().text(), HasSubstr("cannot load cuBLASLt: /missing/libcublasLt.so"));
  blas = cuda::openCublasLt(driver, "libm.so.6");
  ASSERT_FALSE(blas);
  EXPECT_THAT(blas.diagnostics().text(), HasSubstr("cuBLASLt (libm.so.6) has no function 'cublasLtCreate'"));
}

} // namespace proa::runtime
