// Kernels of libraries on a recorded device, beside the kernels of the CPU; the real libraries where they
// exist.
#include "lib/runtime/cuda/CudaFolders.h"
#include "lib/runtime/cuda/SharedLibrary.h"
#include "test/unit/cuda/LibraryHarness.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace proa::runtime {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using json = nlohmann::json;
using Shape = std::vector<int64_t>;

KernelCase convolution(const std::string &name, json attributes, const Shape &image, const Shape &filter,
                       const Shape &out) {
  return {name,
          std::move(attributes),
          {randomFloats(image, 1), randomFloats(filter, 2)},
          {{DType::Float32, out}}};
}

json postOp(const char *kind) { return {{"kind", kind}}; }

Tensor complexTensor(const Shape &dims, unsigned seed, DType dtype = DType::Complex64) {
  Tensor tensor(dtype, dims);
  Shape twice = dims;
  twice.push_back(2);
  Tensor reals = randomFloats(twice, seed);
  for (int64_t i = 0; i < reals.size(); ++i)
    if (dtype == DType::Complex64)
      static_cast<float *>(tensor.data())[i] = reals.as<float>()[i];
    else
      static_cast<double *>(tensor.data())[i] = reals.as<float>()[i];
  return tensor;
}

/// x x^H + n, which is positive definite.
template <class T> Tensor definite(DType dtype, int64_t count, int64_t n, unsigned seed) {
  Tensor out(dtype, {count, n, n});
  Tensor random = complexTensor({count, n, n}, seed);
  auto *r = static_cast<const std::complex<float> *>(random.data());
  auto *o = static_cast<T *>(out.data());
  auto element = [&](int64_t at) {
    if constexpr (std::is_floating_point_v<T>)
      return T(r[at].real());
    else
      return T(r[at]);
  };
  auto conjugate = [](T value) {
    if constexpr (std::is_floating_point_v<T>)
      return value;
    else
      return std::conj(value);
  };
  for (int64_t b = 0; b < count; ++b)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T sum = i == j ? T(static_cast<float>(n)) : T(0);
        for (int64_t k = 0; k < n; ++k)
          sum += element((b * n + i) * n + k) * conjugate(element((b * n + j) * n + k));
        o[(b * n + i) * n + j] = sum;
      }
  return out;
}

/// Sets a variable of the environment until the end of the test.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const std::string &value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (before)
      setenv(name, before->c_str(), 1);
    else
      unsetenv(name);
  }

private:
  const char *name;
  std::optional<std::string> before;
};

} // namespace

/// PyTorch's packages are in the virtual environment of `python3`, which is a link to the system's.
TEST(CudaFoldersTest, FindsPackagesOfThePythonOnThePath) {
  namespace fs = std::filesystem;
  fs::path root = fs::path(::testing::TempDir()) / ("folders-" + std::to_string(::getpid()));
  fs::path packages = root / "env/lib/python3.12/site-packages/nvidia",
           system = root / "system/lib/python3.12/dist-packages/nvidia";
  for (const fs::path &folder :
       {packages / "cublas", system / "cudnn", root / "env/bin", root / "system/bin"})
    fs::create_directories(folder);
  std::ofstream(root / "system/bin/python3") << "";
  fs::create_symlink(root / "system/bin/python3", root / "env/bin/python3");
  {
    ScopedVariable path("PATH", (root / "env/bin").string()), given("PROA_CUDA_PATH", "");
    std::vector<fs::path> folders = cuda::cudaFolders("/of/the/build");
    EXPECT_THAT(folders, Contains(packages / "cublas"));
    EXPECT_THAT(folders, Contains(system / "cudnn"));
    EXPECT_LT(std::ranges::find(folders, fs::path("/of/the/build")), std::ranges::find(folders, packages));
  }
  ScopedVariable given("PROA_CUDA_PATH", "/opt/cuda:" + packages.string());
  EXPECT_THAT(cuda::cudaFolders(),
              ::testing::ElementsAre(fs::path("/opt/cuda"), packages, packages / "cublas"));
  fs::remove_all(root);
}

