// Whole programs for a CUDA device, on the recording driver. Its kernels are the emulated ones.
#include "lib/compiler/cuda/CudaProgram.h"
#include "lib/base/support/Files.h"
#include "lib/compiler/autodiff/CompiledFunction.h"
#include "lib/compiler/codegen/LoadedObject.h"
#include "lib/compiler/codegen/cuda/CudaToolkit.h"
#include "lib/compiler/codegen/cuda/EmitPtx.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/runtime/cuda/RecordingDriver.h"
#include "lib/runtime/emulator/Emulator.h"
#include "proa/Model.h"
#include "test/common/OpenSession.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <unistd.h>

using namespace proa;

namespace {

constexpr const char *program = R"(
func.func @main(%x: tensor<3x4xf32> {pd.feed = "x"}, %w: tensor<4x5xf32> {pd.feed = "w"})
    -> (tensor<3x5xf32> {pd.fetch = "y"}) {
  %p = pd.matmul %x, %w : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %m = pd.max %p {axis = array<i64: 1>, keepdim = true} : (tensor<3x5xf32>) -> tensor<3x1xf32>
  %d = pd.subtract %p, %m : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %e = pd.exp %d : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %s = pd.sum %e {axis = array<i64: 1>, keepdim = true} : (tensor<3x5xf32>) -> tensor<3x1xf32>
  %y = pd.divide %e, %s : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
})";

/// A step of a program that adapts w to x. The moment m and the counter n are states too.
constexpr const char *trainingStep = R"(
func.func @main(%x: tensor<6x4xf32> {pd.feed = "x"}, %w: tensor<6x4xf32> {pd.param = "w"},
                %m: tensor<6x4xf32> {pd.param = "m"}, %n: tensor<1xf32> {pd.param = "n"})
    -> (tensor<f32> {pd.fetch = "loss"}, tensor<6x4xf32> {pd.state = "w"}, tensor<6x4xf32> {pd.state = "m"},
        tensor<1xf32> {pd.state = "n"}) {
  %one = pd.constant dense<1.0> : tensor<1xf32>
  %half = pd.constant dense<0.5> : tensor<1xf32>
  %d = pd.subtract %w, %x : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %s = pd.multiply %d, %d : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %loss = pd.sum %s {axis = array<i64: 0, 1>} : (tensor<6x4xf32>) -> tensor<f32>
  %n1 = pd.add %n, %one : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %h = pd.multiply %m, %half : (tensor<6x4xf32>, tensor<1xf32>) -> tensor<6x4xf32>
  %m1 = pd.add %h, %d : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %u = pd.divide %m1, %n1 : (tensor<6x4xf32>, tensor<1xf32>) -> tensor<6x4xf32>
  %w1 = pd.subtract %w, %u : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return %loss, %w1, %m1, %n1 : tensor<f32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<1xf32>
})";

/// sin(step i) for element i.
Tensor wave(std::vector<int64_t> dims, double step) {
  Tensor tensor(DType::Float32, std::move(dims));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<float>()[i] = static_cast<float>(std::sin(step * static_cast<double>(i)));
  return tensor;
}

