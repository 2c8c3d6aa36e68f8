// Derivatives of the op programs of the corpus, computed in float64: along a random direction forward mode is
// the limit of differences, and the transpose of reverse mode. The programs hold gradients themselves, so
// that second derivatives are looked at too. And a batch of two gives what its examples give. ctest takes
// every twentieth program; PROA_DERIVATIVES=all takes all, another value those whose path has it.
#include "lib/check/CaseMeta.h"
#include "lib/check/CaseResult.h"
#include "lib/driver/Registration.h"
#include "proa/Autodiff.h"
#include "translator/import/Import.h"
#include "translator/legacy/ReadProgram.h"
#include "translator/params/ModelFolder.h"
#include "translator/params/Safetensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

using namespace proa;

namespace {

using Tensors = std::vector<Tensor>;

/// Of a case, in float64.
struct Case {
  std::string text;
  Tensors arguments;
};

Tensor widened(const Tensor &tensor) {
  if (tensor.dtype() != DType::Float32)
    return tensor;
  Tensor out(DType::Float64, tensor.dims());
  for (int64_t i = 0; i < tensor.size(); ++i)
    out.as<double>()[i] = static_cast<double>(tensor.as<float>()[i]);
  return out;
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Nothing where the case can't be had in float64, or draws random numbers.
std::optional<Case> caseAt(const std::string &folder) {
  auto meta = check::readCaseMeta(folder + "/meta.json");
  auto files = params::findModel(folder);
  auto feeds = params::readSafetensors(folder + "/inputs.safetensors");
  if (!meta || !files || !feeds || meta->runs > 1 || meta->training || !meta->runnable)
    return std::nullopt;
  auto program = legacy::readProgram(files->program);
  if (!program)
    return std::nullopt;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  import::ImportOptions options;
  options.feeds = meta->feeds;
  options.fetches = meta->fetches;
  check::giveLods(*feeds, *meta);
  auto given = import::withLods(*feeds);
  for (const auto &[name, tensor] : *feeds)
    options.lodLevels[name] = static_cast<int>(tensor.lod().size());
  auto module = import::importProgram(context, *program, options);
  if (!module)
    return std::nullopt;
  Case found;
  auto main = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto feed = main.getArgAttrOfType<mlir::StringAttr>(i, "pd.feed");
    auto tensor = feed ? given.find(feed.str()) : given.end();
    if (tensor == given.end() || tensor->second.dtype() == DType::Float16 ||
        tensor->second.dtype() == DType::BFloat16)
      return std::nullopt;
    found.arguments.push_back(widened(tensor->second));
  }
  bool draws = false;
  (*module)->walk(
      [&](mlir::Operation *op) { draws |= op->getNumRegions() == 0 && !mlir::isMemoryEffectFree(op); });
  if (draws)
    return std::nullopt;
  llvm::raw_string_ostream stream(found.text);
  (*module)->print(stream);
  replaceAll(found.text, "bf16", "bf_16");
  for (const char *text : {"f16", "bf_16", "dense<\"0x", "0x"})
    if (found.text.find(text) != std::string::npos)
      return std::nullopt;
  replaceAll(found.text, "complex<f32>", "complex<f64>");
  replaceAll(found.text, "f32", "f64");
  return found;
}

double dot(const Tensor &x, const Tensor &y) {
  double sum = 0;
  for (int64_t i = 0; i < x.size(); ++i)
    sum += x.as<double>()[i] * y.as<double>()[i];
  return sum;
}

class CorpusTest : public testing::TestWithParam<std::string> {
protected:
  Tensor randomLike(const Tensor &tensor) {
    std::uniform_real_distribution<double> reals(-1, 1);
    Tensor out(DType::Float64, tensor.dims());
    for (int64_t i = 0; i < out.size(); ++i)
      out.as<double>()[i] = reals(random);
    return out;
  }

  std::mt19937 random{17};
};

/// The numbers of the float64 tensors; nothing where one is complex or a small float.
std::optional<std::vector<size_t>> floatsOf(const Tensors &tensors) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < tensors.size(); ++i) {
    DType dtype = tensors[i].dtype();
    if (dtype == DType::Float64)
      numbers.push_back(i);
    else if (dtype == DType::Complex64 || dtype == DType::Complex128 || dtype == DType::Float32)
      return std::nullopt;
  }
  return numbers;
}

bool isFinite(const Tensor &tensor) {
  for (int64_t i = 0; tensor.dtype() == DType::Float64 && i < tensor.size(); ++i)
    if (!std::isfinite(tensor.as<double>()[i]))
      return false;
  return true;
}

