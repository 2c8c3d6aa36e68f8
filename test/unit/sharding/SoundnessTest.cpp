// Soundness of sharding rules by exhaustion: each kind of op in the programs of cases and corpus/ops is run
// by the reference evaluator on all splits of the factors of its rule over small meshes, and compared with
// the whole op. Prints the number of splits of each kind of op.
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "lib/base/support/Files.h"
#include "lib/check/CaseMeta.h"
#include "lib/check/ShardCheck.h"
#include "lib/check/SplitOp.h"
#include "lib/compiler/compile/Registration.h"
#include "translator/params/Safetensors.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace proa;
using namespace proa::check;

namespace {

std::vector<std::string> programs() {
  std::vector<std::string> list;
  for (const char *folder : {"cases/ops", "cases/formulas", "corpus/ops", "cases/gradients"})
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(PROA_SOURCE_DIR "/test/" + std::string(folder)))
      if (entry.path().filename() == "meta.json")
        list.push_back(entry.path().parent_path().string());
  std::sort(list.begin(), list.end());
  return list;
}

void checkProgram(const std::string &folder, const ShardCheckOptions &options, ShardCheck &check) {
  Result<CaseMeta> meta = readCaseMeta(folder + "/meta.json");
  ASSERT_TRUE(bool(meta)) << folder;
  if (!meta->runnable || meta->training)
    return;
  Result<params::Tensors> inputs = params::readSafetensors(folder + "/inputs.safetensors");
  if (!inputs)
    return;
  Tensors feeds = withPrefix(*inputs, meta->runPrefix(0));
  setLods(feeds, *meta);
  std::string notEvaluated;
  Result<void> done = checkShardings(folder, *meta, feeds, options, check, notEvaluated);
  EXPECT_TRUE(bool(done)) << folder << ": " << done.diagnostics()[0].message;
}

/// Operands of the types of the op: small numbers, which are also valid indices. Nothing if a type is not a
/// static tensor.
std::optional<llvm::SmallVector<Tensor>> inventOperands(mlir::Operation *op) {
  llvm::SmallVector<Tensor> operands;
  for (mlir::Value operand : op->getOperands()) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.getType());
    auto dtype = type && type.hasStaticShape() ? pd::dtypeOf(type.getElementType()) : std::nullopt;
    if (!dtype)
      return std::nullopt;
    if (auto constant = operand.getDefiningOp<pd::ConstantOp>()) {
      operands.push_back(pd::tensorFromAttribute(constant.getValue()));
      continue;
    }
    Tensor &tensor = operands.emplace_back(*dtype, type.getShape().vec());
    for (int64_t i = 0; i < tensor.size(); ++i) {
      bool isInteger = llvm::isa<mlir::IntegerType>(type.getElementType());
      pd::storeScalar(tensor, i,
                      isInteger ? pd::HostScalar::of(i * 7 % 2)
                                : pd::HostScalar::of(0.125 + 0.0625 * static_cast<double>(i * 7 % 11)));
    }
  }
  return operands;
}

/// Calls `f` with each op of pd in a text.
void forEachOp(llvm::StringRef text, mlir::MLIRContext &context,
               llvm::function_ref<void(mlir::Operation *)> f) {
  mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  if (auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context))
    module->walk([&](mlir::Operation *op) {
      if (llvm::isa_and_present<pd::PdDialect>(op->getDialect()))
        f(op);
    });
}

class Context {
public:
  Context() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {}
  mlir::MLIRContext &get() { return context; }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }
  mlir::MLIRContext context;
};

bool canBeSplit(mlir::Operation *op) {
  auto rule = pd::shardingRuleOf(op);
  return rule && llvm::any_of(rule->factors, [](const pd::ShardingFactor &factor) {
           return factor.kind != pd::FactorKind::Replicated;
         });
}

/// Checks the kinds of ops that no program has, on the ops of the tests of the dialect. Returns the kinds
/// with a rule of which no op could be run.
std::set<std::string> checkOtherKinds(const ShardCheckOptions &options, ShardCheck &check) {
  Context context;
  std::set<std::string> kinds, covered;
  for (const auto &[name, cases] : check.casesOf)
    covered.insert(name);
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(PROA_SOURCE_DIR "/test/dialects/pd")) {
    if (entry.path().extension() != ".mlir" || entry.path().stem().string().ends_with("-invalid"))
      continue;
    Result<std::string> file = readFile(entry.path().string());
    llvm::SmallVector<llvm::StringRef> texts;
    llvm::StringRef(*file).split(texts, "// -----");
    for (llvm::StringRef text : texts)
      forEachOp(text, context.get(), [&](mlir::Operation *op) {
        std::string name = op->getName().getStringRef().str();
        if (covered.contains(name) || !canBeSplit(op))
          return;
        kinds.insert(name);
        auto operands = inventOperands(op);
        mlir::Block block;
        auto results = operands ? evaluateClone(cloneOn(block, op, *operands), *operands) : std::nullopt;
        if (results)
          checkSharding(op, *operands, *results, options, check);
      });
  }
  std::erase_if(kinds, [&](const std::string &name) { return check.casesOf.contains(name); });
  return kinds;
}