TEST(DeviceConvolutionTest, ForwardAsOnCpu) {
  json plain = json::object();
  DeviceRun ran =
      expectAsOnCpu(convolution("conv2d", plain, {2, 3, 7, 6}, {4, 3, 3, 2}, {2, 4, 5, 5}), "cudnn");
  EXPECT_THAT(ran.log, Contains("convolve forward float32 [2, 3, 7, 6] * [4, 3, 3, 2]"));
  expectAsOnCpu(convolution("conv2d", {{"strides", {2, 1}}, {"paddings", {1, 2}}, {"dilations", {1, 2}}},
                            {1, 2, 9, 9}, {3, 2, 3, 3}, {1, 3, 5, 9}),
                "cudnn");
  expectAsOnCpu(
      convolution("conv2d", {{"groups", 2}, {"paddings", {1, 1}}}, {1, 4, 5, 5}, {6, 2, 3, 3}, {1, 6, 5, 5}),
      "cudnn");
  expectAsOnCpu(convolution("conv2d", {{"data_format", "NHWC"}}, {2, 5, 6, 3}, {4, 3, 3, 3}, {2, 3, 4, 4}),
                "cudnn");
  expectAsOnCpu(convolution("conv3d", plain, {1, 2, 4, 5, 6}, {3, 2, 2, 3, 3}, {1, 3, 3, 3, 4}), "cudnn");
}

TEST(DeviceConvolutionTest, PostOpsAreFused) {
  KernelCase c =
      convolution("fused_conv2d",
                  {{"post_ops", {postOp("bias"), postOp("add"), postOp("relu")}}, {"paddings", {1, 1, 1, 1}}},
                  {1, 2, 4, 4}, {3, 2, 3, 3}, {1, 3, 4, 4});
  c.inputs.push_back(randomFloats({3}, 3));
  c.inputs.push_back(randomFloats({1, 3, 4, 4}, 4));
  DeviceRun ran = expectAsOnCpu(c, "cudnn");
  EXPECT_THAT(ran.log, Contains(HasSubstr("+addend +bias relu")));
  c.attributes["post_ops"] = {postOp("bias"), postOp("sigmoid")};
  c.inputs.pop_back();
  ran = runOnDevice(c);
  EXPECT_EQ(ran.library, "");
  EXPECT_THAT(ran.reason, HasSubstr("cuDNN has no convolution with these post-ops"));
}

TEST(DeviceConvolutionTest, GradientsAsOnCpu) {
  expectAsOnCpu(convolution("conv2d_transpose",
                            {{"strides", {2, 2}}, {"paddings", {1, 1}}, {"output_padding", {1, 1}}},
                            {1, 3, 4, 4}, {3, 2, 3, 3}, {1, 2, 8, 8}),
                "cudnn");
  expectAsOnCpu(
      convolution("conv3d_transpose", json::object(), {1, 2, 2, 3, 2}, {2, 3, 2, 2, 2}, {1, 3, 3, 4, 3}),
      "cudnn");
  KernelCase c{"conv2d_weight_gradient",
               {{"kernel_size", {3, 2}}, {"strides", {2, 1}}, {"paddings", {1, 0}}},
               {randomFloats({2, 4, 7, 6}, 1), randomFloats({2, 6, 4, 5}, 2)},
               {{DType::Float32, {6, 4, 3, 2}}}};
  DeviceRun ran = expectAsOnCpu(c, "cudnn");
  EXPECT_THAT(ran.log, Contains(StartsWith("convolve filter gradient")));
}

TEST(DeviceConvolutionTest, PaddingsThatDiffer) {
  // The last row of the padding is never read: as with equal paddings.
  expectAsOnCpu(convolution("conv2d", {{"strides", {2, 2}}, {"paddings", {1, 0, 1, 0}}}, {1, 1, 5, 5},
                            {1, 1, 2, 2}, {1, 1, 3, 3}),
                "cudnn");
  DeviceRun ran = runOnDevice(
      convolution("conv2d", {{"paddings", {0, 1, 0, 1}}}, {1, 1, 5, 5}, {1, 1, 2, 2}, {1, 1, 5, 5}));
  EXPECT_EQ(ran.library, "");
  EXPECT_THAT(ran.reason, HasSubstr("paddings that differ on the two sides of an axis (0 and 1)"));
}

TEST(DeviceConvolutionTest, DynamicDims) {
  KernelCase c = convolution("conv2d", {{"paddings", {1, 1}}}, {2, 3, 5, 6}, {4, 3, 3, 3}, {2, 4, 5, 6});
  c.dims = Dims::Dynamic;
  expectAsOnCpu(c, "cudnn");
  c.attributes["padding_algorithm"] = "SAME";
  EXPECT_EQ(runOnDevice(c).library, "");
}

TEST(DeviceFftTest, ComplexAsOnCpu) {
  for (bool forward : {true, false})
    for (const char *normalization : {"backward", "ortho", "forward"})
      for (const Shape &axes : {Shape{1}, Shape{0}, Shape{0, 1}, Shape{1, 2}, Shape{0, 2}, Shape{-1, -3}}) {
        KernelCase c{"fft_c2c",
                     {{"axes", axes}, {"normalization", normalization}, {"forward", forward}},
                     {complexTensor({3, 4, 5}, 1)},
                     {{DType::Complex64, {3, 4, 5}}}};
        expectAsOnCpu(c, "cufft", 2e-5);
      }
}

