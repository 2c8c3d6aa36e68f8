//! Hooks of ai.onnx.preview.training: optimizers and Gradient.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/autodiff/VjpOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::Expression;

namespace {

/// Learning rate and step count of an optimizer, and its tensors by kind: parameters, gradients, states.
struct OptimizerNode {
  OptimizerNode(NodeImporter &node, size_t kinds)
      : e(node.tensors()), rate(e.reshape(node.operand("R"), {})),
        step(e.reshape(e.cast(node.operand("T"), rate.type().getElementType()), {})) {
    NodeImporter::Values all = node.inputs("inputs");
    count = all.size() / kinds;
    if (all.empty() || all.size() % kinds != 0) {
      node.report("has " + llvm::Twine(all.size()) + " tensors, expected a multiple of " +
                  llvm::Twine(kinds));
      node.stop();
    }
    for (Value value : all)
      tensors.push_back(node.wrap(value));
  }

  Expression tensor(size_t kind, size_t i) const { return tensors[kind * count + i]; }

  /// The gradient plus the gradient of the regularization.
  Expression gradient(NodeImporter &node, size_t i) const {
    double coefficient = node.floatAttribute("norm_coefficient");
    return coefficient == 0 ? tensor(1, i) : tensor(0, i) * coefficient + tensor(1, i);
  }

  /// number^step.
  Expression power(double value) const {
    return e.pow(e.constant(value, step.type().getElementType()), step);
  }

  pd::TensorBuilder &e;
  Expression rate, step;
  size_t count = 0;
  llvm::SmallVector<Expression> tensors;
};

/// Sets the outputs: the new values of each kind.
void setUpdated(NodeImporter &node, llvm::ArrayRef<llvm::SmallVector<Value>> kinds) {
  NodeImporter::Values all;
  for (const auto &list : kinds)
    llvm::append_range(all, list);
  node.setOutputs("outputs", all);
}

} // namespace

void importAdagrad(NodeImporter &node) {
  OptimizerNode optimizer(node, 3);
  pd::TensorBuilder &e = optimizer.e;
  Expression rate = optimizer.rate / (optimizer.step * node.floatAttribute("decay_factor") + 1.0);
  llvm::SmallVector<llvm::SmallVector<Value>> kinds(2);
  for (size_t i = 0; i < optimizer.count; ++i) {
    Expression gradient = optimizer.gradient(node, i), squares = optimizer.tensor(2, i) + gradient * gradient;
    kinds[0].push_back(optimizer.tensor(0, i) -
                       rate * gradient / (e.sqrt(squares) + node.floatAttribute("epsilon")));
    kinds[1].push_back(squares);
  }
  setUpdated(node, kinds);
}

void importAdam(NodeImporter &node) {
  OptimizerNode optimizer(node, 4);
  pd::TensorBuilder &e = optimizer.e;
  double alpha = node.floatAttribute("alpha"), beta = node.floatAttribute("beta"),
         epsilon = node.floatAttribute("epsilon"), decay = node.floatAttribute("norm_coefficient_post");
  // Without a bias correction in step 0.
  Expression corrected =
      optimizer.rate * e.sqrt(1.0 - optimizer.power(beta)) / (1.0 - optimizer.power(alpha));
  Expression rate = e.select(optimizer.step > 0, corrected, optimizer.rate);
  llvm::SmallVector<llvm::SmallVector<Value>> kinds(3);
  for (size_t i = 0; i < optimizer.count; ++i) {
    Expression gradient = optimizer.gradient(node, i);
    Expression mean = optimizer.tensor(2, i) * alpha + gradient * (1 - alpha),
               squares = optimizer.tensor(3, i) * beta + gradient * gradient * (1 - beta);
    Expression next = optimizer.tensor(0, i) - rate * (mean / (e.sqrt(squares) + epsilon));
    kinds[0].push_back(decay == 0 ? next : next * (1 - decay));
    kinds[1].push_back(mean);
    kinds[2].push_back(squares);
  }
  setUpdated(node, kinds);
}

void importMomentum(NodeImporter &node) {
  OptimizerNode optimizer(node, 3);
  pd::TensorBuilder &e = optimizer.e;
  double alpha = node.floatAttribute("alpha"), beta = node.floatAttribute("beta");
  bool isNesterov = node.stringAttribute("mode") == "nesterov";
  // The gradient counts whole in step 0.
  Expression factor =
      e.select(optimizer.step > 0, beta, e.constant(1, optimizer.step.type().getElementType()));
  llvm::SmallVector<llvm::SmallVector<Value>> kinds(2);
  for (size_t i = 0; i < optimizer.count; ++i) {
    Expression gradient = optimizer.gradient(node, i);
    Expression velocity = optimizer.tensor(2, i) * alpha + factor * gradient;
    Expression direction = isNesterov ? gradient + velocity * alpha : velocity;
    kinds[0].push_back(optimizer.tensor(0, i) - optimizer.rate * direction);
    kinds[1].push_back(velocity);
  }
  setUpdated(node, kinds);
}

/// The gradients of the sum of y. The nodes from the inputs to y are imported again, in the region of a
/// pd.vjp, with the values of the node's inputs.
void importGradient(NodeImporter &node) {
  std::vector<std::string> names = node.stringsAttribute("xs"), constants = node.stringsAttribute("zs");
  std::string y = node.stringAttribute("y");
  NodeImporter::Values values = node.inputs("Inputs");
  size_t count = names.size();
  names.insert(names.end(), constants.begin(), constants.end());
  if (values.size() != names.size() || llvm::is_contained(values, Value()))
    return node.report("has " + llvm::Twine(values.size()) + " inputs, expected " +
                       llvm::Twine(names.size()) + " tensors, one for each name in 'xs' and 'zs'");
  llvm::ArrayRef<Value> inputs = llvm::ArrayRef(values).take_front(count);
  for (auto [name, input] : llvm::zip(names, inputs))
    if (!isa<FloatType>(cast<RankedTensorType>(input.getType()).getElementType()))
      return node.report("value '" + llvm::Twine(name) + "' is not a tensor of floats, which 'xs' needs");
  OpBuilder &builder = node.getBuilder();
  Location location = node.getLocation();
  Region region;
  Type element;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&region, {}, TypeRange(ValueRange(inputs)),
                                      llvm::SmallVector<Location>(count, location));
    llvm::StringMap<Value> given;
    for (size_t i = 0; i < names.size(); ++i)
      given[names[i]] = i < count ? Value(body->getArgument(static_cast<unsigned>(i))) : values[i];
    Value result = node.getGraph().importAgain(given, y);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !isa<FloatType>(type.getElementType()))
      return node.report("value '" + y + "' is not a tensor of floats, which 'y' needs");
    element = type.getElementType();
    llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    Expression sum = node.tensors().sum(node.wrap(result), axes, false);
    pd::YieldOp::create(builder, location, Value(sum));
  }
  Value one = node.scalar(1, element);
  auto gradient = pd::VjpOp::create(builder, location, ValueRange(inputs), ValueRange(), one,
                                    builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr({0}));
  gradient.getBody().takeBody(region);
  node.setOutputs("Outputs", NodeImporter::Values(gradient.getGradients()));
}

} // namespace proa::import::onnxhooks
