#include "test/unit/gradient/CorpusCase.h"

#include "lib/check/CaseMeta.h"
#include "lib/check/CaseResult.h"
#include "lib/check/DynamicDims.h"
#include "lib/compiler/compile/Registration.h"
#include "proa/Half.h"
#include "translator/import/Import.h"
#include "translator/params/ModelFolder.h"
#include "translator/params/Safetensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace proa::test {
namespace {

/// Floats of any size converted to float64; other types unchanged.
Tensor widened(const Tensor &tensor) {
  auto from = [&]<class T>(const T *values, DType dtype) {
    Tensor out(dtype, tensor.dims());
    std::span<double> to = numbersOf(out);
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<double>(static_cast<float>(values[i]));
    return out;
  };
  switch (tensor.dtype()) {
  case DType::Float16:
    return from(tensor.as<Float16>(), DType::Float64);
  case DType::BFloat16:
    return from(tensor.as<BFloat16>(), DType::Float64);
  case DType::Float32:
    return from(tensor.as<float>(), DType::Float64);
  case DType::Complex64:
    return from(static_cast<const float *>(tensor.data()), DType::Complex128);
  default:
    return tensor;
  }
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Text of an infinity or NaN from the bytes of a float32 or float64; nothing for a smaller float.
std::optional<std::string> widenedBytes(std::string text) {
  constexpr size_t digits = 8;
  for (size_t at = text.find("0x"); at != std::string::npos; at = text.find("0x", at + 2)) {
    size_t end = text.find_first_not_of("0123456789ABCDEF", at + 2);
    bool isDim = (at > 0 && llvm::isDigit(text[at - 1])) || end == at + 2 || text[end] == 'x';
    if (isDim) // 10x16, 0x16x, 0xf64
      continue;
    if (end - at - 2 != digits && end - at - 2 != 2 * digits)
      return std::nullopt;
    if (end - at - 2 != digits)
      continue;
    auto bits = static_cast<uint32_t>(std::stoul(text.substr(at + 2, digits), nullptr, 16));
    auto value = static_cast<double>(std::bit_cast<float>(bits));
    text.replace(at, end - at, fmt::format("0x{:016X}", std::bit_cast<uint64_t>(value)));
  }
  return text;
}

/// The text in float64; nothing if whole tensors are written as bytes.
std::optional<std::string> inFloat64(std::string text) {
  if (text.find("dense<\"0x") != std::string::npos)
    return std::nullopt;
  for (const char *element : {"bf16", "f16", "f32"})
    replaceAll(text, element, "f64");
  return widenedBytes(std::move(text));
}

std::set<std::string> readSkipped() {
  std::set<std::string> skipped;
  std::ifstream file(PROA_CORPUS_DIR "/../unit/gradient/skipped.txt");
  for (std::string line; std::getline(file, line);) {
    size_t space = line.find(' '), end = line.find("  # ");
    if (line.starts_with("#") || space == std::string::npos || end == std::string::npos)
      continue;
    std::istringstream tests(line.substr(0, space));
    for (std::string test; std::getline(tests, test, ',');)
      skipped.insert(test + line.substr(space, end - space));
  }
  return skipped;
}

/// The context of all imports, because loading the dialects takes longer than the import of a small program.
mlir::MLIRContext &contextOfCases() {
  static auto *context = [] {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
  }();
  return *context;
}

/// The case with these feeds.
std::optional<Case> openCase(const std::string &folder, const check::CaseMeta &meta, params::Tensors feeds,
                             bool dynamicDims) {
  auto files = params::findModel(folder);
  if (!files)
    return std::nullopt;
  auto program = translator::readProgram(files->program);
  auto parameters = program ? params::readParameters(*files, *program) : program.diagnostics();
  if (!parameters)
    return std::nullopt;
  mlir::MLIRContext &context = contextOfCases();
  mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  import::ImportOptions options;
  options.feeds = meta.feeds;
  options.fetches = meta.fetches;
  options.parameterValues = import::specializingParameters(*parameters);
  params::setLods(feeds, meta);
  auto given = import::withLods(feeds);
  for (const auto &[name, tensor] : feeds)
    options.lodLevels[name] = static_cast<int>(tensor.lod().size());
  auto module = import::importProgram(
      context, dynamicDims ? check::withDynamicDims(*program, feeds) : *program, options);
  if (!module)
    return std::nullopt;
  Case found;
  auto main = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto feed = main.getArgAttrOfType<mlir::StringAttr>(i, "pd.feed");
    auto name = feed ? feed : main.getArgAttrOfType<mlir::StringAttr>(i, "pd.param");
    const auto &from = feed ? given : *parameters;
    auto tensor = name ? from.find(name.str()) : from.end();
    if (tensor == from.end())
      return std::nullopt;
    found.arguments.push_back(widened(tensor->second));
    found.names.push_back(name.str());
  }
  bool draws = false;
  (*module)->walk([&](mlir::Operation *op) {
    draws |= op->getNumRegions() == 0 && !mlir::isMemoryEffectFree(op);
    found.holdsGradients |= op->getName().getStringRef() == "pd.vjp";
  });
  std::string text;
  llvm::raw_string_ostream(text) << **module;
  auto widened = inFloat64(std::move(text));
  if (draws || !widened)
    return std::nullopt;
  found.text = *widened;
  return found;
}

} // namespace

