//! Hooks of support vector machines of ai.onnx.ml, after libsvm.
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Ml.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "llvm/ADT/StringSwitch.h"

#include <numeric>

using namespace mlir;

namespace proa::import {

using pd::Expression;

namespace {

enum class SvmKernel { Linear, Poly, Rbf, Sigmoid };

struct Svm {
  SvmKernel kernel = SvmKernel::Linear;
  double gamma = 0, offset = 0, degree = 0;
  llvm::SmallVector<double> vectors, coefficients, rho;
};

Svm readSvm(NodeImporter &node) {
  Svm svm;
  std::string name = node.stringAttribute("kernel_type", "LINEAR");
  auto kernel = llvm::StringSwitch<std::optional<SvmKernel>>(name)
                    .Case("LINEAR", SvmKernel::Linear)
                    .Case("POLY", SvmKernel::Poly)
                    .Case("RBF", SvmKernel::Rbf)
                    .Case("SIGMOID", SvmKernel::Sigmoid)
                    .Default(std::nullopt);
  llvm::SmallVector<double> parameters = node.floatsAttribute("kernel_params");
  if (!kernel)
    node.report("attribute 'kernel_type' is '" + name + "', expected LINEAR, POLY, RBF or SIGMOID");
  else if (!parameters.empty() && parameters.size() != 3)
    node.report("attribute 'kernel_params' has " + llvm::Twine(parameters.size()) +
                " numbers, expected gamma, coef0 and degree");
  svm.vectors = node.floatsAttribute("support_vectors");
  svm.coefficients = node.floatsAttribute("coefficients");
  svm.rho = node.floatsAttribute("rho");
  if (svm.coefficients.empty() || svm.rho.empty())
    node.report("attribute 'coefficients' or 'rho' is missing");
  if (node.getGraph().hasReported())
    node.stop();
  svm.kernel = *kernel;
  if (!parameters.empty())
    std::tie(svm.gamma, svm.offset, svm.degree) = std::tuple(parameters[0], parameters[1], parameters[2]);
  return svm;
}

/// The features of X [examples, features] in f32.
Expression examplesOf(NodeImporter &node) {
  Expression x = node.tensors().cast(node.operand("X"), node.getBuilder().getF32Type());
  return x.rank() == 1 ? insertDim(x, 0) : x;
}

/// The kernel of each example and support vector: [examples, vectors].
Expression kernelsOf(NodeImporter &node, const Svm &svm, Expression x, int64_t count) {
  pd::TensorBuilder &e = node.tensors();
  auto size = static_cast<int64_t>(svm.vectors.size());
  if (count <= 0 || size % count != 0) {
    node.report("attribute 'support_vectors' has " + llvm::Twine(size) +
                " numbers, expected as many for each of " + llvm::Twine(count) + " vectors");
    node.stop();
  }
  Expression vectors = matrixOf(node, svm.vectors, count, size / count);
  if (svm.kernel == SvmKernel::Rbf) {
    Expression difference = insertDim(x, 1) - vectors;
    return e.exp(e.sum(difference * difference, {2}, false) * -svm.gamma);
  }
  Expression products = e.matmul(x, vectors, false, true);
  if (svm.kernel == SvmKernel::Linear)
    return products;
  Expression scaled = products * svm.gamma + svm.offset;
  return svm.kernel == SvmKernel::Sigmoid
             ? e.tanh(scaled)
             : e.pow(scaled, e.constant(svm.degree, scaled.type().getElementType()));
}

/// The classes of each pair, in the order of scores.
llvm::SmallVector<std::pair<int64_t, int64_t>> pairsOf(int64_t classes) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j)
      pairs.emplace_back(i, j);
  return pairs;
}