/// Checks a rule of the op of a text, which has one op.
ShardCheck checkPlanted(const char *text, llvm::function_ref<void(pd::ShardingRule &)> plant) {
  Context context;
  ShardCheck check;
  forEachOp(text, context.get(), [&](mlir::Operation *op) {
    if (llvm::isa<pd::ConstantOp>(op))
      return;
    auto operands = inventOperands(op);
    auto results = pd::evaluateOp(op, *operands);
    pd::ShardingRule rule = *pd::shardingRuleOf(op);
    plant(rule);
    checkRule(op, rule, *operands, *results, {.meshes = smallMeshes()}, check);
  });
  EXPECT_GT(check.cases, 0);
  return check;
}

TEST(Soundness, OfAllSplitsOnSmallMeshes) {
  ShardCheckOptions options;
  options.meshes = smallMeshes();
  options.resize = true;
  options.opsOfKind = 6;
  options.decomposedSplits = 6;
  options.maxElements = 20000;
  ShardCheck check;
  for (const std::string &folder : programs())
    checkProgram(folder, options, check);
  std::set<std::string> notRun = checkOtherKinds(options, check);
  for (const auto &[name, cases] : check.casesOf)
    fmt::print("{:<40} {}\n", name, cases);
  for (const auto &[name, count] : check.emptyOf)
    fmt::print("{:<40} {} with empty shards refused\n", name, count);
  fmt::print("{} cases of {} kinds of ops, {} with partial operands, {} by local forms; {} with empty shards "
             "are refused, {} are not covered by local forms\n",
             check.cases, check.casesOf.size(), check.partialCases, check.localForms, check.empty,
             check.notCovered);
  fmt::print("not run: {}\n", fmt::join(notRun, " "));
  for (const std::string &difference : check.differences)
    ADD_FAILURE() << difference;
  EXPECT_GE(check.cases, 20000);
}

TEST(Soundness, OfRowsThatAreAddedToZeros) {
  const char *text = R"(func.func @f(%ids: tensor<6xi64>, %rows: tensor<6x5xf32>) {
    %zeros = pd.constant dense<0.0> : tensor<4x5xf32>
    %0 = pd.index_add %zeros, %ids, %rows : (tensor<4x5xf32>, tensor<6xi64>, tensor<6x5xf32>) -> tensor<4x5xf32>
    return
  })";
  ShardCheck check = checkPlanted(text, [](pd::ShardingRule &rule) {
    EXPECT_EQ(rule.text(), "([*, i], [j], [j, i])->([*, i]) {i=5, j=6} reduction={j:sum}");
  });
  EXPECT_TRUE(check.differences.empty()) << check.differences[0];
}

TEST(Soundness, FindsReplicatedFactorThatIsSplit) {
  const char *text = "func.func @f(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {\n"
                     "  %0 = pd.softmax %x {axis = 1} : (tensor<5x7xf32>) -> tensor<5x7xf32>\n"
                     "  return %0 : tensor<5x7xf32>\n}";
  EXPECT_TRUE(checkPlanted(text, [](pd::ShardingRule &) {}).differences.empty());
  ShardCheck check = checkPlanted(text, [](pd::ShardingRule &rule) {
    for (pd::ShardingFactor &factor : rule.factors)
      factor.kind = pd::FactorKind::PassThrough;
  });
  EXPECT_FALSE(check.differences.empty());
}

TEST(Soundness, FindsWrongReduction) {
  const char *text = "func.func @f(%x: tensor<5x7xf32>) -> tensor<5xf32> {\n"
                     "  %0 = pd.max %x {axis = array<i64: 1>} : (tensor<5x7xf32>) -> tensor<5xf32>\n"
                     "  return %0 : tensor<5xf32>\n}";
  EXPECT_TRUE(checkPlanted(text, [](pd::ShardingRule &) {}).differences.empty());
  ShardCheck check = checkPlanted(text, [](pd::ShardingRule &rule) {
    for (pd::ShardingFactor &factor : rule.factors)
      factor.reduction = pd::ReductionKind::Sum;
  });
  EXPECT_FALSE(check.differences.empty());
}

} // namespace
