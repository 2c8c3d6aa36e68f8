//! The export to ONNX: names, weights, opsets, control flow and errors. `proa-check --via=onnx` checks
//! values.
#include "translator/export/onnx/OnnxExport.h"
#include "lib/compiler/compile/Registration.h"
#include "translator/onnx/Check.h"
#include "translator/onnx/Schema.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace proa::exporter {
namespace {

class OnnxExport : public testing::Test {
protected:
  static void SetUpTestSuite() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context = new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }
  static void TearDownTestSuite() { delete context; }

  Result<onnx::Model> exported(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context);
    if (!module)
      return errorAt("", "does not parse");
    return exportOnnx(*module, options);
  }

  onnx::Model valid(const std::string &text) {
    Result<onnx::Model> model = exported(text);
    EXPECT_TRUE(model) << (model ? "" : model.diagnostics().text());
    if (!model)
      return {};
    FileReport report("model");
    onnx::check(*model, report);
    EXPECT_TRUE(onnx::checkSchemas(*model, "model"));
    return *model;
  }

  static std::vector<std::string> typesIn(const onnx::Graph &graph) {
    std::vector<std::string> types;
    for (const onnx::Node &node : graph.nodes)
      types.push_back(node.type);
    return types;
  }

  using Types = std::vector<std::string>;
  OnnxExportOptions options;
  static inline mlir::MLIRContext *context;
};

TEST_F(OnnxExport, FeedsAndFetchesKeepTheirNames) {
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<?x3xf32> {pd.feed = "image"}) -> (tensor<?x3xf32> {pd.fetch = "out"}) {
      %0 = pd.relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
      return %0 : tensor<?x3xf32>
    })");
  ASSERT_EQ(typesIn(model.graph), Types{"Relu"});
  EXPECT_EQ(model.graph.inputs[0].name, "image");
  EXPECT_EQ(model.graph.outputs[0].name, "out");
  EXPECT_EQ(model.graph.nodes[0].outputs[0], "out");
  const std::vector<onnx::Dim> &dims = *model.graph.inputs[0].type->dims;
  EXPECT_EQ(std::get<std::string>(dims[0].value), "image_dim0");
  EXPECT_EQ(std::get<int64_t>(dims[1].value), 3);
}

TEST_F(OnnxExport, ValueOfTwoFetchesIsCopied) {
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<3xf32> {pd.feed = "x"})
        -> (tensor<3xf32> {pd.fetch = "a"}, tensor<3xf32> {pd.fetch = "b"}) {
      %0 = pd.relu %x : (tensor<3xf32>) -> tensor<3xf32>
      return %0, %0 : tensor<3xf32>, tensor<3xf32>
    })");
  EXPECT_EQ(typesIn(model.graph), (Types{"Relu", "Identity"}));
  EXPECT_EQ(model.graph.outputs[0].name, "a");
  EXPECT_EQ(model.graph.outputs[1].name, "b");
}

constexpr const char *addWeight = R"(
    func.func @main(%x: tensor<2xf32> {pd.feed = "x"}, %w: tensor<2xf32> {pd.param = "w"})
        -> (tensor<2xf32> {pd.fetch = "out"}) {
      %0 = pd.add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })";

TEST_F(OnnxExport, ParametersAreInitializers) {
  Tensor weight(DType::Float32, {2});
  options.parameter = [&](const std::string &name) { return name == "w" ? &weight : nullptr; };
  onnx::Model model = valid(addWeight);
  ASSERT_EQ(model.graph.initializers.size(), 1U);
  EXPECT_EQ(model.graph.initializers[0].name, "w");
  EXPECT_EQ(model.graph.inputs.size(), 1U);
}