/// The coefficient of each support vector in the score of each pair: [vectors, pairs].
Expression pairCoefficients(NodeImporter &node, const Svm &svm, llvm::ArrayRef<int64_t> vectorsPerClass) {
  auto classes = static_cast<int64_t>(vectorsPerClass.size());
  int64_t count = std::accumulate(vectorsPerClass.begin(), vectorsPerClass.end(), int64_t{0});
  auto pairs = pairsOf(classes);
  auto columns = static_cast<int64_t>(pairs.size());
  llvm::SmallVector<double> table(static_cast<size_t>(count * columns), 0);
  if (static_cast<int64_t>(svm.coefficients.size()) != count * (classes - 1) ||
      svm.rho.size() != pairs.size()) {
    node.report("attributes 'coefficients' and 'rho' have " + llvm::Twine(svm.coefficients.size()) + " and " +
                llvm::Twine(svm.rho.size()) + " numbers, expected " + llvm::Twine(count * (classes - 1)) +
                " and " + llvm::Twine(columns));
    node.stop();
  }
  llvm::SmallVector<int64_t> starts(1, 0);
  for (int64_t size : vectorsPerClass)
    starts.push_back(starts.back() + size);
  for (auto [p, pair] : llvm::enumerate(pairs)) {
    auto fill = [&](int64_t own, int64_t row) {
      for (int64_t v = starts[own]; v < starts[own + 1]; ++v)
        table[static_cast<size_t>(v * columns) + p] = svm.coefficients[static_cast<size_t>(row * count + v)];
    };
    fill(pair.first, pair.second - 1);
    fill(pair.second, pair.first);
  }
  return matrixOf(node, table, count, columns);
}

/// The number of pairs that each class is chosen in: [examples, classes].
Expression votesOf(NodeImporter &node, Expression scores, int64_t classes) {
  pd::TensorBuilder &e = node.tensors();
  auto pairs = pairsOf(classes);
  llvm::SmallVector<double> first(pairs.size() * static_cast<size_t>(classes), 0), second = first;
  for (auto [p, pair] : llvm::enumerate(pairs)) {
    first[p * static_cast<size_t>(classes) + static_cast<size_t>(pair.first)] = 1;
    second[p * static_cast<size_t>(classes) + static_cast<size_t>(pair.second)] = 1;
  }
  auto rows = static_cast<int64_t>(pairs.size());
  Expression isFirst = e.indicator(scores > 0.0, scores);
  return e.matmul(isFirst, matrixOf(node, first, rows, classes)) +
         e.matmul(1.0 - isFirst, matrixOf(node, second, rows, classes));
}

Expression column(Expression matrix, int64_t i) { return pd::slice(matrix, 1, i, i + 1); }

/// Probabilities of classes from probabilities of pairs, by the iteration of libsvm (Wu, Lin and Weng 2004,
/// method 2), which ends for each example when its error is below 0.005 / classes.
class PairCoupling {
public:
  PairCoupling(NodeImporter &node, int64_t classes) : node(node), e(node.tensors()), classes(classes) {}

  /// `ratios`: by pair, the probability of its first class.
  Expression run(Expression ratios) {
    Expression matrix = quadraticForm(ratios);
    Expression start = matrix * 0.0;
    start = e.sum(start, {2}, false) + 1.0 / static_cast<double>(classes);
    OpBuilder &builder = node.getBuilder();
    Location location = node.getLocation();
    Value count = pd::oneInt(builder, location, std::max<int64_t>(100, classes));
    return node.wrap(
        pd::countedLoop(builder, location, count, {start}, [&](OpBuilder &, Value, ValueRange carried) {
          return llvm::SmallVector<Value>{step(matrix, node.wrap(carried[0]))};
        })[0]);
  }

private:
  /// Q [examples, classes, classes].
  Expression quadraticForm(Expression ratios) {
    std::map<std::pair<int64_t, int64_t>, Expression> r;
    for (auto [p, pair] : llvm::enumerate(pairsOf(classes))) {
      Expression own = column(ratios, static_cast<int64_t>(p));
      r.emplace(pair, own);
      r.emplace(std::pair(pair.second, pair.first), 1.0 - own);
    }
    llvm::SmallVector<Expression> rows;
    for (int64_t t = 0; t < classes; ++t) {
      llvm::SmallVector<Expression> row;
      for (int64_t j = 0; j < classes; ++j) {
        if (j != t) {
          row.push_back(-(r.at({j, t}) * r.at({t, j})));
          continue;
        }
        std::optional<Expression> sum;
        for (int64_t i = 0; i < classes; ++i)
          if (i != t) {
            Expression square = r.at({i, t}) * r.at({i, t});
            sum = sum ? *sum + square : square;
          }
        row.push_back(*sum);
      }
      rows.push_back(insertDim(pd::concat(row, 1), 1));
    }
    return pd::concat(rows, 1);
  }

