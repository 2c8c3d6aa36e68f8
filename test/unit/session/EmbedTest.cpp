#include "test/unit/session/Programs.h"

#include <dlpack/dlpack.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace proa;
using testing::HasSubstr;

namespace {

constexpr int64_t width = 32;

class Embedded : public testing::Test {
protected:
  void SetUp() override {
    auto opened = openLayers(1, width);
    ASSERT_TRUE(opened) << opened.diagnostics().text();
    model.emplace(std::move(*opened));
    session.emplace(std::move(*model->session()));
    expected = session->run(feeds)->at(0).tensor;
  }

  static std::string errorsOf(const auto &result) { return result ? "" : result.diagnostics().text(); }

  bool isExpected(const float *elements) const {
    return std::memcmp(elements, expected.data(), expected.bytes()) == 0;
  }

  std::map<std::string, Tensor> feeds{{"x", numbers({4, width}, 9)}};
  std::optional<Model> model;
  std::optional<Session> session;
  Tensor expected;
};

TEST_F(Embedded, WritesResultsToMemoryOfTheCaller) {
  Tensor memory(DType::Float32, {4, width});
  auto outputs = session->run(feeds, {.outputs = {{"y", {DType::Float32, {4, width}, {}, memory.data()}}}});
  ASSERT_TRUE(outputs) << errorsOf(outputs);
  EXPECT_EQ(outputs->at(0).tensor.data(), memory.data());
  EXPECT_TRUE(isExpected(memory.as<float>()));
  // Elements must be aligned, vectors need not be; memory at other addresses gets a copy.
  std::vector<float> values(4 * width + 2);
  for (size_t offset : {sizeof(float), size_t(1)}) {
    std::byte *address = reinterpret_cast<std::byte *>(values.data()) + offset;
    outputs = session->run(feeds, {.outputs = {{"y", {DType::Float32, {4, width}, {}, address}}}});
    ASSERT_TRUE(outputs) << errorsOf(outputs);
    std::vector<float> found(4 * width);
    std::memcpy(found.data(), address, found.size() * sizeof(float));
    EXPECT_TRUE(isExpected(found.data()));
  }
  // The memory was offered to one run.
  std::memset(memory.data(), 0, memory.bytes());
  ASSERT_TRUE(session->run(feeds));
  EXPECT_EQ(memory.as<float>()[1], 0);
}

TEST_F(Embedded, TakesAndGivesStrides) {
  // x is stored by columns, y in every second column of a larger matrix.
  std::vector<float> columns(4 * width), wide(4 * 2 * width, -1);
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t column = 0; column < width; ++column)
      columns[static_cast<size_t>(column * 4 + row)] = feeds.at("x").as<float>()[row * width + column];
  auto x = tensorOf({DType::Float32, {4, width}, {1, 4}, columns.data()});
  ASSERT_TRUE(x);
  auto outputs = session->run(
      {{"x", *x}}, {.outputs = {{"y", {DType::Float32, {4, width}, {2 * width, 2}, wide.data()}}}});
  ASSERT_TRUE(outputs) << errorsOf(outputs);
  for (size_t i = 0; i < static_cast<size_t>(4 * width); ++i) {
    EXPECT_EQ(wide[2 * i], expected.as<float>()[i]);
    EXPECT_EQ(wide[2 * i + 1], -1);
  }
}

TEST_F(Embedded, RefusesWrongMemory) {
  Tensor memory(DType::Float32, {4, width});
  auto errors = [&](const std::string &name, StridedView view) {
    return errorsOf(session->run(feeds, {.outputs = {{name, std::move(view)}}}));
  };
  EXPECT_THAT(errors("y", {DType::Float32, {4, width + 1}, {}, memory.data()}),
              HasSubstr("output 'y': its memory is float32[4, 33]; expected float32[-1, 32]"));
  EXPECT_THAT(errors("y", {DType::Float64, {4, width}, {}, memory.data()}), HasSubstr("expected float32"));
  EXPECT_THAT(errors("y", {DType::Float32, {4, width}, {}, nullptr}), HasSubstr("its data is null"));
  EXPECT_THAT(errors("z", {DType::Float32, {4, width}, {}, memory.data()}),
              HasSubstr("output 'z': is not a fetched tensor of the program"));
}

TEST_F(Embedded, ExchangesDLPack) {
  auto given = toDLPack(feeds.at("x"));
  ASSERT_TRUE(given);
  EXPECT_EQ((*given)->dl_tensor.strides[0], width);
  auto x = fromDLPack(*given);
  ASSERT_TRUE(x) << errorsOf(x);
  EXPECT_EQ(x->data(), feeds.at("x").data());
  auto outputs = session->run({{"x", *x}});
  ASSERT_TRUE(outputs);
  EXPECT_TRUE(isExpected(outputs->at(0).tensor.as<float>()));
}