TEST_F(OnnxExport, ComplexNumbersArePairs) {
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<?x3xcomplex<f32>> {pd.feed = "x"}, %y: tensor<3xcomplex<f32>> {pd.feed = "y"})
        -> (tensor<?x3xcomplex<f32>> {pd.fetch = "out"}) {
      %0 = pd.multiply %x, %y : (tensor<?x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<?x3xcomplex<f32>>
      return %0 : tensor<?x3xcomplex<f32>>
    })");
  EXPECT_EQ(model.graph.inputs[0].type->text(), "tensor(float)");
  for (const onnx::ValueInfo *value : {&model.graph.inputs[0], &model.graph.outputs[0]}) {
    ASSERT_EQ(value->type->dims->size(), 3U);
    EXPECT_EQ(std::get<int64_t>(value->type->dims->back().value), 2);
  }
  Types types = typesIn(model.graph);
  EXPECT_EQ(llvm::count(types, "Mul"), 4);
  EXPECT_EQ(llvm::count(types, "Gather"), 4);
  EXPECT_EQ(types.back(), "Concat");
}

/// A component that is known is not taken from the pairs again, which nothing needs.
TEST_F(OnnxExport, ComponentsOfComplexNumbersAreUsed) {
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<3xf32> {pd.feed = "x"}, %y: tensor<3xf32> {pd.feed = "y"})
        -> (tensor<3xf32> {pd.fetch = "out"}) {
      %0 = pd.complex %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xcomplex<f32>>
      %1 = pd.conj %0 : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
      %2 = pd.imag %1 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
      return %2 : tensor<3xf32>
    })");
  EXPECT_EQ(typesIn(model.graph), Types{"Neg"});
}

TEST_F(OnnxExport, LinearOpWorksOnEachComponent) {
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<2x3xcomplex<f64>> {pd.feed = "x"})
        -> (tensor<3x2xcomplex<f64>> {pd.fetch = "out"}) {
      %0 = pd.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
      return %0 : tensor<3x2xcomplex<f64>>
    })");
  EXPECT_EQ(llvm::count(typesIn(model.graph), "Transpose"), 2);
}

constexpr const char *spectrum = R"(
    func.func @main(%x: tensor<2x8xf32> {pd.feed = "x"}) -> (tensor<2x5xcomplex<f32>> {pd.fetch = "out"}) {
      %0 = pd.fft_r2c %x {axes = array<i64: 1>} : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
      return %0 : tensor<2x5xcomplex<f32>>
    })";

TEST_F(OnnxExport, TransformIsDft) {
  EXPECT_EQ(typesIn(valid(spectrum).graph), (Types{"Unsqueeze", "DFT"}));
  options.opset = 16;
  Result<onnx::Model> model = exported(spectrum);
  ASSERT_FALSE(model);
  EXPECT_NE(model.diagnostics().text().find("has no form in ONNX of opset 16"), std::string::npos);
}

TEST_F(OnnxExport, OpOnComplexNumbersWithoutAFormIsAnError) {
  Result<onnx::Model> model = exported(R"(
    func.func @main(%x: tensor<3x3xcomplex<f32>> {pd.feed = "x"})
        -> (tensor<3x3xcomplex<f32>> {pd.fetch = "out"}) {
      %0, %1 = pd.eigh %x : (tensor<3x3xcomplex<f32>>) -> (tensor<3xf32>, tensor<3x3xcomplex<f32>>)
      return %1 : tensor<3x3xcomplex<f32>>
    })");
  ASSERT_FALSE(model);
  EXPECT_NE(model.diagnostics().text().find("pd.eigh (-:4): has no form in ONNX"), std::string::npos)
      << model.diagnostics().text();
}

/// 5 * 1.5 is 7.5: positions follow from 1.5, not from 7 / 5. With aligned corners they follow from the
/// sizes.
TEST_F(OnnxExport, BitsAreReadFromOpset26On) {
  constexpr const char *text = R"(
    func.func @main(%x: tensor<3xf32> {pd.feed = "x"}) -> (tensor<3xi32> {pd.fetch = "out"}) {
      %0 = pd.view_dtype %x {dtype = i32} : (tensor<3xf32>) -> tensor<3xi32>
      return %0 : tensor<3xi32>
    })";
  options.opset = 26;
  EXPECT_EQ(typesIn(valid(text).graph), Types{"BitCast"});
  options.opset = 25;
  Result<onnx::Model> model = exported(text);
  ASSERT_FALSE(model);
  EXPECT_NE(model.diagnostics().text().find("has no form in ONNX of opset 25"), std::string::npos)
      << model.diagnostics().text();
}

