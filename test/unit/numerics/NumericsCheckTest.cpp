// Wrong passes, each of which changes results for some inputs only. Expected values follow from the formulas.
#include "lib/compiler/numerics/NumericsCheck.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "lib/compiler/compile/Registration.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>

#include <functional>
#include <limits>

using namespace mlir;
using namespace proa;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// A pass that calls a function with each op.
struct RewritePass : PassWrapper<RewritePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RewritePass)
  explicit RewritePass(std::function<void(Operation &, OpBuilder &)> rewrite) : rewrite(std::move(rewrite)) {}

  StringRef getArgument() const override { return "rewrite"; }
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      OpBuilder builder(op);
      rewrite(*op, builder);
    });
  }

  std::function<void(Operation &, OpBuilder &)> rewrite;
};

/// Replaces each op of one type by an op of another one with the first operand.
template <class From, class To> void replaceOp(Operation &op, OpBuilder &builder) {
  if (!isa<From>(op))
    return;
  Value value = To::create(builder, op.getLoc(), op.getResult(0).getType(), op.getOperand(0));
  op.getResult(0).replaceAllUsesWith(value);
  op.erase();
}

class NumericsCheckTest : public testing::Test {
protected:
  NumericsCheckTest() : context(registry()) {
    context.disableMultithreading();
    context.loadAllAvailableDialects();
  }

  static DialectRegistry registry() {
    DialectRegistry dialects;
    registerAllDialects(dialects);
    return dialects;
  }

  /// Whether the check finds that the pass changes results; `messages` gets its errors.
  bool finds(const std::string &body, const std::string &type,
             std::function<void(Operation &, OpBuilder &)> rewrite,
             const numerics::NumericsCheckOptions &options = {}) {
    messages.clear();
    std::string text =
        "func.func @main(%x: " + type + ") -> " + type + " {\n" + body + "\nreturn %y : " + type + "\n}";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return false;
    ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return success();
    });
    PassManager passes(&context);
    numerics::NumericsReport report;
    passes.addInstrumentation(std::make_unique<numerics::NumericsCheck>(options, report));
    passes.addPass(std::make_unique<RewritePass>(std::move(rewrite)));
    EXPECT_TRUE(succeeded(passes.run(*module)));
    EXPECT_EQ(report.changed, 1);
    return report.differs;
  }

  MLIRContext context;
  std::string messages;
};

const std::string reluMinFive = R"(
  %five = pd.constant dense<5.0> : tensor<f32>
  %relu = pd.relu %x : (TYPE) -> TYPE
  %y = pd.minimum %relu, %five : (TYPE, tensor<f32>) -> TYPE)";

std::string withType(std::string text, const std::string &type) {
  for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
    text.replace(at, 4, type);
  return text;
}

void minToRelu6(Operation &op, OpBuilder &builder) {
  auto minimum = dyn_cast<pd::MinimumOp>(op);
  if (!minimum)
    return;
  Value relu = minimum.getX();
  Value value =
      pd::Relu6Op::create(builder, op.getLoc(), relu.getType(), relu.getDefiningOp()->getOperand(0));
  minimum.getOut().replaceAllUsesWith(value);
  op.erase();
}

TEST_F(NumericsCheckTest, FindsAWrongClip) {
  // min(relu(x), 5) and relu6(x) differ above 5 only.
  for (const char *type : {"tensor<4xf32>", "tensor<f32>", "tensor<3x100xf32>"}) {
    EXPECT_TRUE(finds(withType(reluMinFive, type), type, minToRelu6)) << type;
    EXPECT_THAT(messages, HasSubstr("inputs: zeros, small and large numbers"));
  }
}

TEST_F(NumericsCheckTest, FindsADifferenceOfLargeNumbers) {
  // relu6 differs from relu above 6 only.
  EXPECT_TRUE(finds("%y = pd.relu %x : (tensor<4xf32>) -> tensor<4xf32>", "tensor<4xf32>",
                    replaceOp<pd::ReluOp, pd::Relu6Op>));
}

