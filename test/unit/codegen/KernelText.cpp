#include "test/unit/codegen/KernelText.h"

#include "dialects/pd/ir/Pd.h"
#include "lib/base/tensors/Elements.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/runtime/emulator/Emulator.h"
#include "lib/runtime/run/KernelServices.h"
#include "passes/lower-linalg/Passes.h"
#include "proa/Half.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <sstream>
#include <tuple>

namespace proa::testing {

static std::string affineMap(const std::string &loops, const std::string &results) {
  std::string text = "affine_map<(";
  for (size_t i = 0; i < loops.size(); ++i)
    text += (i ? ", d" : "d") + std::to_string(i);
  text += ") -> (";
  std::istringstream stream(results);
  bool first = true;
  for (std::string word; stream >> word; first = false)
    text += (first ? "" : ", ") + (word[0] == 'c' ? word.substr(1) : "d" + word);
  return text + ")>";
}

MatmulStrategy matmulStrategy(const std::string &name) {
  return name.empty() ? MatmulStrategy::Fastest : symbolizeMatmulStrategy(name).value();
}

static std::string elementOf(const std::string &tensorType) {
  size_t start = tensorType.find('<') + 1;
  for (size_t x; (x = tensorType.find('x', start)) != std::string::npos &&
                 (std::isdigit(tensorType[start]) || tensorType[start] == '?');)
    start = x + 1;
  return tensorType.substr(start, tensorType.size() - 1 - start);
}

KernelText &KernelText::generic(const std::string &result, const std::vector<Operand> &inputs,
                                const Operand &output, const std::string &loops, const std::string &code,
                                const std::string &fill, const std::string &sizes) {
  std::string id = std::to_string(count++), outs = "%empty" + id, maps, kinds, names, types, block;
  body += outs + " = tensor.empty(" + sizes + ") : " + output.type + "\n";
  if (!fill.empty()) {
    bool isBool = fill == "true" || fill == "false";
    body +=
        "%init" + id + " = arith.constant " + fill + (isBool ? "" : " : " + elementOf(output.type)) + "\n";
    body += "%filled" + id + " = linalg.fill ins(%init" + id + " : " + elementOf(output.type) + ") outs(" +
            outs + " : " + output.type + ") -> " + output.type + "\n";
    outs = "%filled" + id;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    maps += affineMap(loops, inputs[i].map) + ", ";
    names += (i ? ", " : "") + inputs[i].name;
    types += (i ? ", " : "") + inputs[i].type;
    block += "%i" + std::to_string(i) + ": " + elementOf(inputs[i].type) + ", ";
  }
  for (size_t i = 0; i < loops.size(); ++i)
    kinds += std::string(i ? ", " : "") + (loops[i] == 'r' ? "\"reduction\"" : "\"parallel\"");
  body += result + " = linalg.generic {indexing_maps = [" + maps + affineMap(loops, output.map) +
          "], iterator_types = [" + kinds + "]} ";
  if (!inputs.empty())
    body += "ins(" + names + " : " + types + ") ";
  body += "outs(" + outs + " : " + output.type + ") {\n^bb0(" + block + "%o: " + elementOf(output.type) +
          "):\n" + code + "\nlinalg.yield " + (code.empty() ? "%i0" : "%y") + " : " + elementOf(output.type) +
          "\n} -> " + output.type + "\n";
  return *this;
}

std::string KernelText::returns(const std::string &values, const std::string &types) const {
  return "func.func private @" + name + "(" + arguments + ") -> (" + types +
         ") attributes {proa.kernel} {\n" + body + "return " + values + " : " + types + "\n}\n";
}

Result<CompiledKernels> compileText(const std::string &text, const CodegenOptions &options) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return errorAt("kernel", "no module: " + text);
  return compileKernels(*module, options);
}

TestKernel::TestKernel(const std::string &text, const CodegenOptions &options) {
  const auto &[cpu, features, optimizes, deferBelow, emulates, chip, contraction, attention, threads, dump] =
      options;
  std::tuple key(text, cpu, features, optimizes, deferBelow, emulates, chip, contraction, attention, threads,
                 dump);
  static auto *last = new std::pair<std::optional<decltype(key)>, std::optional<TestKernel>>;
  if (last->first == key) {
    *this = *last->second;
    return;
  }
  build(text, options);
  if (valid())
    *last = {std::move(key), *this};
}