TEST_F(OnnxExport, MatricesOfDynamicSizeHaveNoFormula) {
  Result<onnx::Model> model = exported(R"(
    func.func @main(%x: tensor<?x?xf32> {pd.feed = "x"}) -> (tensor<?xf32> {pd.fetch = "out"}) {
      %0 = pd.svdvals %x : (tensor<?x?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
  ASSERT_FALSE(model);
  EXPECT_NE(model.diagnostics().text().find("expected a static size"), std::string::npos)
      << model.diagnostics().text();
}

TEST_F(OnnxExport, ScaleOfAnInterpolationIsKept) {
  auto resize = [&](const std::string &attributes) {
    onnx::Model model = valid(R"(
      func.func @main(%x: tensor<1x1x5x5xf32> {pd.feed = "x"}) -> (tensor<1x1x7x7xf32> {pd.fetch = "y"}) {
        %0 = pd.bilinear_interp %x {scale = array<f64: 1.5, 1.5>, )" +
                              attributes + R"(} : (tensor<1x1x5x5xf32>) -> tensor<1x1x7x7xf32>
        return %0 : tensor<1x1x7x7xf32>
      })");
    return model.graph.nodes.back();
  };
  EXPECT_EQ(resize("align_corners = false").inputs.size(), 3U);
  EXPECT_EQ(resize("align_corners = true").inputs.size(), 4U);
}

TEST_F(OnnxExport, ParameterWithoutValueIsAnError) {
  Result<onnx::Model> model = exported(addWeight);
  ASSERT_FALSE(model);
  EXPECT_NE(model.diagnostics().text().find("parameter 'w': has no value"), std::string::npos)
      << model.diagnostics().text();
}

TEST_F(OnnxExport, ChangedParameterIsInputAndOutput) {
  Tensor weight(DType::Float32, {2});
  options.parameter = [&](const std::string &) { return &weight; };
  onnx::Model model = valid(R"(
    func.func @main(%w: tensor<2xf32> {pd.param = "w"}) -> (tensor<2xf32> {pd.state = "w"}) {
      %0 = pd.relu %w : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  ASSERT_EQ(model.graph.inputs.size(), 1U);
  EXPECT_EQ(model.graph.inputs[0].name, "w");
  EXPECT_EQ(model.graph.outputs[0].name, "w@NEXT");
  EXPECT_EQ(model.graph.initializers.size(), 1U);
}

/// Batch norms of inference return their statistics so.
TEST_F(OnnxExport, UnchangedParameterIsNeither) {
  Tensor weight(DType::Float32, {2});
  options.parameter = [&](const std::string &) { return &weight; };
  onnx::Model model = valid(R"(
    func.func @main(%w: tensor<2xf32> {pd.param = "w"})
        -> (tensor<2xf32> {pd.fetch = "out"}, tensor<2xf32> {pd.state = "w"}) {
      %0 = pd.relu %w : (tensor<2xf32>) -> tensor<2xf32>
      return %0, %w : tensor<2xf32>, tensor<2xf32>
    })");
  EXPECT_TRUE(model.graph.inputs.empty());
  ASSERT_EQ(model.graph.outputs.size(), 1U);
  EXPECT_EQ(model.graph.outputs[0].name, "out");
  EXPECT_EQ(model.graph.initializers.size(), 1U);
}

constexpr const char *maximum = R"(
    func.func @main(%x: tensor<2x3xf32> {pd.feed = "x"}) -> (tensor<2xf32> {pd.fetch = "out"}) {
      %0 = pd.max %x {axis = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })";

TEST_F(OnnxExport, AxesAreAttributesOrInputsByTheOpset) {
  options.opset = 17;
  onnx::Model model = valid(maximum);
  EXPECT_NE(model.graph.nodes[0].attribute("axes"), nullptr);
  options.opset = 18;
  model = valid(maximum);
  EXPECT_EQ(model.graph.nodes[0].attribute("axes"), nullptr);
  EXPECT_EQ(model.graph.nodes[0].inputs.size(), 2U);
}

constexpr const char *gelu = R"(
    func.func @main(%x: tensor<2xf32> {pd.feed = "x"}) -> (tensor<2xf32> {pd.fetch = "out"}) {
      %0 = pd.gelu %x : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })";

TEST_F(OnnxExport, CompositeIsDecomposedWhereTheOpsetLacksIt) {
  options.opset = 20;
  EXPECT_EQ(typesIn(valid(gelu).graph), Types{"Gelu"});
  options.opset = 19;
  Types types = typesIn(valid(gelu).graph);
  EXPECT_TRUE(std::find(types.begin(), types.end(), "Erf") != types.end());
}

TEST_F(OnnxExport, OpsetOutOfRangeIsAnError) {
  options.opset = 12;
  EXPECT_FALSE(exported(gelu));
  options.opset = onnx::newestOpsetVersion + 1;
  EXPECT_FALSE(exported(gelu));
}

TEST_F(OnnxExport, EachOpWithoutFormIsReported) {
  Result<onnx::Model> model = exported(R"(
    func.func @main(%x: tensor<2x2xf64> {pd.feed = "x"}, %y: tensor<2x2xf64> {pd.feed = "y"},
                    %z: tensor<3x2x2xf64> {pd.feed = "z"})
        -> (tensor<2x2xf64> {pd.fetch = "a"}, tensor<2xcomplex<f64>> {pd.fetch = "b"},
            tensor<3x2x2xf64> {pd.fetch = "c"}) {
      %0 = pd.nextafter %x, %y : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
      %1, %2 = pd.eig %x : (tensor<2x2xf64>) -> (tensor<2xcomplex<f64>>, tensor<2x2xcomplex<f64>>)
      %3 = pd.solve %x, %z : (tensor<2x2xf64>, tensor<3x2x2xf64>) -> tensor<3x2x2xf64>
      return %0, %1, %3 : tensor<2x2xf64>, tensor<2xcomplex<f64>>, tensor<3x2x2xf64>
    })");
  ASSERT_FALSE(model);
  std::string text = model.diagnostics().text();
  EXPECT_NE(text.find("another type than f32"), std::string::npos) << text;
  EXPECT_NE(text.find("pd.eig"), std::string::npos) << text;
  EXPECT_NE(text.find("operands of different batches"), std::string::npos) << text;
}

TEST_F(OnnxExport, WhileIsALoopWithTheConditionAtTheEnd) {
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<f32> {pd.feed = "x"}, %most: tensor<f32> {pd.feed = "most"})
        -> (tensor<f32> {pd.fetch = "out"}) {
      %0 = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
        %c = pd.less_than %a, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %b = tensor.extract %c[] : tensor<i1>
        scf.condition(%b) %a : tensor<f32>
      } do {
      ^bb0(%a: tensor<f32>):
        %d = pd.add %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
        scf.yield %d : tensor<f32>
      }
      return %0 : tensor<f32>
    })");
  ASSERT_EQ(typesIn(model.graph), (Types{"Less", "Loop"}));
  const onnx::Graph &body = model.graph.nodes[1].attribute("body")->graphs()[0];
  EXPECT_EQ(typesIn(body), (Types{"Add", "Less"}));
  EXPECT_EQ(body.inputs.size(), 3U);
  EXPECT_EQ(body.outputs.size(), 2U);
}

TEST_F(OnnxExport, OutputOfABranchIsAValueOfTheBranch) {
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<f32> {pd.feed = "x"}, %c: tensor<i1> {pd.feed = "c"})
        -> (tensor<f32> {pd.fetch = "out"}) {
      %b = tensor.extract %c[] : tensor<i1>
      %0 = scf.if %b -> tensor<f32> {
        %1 = pd.relu %x : (tensor<f32>) -> tensor<f32>
        scf.yield %1 : tensor<f32>
      } else {
        scf.yield %x : tensor<f32>
      }
      return %0 : tensor<f32>
    })");
  ASSERT_EQ(typesIn(model.graph), Types{"If"});
  EXPECT_EQ(typesIn(model.graph.nodes[0].attribute("then_branch")->graphs()[0]), Types{"Relu"});
  EXPECT_EQ(typesIn(model.graph.nodes[0].attribute("else_branch")->graphs()[0]), Types{"Identity"});
}