TEST(DLPack, CallsTheDeleterOfWhatItTakes) {
  static int deleted = 0;
  float elements[] = {1, 2, 3, 4, 5, 6};
  int64_t shape[] = {3, 2}, strides[] = {1, 3};
  DLManagedTensor managed{};
  managed.dl_tensor.data = elements;
  managed.dl_tensor.device = {kDLCPU, 0};
  managed.dl_tensor.ndim = 2;
  managed.dl_tensor.dtype = {kDLFloat, 32, 1};
  managed.dl_tensor.shape = shape;
  managed.deleter = [](DLManagedTensor *) { ++deleted; };
  {
    auto dense = fromDLPack(&managed);
    ASSERT_TRUE(dense);
    EXPECT_EQ(dense->data(), elements);
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
  managed.dl_tensor.strides = strides;
  auto copy = fromDLPack(&managed);
  ASSERT_TRUE(copy);
  EXPECT_EQ(deleted, 2);
  EXPECT_EQ(copy->as<float>()[1], 4);
  managed.dl_tensor.device.device_type = kDLCUDA;
  EXPECT_THAT(fromDLPack(&managed).diagnostics().text(), HasSubstr("memory of a device"));
  managed.dl_tensor.device.device_type = kDLCPU;
  managed.dl_tensor.dtype = {kDLFloat, 32, 4};
  EXPECT_THAT(fromDLPack(&managed).diagnostics().text(), HasSubstr("4 lanes"));
  EXPECT_EQ(deleted, 2);
}

/// A loop without an end: only the limits end it.
std::string endlessProgram() {
  return R"(
func.func @main(%x: tensor<1xf32> {pd.feed = "x"}, %n: tensor<1xf32> {pd.param = "n"})
    -> (tensor<1xf32> {pd.fetch = "y"}, tensor<1xf32> {pd.state = "n"}) {
  %0 = scf.while (%i = %x) : (tensor<1xf32>) -> tensor<1xf32> {
    %c = pd.equal %i, %i : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %s = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %b = tensor.extract %s[] : tensor<i1>
    scf.condition(%b) %i : tensor<1xf32>
  } do {
  ^bb0(%i: tensor<1xf32>):
    %e = pd.tanh %i : (tensor<1xf32>) -> tensor<1xf32>
    scf.yield %e : tensor<1xf32>
  }
  %1 = pd.add %n, %0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %0, %1 : tensor<1xf32>, tensor<1xf32>
})";
}

TEST(Limits, EndARunInALoop) {
  std::string program = endlessProgram();
  auto model = Model::open({.name = "endless.mlir",
                            .program = std::as_bytes(std::span(program)),
                            .tensors = {{"n", numbers({1}, 3)}}},
                           {.cacheDirectory = "off"});
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto session = model->session();
  Tensor before = *session->parameter("n");
  std::map<std::string, Tensor> feeds{{"x", numbers({1}, 1)}};
  auto late = session->run(feeds, {.timeLimit = std::chrono::milliseconds(20)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.diagnostics()[0].code, "time-limit");
  std::stop_source source;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  auto stopped = session->run(feeds, {.stop = source.get_token()});
  other.join();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.diagnostics()[0].code, "stopped");
  EXPECT_THAT(stopped.diagnostics().text(), HasSubstr("endless.mlir"));
  EXPECT_EQ(*session->parameter("n")->as<float>(), *before.as<float>());
}

TEST_F(Embedded, OpensFromMemory) {
  std::string program = layersProgram(1, width), weights = *readFile(temporaryFile("layers.safetensors"));
  ModelSource source{.name = "layers.mlir",
                     .program = std::as_bytes(std::span(program)),
                     .weights = std::as_bytes(std::span(weights))};
  auto fromBytes = Model::open(source, {.cacheDirectory = "off"});
  ASSERT_TRUE(fromBytes) << errorsOf(fromBytes);
  EXPECT_TRUE(isExpected(fromBytes->session()->run(feeds)->at(0).tensor.as<float>()));
  source.weights = {};
  source.tensors = {{"w0", numbers({width, width}, 1)}};
  auto fromTensors = Model::open(source, {.cacheDirectory = "off"});
  ASSERT_TRUE(fromTensors) << errorsOf(fromTensors);
  EXPECT_TRUE(isExpected(fromTensors->session()->run(feeds)->at(0).tensor.as<float>()));
  source.weights = std::as_bytes(std::span(weights)).first(40);
  EXPECT_THAT(errorsOf(Model::open(source)), HasSubstr("layers.mlir"));
  EXPECT_THAT(errorsOf(Model::open(source, {.parameters = "w.safetensors"})), HasSubstr("'parameters'"));
}

