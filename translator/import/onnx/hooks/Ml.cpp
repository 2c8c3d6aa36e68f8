//! Hooks of ai.onnx.ml: linear models and preparation of features.
#include "translator/import/onnx/hooks/Ml.h"

#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Strings.h"

#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/reference/HostScalar.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace proa::import {

using pd::Expression;

//===-- Shared helpers ----------------------------------------------------------------------------------===//

PostTransform readPostTransform(NodeImporter &node) {
  std::string name = node.stringAttribute("post_transform", "NONE");
  auto transform = llvm::StringSwitch<std::optional<PostTransform>>(name)
                       .Case("NONE", PostTransform::None)
                       .Case("SOFTMAX", PostTransform::Softmax)
                       .Case("LOGISTIC", PostTransform::Logistic)
                       .Case("SOFTMAX_ZERO", PostTransform::SoftmaxZero)
                       .Case("PROBIT", PostTransform::Probit)
                       .Default(std::nullopt);
  if (transform)
    return *transform;
  node.report("attribute 'post_transform' is '" + name +
              "', expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
  node.stop();
}

/// The quantile of the normal distribution, by Winitzki's approximation of the inverse of erf, which the
/// schema's implementations use.
static Expression probit(NodeImporter &node, Expression p) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = p * 2.0 - 1.0, rest = (1.0 - x) * (1.0 + x), log = e.log(rest);
  Expression v = log * 0.5 + 2 / (std::numbers::pi * 0.147);
  Expression size = e.sqrt(e.sqrt(v * v - log * (1 / 0.147)) - v);
  Expression inverse = e.select(x < 0.0, -size, size);
  return e.select(e.equal(rest, 0), 0.0, inverse) * 1.41421356;
}

Expression transformed(NodeImporter &node, Expression scores, PostTransform transform) {
  pd::TensorBuilder &e = node.tensors();
  switch (transform) {
  case PostTransform::None:
    return scores;
  case PostTransform::Softmax: {
    Expression powers = e.exp(scores - e.max(scores, {1}));
    return powers / e.sum(powers, {1});
  }
  case PostTransform::Logistic:
    return 1.0 / (e.exp(-scores) + 1.0);
  case PostTransform::SoftmaxZero: {
    // Scores of 0 stay 0.
    Expression top = e.max(scores, {1});
    Expression isZero = e.abs(scores) <= 1e-7;
    Expression powers = e.select(isZero, scores * e.exp(-top), e.exp(scores - top));
    Expression sum = e.sum(powers, {1});
    return e.select(e.equal(sum, 0), 0.5, powers / sum);
  }
  case PostTransform::Probit:
    return probit(node, scores);
  }
  return scores;
}

Expression matrixOf(NodeImporter &node, llvm::ArrayRef<double> elements, int64_t rows, int64_t columns) {
  return node.tensors().reshape(node.numbers(elements, node.getBuilder().getF32Type()), {rows, columns});
}

Expression floatInput(NodeImporter &node, llvm::StringRef name) {
  Expression x = node.operand(name);
  return x.type().getElementType().isF64() ? x : node.tensors().cast(x, node.getBuilder().getF32Type());
}

Labels readLabels(NodeImporter &node, llvm::StringRef integers, llvm::StringRef strings) {
  return {node.intsAttribute(integers), node.stringsAttribute(strings)};
}

void setLabels(NodeImporter &node, llvm::StringRef output, Expression index, const Labels &labels) {
  auto ofIndex = [&](Expression list) -> Expression {
    return node.create<pd::GatherOp>(list, index, Value(), uint64_t(0));
  };
  if (!labels.strings.empty())
    return setStrings(node, output, ofIndex(stringConstants(node, labels.strings)));
  node.setOutput(output, labels.integers.empty() ? index : ofIndex(node.integers(labels.integers)));
}

Expression greatestOf(NodeImporter &node, Expression scores) {
  return node.create<pd::ArgmaxOp>(scores, Value(), /*axis=*/1, /*keepdims=*/false, /*flatten=*/false,
                                   TypeAttr());
}