void TestKernel::build(const std::string &text, const CodegenOptions &options) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text;
  emulatesGpu = options.emulatesGpu;
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  auto typesOf = [](mlir::TypeRange from) {
    std::vector<Type> types;
    for (mlir::Type type : from) {
      auto tensor = llvm::cast<mlir::RankedTensorType>(type);
      types.push_back({*pd::dtypeOf(tensor.getElementType()), {}});
      for (int64_t size : tensor.getShape())
        types.back().dims.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
    }
    return types;
  };
  inputTypes = typesOf(function.getArgumentTypes());
  outputTypes = typesOf(function.getResultTypes());
  mlir::PassManager lowering(&context);
  lowering.addPass(createLowerToLinalg()); // kernels of pd and rt
  ASSERT_TRUE(mlir::succeeded(lowering.run(*module))) << text;
  // Like the target cuda-emulated, whose kernels LLVM does not optimize.
  CodegenOptions own = options;
  own.optimizes &= !own.emulatesGpu;
  auto result = compileKernels(*module, own);
  ASSERT_TRUE(bool(result)) << result.diagnostics().text();
  compiled = std::move(*result);
  ASSERT_EQ(compiled.kernels.size(), 1u);
  auto object = LoadedObject::load(compiled.archive);
  ASSERT_TRUE(bool(object)) << object.diagnostics().text();
  loaded = std::move(*object);
  auto found = loaded.function<Entry>(description().symbol);
  ASSERT_TRUE(bool(found)) << found.diagnostics().text();
  if (description().hasShapeFunction) {
    auto shapeFound = loaded.function<Shape>(description().symbol + "_shape");
    ASSERT_TRUE(bool(shapeFound)) << shapeFound.diagnostics().text();
    shape = *shapeFound;
  }
  entry = *found;
}

std::vector<Tensor> TestKernel::run(const std::vector<Tensor> &inputs, int pieces) const {
  std::vector<void *> buffers;
  std::vector<size_t> bytes;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(inputs[i].dtype(), inputTypes[i].dtype);
    buffers.push_back(const_cast<void *>(inputs[i].data()));
    bytes.push_back(inputs[i].bytes());
    for (size_t d = 0; d < inputTypes[i].dims.size(); ++d)
      if (inputTypes[i].dims[d] < 0)
        dims.push_back(inputs[i].dims()[d]);
      else
        EXPECT_EQ(inputTypes[i].dims[d], inputs[i].dims()[d]);
  }
  int64_t rows = description().rows;
  std::vector<int64_t> resultDims(64);
  if (shape)
    shape(dims.data(), resultDims.data());
  size_t next = 0;
  std::vector<Tensor> outputs;
  for (const Type &type : outputTypes) {
    std::vector<int64_t> outputDims = type.dims;
    for (int64_t &dim : outputDims)
      if (dim < 0) {
        dim = resultDims[next++];
        dims.push_back(dim);
      }
    outputs.emplace_back(type.dtype, outputDims);
    std::memset(outputs.back().data(), 0x5a, outputs.back().bytes());
    buffers.push_back(outputs.back().data());
    bytes.push_back(outputs.back().bytes());
  }
  std::vector<std::vector<std::byte>> services;
  auto addService = [&](size_t size, std::byte content) {
    services.emplace_back(size, content);
    buffers.push_back(services.back().data());
    bytes.push_back(size);
  };
  const KernelNeeds &needs = description().needs;
  for (const std::vector<int64_t> &scratch : needs.scratch) {
    int64_t size = 1;
    for (int64_t dim : scratch) {
      if (dim < 0) {
        dim = resultDims[next++];
        dims.push_back(dim);
      }
      size *= dim;
    }
    addService(static_cast<size_t>(size), std::byte(0x5a));
  }
  if (needs.hasCounters)
    addService(runtime::kernelCounters * sizeof(uint32_t), std::byte(0));
  if (!needs.checks.empty())
    addService(needs.checks.size() * sizeof(uint64_t), std::byte(0xff));
  if (shape) {
    EXPECT_TRUE(rows == -1 || rows == resultDims[next]);
    rows = resultDims[next];
  }
  for (int piece = 0; piece < pieces; ++piece) {
    int64_t begin = rows * piece / pieces, end = rows * (piece + 1) / pieces;
    if (begin < end && !emulatesGpu)
      entry(buffers.data(), dims.data(), begin, end);
    if (begin >= end || !emulatesGpu)
      continue;
    Result<void> done = emulator::invoke({.name = description().symbol.c_str(),
                                          .function = entry,
                                          .buffers = buffers,
                                          .bytes = bytes,
                                          .dims = dims.data(),
                                          .begin = begin,
                                          .end = end});
    EXPECT_TRUE(bool(done)) << done.diagnostics().text();
  }
  return outputs;
}