/// Programs that are left out, most as their gradients are by Paddle's convention not those of what they
/// compute, or not by all of their feeds.
constexpr struct {
  const char *part, *why;
} leftOut[] = {
    {"ops/cvm/", "shows and clicks have what the forward op was given as their gradient"},
    {"ops/data_norm/", "the gradients of the statistics are what they become"},
    {"softmax/far_below", "the gradient is that without the lower bound"},
    {"softmax_with_cross_entropy/far_below", "the gradient is that without the lower bound"},
    {"npair_loss", "soft labels have no gradient"},
    {"ops/sigmoid_cross_entropy_with_logits/", "labels have no gradient"},
    {"ops/roi_align/", "boxes have no gradient"},
    {"ops/yolov3_loss/", "boxes and scores have no gradient"},
    {"ops/warpctc/norm", "norm_by_times is for the gradient alone"},
    {"ops/warprnnt/", "fastemit_lambda is for the gradient alone"},
    {"ops/clip/tensor_bounds", "bounds have no gradient"},
    {"ops/cholesky/", "only a triangle is read, gradients are symmetric"},
    {"ops/eigvalsh/", "only a triangle is read, gradients are symmetric"},
    {"ops/deformable_psroi_pooling/", "the gradient is a kernel without a rule"},
    {"ops/mode/vector", "equal elements, of which the program takes another one where they differ"},
};

std::vector<std::vector<int64_t>> dimsOf(const Tensors &tensors) {
  std::vector<std::vector<int64_t>> dims;
  for (const Tensor &tensor : tensors)
    dims.push_back(tensor.dims());
  return dims;
}

TEST_P(CorpusTest, DerivativesAreLimitsOfDifferences) {
  for (auto [part, why] : leftOut)
    if (GetParam().find(part) != std::string::npos)
      GTEST_SKIP() << why;
  auto found = caseAt(PROA_CORPUS_DIR "/../" + GetParam());
  if (!found)
    GTEST_SKIP() << "not in float64";
  auto f = Function::parse(found->text, "main");
  if (!f)
    GTEST_SKIP() << f.problems().text();
  auto floats = floatsOf(found->arguments);
  auto values = f->run(found->arguments);
  if (!values || !floats || floats->empty())
    GTEST_SKIP() << (values ? "no real numbers" : values.problems().text());
  auto floatResults = floatsOf(*values);
  if (!floatResults || floatResults->empty())
    GTEST_SKIP() << "no real results";
  if (!std::all_of(values->begin(), values->end(), isFinite) ||
      !std::all_of(found->arguments.begin(), found->arguments.end(), isFinite))
    GTEST_SKIP() << "infinite";
  auto fixed = f->withDims(dimsOf(found->arguments));
  ASSERT_TRUE(fixed) << fixed.problems().text();
  auto forward = jvp(*fixed), backward = vjp(*fixed);
  if (!forward || !backward) {
    // What has no derivative has neither; a note for whoever reads the skipped ones.
    EXPECT_EQ(bool(forward), bool(backward)) << (forward ? backward : forward).problems().text();
    GTEST_SKIP() << backward.problems().text();
  }
  Tensors tangents, cotangents;
  for (size_t i : *floats)
    tangents.push_back(randomLike(found->arguments[i]));
  for (size_t i : *floatResults)
    cotangents.push_back(randomLike((*values)[i]));
  Tensors all = found->arguments;
  all.insert(all.end(), tangents.begin(), tangents.end());
  auto along = forward->run(all);
  ASSERT_TRUE(along) << along.problems().text();
  all.resize(found->arguments.size());
  all.insert(all.end(), cotangents.begin(), cotangents.end());
  auto gradients = backward->run(all);
  ASSERT_TRUE(gradients) << gradients.problems().text();
  double sums[2] = {0, 0}, size = 1;
  for (size_t i = 0; i < cotangents.size(); ++i) {
    const Tensor &tangent = (*along)[values->size() + i];
    sums[0] += dot(cotangents[i], tangent);
    size += std::sqrt(dot(tangent, tangent));
  }
  for (size_t i = 0; i < tangents.size(); ++i)
    sums[1] += dot(tangents[i], (*gradients)[values->size() + i]);
  EXPECT_NEAR(sums[0], sums[1], 1e-8 * size) << "forward and reverse mode";
  double differences[2];
  for (int half : {0, 1}) {
    double step = half ? 5e-6 : 1e-5, sum = 0;
    for (double side : {step, -step}) {
      Tensors moved = found->arguments;
      for (size_t i = 0; i < floats->size(); ++i) {
        Tensor &tensor = moved[(*floats)[i]];
        Tensor copy(DType::Float64, tensor.dims());
        for (int64_t e = 0; e < copy.size(); ++e)
          copy.as<double>()[e] = tensor.as<double>()[e] + side * tangents[i].as<double>()[e];
        tensor = copy;
      }
      auto at = f->run(moved);
      ASSERT_TRUE(at) << at.problems().text();
      for (size_t i = 0; i < cotangents.size(); ++i)
        sum += dot(cotangents[i], (*at)[(*floatResults)[i]]) / (2 * side);
    }
    differences[half] = sum;
  }
  if (!(std::abs(differences[0] - differences[1]) < 1e-5 * size))
    GTEST_SKIP() << "not smooth here";
  EXPECT_NEAR(sums[0], differences[1], 1e-5 * size) << "forward mode and differences";
}