namespace onnxhooks {

//===-- Linear models -----------------------------------------------------------------------------------===//

/// X times the rows of `coefficients`, plus `intercepts`: [examples, rows].
static Expression linearScores(NodeImporter &node, int64_t rows) {
  Expression x = floatInput(node);
  if (x.rank() == 1)
    x = insertDim(x, 0);
  llvm::SmallVector<double> coefficients = node.floatsAttribute("coefficients");
  llvm::SmallVector<double> intercepts = node.floatsAttribute("intercepts");
  auto count = static_cast<int64_t>(coefficients.size());
  if (rows <= 0 || count % rows != 0) {
    node.report("attribute 'coefficients' has " + llvm::Twine(count) +
                " numbers, expected as many for each of " + llvm::Twine(rows) + " targets");
    node.stop();
  }
  Type element = x.type().getElementType();
  pd::TensorBuilder &e = node.tensors();
  Expression scores =
      e.matmul(x, e.cast(matrixOf(node, coefficients, rows, count / rows), element), false, true);
  if (!intercepts.empty())
    scores = scores + e.cast(matrixOf(node, intercepts, 1, static_cast<int64_t>(intercepts.size())), element);
  return e.cast(scores, node.getBuilder().getF32Type());
}

void importLinearRegressor(NodeImporter &node) {
  Expression scores = linearScores(node, node.intAttribute("targets", 1));
  node.setOutput("Y", transformed(node, scores, readPostTransform(node)));
}

void importLinearClassifier(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  node.intAttribute("multi_class");
  Labels labels = readLabels(node, "classlabels_ints", "classlabels_strings");
  int64_t classes = labels.size();
  size_t intercepts = node.floatsAttribute("intercepts").size();
  PostTransform transform = readPostTransform(node);
  Expression scores =
      linearScores(node, intercepts > 0 ? static_cast<int64_t>(intercepts) : std::max<int64_t>(classes, 1));
  bool isBinary = scores.type().getDimSize(1) == 1;
  Expression index =
      isBinary ? e.cast(dropDim(scores, 1) > 0.0, node.getBuilder().getI64Type()) : greatestOf(node, scores);
  if (isBinary && classes == 2) { // the first class has the rest of a probability, or the opposite score
    Expression other = transform == PostTransform::None ? 1.0 - scores : -scores;
    scores = pd::concat({other, scores}, 1);
  }
  node.setOutput("Z", transformed(node, scores, transform));
  if (isBinary && labels.strings.size() == 1)
    return node.report("attribute 'classlabels_strings' has one label for two classes");
  if (isBinary && labels.size() == 1)
    labels.integers.insert(labels.integers.begin(), 0);
  setLabels(node, "Y", index, labels);
}

//===-- Features ----------------------------------------------------------------------------------------===//

void importScaler(NodeImporter &node) {
  Type f32 = node.getBuilder().getF32Type();
  auto vector = [&](llvm::StringRef name) { return node.numbers(node.floatsAttribute(name), f32); };
  Expression x = node.tensors().cast(node.operand("X"), f32);
  if (!node.floatsAttribute("offset").empty())
    x = x - vector("offset");
  if (!node.floatsAttribute("scale").empty())
    x = x * vector("scale");
  node.setOutput("Y", x);
}

void importNormalizer(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = e.cast(node.operand("X"), node.getBuilder().getF32Type());
  int64_t axis = x.rank() - 1;
  std::string norm = node.stringAttribute("norm", "MAX");
  Expression size = norm == "MAX"  ? e.max(x, {axis})
                    : norm == "L1" ? e.sum(e.abs(x), {axis})
                                   : e.sqrt(e.sum(x * x, {axis}));
  if (norm != "MAX" && norm != "L1" && norm != "L2")
    return node.report("attribute 'norm' is '" + norm + "', expected MAX, L1 or L2");
  node.setOutput("Y", e.select(e.equal(size, 0), x, x / e.select(e.equal(size, 0), 1.0, size)));
}

void importBinarizer(NodeImporter &node) {
  Expression x = node.operand("X");
  Expression isAbove =
      x > node.tensors().constant(node.floatAttribute("threshold"), x.type().getElementType());
  node.setOutput("Y", node.tensors().cast(isAbove, x.type().getElementType()));
}

void importArrayFeatureExtractor(NodeImporter &node) {
  Expression x = node.operand("X");
  if (x.rank() == 1)
    x = insertDim(x, 0);
  Expression index = node.tensors().reshape(node.operand("Y"), {-1});
  node.setOutput("Z", node.create<pd::GatherOp>(x, index, Value(), static_cast<uint64_t>(x.rank() - 1)));
}

void importFeatureVectorizer(NodeImporter &node) {
  llvm::SmallVector<int64_t> sizes = node.intsAttribute("inputdimensions");
  llvm::SmallVector<Expression> pieces;
  for (auto [i, value] : llvm::enumerate(node.inputs("X"))) {
    Expression piece = node.tensors().cast(node.wrap(value), node.getBuilder().getF32Type());
    if (piece.rank() == 1)
      piece = insertDim(piece, 1);
    pieces.push_back(i < sizes.size() ? pd::slice(piece, 1, 0, sizes[i]) : piece);
  }
  node.setOutput("Y", pd::concat(pieces, 1));
}

void importImputer(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  bool isFloat = isa<FloatType>(x.type().getElementType());
  double replaced = isFloat ? node.floatAttribute("replaced_value_float")
                            : static_cast<double>(node.intAttribute("replaced_value_int64"));
  llvm::SmallVector<double> values = node.floatsAttribute("imputed_value_floats");
  for (int64_t value : node.intsAttribute("imputed_value_int64s"))
    values.push_back(static_cast<double>(value));
  node.floatAttribute("replaced_value_float");
  node.intAttribute("replaced_value_int64");
  if (values.empty())
    return node.report("attribute 'imputed_value_floats' is missing");
  Expression isReplaced = std::isnan(replaced) ? e.isnan(x) : e.equal(x, replaced);
  node.setOutput("Y", e.select(isReplaced, node.numbers(values, x.type().getElementType()), x));
}

/// Passes the tensor of scores through: a map of each example's scores has the same numbers.
void importZipMap(NodeImporter &node) {
  node.intsAttribute("classlabels_int64s");
  node.stringsAttribute("classlabels_strings");
  node.setOutput("Z", node.operand("X"));
}

//===-- Encoders ----------------------------------------------------------------------------------------===//

/// Whether each element of x equals each key: [dims of x, keys]. NaN equals NaN.
static Expression matches(NodeImporter &node, Expression x, Expression keys, bool areStrings) {
  pd::TensorBuilder &e = node.tensors();
  if (areStrings)
    return areEqualStrings(node, insertDim(x, x.rank() - 1), keys);
  Expression wide = insertDim(x, x.rank());
  keys = e.cast(keys, x.type().getElementType());
  Expression isEqual = node.create<pd::EqualOp>(wide, keys);
  if (!isa<FloatType>(x.type().getElementType()))
    return isEqual;
  Expression areNan = node.create<pd::LogicalAndOp>(e.isnan(wide), e.isnan(keys));
  return node.create<pd::LogicalOrOp>(isEqual, areNan);
}

/// Whether the input X has strings. Ends the hook, with a report, if the keys are of the other kind.
static bool hasStrings(NodeImporter &node, Value x, bool areStrings) {
  if (isString(node, x) == areStrings)
    return areStrings;
  node.report(llvm::Twine("keys are ") + (areStrings ? "strings" : "numbers") + ", but input 'X' has " +
              (areStrings ? "numbers" : "strings"));
  node.stop();
}

void importOneHotEncoder(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  node.boolAttribute("zeros"); // an unknown category is an error of the run with 0; all zeros here
  llvm::SmallVector<int64_t> categories = node.intsAttribute("cats_int64s");
  std::vector<std::string> names = node.stringsAttribute("cats_strings");
  if (categories.empty() && names.empty())
    return node.report("attributes 'cats_int64s' and 'cats_strings' are missing, expected one of them");
  Expression x = node.operand("X");
  bool areStrings = hasStrings(node, x, categories.empty());
  if (isa<FloatType>(x.type().getElementType()))
    x = e.cast(x, node.getBuilder().getI64Type());
  Expression keys = areStrings ? stringConstants(node, names) : node.integers(categories);
  node.setOutput("Y", e.cast(matches(node, x, keys, areStrings), node.getBuilder().getF32Type()));
}

namespace {
/// The values of a map by the places of their keys. Strings are bytes.
struct Encoding {
  Expression values;
  Expression missing; ///< the value of other keys
  bool areStrings;
};
} // namespace

Expression positionsOf(NodeImporter &node, Expression x, Expression keys, bool areStrings) {
  Expression found = node.tensors().cast(matches(node, x, keys, areStrings), node.getBuilder().getI64Type());
  // The first of equal keys counts, as in ONNX Runtime.
  int64_t count = keys.type().getDimSize(0);
  llvm::SmallVector<int64_t> order;
  for (int64_t i = 0; i < count; ++i)
    order.push_back(count - i);
  Expression first = node.tensors().max(found * node.integers(order), {found.rank() - 1}, false);
  return node.tensors().select(first > 0.0, double(count) - first, -1.0);
}

/// Sets output Y to the values at places; a place of -1 means that no key matched.
static void encode(NodeImporter &node, Expression positions, Encoding encoding) {
  pd::TensorBuilder &e = node.tensors();
  Expression isFound = positions > -1.0, values = encoding.values, missing = encoding.missing;
  if (encoding.areStrings) {
    pd::DimSize width = pd::maximum(e, {values, 1}, {missing, missing.rank() - 1});
    values = widened(values, width), missing = widened(missing, width);
    isFound = insertDim(isFound, positions.rank());
  }
  Expression value = node.create<pd::GatherOp>(
      values, e.maximum(positions, e.constant(0, node.getBuilder().getI64Type())), Value(), uint64_t(0));
  Expression result = e.select(isFound, value, missing);
  encoding.areStrings ? setStrings(node, "Y", result) : node.setOutput("Y", result);
}

/// Keys or values of LabelEncoder, in the first of its attributes that is given.
static Expression encoderList(NodeImporter &node, llvm::StringRef name) {
  const onnx::TensorValue *tensor = node.tensorAttribute((name + "_tensor").str());
  llvm::SmallVector<int64_t> integers = node.intsAttribute((name + "_int64s").str());
  llvm::SmallVector<double> floats = node.floatsAttribute((name + "_floats").str());
  std::vector<std::string> strings = node.stringsAttribute((name + "_strings").str());
  if (tensor)
    return node.wrap(node.getGraph().importInitializer(*tensor));
  if (!integers.empty())
    return node.integers(integers);
  if (!floats.empty())
    return node.numbers(floats, node.getBuilder().getF32Type());
  if (strings.empty()) {
    node.report(name + " are missing");
    node.stop();
  }
  Expression list = stringConstants(node, strings);
  node.getGraph().setStoredType(list, onnx::DataType::String);
  return list;
}

void importLabelEncoder(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression keys = encoderList(node, "keys"), values = encoderList(node, "values");
  const onnx::TensorValue *standard = node.tensorAttribute("default_tensor");
  int64_t integer = node.intAttribute("default_int64", -1);
  double scalar = node.floatAttribute("default_float");
  std::string text = node.stringAttribute("default_string", "_Unused");
  bool areStrings = isString(node, values);
  auto missing = [&]() -> Expression {
    if (standard) {
      Expression value = node.wrap(node.getGraph().importInitializer(*standard));
      return areStrings ? e.reshape(value, {-1}) : e.reshape(value, {});
    }
    if (areStrings)
      return e.reshape(stringConstants(node, {text}), {-1});
    Type element = values.type().getElementType();
    return e.constant(isa<FloatType>(element) ? scalar : static_cast<double>(integer), element);
  };
  Expression x = node.operand("X");
  bool hasNames = hasStrings(node, x, isString(node, keys));
  encode(node, positionsOf(node, x, keys, hasNames), {values, missing(), areStrings});
}

void importCategoryMapper(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  llvm::SmallVector<int64_t> categories = node.intsAttribute("cats_int64s");
  std::vector<std::string> names = node.stringsAttribute("cats_strings");
  int64_t value = node.intAttribute("default_int64", -1);
  std::string name = node.stringAttribute("default_string", "_Unused");
  if (categories.empty() || categories.size() != names.size())
    return node.report("attributes 'cats_int64s' and 'cats_strings' have " + llvm::Twine(categories.size()) +
                       " and " + llvm::Twine(names.size()) +
                       " categories, expected the same number, at least one");
  Expression x = node.operand("X"), integers = node.integers(categories),
             strings = stringConstants(node, names);
  if (isString(node, x))
    return encode(node, positionsOf(node, x, strings, true),
                  {integers, e.constant(static_cast<double>(value), node.getBuilder().getI64Type()), false});
  encode(node, positionsOf(node, x, integers, false),
         {strings, e.reshape(stringConstants(node, {name}), {-1}), true});
}

} // namespace onnxhooks
} // namespace proa::import