TEST_F(OnnxExport, ConstantConditionChoosesABranch) {
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<f32> {pd.feed = "x"}) -> (tensor<f32> {pd.fetch = "out"}) {
      %b = arith.constant false
      %0 = scf.if %b -> tensor<f32> {
        %1 = pd.relu %x : (tensor<f32>) -> tensor<f32>
        scf.yield %1 : tensor<f32>
      } else {
        %1 = pd.exp %x : (tensor<f32>) -> tensor<f32>
        scf.yield %1 : tensor<f32>
      }
      return %0 : tensor<f32>
    })");
  EXPECT_EQ(typesIn(model.graph), Types{"Exp"});
}

/// A loop that writes an array at its counter plus `offset`, which starts at `first`.
static std::string writingLoop(int first, int offset) {
  return R"(
    func.func @main(%x: tensor<2xf32> {pd.feed = "x"}, %n: tensor<1xi64> {pd.feed = "n"})
        -> (tensor<?xf32> {pd.fetch = "out"}) {
      %i = pd.constant dense<)" +
         std::to_string(first) + R"(> : tensor<1xi64>
      %a = pd.array_create : () -> !pd.array<*>
      %b = pd.array_cast %a : <*> to <tensor<2xf32>>
      %0:2 = scf.while (%c = %i, %d = %b)
          : (tensor<1xi64>, !pd.array<tensor<2xf32>>) -> (tensor<1xi64>, !pd.array<tensor<2xf32>>) {
        %1 = pd.less_than %c, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
        %2 = pd.reshape %1 : (tensor<1xi1>) -> tensor<i1>
        %3 = tensor.extract %2[] : tensor<i1>
        scf.condition(%3) %c, %d : tensor<1xi64>, !pd.array<tensor<2xf32>>
      } do {
      ^bb0(%c: tensor<1xi64>, %d: !pd.array<tensor<2xf32>>):
        %1 = pd.scale %c {bias = )" +
         std::to_string(offset) + R"(.0 : f64} : (tensor<1xi64>) -> tensor<1xi64>
        %2 = pd.array_write %d, %1, %x
          : (!pd.array<tensor<2xf32>>, tensor<1xi64>, tensor<2xf32>) -> !pd.array<tensor<2xf32>>
        %3 = pd.increment %c : (tensor<1xi64>) -> tensor<1xi64>
        scf.yield %3, %2 : tensor<1xi64>, !pd.array<tensor<2xf32>>
      }
      %4, %5 = pd.array_to_tensor %0#1 {axis = 0 : i64} : (!pd.array<tensor<2xf32>>) -> (tensor<?xf32>, tensor<?xi32>)
      return %4 : tensor<?xf32>
    })";
}