class CudaProgramTest : public ::testing::Test {
protected:
  CudaProgramTest() : context(registry()), driver(std::make_shared<cuda::RecordingDriver>()) {
    context.loadAllAvailableDialects();
    auto libraries = cuda::Libraries::none("not recorded");
    libraries->blas.set(cuda::recordingBlas(driver));
    libraries->dnn.set(cuda::recordingDnn(driver));
    cuda::setCudaContext({driver, libraries});
  }
  ~CudaProgramTest() override { cuda::setCudaContext({}); }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const char *text = program) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  /// Gives the driver the emulated form of the kernels.
  void registerKernels(const char *text = program) {
    CompileOptions options;
    options.target = TargetKind::CudaEmulated;
    auto compiled = compileProgram(parse(text), options);
    ASSERT_TRUE(compiled) << compiled.diagnostics().text();
    auto object = LoadedObject::load(compiled->archive);
    ASSERT_TRUE(object) << object.diagnostics().text();
    for (const runtime::Step &step : compiled->plan.steps) {
      if (step.kind != runtime::StepKind::Kernel)
        continue;
      auto function = object->function<void(void *const *, const int64_t *, int64_t, int64_t)>(step.symbol);
      ASSERT_TRUE(function) << function.diagnostics().text();
      driver->registerKernel(step.symbol, [name = step.symbol, function = *function, keep = *object](
                                              const cuda::LaunchShape &, std::span<const uint64_t> values) {
        std::vector<void *> buffers;
        for (uint64_t address : values.first(values.size() - 2))
          buffers.push_back(reinterpret_cast<void *>(address));
        int64_t begin = static_cast<int64_t>(values[values.size() - 2]),
                end = static_cast<int64_t>(values.back());
        auto called = emulator::invoke({name, function, buffers, {}, nullptr, begin, end});
        EXPECT_TRUE(called) << called.diagnostics().text();
      });
    }
  }

  mlir::MLIRContext context;
  std::shared_ptr<cuda::RecordingDriver> driver;
};

TEST_F(CudaProgramTest, RunsOnTheDevice) {
  if (cuda::CudaToolkit::find().libdevice.empty())
    GTEST_SKIP() << "libdevice was not found";
  registerKernels();
  Tensor x(DType::Float32, {3, 4}), w(DType::Float32, {4, 5});
  for (int64_t i = 0; i < x.size(); ++i)
    x.as<float>()[i] = static_cast<float>(std::sin(i));
  for (int64_t i = 0; i < w.size(); ++i)
    w.as<float>()[i] = static_cast<float>(std::cos(3 * i));
  CompileOptions options;
  options.target = TargetKind::Cuda;
  auto compiled = CompiledFunction::create(parse(), {x, w}, options);
  ASSERT_TRUE(compiled) << compiled.diagnostics().text();
  driver->clearLog();
  auto results = compiled->run({x, w});
  ASSERT_TRUE(results) << results.diagnostics().text();
  for (int i = 0; i < 3; ++i) {
    double products[5], sum = 0;
    for (int j = 0; j < 5; ++j) {
      products[j] = 0;
      for (int k = 0; k < 4; ++k)
        products[j] += double(x.as<float>()[4 * i + k]) * double(w.as<float>()[5 * k + j]);
      sum += std::exp(products[j]);
    }
    for (int j = 0; j < 5; ++j)
      EXPECT_NEAR(results->front().as<float>()[5 * i + j], std::exp(products[j]) / sum, 1e-5);
  }
  EXPECT_THAT(driver->log(), ::testing::Contains(::testing::StartsWith("launch kernel")));
}

/// Opens the training step with its first states.
Session openTraining(const std::string &target) {
  std::string path = (std::filesystem::path(::testing::TempDir()) / "proa-cuda-training.mlir").string();
  EXPECT_TRUE(writeFile(path, trainingStep));
  ModelOptions options;
  options.target = target;
  options.cacheDirectory = "off";
  auto session = openSession(path, options);
  EXPECT_TRUE(session) << session.diagnostics().text();
  EXPECT_TRUE(session->setParameter("w", wave({6, 4}, 1)));
  EXPECT_TRUE(session->setParameter("m", wave({6, 4}, 0)));
  EXPECT_TRUE(session->setParameter("n", wave({1}, 0)));
  return std::move(*session);
}

