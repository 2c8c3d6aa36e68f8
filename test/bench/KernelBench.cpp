// Compiled kernels compared with the same loops in C, on one thread: microseconds, GB/s, ratio, largest
// error.
#include "test/unit/codegen/KernelText.h"

#include "lib/compiler/compile/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace proa;
using namespace proa::testing;

extern "C" {
void referenceBiasGeluErf();
void referenceBiasGeluTanh();
void referenceAddLayerNorm();
void referenceSoftmax();
void referenceBatchNormRelu();
void referenceTranspose0213();
void referenceTranspose10();
void referenceGather();
void referenceReduceOuter();
void referenceReduceInner();
}

namespace {

using Kernel = void(void *const *, const int64_t *, int64_t, int64_t);

struct Case {
  const char *name;
  std::string text;
  void (*reference)();
  std::vector<std::vector<int64_t>> inputs; ///< the first of "gather" is int64
  std::vector<int64_t> output;
};

std::string bias(const std::string &name, const std::string &activation) {
  const std::string t = "tensor<128x3072xf32>", v = "tensor<3072xf32>";
  KernelText text(name, "%x: " + t + ", %b: " + v);
  text.generic("%t", {{"%x", t, "0 1"}, {"%b", v, "1"}}, {"", t, "0 1"}, "pp",
               "%y = arith.addf %i0, %i1 : f32");
  text.generic(
      "%r", {{"%t", t, "0 1"}}, {"", t, "0 1"}, "pp",
      "%h = arith.constant 0.5 : f32\n%one = arith.constant 1.0 : f32\n" + activation +
          "%p = arith.addf %f, %one : f32\n%q = arith.mulf %i0, %h : f32\n%y = arith.mulf %p, %q : f32");
  return text.returns("%r", t);
}

std::string addLayerNorm() {
  const std::string t = "tensor<128x768xf32>", v = "tensor<128xf32>", w = "tensor<768xf32>";
  const std::string scale = "%k = arith.constant 0.00130208333 : f32\n";
  KernelText text("add_layer_norm", "%x: " + t + ", %z: " + t + ", %g: " + w + ", %b: " + w);
  text.generic("%t", {{"%x", t, "0 1"}, {"%z", t, "0 1"}}, {"", t, "0 1"}, "pp",
               "%y = arith.addf %i0, %i1 : f32");
  text.generic("%s", {{"%t", t, "0 1"}}, {"", v, "0"}, "pr", "%y = arith.addf %o, %i0 : f32", "0.0");
  text.generic("%m", {{"%s", v, "0"}}, {"", v, "0"}, "p", scale + "%y = arith.mulf %i0, %k : f32");
  text.generic("%q", {{"%t", t, "0 1"}, {"%m", v, "0"}}, {"", v, "0"}, "pr",
               "%0 = arith.subf %i0, %i1 : f32\n%1 = arith.mulf %0, %0 : f32\n%y = arith.addf %o, %1 : f32",
               "0.0");
  text.generic(
      "%d", {{"%q", v, "0"}}, {"", v, "0"}, "p",
      scale +
          "%e = arith.constant 1.0e-5 : f32\n%one = arith.constant 1.0 : f32\n%0 = arith.mulf %i0, %k : f32\n"
          "%1 = arith.addf %0, %e : f32\n%2 = math.sqrt %1 : f32\n%y = arith.divf %one, %2 : f32");
  text.generic(
      "%r", {{"%t", t, "0 1"}, {"%m", v, "0"}, {"%d", v, "0"}, {"%g", w, "1"}, {"%b", w, "1"}},
      {"", t, "0 1"}, "pp",
      "%0 = arith.subf %i0, %i1 : f32\n%1 = arith.mulf %0, %i2 : f32\n%2 = arith.mulf %1, %i3 : f32\n"
      "%y = arith.addf %2, %i4 : f32");
  return text.returns("%r", t);
}

std::string softmax() {
  const std::string t = "tensor<12x128x128xf32>", v = "tensor<12x128xf32>", w = "tensor<128xf32>";
  KernelText text("softmax", "%x: " + t + ", %k: " + w);
  text.generic(
      "%t", {{"%x", t, "0 1 2"}, {"%k", w, "2"}}, {"", t, "0 1 2"}, "ppp",
      "%s = arith.constant 0.125 : f32\n%0 = arith.mulf %i0, %s : f32\n%y = arith.addf %0, %i1 : f32");
  text.generic("%m", {{"%t", t, "0 1 2"}}, {"", v, "0 1"}, "ppr", "%y = arith.maximumf %o, %i0 : f32",
               "0xFF800000");
  text.generic("%e", {{"%t", t, "0 1 2"}, {"%m", v, "0 1"}}, {"", t, "0 1 2"}, "ppp",
               "%0 = arith.subf %i0, %i1 : f32\n%y = math.exp %0 : f32");
  text.generic("%s", {{"%e", t, "0 1 2"}}, {"", v, "0 1"}, "ppr", "%y = arith.addf %o, %i0 : f32", "0.0");
  text.generic("%r", {{"%e", t, "0 1 2"}, {"%s", v, "0 1"}}, {"", t, "0 1 2"}, "ppp",
               "%y = arith.divf %i0, %i1 : f32");
  return text.returns("%r", t);
}

std::string batchNormRelu() {
  const std::string t = "tensor<1x64x56x56xf32>", c = "tensor<64xf32>";
  KernelText text("batch_norm_relu", "%x: " + t + ", %m: " + c + ", %v: " + c + ", %g: " + c + ", %b: " + c);
  text.generic(
      "%d", {{"%v", c, "0"}}, {"", c, "0"}, "p",
      "%e = arith.constant 1.0e-5 : f32\n%one = arith.constant 1.0 : f32\n%1 = arith.addf %i0, %e : f32\n"
      "%2 = math.sqrt %1 : f32\n%y = arith.divf %one, %2 : f32");
  text.generic(
      "%r", {{"%x", t, "0 1 2 3"}, {"%m", c, "1"}, {"%d", c, "1"}, {"%g", c, "1"}, {"%b", c, "1"}},
      {"", t, "0 1 2 3"}, "pppp",
      "%z = arith.constant 0.0 : f32\n%0 = arith.subf %i0, %i1 : f32\n%1 = arith.mulf %0, %i2 : f32\n"
      "%2 = arith.mulf %1, %i3 : f32\n%3 = arith.addf %2, %i4 : f32\n%y = arith.maximumf %3, %z : f32");
  return text.returns("%r", t);
}

/// One operation from %x to the result.
std::string single(const std::string &name, const std::string &from, const std::string &map,
                   const std::string &to, const std::string &toMap, const std::string &loops,
                   const std::string &code, const std::string &fill = "") {
  KernelText text(name, "%x: " + from);
  text.generic("%r", {{"%x", from, map}}, {"", to, toMap}, loops, code, fill);
  return text.returns("%r", to);
}

std::string gather() {
  KernelText text("gather", "%ids: tensor<128xi64>, %w: tensor<30522x768xf32>");
  text.generic("%r", {{"%ids", "tensor<128xi64>", "0"}}, {"", "tensor<128x768xf32>", "0 1"}, "pp",
               "%row = arith.index_cast %i0 : i64 to index\n%column = linalg.index 1 : index\n"
               "%y = tensor.extract %w[%row, %column] : tensor<30522x768xf32>");
  return text.returns("%r", "tensor<128x768xf32>");
}

std::vector<Case> cases() {
  const std::string add = "%y = arith.addf %o, %i0 : f32";
  const std::string erf =
      "%c = arith.constant 0.70710678 : f32\n%a = arith.mulf %i0, %c : f32\n%f = math.erf %a : f32\n";
  const std::string tanh =
      "%c = arith.constant 0.79788456 : f32\n%d = arith.constant 0.044715 : f32\n"
      "%0 = arith.mulf %i0, %i0 : f32\n%1 = arith.mulf %0, %i0 : f32\n%2 = arith.mulf %1, %d : f32\n"
      "%3 = arith.addf %2, %i0 : f32\n%4 = arith.mulf %3, %c : f32\n%f = math.tanh %4 : f32\n";
  std::vector<int64_t> big{128, 3072}, rows{128, 768}, square{768, 768};
  return {
      {"bias + gelu erf", bias("gelu_erf", erf), referenceBiasGeluErf, {big, {3072}}, big},
      {"bias + gelu tanh", bias("gelu_tanh", tanh), referenceBiasGeluTanh, {big, {3072}}, big},
      {"add + layer_norm", addLayerNorm(), referenceAddLayerNorm, {rows, rows, {768}, {768}}, rows},
      {"softmax", softmax(), referenceSoftmax, {{12, 128, 128}, {128}}, {12, 128, 128}},
      {"batch_norm + relu",
       batchNormRelu(),
       referenceBatchNormRelu,
       {{1, 64, 56, 56}, {64}, {64}, {64}, {64}},
       {1, 64, 56, 56}},
      {"transpose 0213",
       single("t0213", "tensor<128x12x64xf32>", "1 0 2", "tensor<12x128x64xf32>", "0 1 2", "ppp", ""),
       referenceTranspose0213,
       {{128, 12, 64}},
       {12, 128, 64}},
      {"transpose 10",
       single("t10", "tensor<768x768xf32>", "1 0", "tensor<768x768xf32>", "0 1", "pp", ""),
       referenceTranspose10,
       {square},
       square},
      {"gather", gather(), referenceGather, {{128}, {30522, 768}}, rows},
      {"reduce outer",
       single("outer", "tensor<128x3072xf32>", "0 1", "tensor<3072xf32>", "1", "rp", add, "0.0"),
       referenceReduceOuter,
       {big},
       {3072}},
      {"reduce inner",
       single("inner", "tensor<128x3072xf32>", "0 1", "tensor<128xf32>", "0", "pr", add, "0.0"),
       referenceReduceInner,
       {big},
       {128}},
  };
}

/// Calls C code with one pointer per buffer.
void callReference(void (*function)(), void *const *p, size_t count) {
  using P = void *;
  switch (count) {
  case 2:
    return reinterpret_cast<void (*)(P, P)>(function)(p[0], p[1]);
  case 3:
    return reinterpret_cast<void (*)(P, P, P)>(function)(p[0], p[1], p[2]);
  case 5:
    return reinterpret_cast<void (*)(P, P, P, P, P)>(function)(p[0], p[1], p[2], p[3], p[4]);
  case 6:
    return reinterpret_cast<void (*)(P, P, P, P, P, P)>(function)(p[0], p[1], p[2], p[3], p[4], p[5]);
  }
}

/// The minimum of many times, in microseconds: other work on the machine only adds time.
template <class Function> double measure(Function &&function) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  auto start = Clock::now();
  for (int runs = 0; runs < 20 || Clock::now() - start < std::chrono::milliseconds(300); ++runs) {
    auto before = Clock::now();
    function();
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - before).count());
  }
  return best;
}