TEST_F(NumericsCheckTest, FindsADifferenceOfNaN) {
  // x * 0 is 0 except for NaN and infinities.
  std::string body = R"(
    %zero = pd.constant dense<0.0> : tensor<f32>
    %y = pd.multiply %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>)";
  auto foldToZero = [](Operation &op, OpBuilder &builder) {
    if (!isa<pd::MultiplyOp>(op))
      return;
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    auto zeros = DenseElementsAttr::get(type, builder.getF32FloatAttr(0).getValue());
    Value value = pd::ConstantOp::create(builder, op.getLoc(), type, zeros);
    op.getResult(0).replaceAllUsesWith(value);
    op.erase();
  };
  EXPECT_TRUE(finds(body, "tensor<4xf32>", foldToZero));
  EXPECT_THAT(messages, HasSubstr("inputs: NaN and infinities"));
}

/// relu(NaN) is 0 and relu6(NaN) is NaN, as in Paddle, so the rewriting with 6 is right for finite numbers
/// only.
TEST_F(NumericsCheckTest, FiniteSamplesHaveNoNaN) {
  std::string six = withType(reluMinFive, "tensor<4xf32>");
  six.replace(six.find("5.0"), 3, "6.0");
  numerics::NumericsCheckOptions options;
  EXPECT_TRUE(finds(six, "tensor<4xf32>", minToRelu6, options));
  options.samples.isFinite = true;
  EXPECT_FALSE(finds(six, "tensor<4xf32>", minToRelu6, options)) << messages;
}

TEST_F(NumericsCheckTest, AcceptsARightPass) {
  std::string body = R"(
    %two = pd.constant dense<2.0> : tensor<f32>
    %y = pd.multiply %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>)";
  auto doubleBySum = [](Operation &op, OpBuilder &builder) {
    if (!isa<pd::MultiplyOp>(op))
      return;
    Value x = op.getOperand(0), value = pd::AddOp::create(builder, op.getLoc(), x.getType(), x, x);
    op.getResult(0).replaceAllUsesWith(value);
    op.erase();
  };
  EXPECT_FALSE(finds(body, "tensor<4xf32>", doubleBySum)) << messages;
}

TEST_F(NumericsCheckTest, RangeBoundsRandomNumbers) {
  numerics::NumericsCheckOptions options;
  options.samples.range = {5.1, 5.9};
  EXPECT_TRUE(finds(withType(reluMinFive, "tensor<4xf32>"), "tensor<4xf32>", minToRelu6, options));
  EXPECT_THAT(messages, HasSubstr("inputs: random numbers of seed 0"));
}

TEST_F(NumericsCheckTest, InputsAreTakenByName) {
  numerics::NumericsCheckOptions options;
  Tensor given(DType::Float32, {4});
  for (int i = 0; i < 4; ++i)
    given.as<float>()[i] = i == 3 ? 5.5f : 0.5f;
  options.samples.inputs = {{"argument0", given}};
  EXPECT_TRUE(finds(withType(reluMinFive, "tensor<4xf32>"), "tensor<4xf32>", minToRelu6, options));
  EXPECT_THAT(messages,
              AllOf(HasSubstr("at [3] got 5.5, expected 5;"), HasSubstr("; inputs: the given inputs")));
}

TEST_F(NumericsCheckTest, InputOfAnotherTypeIsAnError) {
  numerics::NumericsCheckOptions options;
  options.samples.inputs = {{"argument0", Tensor(DType::Float64, {4})}};
  EXPECT_TRUE(finds(withType(reluMinFive, "tensor<4xf32>"), "tensor<4xf32>", minToRelu6, options));
  EXPECT_THAT(messages, HasSubstr("input 'argument0' is float64[4], expected float32[4]"));
}

} // namespace