/// The remarks of ModelOptions::remarks, once for all sessions of a model.
TEST_F(CudaProgramTest, RemarksOfGraphs) {
  if (cuda::CudaToolkit::find().libdevice.empty())
    GTEST_SKIP() << "libdevice was not found";
  registerKernels(trainingStep);
  std::string path = (std::filesystem::path(::testing::TempDir()) / "proa-cuda-graphs.mlir").string();
  ASSERT_TRUE(writeFile(path, trainingStep));
  std::vector<std::string> remarks;
  ModelOptions options;
  options.target = "cuda";
  options.cacheDirectory = "off";
  options.remarks = "cuda-graphs";
  options.onDiagnostic = [&](const proa::Diagnostic &remark) {
    if (remark.code == "cuda-graphs")
      remarks.push_back(remark.message);
  };
  auto model = Model::open(path, options);
  ASSERT_TRUE(model) << model.diagnostics().text();
  for (int i = 0; i < 2; ++i) {
    auto session = model->session();
    ASSERT_TRUE(session) << session.diagnostics().text();
    ASSERT_TRUE(session->setParameter("w", wave({6, 4}, 1)));
    ASSERT_TRUE(session->setParameter("m", wave({6, 4}, 0)));
    ASSERT_TRUE(session->setParameter("n", wave({1}, 0)));
    ASSERT_TRUE(session->run({{"x", wave({6, 4}, 2)}}));
  }
  EXPECT_THAT(remarks, ::testing::ElementsAre(::testing::HasSubstr("cuda-graphs: 2 steps are a CUDA graph")));
}

void expectNear(const Result<Tensor> &found, const Result<Tensor> &expected) {
  ASSERT_TRUE(found) << found.diagnostics().text();
  ASSERT_TRUE(expected) << expected.diagnostics().text();
  ASSERT_EQ(found->dims(), expected->dims());
  for (int64_t i = 0; i < found->size(); ++i)
    EXPECT_NEAR(found->as<float>()[i], expected->as<float>()[i], 1e-5) << i;
}

/// States stay on the device until the caller reads, saves or sets them; they equal the states on the CPU.
TEST_F(CudaProgramTest, StatesStayOnTheDevice) {
  if (cuda::CudaToolkit::find().libdevice.empty())
    GTEST_SKIP() << "libdevice was not found";
  registerKernels(trainingStep);
  Session session = openTraining("cuda"), expected = openTraining("cpu");
  auto run = [&](int step) {
    std::map<std::string, Tensor> feeds{{"x", wave({6, 4}, 2 + step)}};
    driver->clearLog();
    auto found = session.run(feeds), reference = expected.run(feeds);
    ASSERT_TRUE(found) << found.diagnostics().text();
    ASSERT_TRUE(reference) << reference.diagnostics().text();
    expectNear(found->front().tensor, reference->front().tensor);
  };
  auto copies = [&](const std::string &direction) {
    auto log = driver->log();
    return std::ranges::count(log, "copy " + direction + " 96");
  };
  run(0);
  EXPECT_EQ(copies("to device"), 3);
  EXPECT_EQ(copies("to host"), 0);
  EXPECT_EQ(copies("on device"), 2);
  run(1);
  EXPECT_EQ(copies("to device"), 1); // x
  EXPECT_EQ(copies("to host"), 0);
  for (const char *name : {"w", "m", "n"})
    expectNear(session.parameter(name), expected.parameter(name));
  ASSERT_TRUE(session.measure({{"x", wave({6, 4}, 9)}}));
  run(2);
  EXPECT_EQ(copies("to device"), 1);
  for (Session *own : {&session, &expected}) {
    ASSERT_TRUE(own->setParameter("m", wave({6, 4}, 0.5)));
    EXPECT_FALSE(own->setParameter("w", wave({4, 6}, 0.5)));
  }
  run(3);
  EXPECT_EQ(copies("to device"), 2); // x and m
  ASSERT_TRUE(session.saveParameters(
      (std::filesystem::path(::testing::TempDir()) / "proa-states.safetensors").string()));
  EXPECT_EQ(copies("to host"), 2);
  run(4);
  EXPECT_EQ(copies("to device"), 3);
  for (const char *name : {"w", "m", "n"})
    expectNear(session.parameter(name), expected.parameter(name));
}