TEST_F(OnnxExport, WriteAtTheLengthAppends) {
  for (auto [first, offset] : {std::pair(0, 0), {-1, 1}, {2, -2}}) {
    onnx::Model model = valid(writingLoop(first, offset));
    auto loop = llvm::find_if(model.graph.nodes, [](const onnx::Node &node) { return node.type == "Loop"; });
    ASSERT_NE(loop, model.graph.nodes.end());
    Types types = typesIn(loop->attribute("body")->graphs()[0]);
    EXPECT_EQ(llvm::count(types, "SequenceInsert"), 1) << first;
    EXPECT_EQ(llvm::count(types, "If"), 0) << first;
  }
}

TEST_F(OnnxExport, WriteElsewhereReplacesOrFillsUp) {
  onnx::Model model = valid(writingLoop(0, 1)); // element 0 is never written
  auto loop = llvm::find_if(model.graph.nodes, [](const onnx::Node &node) { return node.type == "Loop"; });
  ASSERT_NE(loop, model.graph.nodes.end());
  const onnx::Graph &body = loop->attribute("body")->graphs()[0];
  auto choice = llvm::find_if(body.nodes, [](const onnx::Node &node) { return node.type == "If"; });
  ASSERT_NE(choice, body.nodes.end());
  EXPECT_EQ(typesIn(choice->attribute("then_branch")->graphs()[0]),
            (Types{"SequenceErase", "SequenceInsert"}));
  EXPECT_EQ(llvm::count(typesIn(choice->attribute("else_branch")->graphs()[0]), "Loop"), 1);
}