TEST(DeviceFftTest, RealAsOnCpu) {
  for (int64_t n : {6, 7}) {
    for (const Shape &axes : {Shape{2}, Shape{1, 2}, Shape{0, 2}, Shape{0, 1, 2}, Shape{1}}) {
      Shape half{3, 4, n};
      int64_t &last = half[static_cast<size_t>(axes.back())];
      last = last / 2 + 1;
      json attributes = {{"axes", axes}, {"normalization", "ortho"}, {"forward", true}, {"onesided", true}};
      expectAsOnCpu({"fft_r2c", attributes, {randomFloats({3, 4, n}, 1)}, {{DType::Complex64, half}}},
                    "cufft", 2e-5);
      attributes = {{"axes", axes}, {"normalization", "backward"}, {"forward", false}, {"last_dim_size", 0}};
      Shape full{3, 4, n};
      int64_t &even = full[static_cast<size_t>(axes.back())];
      even = 2 * (even - 1);
      expectAsOnCpu({"fft_c2r", attributes, {complexTensor({3, 4, n}, 2)}, {{DType::Float32, full}}}, "cufft",
                    2e-5);
    }
  }
  KernelCase odd{"fft_c2r",
                 {{"axes", {1}}, {"normalization", "backward"}, {"forward", false}, {"last_dim_size", 5}},
                 {complexTensor({2, 6}, 2)},
                 {{DType::Float32, {2, 5}}}};
  expectAsOnCpu(odd, "cufft", 2e-5);
  odd.attributes["last_dim_size"] = 20;
  odd.outputs = {{DType::Float32, {2, 20}}};
  EXPECT_THAT(runOnDevice(odd).reason, HasSubstr("cuFFT has no transform of 6 numbers to 20"));
}

TEST(DeviceFftTest, OnePlanWhereTheAxesAreTheLast) {
  KernelCase c{"fft_c2c",
               {{"axes", {1, 2}}, {"normalization", "backward"}, {"forward", true}},
               {complexTensor({3, 4, 5}, 1)},
               {{DType::Complex64, {3, 4, 5}}}};
  EXPECT_THAT(runOnDevice(c).log, Contains("fft c2c forward float32 4x5 batch 3"));
}

TEST(DeviceSolverTest, FactorsAsOnCpu) {
  for (bool upper : {false, true}) {
    json attributes = {{"upper", upper}};
    expectAsOnCpu(
        {"cholesky", attributes, {definite<float>(DType::Float32, 2, 4, 1)}, {{DType::Float32, {2, 4, 4}}}},
        "cusolver");
    expectAsOnCpu({"cholesky",
                   attributes,
                   {definite<std::complex<double>>(DType::Complex128, 2, 3, 2)},
                   {{DType::Complex128, {2, 3, 3}}}},
                  "cusolver", 1e-12);
  }
  for (const Shape &mn : {Shape{4, 4}, Shape{5, 3}, Shape{3, 5}}) {
    int64_t m = mn[0], n = mn[1], least = std::min(m, n);
    Tensor x = randomFloats({2, m, n}, 5), z = complexTensor({2, m, n}, 6, DType::Complex128);
    expectAsOnCpu({"lu",
                   json::object(),
                   {x},
                   {{DType::Float32, {2, m, n}}, {DType::Int32, {2, least}}, {DType::Int32, {2}}}},
                  "cusolver");
    for (bool complete : {false, true}) {
      int64_t width = complete ? m : least;
      json attributes = {{"mode", complete ? "complete" : "reduced"}};
      expectAsOnCpu(
          {"qr", attributes, {x}, {{DType::Float32, {2, m, width}}, {DType::Float32, {2, width, n}}}},
          "cusolver");
      expectAsOnCpu(
          {"qr", attributes, {z}, {{DType::Complex128, {2, m, width}}, {DType::Complex128, {2, width, n}}}},
          "cusolver", 1e-12);
    }
  }
}