TEST(RunPoll, EndsALongRun) {
  std::string program = R"(
func.func @main(%n: tensor<i64> {pd.feed = "n"}, %x: tensor<64x64xf32> {pd.feed = "x"})
    -> (tensor<64x64xf32> {pd.fetch = "y"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %count : i64 to index
  %y = scf.for %i = %zero to %end step %one iter_args(%a = %x) -> (tensor<64x64xf32>) {
    %b = pd.tanh %a : (tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %b : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
})";
  ModelSource source{.name = "loop.mlir", .program = std::as_bytes(std::span(program))};
  auto model = Model::open(source, {.threads = 1, .cacheDirectory = "off"});
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto session = model->session();
  Tensor n(DType::Int64, {});
  *n.as<int64_t>() = 1'000'000'000;
  int calls = 0;
  auto result = session->run({{"n", n}, {"x", numbers({64, 64}, 1)}}, {.poll = [&] { return ++calls == 2; }});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics()[0].code, "stopped");
  EXPECT_EQ(calls, 2);
}

TEST_F(Embedded, TakesMemoryFromTheAllocator) {
  struct Counting final : Allocator {
    void *allocate(size_t bytes, size_t alignment) override {
      total += bytes;
      ++live;
      memory = std::aligned_alloc(alignment, (bytes + 2 * alignment - 1) / alignment * alignment);
      return isEmpty ? nullptr : static_cast<char *>(memory) + shift;
    }
    void deallocate(void *given, size_t) override {
      --live;
      std::free(static_cast<char *>(given) - shift);
    }
    std::atomic<int64_t> total = 0, live = 0;
    void *memory = nullptr;
    bool isEmpty = false;
    size_t shift = 0;
  };
  auto allocator = std::make_shared<Counting>();
  {
    auto own = model->session({.allocator = allocator});
    auto outputs = own->run(feeds);
    ASSERT_TRUE(outputs);
    EXPECT_TRUE(isExpected(outputs->at(0).tensor.as<float>()));
    EXPECT_GE(allocator->total, own->arenaBytes() + static_cast<int64_t>(expected.bytes()));
  }
  EXPECT_EQ(allocator->live, 0);
  allocator->shift = 4;
  EXPECT_THAT(errorsOf(model->session({.allocator = allocator})->run(feeds)), HasSubstr("no memory"));
  EXPECT_EQ(allocator->live, 0);
  allocator->isEmpty = true;
  EXPECT_THAT(errorsOf(model->session({.allocator = allocator})->run(feeds)), HasSubstr("no memory"));
  std::free(allocator->memory);
}

TEST(ThreadPoolHook, RunsTasksOfKernels) {
  struct Pool final : ThreadPool {
    void run(int64_t count, const std::function<void(int64_t)> &body) override {
      ++regions;
      std::vector<std::thread> threads;
      for (int64_t i = 1; i < count; ++i)
        threads.emplace_back([&body, i] { body(i); });
      body(0);
      for (std::thread &thread : threads)
        thread.join();
    }
    std::atomic<int> regions = 0;
  };
  auto pool = std::make_shared<Pool>();
  std::string program = "func.func @main(%x: tensor<4096x256xf32>) -> tensor<4096x256xf32> {\n"
                        "  %0 = pd.tanh %x : (tensor<4096x256xf32>) -> tensor<4096x256xf32>\n"
                        "  return %0 : tensor<4096x256xf32>\n}\n";
  ModelSource source{.name = "tanh.mlir", .program = std::as_bytes(std::span(program))};
  auto plain = Model::open(source, {.threads = 3, .cacheDirectory = "off"});
  auto hooked = Model::open(source, {.threads = 3, .threadPool = pool, .cacheDirectory = "off"});
  ASSERT_TRUE(plain && hooked);
  std::map<std::string, Tensor> feeds{{"argument0", numbers({4096, 256}, 5)}};
  Tensor expected = plain->session()->run(feeds)->at(0).tensor;
  Tensor found = hooked->session()->run(feeds)->at(0).tensor;
  EXPECT_GT(pool->regions, 0);
  EXPECT_EQ(std::memcmp(expected.data(), found.data(), expected.bytes()), 0);
}

} // namespace