void run(const Case &test, const CompiledKernel &kernel, Kernel *entry) {
  std::vector<Tensor> inputs;
  bool isGather = std::string(test.name) == "gather";
  double bytes = 0;
  for (const auto &dims : test.inputs) {
    bool isIds = isGather && inputs.empty();
    inputs.push_back(isIds ? randomTensor(DType::Int64, dims, 0, 30522)
                           : randomTensor(DType::Float32, dims, 0.1, 2, inputs.size() + 1));
    bytes += isGather && !isIds ? 0 : inputs.back().bytes();
  }
  Tensor output(DType::Float32, test.output), expected(DType::Float32, test.output);
  bytes += isGather ? 2 * output.bytes() : output.bytes();
  std::vector<void *> buffers, references;
  for (Tensor &input : inputs)
    buffers.push_back(input.data());
  references = buffers;
  buffers.push_back(output.data());
  references.push_back(expected.data());
  double ours = measure([&] { entry(buffers.data(), nullptr, 0, kernel.rows); });
  double theirs = measure([&] { callReference(test.reference, references.data(), references.size()); });
  double error = 0;
  for (int64_t i = 0; i < output.size(); ++i)
    error = std::max(error, std::abs(element(output, i) - element(expected, i)) /
                                (1e-3 + std::abs(element(expected, i))));
  std::printf(
      "%-18s %8.1f us %6.1f GB/s   C %8.1f us   C/ours %6.2f   error %.1e   rows %lld, estimate %.1f us\n",
      test.name, ours, bytes / ours * 1e-3, theirs, theirs / ours, error, static_cast<long long>(kernel.rows),
      kernel.work * 1e-3);
}

} // namespace

int main(int argc, char **argv) {
  CodegenOptions options;
  if (argc > 1)
    options.dumpDirectory = argv[1];
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  std::string text;
  std::vector<Case> all = cases();
  for (const Case &test : all)
    text += test.text;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return 1;
  auto start = std::chrono::steady_clock::now();
  auto compiled = compileKernels(*module, options);
  if (!compiled) {
    std::fputs(compiled.diagnostics().text().c_str(), stderr);
    return 1;
  }
  auto loaded = LoadedObject::load(compiled->archive);
  if (!loaded) {
    std::fputs(loaded.diagnostics().text().c_str(), stderr);
    return 1;
  }
  std::printf("%zu kernels in %.0f ms, %zu bytes\n", all.size(),
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(),
              compiled->archive.size());
  for (size_t i = 0; i < all.size(); ++i) {
    auto entry = loaded->function<Kernel>(compiled->kernels[i].symbol);
    if (!entry) {
      std::fputs(entry.diagnostics().text().c_str(), stderr);
      return 1;
    }
    run(all[i], compiled->kernels[i], *entry);
  }
}