/// Eigenvectors have free phases: x = v diag(w) v^H is compared.
TEST(DeviceSolverTest, Eigenvectors) {
  for (bool upper : {false, true}) {
    Tensor x = definite<std::complex<double>>(DType::Complex128, 2, 3, 3);
    DeviceRun ran = runOnDevice({"eigh",
                                 {{"UPLO", upper ? "U" : "L"}},
                                 {x},
                                 {{DType::Float64, {2, 3}}, {DType::Complex128, {2, 3, 3}}}});
    ASSERT_TRUE(bool(ran.results)) << ran.results.diagnostics().text() << ran.reason;
    auto *w = static_cast<const double *>((*ran.results)[0].data());
    auto *v = static_cast<const std::complex<double> *>((*ran.results)[1].data());
    auto *expected = static_cast<const std::complex<double> *>(x.data());
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 3; ++j) {
          std::complex<double> sum = 0;
          for (int64_t k = 0; k < 3; ++k)
            sum += v[(b * 3 + i) * 3 + k] * w[b * 3 + k] * std::conj(v[(b * 3 + j) * 3 + k]);
          EXPECT_LT(std::abs(sum - expected[(b * 3 + i) * 3 + j]), 1e-10);
        }
  }
}

/// Singular vectors have free signs: their product is compared.
TEST(DeviceSolverTest, SingularValues) {
  for (const Shape &mn : {Shape{4, 4}, Shape{5, 3}, Shape{3, 5}})
    for (bool full : {false, true}) {
      int64_t m = mn[0], n = mn[1], least = std::min(m, n), left = full ? m : least, right = full ? n : least;
      Tensor x = complexTensor({2, m, n}, 7, DType::Complex128);
      KernelCase c{"svd",
                   {{"full_matrices", full}},
                   {x},
                   {{DType::Complex128, {2, m, left}},
                    {DType::Float64, {2, least}},
                    {DType::Complex128, {2, right, n}}}};
      DeviceRun ran = runOnDevice(c);
      ASSERT_TRUE(bool(ran.results)) << ran.results.diagnostics().text() << ran.reason;
      auto *u = static_cast<const std::complex<double> *>((*ran.results)[0].data());
      auto *s = static_cast<const double *>((*ran.results)[1].data());
      auto *v = static_cast<const std::complex<double> *>((*ran.results)[2].data());
      auto *expected = static_cast<const std::complex<double> *>(x.data());
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            std::complex<double> sum = 0;
            for (int64_t k = 0; k < least; ++k)
              sum += u[(b * m + i) * left + k] * s[b * least + k] * v[(b * right + k) * n + j];
            EXPECT_LT(std::abs(sum - expected[(b * m + i) * n + j]), 1e-10);
          }
    }
}

TEST(DeviceSolverTest, SystemsAsOnCpu) {
  Tensor a = definite<float>(DType::Float32, 2, 4, 8);
  expectAsOnCpu({"solve", json::object(), {a, randomFloats({2, 4, 3}, 9)}, {{DType::Float32, {2, 4, 3}}}},
                "cusolver");
  expectAsOnCpu({"solve", json::object(), {a, randomFloats({1, 4, 3}, 9)}, {{DType::Float32, {2, 4, 3}}}},
                "cusolver");
  expectAsOnCpu({"solve", json::object(), {a, randomFloats({2, 4}, 9)}, {{DType::Float32, {2, 4}}}},
                "cusolver");
  expectAsOnCpu({"inverse", json::object(), {a}, {{DType::Float32, {2, 4, 4}}}}, "cusolver");
  Tensor z = definite<std::complex<double>>(DType::Complex128, 2, 3, 4);
  expectAsOnCpu({"inverse", json::object(), {z}, {{DType::Complex128, {2, 3, 3}}}}, "cusolver", 1e-12);
  for (bool upper : {false, true}) {
    auto factor = runCase({"cholesky", {{"upper", upper}}, {a}, {{DType::Float32, {2, 4, 4}}}});
    ASSERT_TRUE(bool(factor));
    expectAsOnCpu({"cholesky_solve",
                   {{"upper", upper}},
                   {randomFloats({2, 4, 3}, 9), (*factor)[0]},
                   {{DType::Float32, {2, 4, 3}}}},
                  "cusolver");
    for (bool transpose : {false, true})
      for (bool unit : {false, true})
        expectAsOnCpu({"triangular_solve",
                       {{"upper", upper}, {"transpose", transpose}, {"unitriangular", unit}},
                       {a, randomFloats({2, 4, 3}, 9)},
                       {{DType::Float32, {2, 4, 3}}}},
                      "cusolver");
  }
}

