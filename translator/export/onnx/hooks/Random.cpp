//! Random tensors. ONNX and proa have other generators than Paddle; the distributions are the same.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/random/Random.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

using Named = NodeExporter::Named;

/// A float tensor of the shape of a random op: RandomUniform or RandomNormal. A shape that is computed is
/// taken from a tensor of zeros.
template <class Op>
static std::string randomOf(NodeExporter &node, llvm::StringRef type, std::vector<Named> attributes) {
  auto op = node.get<Op>();
  if (op.getSeed() != 0)
    attributes.push_back({"seed", static_cast<float>(op.getSeed())});
  if (!op.getShapeTensor()) {
    attributes.push_back({"shape", std::vector<int64_t>(op.getShape().begin(), op.getShape().end())});
    return node.node(type, {}, std::move(attributes));
  }
  Type wide = IntegerType::get(op.getContext(), 64), real = Float32Type::get(op.getContext());
  std::string shape = node.reshape(node.cast(node.of(op.getShapeTensor()), wide), {-1});
  std::string zeros = node.node("Expand", {node.scalar(0, real), shape});
  return node.node((type + "Like").str(), {zeros}, std::move(attributes));
}

static float floatOf(llvm::APFloat value) { return static_cast<float>(value.convertToDouble()); }

static void setCast(NodeExporter &node, std::string value) {
  Type element = pd::tensorType(node.getOp()->getResult(0)).getElementType();
  node.setResult(0, element.isF32() ? value : node.cast(value, element));
}

/// The elements of the diagonal replaced by a number.
static std::string withDiagonal(NodeExporter &node, pd::UniformOp op, std::string value) {
  auto count = static_cast<int64_t>(op.getDiagNum()), step = static_cast<int64_t>(op.getDiagStep()) + 1;
  if (count == 0)
    return value;
  llvm::SmallVector<int64_t> positions;
  for (int64_t i = 0; i < count; ++i)
    positions.push_back(i * step);
  llvm::SmallVector<double> numbers(static_cast<size_t>(count), op.getDiagVal().convertToDouble());
  std::string indices = node.unsqueeze(node.ints(positions), {1});
  std::string updates = node.numbers(numbers, Float32Type::get(op.getContext()));
  std::string shape = node.shapeOf(value), flat = node.reshape(value, {-1});
  return node.node("Reshape", {node.node("ScatterND", {flat, indices, updates}), shape});
}

void exportUniform(NodeExporter &node) {
  auto op = node.get<pd::UniformOp>();
  std::string value = randomOf<pd::UniformOp>(
      node, "RandomUniform", {{"low", floatOf(op.getMin())}, {"high", floatOf(op.getMax())}});
  setCast(node, withDiagonal(node, op, value));
}

void exportGaussian(NodeExporter &node) {
  auto op = node.get<pd::GaussianOp>();
  if (isa<ComplexType>(pd::tensorType(op.getOut()).getElementType()))
    return node.report("ONNX does not compute with complex numbers");
  setCast(node, randomOf<pd::GaussianOp>(node, "RandomNormal",
                                         {{"mean", floatOf(op.getMean())}, {"scale", floatOf(op.getStd())}}));
}

void exportRandint(NodeExporter &node) {
  auto op = node.get<pd::RandintOp>();
  std::string value =
      randomOf<pd::RandintOp>(node, "RandomUniform",
                              {{"low", static_cast<float>(static_cast<int64_t>(op.getLow()))},
                               {"high", static_cast<float>(static_cast<int64_t>(op.getHigh()))}});
  setCast(node, node.node("Floor", {value}));
}

bool isMultinomialInOnnx(pd::MultinomialOp op) {
  return !op.getNumSamplesTensor() && (op.getReplacement() || op.getNumSamples() == 1);
}

/// ONNX takes logarithms of weights, in rows.
void exportMultinomial(NodeExporter &node) {
  auto op = node.get<pd::MultinomialOp>();
  bool isVector = pd::tensorType(op.getX()).getRank() == 1;
  std::string weights = node.node("Log", {node.of(op.getX())});
  std::vector<Named> attributes{{"sample_size", static_cast<int64_t>(op.getNumSamples())},
                                {"dtype", static_cast<int64_t>(onnx::DataType::Int64)}};
  if (op.getSeed() != 0)
    attributes.push_back({"seed", static_cast<float>(op.getSeed())});
  std::string samples =
      node.node("Multinomial", {isVector ? node.unsqueeze(weights, {0}) : weights}, std::move(attributes));
  node.setResult(0, isVector ? node.squeeze(samples, {0}) : samples);
}

} // namespace proa::exporter::onnxhooks