/// The library computes products with many multiplications, with TF32 where it is allowed.
TEST_F(CudaProgramTest, LargeProductsUseTheLibrary) {
  Tensor x(DType::Float32, {512, 1024}), w(DType::Float32, {1024, 512});
  std::fill_n(x.as<float>(), x.size(), 1.0f);
  std::fill_n(w.as<float>(), w.size(), 2.0f);
  for (bool allowsTf32 : {false, true}) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
func.func @main(%x: tensor<512x1024xf32>, %w: tensor<1024x512xf32>) -> tensor<512x512xf32> {
  %p = pd.matmul %x, %w : (tensor<512x1024xf32>, tensor<1024x512xf32>) -> tensor<512x512xf32>
  return %p : tensor<512x512xf32>
})",
                                                          &context);
    CompileOptions options;
    options.target = TargetKind::Cuda;
    options.allowsTf32 = allowsTf32;
    auto compiled = CompiledFunction::create(std::move(module), {x, w}, options);
    ASSERT_TRUE(compiled) << compiled.diagnostics().text();
    auto results = compiled->run({x, w});
    ASSERT_TRUE(results) << results.diagnostics().text();
    EXPECT_THAT(std::span(results->front().as<float>(), 512 * 512), ::testing::Each(2048.0f));
    std::string product = "multiply float32 512x512x1024 batch 1";
    EXPECT_THAT(driver->log(), ::testing::Contains(product + (allowsTf32 ? " tf32" : "")));
  }
}

/// A bias and a relu are part of the convolution; other activations are kernels on the device.
TEST_F(CudaProgramTest, ConvolutionsUseTheLibrary) {
  auto parsed = [&](const char *activation) {
    std::string text = R"(
func.func @main(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>, %b: tensor<1x3x1x1xf32>) -> tensor<1x3x5x5xf32> {
  %c = pd.conv2d %x, %w {paddings = array<i64: 1, 1>}
      : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x5x5xf32>
  %s = pd.add %c, %b : (tensor<1x3x5x5xf32>, tensor<1x3x1x1xf32>) -> tensor<1x3x5x5xf32>
  %y = pd.)" + std::string(activation) +
                       R"( %s : (tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  return %y : tensor<1x3x5x5xf32>
})";
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  };
  CompileOptions options;
  options.target = TargetKind::Cuda;
  options.allowsTf32 = true;
  Tensor x(DType::Float32, {1, 2, 5, 5}), w(DType::Float32, {3, 2, 3, 3}), b(DType::Float32, {1, 3, 1, 1});
  std::fill_n(x.as<float>(), x.size(), 1.0f);
  std::fill_n(w.as<float>(), w.size(), 1.0f);
  for (int i = 0; i < 3; ++i)
    b.as<float>()[i] = static_cast<float>(10 * i - 10);
  auto compiled = CompiledFunction::create(parsed("relu"), {x, w, b}, options);
  ASSERT_TRUE(compiled) << compiled.diagnostics().text();
  auto results = compiled->run({x, w, b});
  ASSERT_TRUE(results) << results.diagnostics().text();
  EXPECT_THAT(driver->log(), ::testing::Contains(::testing::HasSubstr("convolve forward float32")));
  EXPECT_THAT(driver->log(), ::testing::Contains(::testing::HasSubstr("+bias relu tf32")));
  const float *y = results->front().as<float>();
  EXPECT_EQ(y[12], 8); // 18 products in the middle, less 10
  EXPECT_EQ(y[0], 0);  // 8 products in the corner
  EXPECT_EQ(y[25], 8);
  EXPECT_EQ(y[50], 18);

  auto module = parsed("sigmoid");
  mlir::Builder builder(&context);
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; i < 3; ++i)
    main.setArgAttr(i, "pd.feed", builder.getStringAttr(std::to_string(i)));
  auto program = compileProgram(std::move(module), options);
  ASSERT_TRUE(program) << program.diagnostics().text();
  for (const runtime::Step &step : program->plan.steps)
    if (step.kind == runtime::StepKind::Library)
      EXPECT_EQ(step.launch.library, cuda::cudnn) << step.symbol;
    else if (step.kind == runtime::StepKind::Kernel)
      EXPECT_TRUE(step.isOnDevice()) << step.symbol;
}