  Expression step(Expression matrix, Expression p) {
    Expression product = e.sum(matrix * insertDim(p, 1), {2}, false);
    Expression value = e.sum(p * product, {1});
    Expression error = e.max(e.abs(product - value), {1});
    Expression isDone = error < 0.005 / static_cast<double>(classes);
    Expression next = p;
    for (int64_t t = 0; t < classes; ++t) {
      Expression row = dropDim(pd::slice(matrix, 1, t, t + 1), 1), diagonal = column(row, t);
      Expression own = column(product, t), change = (value - own) / diagonal;
      llvm::SmallVector<double> unit(static_cast<size_t>(classes), 0);
      unit[static_cast<size_t>(t)] = 1;
      next = next + change * matrixOf(node, unit, 1, classes);
      Expression norm = 1.0 + change;
      value = (value + change * (change * diagonal + 2.0 * own)) / (norm * norm);
      next = next / norm;
      product = (product + change * row) / norm;
    }
    return e.select(isDone, p, next);
  }

  NodeImporter &node;
  pd::TensorBuilder &e;
  int64_t classes;
};

/// Scores of the pairs as probabilities of the classes.
Expression probabilities(NodeImporter &node, Expression scores, int64_t classes, llvm::ArrayRef<double> a,
                         llvm::ArrayRef<double> b) {
  pd::TensorBuilder &e = node.tensors();
  auto pairs = static_cast<int64_t>(a.size());
  if (scores.type().getDimSize(1) != pairs || a.size() != b.size()) {
    node.report("attributes 'prob_a' and 'prob_b' have " + llvm::Twine(a.size()) + " and " +
                llvm::Twine(b.size()) + " numbers, expected one for each pair of classes");
    node.stop();
  }
  Expression value = scores * matrixOf(node, a, 1, pairs) + matrixOf(node, b, 1, pairs);
  Expression ratios = 1.0 / (e.exp(value) + 1.0);
  return PairCoupling(node, classes).run(e.maximum(1e-7, e.minimum(1 - 1e-7, ratios)));
}

} // namespace

namespace onnxhooks {

void importSVMRegressor(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Svm svm = readSvm(node);
  int64_t count = node.intAttribute("n_supports");
  Expression x = examplesOf(node);
  auto terms = static_cast<int64_t>(svm.coefficients.size());
  Expression features = count > 0 ? kernelsOf(node, svm, x, count) : x;
  Expression score = e.matmul(features, matrixOf(node, svm.coefficients, terms, 1)) + svm.rho[0];
  if (node.boolAttribute("one_class"))
    score = e.select(score > 0.0, e.constant(1, score.type().getElementType()),
                     e.constant(-1, score.type().getElementType()));
  node.setOutput("Y", transformed(node, score, readPostTransform(node)));
}

void importSVMClassifier(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Svm svm = readSvm(node);
  Labels labels = readLabels(node, "classlabels_ints", "classlabels_strings");
  llvm::SmallVector<int64_t> sizes = node.intsAttribute("vectors_per_class");
  llvm::SmallVector<double> a = node.floatsAttribute("prob_a"), b = node.floatsAttribute("prob_b");
  PostTransform transform = readPostTransform(node);
  Expression x = examplesOf(node);
  int64_t count = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (count == 0) { // one linear function for each class
    int64_t classes = std::max<int64_t>(labels.size(), 1);
    auto size = static_cast<int64_t>(svm.coefficients.size());
    Expression scores =
        e.matmul(x, matrixOf(node, svm.coefficients, classes, size / classes), false, true) + svm.rho[0];
    node.setOutput("Z", transformed(node, scores, transform));
    return setLabels(node, "Y", greatestOf(node, scores), labels);
  }
  auto classes = static_cast<int64_t>(sizes.size()), pairs = static_cast<int64_t>(svm.rho.size());
  Expression scores = e.matmul(kernelsOf(node, svm, x, count), pairCoefficients(node, svm, sizes)) +
                      matrixOf(node, svm.rho, 1, pairs);
  setLabels(node, "Y", greatestOf(node, votesOf(node, scores, classes)), labels);
  if (!a.empty())
    scores = probabilities(node, scores, classes, a, b);
  else if (pairs == 1)
    scores = pd::concat({-scores, scores}, 1);
  node.setOutput("Z", transformed(node, scores, transform));
}

} // namespace onnxhooks
} // namespace proa::import