TEST(DeviceSolverTest, CodesOfTheLibraryAreErrors) {
  Tensor indefinite = floats({2, 2, 2}, {2, 0, 0, 2, 1, 0, 0, -1});
  DeviceRun ran = runOnDevice({"cholesky", {{"upper", false}}, {indefinite}, {{DType::Float32, {2, 2, 2}}}});
  ASSERT_FALSE(ran.results);
  EXPECT_THAT(ran.results.diagnostics().text(),
              AllOf(HasSubstr("test: cholesky"), HasSubstr("matrix 1 is not positive definite")));
  ran = runOnDevice({"inverse", json::object(), {floats({2, 2}, {1, 2, 2, 4})}, {{DType::Float32, {2, 2}}}});
  ASSERT_FALSE(ran.results);
  EXPECT_THAT(ran.results.diagnostics().text(), HasSubstr("matrix 0 is singular: it has no inverse"));
}

TEST(LibrariesTest, WithoutALibraryTheStepStaysOnTheHost) {
  KernelCase c = convolution("conv2d", json::object(), {1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1, 2, 2});
  Plan plan = planOf(c);
  auto libraries = cuda::Libraries::none("cannot load cuDNN: no such file");
  cuda::LibraryChoice choice = cuda::chooseLibrary(plan.steps[0], plan, libraries.get());
  EXPECT_EQ(choice.library, "");
  EXPECT_EQ(choice.reason, "cannot load cuDNN: no such file");
  plan.steps[0].symbol = "sequence_conv";
  EXPECT_EQ(cuda::chooseLibrary(plan.steps[0], plan, libraries.get()).reason,
            "no library of CUDA computes it");
}

TEST(LibrariesTest, PlanWhoseLibraryIsMissingIsRefused) {
  KernelCase c = convolution("conv2d", json::object(), {1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1, 2, 2});
  Plan plan = planOf(c);
  plan.steps[0].launch.library = cuda::cudnn;
  planner::placeOnDevice(plan);
  planner::placeValues(plan, {});
  auto libraries = cuda::Libraries::none("cannot load cuDNN: no such file");
  auto device =
      std::make_shared<cuda::CudaDevice>(std::make_shared<cuda::RecordingDriver>(), cuda::DeviceCode(),
                                         cuda::CudaDeviceOptions{.libraries = libraries});
  auto executable =
      Executable::create(plan, "net", [](const std::string &) { return nullptr; }, nullptr, device);
  ASSERT_FALSE(executable);
  EXPECT_THAT(executable.diagnostics().text(),
              HasSubstr("the step needs the library 'cudnn': cannot load cuDNN: no such file"));
}

TEST(LibrariesTest, WrongFilesAreErrors) {
  auto driver = std::make_shared<cuda::RecordingDriver>();
  auto textOf = [](const auto &opened) {
    return opened ? std::string("opened") : opened.diagnostics().text();
  };
  EXPECT_THAT(textOf(cuda::openCudnn(driver, "/missing/libcudnn.so.9")),
              HasSubstr("cannot load cuDNN: /missing/libcudnn.so.9"));
  EXPECT_THAT(
      textOf(cuda::openCudnn(driver, "libm.so.6")),
      AllOf(HasSubstr("cuDNN (libm.so.6) has no function 'cudnnCreate'"), HasSubstr("expected cuDNN 9")));
  EXPECT_THAT(textOf(cuda::openCufft(driver, "libm.so.6")), HasSubstr("cuFFT (libm.so.6) has no function"));
  EXPECT_THAT(textOf(cuda::openCusolver(driver, "libm.so.6")), HasSubstr("'cusolverDnSpotrf'"));
  EXPECT_THAT(textOf(cuda::openNccl(driver, "libm.so.6")), HasSubstr("expected NCCL 2.13 or later"));
  // The environment replaces the search.
  setenv("PROA_CUDA_PATH", "/missing/cuda", 1);
  EXPECT_THAT(textOf(cuda::openCudnn(driver)), HasSubstr("cannot load cuDNN: libcudnn.so.9 was not found"));
  unsetenv("PROA_CUDA_PATH");
}

/// All functions exist, and without a device the first call fails in the library's own words.
TEST(LibrariesTest, RealLibrariesHaveTheFunctions) {
  auto driver = std::make_shared<cuda::RecordingDriver>();
  int found = 0;
  auto check = [&](const auto &opened) {
    std::string text = opened ? "" : opened.diagnostics().text();
    EXPECT_THAT(text, ::testing::Not(HasSubstr("has no function")));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("has the version")));
    found += text.find("cannot load") == std::string::npos;
  };
  check(cuda::openCublasLt(driver));
  check(cuda::openCudnn(driver));
  check(cuda::openCufft(driver));
  check(cuda::openCusolver(driver));
  check(cuda::openNccl(driver));
  if (found == 0)
    GTEST_SKIP() << "no library of CUDA was found";
}

} // namespace proa::runtime