double element(const Tensor &tensor, int64_t i) {
  switch (tensor.dtype()) {
  case DType::Float64:
    return tensor.as<double>()[i];
  case DType::Float32:
    return tensor.as<float>()[i];
  case DType::Float16:
    return float(tensor.as<Float16>()[i]);
  case DType::BFloat16:
    return float(tensor.as<BFloat16>()[i]);
  case DType::Float8E4M3FN:
    return float(tensor.as<Float8E4M3FN>()[i]);
  case DType::Float8E5M2:
    return float(tensor.as<Float8E5M2>()[i]);
  case DType::Bool:
  case DType::Int8:
    return tensor.as<int8_t>()[i];
  case DType::Int32:
    return tensor.as<int32_t>()[i];
  case DType::Int64:
    return static_cast<double>(tensor.as<int64_t>()[i]);
  default:
    ADD_FAILURE() << "element of " << tensor.describe();
    return 0;
  }
}

/// The 8-bit float next to a number.
template <class Float8> static Float8 nearest(double value) {
  Float8 best;
  for (unsigned bits = 1; bits < 256; ++bits)
    if (Float8 other{static_cast<uint8_t>(bits)};
        std::abs(float(other) - value) < std::abs(float(best) - value)) // false for NaN
      best = other;
  return best;
}

void setElement(Tensor &tensor, int64_t i, double value) {
  switch (tensor.dtype()) {
  case DType::Float64:
    tensor.as<double>()[i] = value;
    break;
  case DType::Float32:
    tensor.as<float>()[i] = static_cast<float>(value);
    break;
  case DType::Float16:
    tensor.as<Float16>()[i] = Float16(static_cast<float>(value));
    break;
  case DType::BFloat16:
    tensor.as<BFloat16>()[i] = BFloat16(static_cast<float>(value));
    break;
  case DType::Float8E4M3FN:
    tensor.as<Float8E4M3FN>()[i] = nearest<Float8E4M3FN>(value);
    break;
  case DType::Float8E5M2:
    tensor.as<Float8E5M2>()[i] = nearest<Float8E5M2>(value);
    break;
  case DType::Bool:
    tensor.as<int8_t>()[i] = value > 0;
    break;
  case DType::Int8:
    tensor.as<int8_t>()[i] = static_cast<int8_t>(value);
    break;
  case DType::Int32:
    tensor.as<int32_t>()[i] = static_cast<int32_t>(value);
    break;
  case DType::Int64:
    tensor.as<int64_t>()[i] = static_cast<int64_t>(value);
    break;
  default:
    ADD_FAILURE() << "setElement of " << tensor.describe();
  }
}

Tensor randomTensor(DType dtype, std::vector<int64_t> dims, double low, double high, int seed) {
  Tensor tensor(dtype, std::move(dims));
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(low, high);
  for (int64_t i = 0; i < tensor.size(); ++i)
    setElement(tensor, i, distribution(generator));
  return tensor;
}

double sumOf(const Tensor &x, int64_t first, int64_t count, int64_t stride) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += element(x, first + i * stride);
  return sum;
}

void expectElements(const Tensor &tensor, const std::function<double(int64_t)> &expected, double relative,
                    double absolute) {
  int failures = 0;
  for (int64_t i = 0; i < tensor.size() && failures < 5; ++i) {
    double got = element(tensor, i), want = expected(i);
    bool same = (std::isnan(got) && std::isnan(want)) || got == want ||
                std::abs(got - want) <= relative * std::abs(want) + absolute;
    if (!same) {
      ++failures;
      ADD_FAILURE() << "element " << i << " of " << tensor.describe() << " is " << got << ", expected "
                    << want;
    }
  }
}

} // namespace proa::testing
