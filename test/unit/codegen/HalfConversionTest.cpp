// Conversions to and from 8 and 16 bits, compiled for CPUs with and without instructions for them.
#include "lib/compiler/codegen/TargetCode.h"
#include "test/unit/codegen/KernelText.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace proa;
using namespace proa::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

struct Format {
  DType dtype;
  const char *type;

  unsigned width() const { return static_cast<unsigned>(8 * sizeOf(dtype)); }
};

const Format formats[] = {{DType::Float16, "f16"},
                          {DType::BFloat16, "bf16"},
                          {DType::Float8E4M3FN, "f8E4M3FN"},
                          {DType::Float8E5M2, "f8E5M2"}};

const llvm::fltSemantics &semanticsOf(DType dtype) {
  switch (dtype) {
  case DType::BFloat16:
    return llvm::APFloat::BFloat();
  case DType::Float8E4M3FN:
    return llvm::APFloat::Float8E4M3FN();
  case DType::Float8E5M2:
    return llvm::APFloat::Float8E5M2();
  default:
    return llvm::APFloat::IEEEhalf();
  }
}

llvm::APFloat numberOf(Format format, uint64_t bits) {
  return {semanticsOf(format.dtype), llvm::APInt(format.width(), bits)};
}

uint64_t bitsOf(const Tensor &tensor, int64_t i) {
  return sizeOf(tensor.dtype()) == 1 ? tensor.as<uint8_t>()[i] : tensor.as<uint16_t>()[i];
}

/// Midpoints between two values of the format and their neighbors, subnormals, infinities and NaN.
std::vector<double> numbersFor(Format format) {
  std::vector<double> values{0.0,      -0.0,      65504, 65519.99, 65520, 3.4e38, 1e300, -1e300, 1e-300,
                             INFINITY, -INFINITY, NAN,   463.9,    464,   464.1,  480,   61439,  61440};
  uint64_t end = uint64_t(1) << (format.width() - 1), step = format.width() == 8 ? 1 : 37;
  for (uint64_t bits = 0; bits + 1 < end; bits += step) {
    llvm::APFloat low = numberOf(format, bits), high = numberOf(format, bits + 1);
    if (!low.isFinite() || !high.isFinite())
      break;
    double a = low.convertToDouble(), b = high.convertToDouble(), middle = a + (b - a) / 2;
    // Rounding to f32 first would lose one unit of f64 next to the midpoint.
    for (double scalar : {a, middle, std::nextafter(middle, a), std::nextafter(middle, b),
                          double(std::nextafter(float(middle), float(a))), -middle})
      values.push_back(scalar);
  }
  return values;
}

uint64_t rounded(double scalar, DType dtype) {
  llvm::APFloat value(scalar);
  bool lossy = false;
  value.convert(semanticsOf(dtype), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return value.bitcastToAPInt().getZExtValue();
}

std::string conversion(const std::string &from, const std::string &to, int64_t count, const char *op) {
  std::string in = "tensor<" + std::to_string(count) + "x" + from + ">",
              out = "tensor<" + std::to_string(count) + "x" + to + ">";
  KernelText text("convert", "%x: " + in);
  text.generic("%r", {{"%x", in, "0"}}, {"", out, "0"}, "p",
               "%y = arith." + std::string(op) + " %i0 : " + from + " to " + to);
  return text.returns("%r", out);
}

/// Empty: this machine.
std::vector<std::string> cpusThatRun() {
  std::vector<std::string> cpus{"", "x86-64"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
    cpus.emplace_back("x86-64-v3");
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    cpus.emplace_back("x86-64-v4");
  return cpus;
}

template <class Float> void expectTruncations(Format to, const char *from, DType fromType) {
  std::vector<double> numbers = numbersFor(to);
  auto count = static_cast<int64_t>(numbers.size());
  Tensor x(fromType, {count});
  for (int64_t i = 0; i < count; ++i)
    x.as<Float>()[i] = static_cast<Float>(numbers[static_cast<size_t>(i)]);
  for (const std::string &cpu : cpusThatRun()) {
    CodegenOptions options;
    options.cpu = cpu;
    TestKernel kernel(conversion(from, to.type, count, "truncf"), options);
    ASSERT_TRUE(kernel.valid());
    Tensor y = kernel.run({x})[0];
    for (int64_t i = 0; i < count; ++i) {
      auto given = static_cast<double>(x.as<Float>()[i]);
      uint64_t expected = rounded(given, to.dtype), found = bitsOf(y, i);
      // The bf16 instruction flushes subnormal f32 to 0 (docs/known-gaps.md).
      bool isFlushed = cpu.empty() && to.dtype == DType::BFloat16 &&
                       std::abs(given) < std::numeric_limits<float>::min() && (found & 0x7fff) == 0;
      if (numberOf(to, expected).isNaN())
        EXPECT_TRUE(numberOf(to, found).isNaN()) << given << " on '" << cpu << "'";
      else if (!isFlushed)
        EXPECT_EQ(found, expected) << given << " from " << from << " to " << to.type << " on '" << cpu << "'";
    }
  }
}

TEST(HalfConversion, FloatsAreRoundedToNearestEven) {
  for (Format to : formats) {
    expectTruncations<float>(to, "f32", DType::Float32);
    expectTruncations<double>(to, "f64", DType::Float64);
  }
}

TEST(HalfConversion, EveryNumberIsExtendedExactly) {
  for (Format from : formats)
    for (const std::string &cpu : cpusThatRun())
      for (const char *to : {"f32", "f64"}) {
        int64_t count = int64_t(1) << from.width();
        CodegenOptions options;
        options.cpu = cpu;
        TestKernel kernel(conversion(from.type, to, count, "extf"), options);
        ASSERT_TRUE(kernel.valid());
        Tensor x(from.dtype, {count});
        for (int64_t i = 0; i < count; ++i)
          if (from.width() == 8)
            x.as<uint8_t>()[i] = static_cast<uint8_t>(i);
          else
            x.as<uint16_t>()[i] = static_cast<uint16_t>(i);
        Tensor y = kernel.run({x})[0];
        for (int64_t i = 0; i < count; ++i) {
          llvm::APFloat exact = numberOf(from, static_cast<uint64_t>(i));
          if (exact.isNaN())
            EXPECT_TRUE(std::isnan(element(y, i))) << i;
          else
            EXPECT_EQ(element(y, i), exact.convertToDouble())
                << i << " of " << from.type << " on '" << cpu << "'";
        }
      }
}

// Every number, between 8-bit floats and 16-bit floats.
TEST(HalfConversion, EightBitsToSixteenAndBack) {
  for (Format from : {formats[2], formats[3]})
    for (const char *through : {"f16", "bf16"})
      for (bool emulatesGpu : {false, true}) {
        std::string in = "tensor<256x" + std::string(from.type) + ">", t = through;
        KernelText text("convert", "%x: " + in);
        text.generic("%r", {{"%x", in, "0"}}, {"", in, "0"}, "p",
                     "%0 = arith.extf %i0 : " + std::string(from.type) + " to " + t +
                         "\n%y = arith.truncf %0 : " + t + " to " + from.type);
        TestKernel kernel(text.returns("%r", in), {.emulatesGpu = emulatesGpu});
        ASSERT_TRUE(kernel.valid());
        Tensor x(from.dtype, {256});
        for (int64_t i = 0; i < 256; ++i)
          x.as<uint8_t>()[i] = static_cast<uint8_t>(i);
        Tensor y = kernel.run({x})[0];
        for (int64_t i = 0; i < 256; ++i) {
          llvm::APFloat given = numberOf(from, static_cast<uint64_t>(i)),
                        found = numberOf(from, bitsOf(y, i));
          EXPECT_TRUE(given.isNaN() ? found.isNaN() : found.bitwiseIsEqual(given)) << i << " " << from.type;
        }
      }
}

/// Undefined symbols of an archive of kernels.
std::vector<std::string> undefinedSymbols(const std::string &bytes) {
  std::vector<std::string> names;
  auto archive = llvm::cantFail(llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, "kernels")));
  llvm::Error error = llvm::Error::success();
  for (const llvm::object::Archive::Child &child : archive->children(error)) {
    auto member = llvm::cantFail(child.getAsBinary());
    for (const llvm::object::SymbolRef &symbol : llvm::cast<llvm::object::ObjectFile>(*member).symbols())
      if (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)
        if (auto name = llvm::cantFail(symbol.getName()); !name.empty())
          names.push_back(name.str());
  }
  llvm::cantFail(std::move(error));
  return names;
}