std::optional<Case> caseAt(const std::string &folder, bool dynamicDims) {
  auto meta = check::readCaseMeta(folder + "/meta.json");
  auto feeds = params::readSafetensors(folder + "/inputs.safetensors");
  if (!meta || !feeds || meta->training || !meta->runnable)
    return std::nullopt;
  return openCase(folder, *meta, *feeds, dynamicDims);
}

std::optional<Case> trainingCaseAt(const std::string &folder) {
  auto meta = check::readCaseMeta(folder + "/meta.json");
  auto inputs = params::readSafetensors(folder + "/inputs.safetensors");
  if (!meta || !inputs || !meta->training || !meta->runnable)
    return std::nullopt;
  params::Tensors feeds;
  for (const std::string &name : meta->feeds)
    if (auto found = inputs->find("step0/" + name); found != inputs->end())
      feeds.emplace(name, found->second);
  return openCase(folder, *meta, feeds, /*dynamicDims=*/false);
}

std::span<const double> numbersOf(const Tensor &tensor) {
  return {static_cast<const double *>(tensor.data()), tensor.bytes() / sizeof(double)};
}

std::span<double> numbersOf(Tensor &tensor) {
  return {static_cast<double *>(tensor.data()), tensor.bytes() / sizeof(double)};
}

double dot(const Tensor &x, const Tensor &y) {
  std::span<const double> a = numbersOf(x), b = numbersOf(y);
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

Tensor moved(const Tensor &x, double step, const Tensor &direction) {
  Tensor out(x.dtype(), x.dims());
  std::span<double> to = numbersOf(out);
  std::span<const double> from = numbersOf(x), by = numbersOf(direction);
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = from[i] + step * by[i];
  return out;
}

Tensor randomLike(const Tensor &tensor, std::mt19937 &random) {
  std::uniform_real_distribution<double> reals(-1, 1);
  Tensor out(tensor.dtype(), tensor.dims());
  for (double &value : numbersOf(out))
    value = reals(random);
  return out;
}

std::optional<std::vector<size_t>> floatsOf(const Tensors &tensors) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < tensors.size(); ++i) {
    DType dtype = tensors[i].dtype();
    if (dtype == DType::Float64 || dtype == DType::Complex128)
      indices.push_back(i);
    else if (dtype == DType::Complex64 || dtype == DType::Float32)
      return std::nullopt;
  }
  return indices;
}

void makeFinite(Tensor &tensor) {
  if (tensor.dtype() != DType::Float64 && tensor.dtype() != DType::Complex128)
    return;
  Tensor out(tensor.dtype(), tensor.dims());
  std::span<double> to = numbersOf(out);
  std::span<const double> from = numbersOf(std::as_const(tensor));
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = std::abs(from[i]) < 1e6 ? from[i] : 0.3 + 0.01 * static_cast<double>(i % 10);
  tensor = out;
}

bool isFinite(const Tensor &tensor) {
  if (tensor.dtype() != DType::Float64 && tensor.dtype() != DType::Complex128)
    return true;
  std::span<const double> values = numbersOf(tensor);
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::vector<std::vector<int64_t>> dimsOf(const Tensors &tensors) {
  std::vector<std::vector<int64_t>> dims;
  for (const Tensor &tensor : tensors)
    dims.push_back(tensor.dims());
  return dims;
}

std::vector<std::string> chosenPrograms() {
  std::vector<std::string> list;
  for (const char *part : {"corpus/ops", "corpus/control", "corpus/models", "cases"})
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(PROA_CORPUS_DIR "/../" + std::string(part)))
      if (entry.path().filename() == "meta.json")
        list.push_back(std::filesystem::relative(entry.path().parent_path(), PROA_CORPUS_DIR "/..").string());
  std::sort(list.begin(), list.end());
  if (const char *part = std::getenv("PROA_DERIVATIVES"))
    std::erase_if(list, [&](const std::string &path) { return path.find(part) == std::string::npos; });
  return list;
}

bool SkipList::agrees(const std::string &test, const std::string &program, const std::string &reason) {
  std::string name = test + " " + program;
  if (const char *to = std::getenv("PROA_SKIPPED")) {
    if (!reason.empty())
      std::ofstream(to, std::ios::app) << name << "  # " << reason << "\n";
    return true;
  }
  static const std::set<std::string> skipped = readSkipped();
  return skipped.contains(name) == !reason.empty();
}

} // namespace proa::test