/// Two models of a process on two devices.
TEST_F(CudaProgramTest, SecondDevice) {
  auto second = std::make_shared<cuda::RecordingDriver>();
  auto libraries = cuda::Libraries::none("not recorded");
  libraries->blas.set(cuda::recordingBlas(second));
  cuda::setCudaContext({second, libraries}, 1);
  registerKernels();
  CompileOptions options;
  options.target = TargetKind::Cuda;
  options.device = 1;
  auto program = compileProgram(parse(), options);
  ASSERT_TRUE(program) << program.diagnostics().text();
  EXPECT_EQ(program->device, 1);
  size_t before = driver->log().size();
  auto executable = loadProgram(std::move(*program), "net");
  ASSERT_TRUE(executable) << executable.diagnostics().text();
  auto session = runtime::Session::create(*executable);
  ASSERT_TRUE(session) << session.diagnostics().text();
  EXPECT_GT(second->allocatedBytes(), 0);
  EXPECT_EQ(driver->log().size(), before);
  cuda::setCudaContext({}, 1);
}

/// Equal PTX is assembled once.
TEST_F(CudaProgramTest, MachineCodeIsCached) {
  if (!cuda::CudaToolkit::find().canAssemble())
    GTEST_SKIP() << "no assembler was found";
  std::string folder = ::testing::TempDir() + "/cuda-cache-" + std::to_string(::getpid());
  CompileOptions options;
  options.target = TargetKind::Cuda;
  options.cacheDirectory = folder;
  auto count = [&] {
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
  };
  auto first = compileProgram(parse(), options);
  ASSERT_TRUE(first) << first.diagnostics().text();
  auto files = count();
  EXPECT_GT(files, 0);
  auto second = compileProgram(parse(), options);
  ASSERT_TRUE(second);
  EXPECT_EQ(count(), files);
  EXPECT_EQ(second->deviceCode.kernels[0].cubin, first->deviceCode.kernels[0].cubin);
  std::filesystem::remove_all(folder);
}

/// Code for a chip needs no device, and its kernels have names of their own.
TEST_F(CudaProgramTest, CompilesForAChipWithoutADevice) {
  cuda::setCudaContext({});
  CompileOptions options;
  options.target = TargetKind::Cuda;
  options.chip = "sm_80";
  options.symbolPrefix = "sm_80_";
  options.cacheDirectory = options.tuningFile = "off";
  auto program = compileProgram(parse(), options);
  ASSERT_TRUE(program) << program.diagnostics().text();
  EXPECT_EQ(program->deviceCode.chip, "sm_80");
  ASSERT_FALSE(program->deviceCode.kernels.empty());
  EXPECT_THAT(program->deviceCode.kernels[0].symbol, ::testing::StartsWith("sm_80_kernel"));
  options.chip = "sm_12";
  auto unknown = compileProgram(parse(), options);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.diagnostics().text(), ::testing::HasSubstr("sm_12"));
}

TEST_F(CudaProgramTest, ChipsOfDevices) {
  cuda::DeviceProperties properties;
  properties.major = 9;
  EXPECT_EQ(cuda::chipOf(properties), "sm_90a");
  properties.major = 8;
  properties.minor = 6;
  EXPECT_EQ(cuda::chipOf(properties), "sm_86");
}

TEST_F(CudaProgramTest, ChipsThatCodeIsGeneratedFor) {
  const std::pair<std::pair<int, int>, const char *> chips[] = {
      {{8, 0}, "sm_80"},    {{8, 6}, "sm_86"},   {{8, 7}, "sm_86"},   {{8, 9}, "sm_89"},  {{9, 0}, "sm_90a"},
      {{10, 0}, "sm_100a"}, {{10, 3}, "sm_100"}, {{11, 0}, "sm_100"}, {{12, 0}, "sm_100"}};
  for (auto [capability, expected] : chips) {
    auto chip = cuda::chipFor(capability.first, capability.second);
    ASSERT_TRUE(bool(chip)) << expected;
    EXPECT_EQ(chip->name, expected);
  }
  auto old = cuda::chipFor(7, 5);
  ASSERT_FALSE(old);
  EXPECT_THAT(old.diagnostics().text(),
              ::testing::HasSubstr("the device has compute capability 7.5, expected 8.0 or newer"));
}

} // namespace