TEST(HalfConversion, NeedsNoSupportLibraryOnAnyCpu) {
  for (const char *cpu :
       {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "skylake-avx512", "cooperlake", "znver4"})
    for (const char *narrow : {"f16", "bf16", "f8E4M3FN", "f8E5M2"})
      for (const char *wide : {"f32", "f64"})
        for (const char *op : {"truncf", "extf"}) {
          bool down = std::string(op) == "truncf";
          CodegenOptions options;
          options.cpu = cpu;
          auto compiled =
              compileText(conversion(down ? wide : narrow, down ? narrow : wide, 100, op), options);
          ASSERT_TRUE(compiled) << compiled.diagnostics().text();
          EXPECT_THAT(undefinedSymbols(compiled->archive), IsEmpty())
              << cpu << " " << op << " " << narrow << " " << wide;
        }
}

// The canonicalizer merges two conversions into one, and vectors of single bits were converted by calls.
TEST(HalfConversion, IntegersNeedNoSupportLibrary) {
  for (const char *cpu : {"x86-64", "x86-64-v3", "x86-64-v4", "znver4"})
    for (const char *narrow : {"f16", "bf16", "f8E4M3FN", "f8E5M2"})
      for (const char *integer : {"i1", "i8", "i32", "i64"})
        for (const char *op : {"uitofp", "sitofp", "fptosi", "fptoui"}) {
          bool up = std::string(op).ends_with("fp");
          CodegenOptions options;
          options.cpu = cpu;
          auto compiled =
              compileText(conversion(up ? integer : narrow, up ? narrow : integer, 100, op), options);
          ASSERT_TRUE(compiled) << compiled.diagnostics().text();
          EXPECT_THAT(undefinedSymbols(compiled->archive), IsEmpty())
              << cpu << " " << op << " " << narrow << " " << integer;
        }
}

TEST(LoadedObject, NamesUndefinedSymbols) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString("declare void @nobody_defines_this()\ndefine void @kernel() {\n  "
                                          "call void @nobody_defines_this()\n  ret void\n}\n",
                                          diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  auto machine = createTargetMachine(chooseTarget({}));
  ASSERT_TRUE(machine) << machine.diagnostics().text();
  optimize(*module, **machine);
  auto object = emitObject(*module, **machine);
  ASSERT_TRUE(object) << object.diagnostics().text();
  auto archive = makeArchive({std::move(*object)});
  ASSERT_TRUE(archive) << archive.diagnostics().text();
  auto loaded = LoadedObject::load(*archive);
  ASSERT_TRUE(loaded) << loaded.diagnostics().text();
  auto found = loaded->find("kernel");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.diagnostics().text(),
              HasSubstr("'kernel' cannot be linked: undefined symbol 'nobody_defines_this'"));
}

} // namespace