/// Two tensors of equal dims as one, with a dimension for them in front.
Tensor stacked(const Tensor &first, const Tensor &second) {
  std::vector<int64_t> dims = first.dims();
  dims.insert(dims.begin(), 2);
  Tensor whole(first.dtype(), dims);
  std::memcpy(whole.data(), first.data(), first.bytes());
  std::memcpy(static_cast<char *>(whole.data()) + first.bytes(), second.data(), first.bytes());
  return whole;
}

/// Two examples, which differ in their real numbers.
TEST_P(CorpusTest, BatchIsItsExamples) {
  auto found = caseAt(PROA_CORPUS_DIR "/../" + GetParam());
  if (!found)
    GTEST_SKIP() << "not in float64";
  auto f = Function::parse(found->text, "main");
  if (!f)
    GTEST_SKIP() << f.problems().text();
  auto floats = floatsOf(found->arguments);
  if (!floats || floats->empty())
    GTEST_SKIP() << "no real numbers";
  Tensors first = found->arguments, second = first, both = first;
  std::vector<int64_t> mapped(first.size(), -1);
  std::uniform_real_distribution<double> reals(0.99, 1.01);
  for (size_t i : *floats) {
    second[i] = Tensor(DType::Float64, first[i].dims());
    for (int64_t e = 0; e < first[i].size(); ++e)
      second[i].as<double>()[e] = first[i].as<double>()[e] * reals(random);
    both[i] = stacked(first[i], second[i]);
    mapped[i] = 0;
  }
  auto one = f->run(first), other = f->run(second);
  auto fixed = f->withDims(dimsOf(first));
  if (!one || !other || !fixed)
    GTEST_SKIP() << "does not run in float64";
  auto batch = vmap(*fixed, mapped, 2);
  if (!batch)
    GTEST_SKIP() << batch.problems().text();
  auto all = batch->run(both);
  ASSERT_TRUE(all) << all.problems().text();
  for (size_t i = 0; i < one->size(); ++i) {
    if ((*one)[i].dims() != (*other)[i].dims())
      GTEST_SKIP() << "the extents of results differ";
    Tensor expected = stacked((*one)[i], (*other)[i]);
    ASSERT_EQ((*all)[i].dims(), expected.dims()) << "result " << i;
    if (expected.dtype() != DType::Float64 && expected.dtype() != DType::Complex128) {
      EXPECT_EQ(std::memcmp((*all)[i].data(), expected.data(), expected.bytes()), 0) << "result " << i;
      continue;
    }
    const auto *wanted = static_cast<const double *>(expected.data()),
               *got = static_cast<const double *>((*all)[i].data());
    for (size_t e = 0; e < expected.bytes() / sizeof(double); ++e)
      if (wanted[e] != got[e] && !(std::isnan(wanted[e]) && std::isnan(got[e])))
        ASSERT_NEAR(got[e], wanted[e], 1e-9 * std::max(1.0, std::abs(wanted[e])))
            << "result " << i << ", element " << e;
  }
}

std::vector<std::string> programs() {
  std::vector<std::string> list;
  for (const char *part : {"corpus/ops", "cases"})
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(PROA_CORPUS_DIR "/../" + std::string(part)))
      if (entry.path().filename() == "meta.json")
        list.push_back(std::filesystem::relative(entry.path().parent_path(), PROA_CORPUS_DIR "/..").string());
  std::sort(list.begin(), list.end());
  const char *chosen = std::getenv("PROA_DERIVATIVES");
  std::vector<std::string> some;
  for (size_t i = 0; i < list.size(); ++i)
    if (chosen ? !std::strcmp(chosen, "all") || list[i].find(chosen) != std::string::npos : i % 20 == 0)
      some.push_back(list[i]);
  return some;
}

INSTANTIATE_TEST_SUITE_P(Ops, CorpusTest, testing::ValuesIn(programs()), [](const auto &info) {
  std::string name = info.param;
  for (char &c : name)
    c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

} // namespace