class OnnxQuantization : public OnnxExport {
protected:
  void SetUp() override {
    weight = Tensor(DType::Float32, {2, 3});
    scale = Tensor(DType::Float32, {1});
    for (int i = 0; i < 6; ++i)
      weight.as<float>()[i] = static_cast<float>(i - 3);
    *scale.as<float>() = 127;
    options.parameter = [this](const std::string &name) { return name == "w" ? &weight : &scale; };
  }

  std::string program(int bits) {
    std::string attributes = "bit_length = " + std::to_string(bits);
    return R"(
    func.func @main(%x: tensor<?x2xf32> {pd.feed = "x"}, %w: tensor<2x3xf32> {pd.param = "w"},
                    %s: tensor<1xf32> {pd.param = "s"}) -> (tensor<?x3xf32> {pd.fetch = "out"}) {
      %0:4 = pd.fake_quantize_dequantize_moving_average_abs_max %x, %s {is_test = true, )" +
           attributes + R"( : i64} : (tensor<?x2xf32>, tensor<1xf32>)
          -> (tensor<?x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
      %1:2 = pd.fake_channel_wise_quantize_dequantize_abs_max %w {quant_axis = 1 : i64, )" +
           attributes + R"( : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
      %2 = pd.matmul %0#0, %1#0 : (tensor<?x2xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
      return %2 : tensor<?x3xf32>
    })";
  }

  Tensor weight, scale;
};

TEST_F(OnnxQuantization, WeightsAreIntegersAndActivationsArePairs) {
  onnx::Model model = valid(program(8));
  EXPECT_EQ(typesIn(model.graph),
            (Types{"Max", "QuantizeLinear", "DequantizeLinear", "DequantizeLinear", "MatMul"}));
  const std::string &name = model.graph.nodes[3].inputs[0];
  for (const onnx::TensorValue &tensor : model.graph.initializers)
    if (tensor.name == name) {
      ASSERT_EQ(tensor.type, onnx::DataType::Int8);
      // Columns have the scales 3, 2 and 2: x * 127 / scale.
      const auto *integers = tensor.elements.as<int8_t>();
      EXPECT_EQ(std::vector<int>(integers, integers + 6), (std::vector<int>{-127, -127, -64, 0, 64, 127}));
    }
  EXPECT_TRUE(llvm::none_of(model.graph.initializers,
                            [](const onnx::TensorValue &tensor) { return tensor.name == "w"; }));
}

TEST_F(OnnxQuantization, OtherWidthsStayFormulas) {
  Types types = typesIn(valid(program(4)).graph);
  EXPECT_EQ(llvm::count(types, "QuantizeLinear"), 0);
  EXPECT_EQ(llvm::count(types, "MatMul"), 1);
  EXPECT_EQ(llvm::count(typesIn(valid(program(16)).graph), "QuantizeLinear"), 0);
  options.opset = 21;
  EXPECT_EQ(llvm::count(typesIn(valid(program(16)).graph), "QuantizeLinear"), 1);
}

TEST_F(OnnxExport, TypesThatAVersionLacksAreCast) {
  options.opset = 13; // IsNaN takes no bfloat16
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<2xbf16> {pd.feed = "x"}) -> (tensor<2xi1> {pd.fetch = "out"}) {
      %0 = pd.isnan %x : (tensor<2xbf16>) -> tensor<2xi1>
      return %0 : tensor<2xi1>
    })");
  EXPECT_EQ(typesIn(model.graph), (Types{"Cast", "IsNaN"}));
}

TEST_F(OnnxExport, NodesHaveTheOpAndTheLineOfPython) {
  onnx::Model model = valid(R"(
    func.func @main(%x: tensor<2xf32> {pd.feed = "x"}) -> (tensor<2xf32> {pd.fetch = "out"}) {
      %0 = pd.relu %x : (tensor<2xf32>) -> tensor<2xf32> loc("relu_0"("train.py":88:1))
      return %0 : tensor<2xf32>
    })");
  EXPECT_EQ(model.graph.nodes[0].docString, "train.py:88");
  EXPECT_EQ(model.graph.nodes[0].metadata, (onnx::Metadata{{"pd.op", "pd.relu"}}));
}

} // namespace
} // namespace proa::exporter
