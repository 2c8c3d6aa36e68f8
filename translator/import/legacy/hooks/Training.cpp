//! Hooks of optimizers and other ops of training programs.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/optimizer/AdaptiveOps.h"
#include "dialects/pd/ops/search/CountOps.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// An op that updates a list of parameters becomes one op for each: names of its operands' slots, of its
/// results' slots, and attributes that all have.
struct MergedUpdate {
  llvm::StringRef target;
  llvm::SmallVector<llvm::StringRef> inputs, outputs;
  llvm::SmallVector<NamedAttribute> attributes;
};

/// Creates an op for each parameter, with the attributes of `attributesOf(i)` for the i-th one. The op is a
/// parameter here: every optimizer has the same lists.
template <class AttributesOf>
void importMerged(OpImporter &importer, const MergedUpdate &merged, AttributesOf &&attributesOf) {
  llvm::SmallVector<llvm::SmallVector<Value>> lists;
  for (llvm::StringRef slot : merged.inputs)
    lists.push_back(importer.inputs(slot));
  size_t count = lists.front().size();
  for (auto [slot, list] : llvm::zip(merged.inputs, lists))
    // One learning rate, or one skip, may serve all parameters.
    if (!list.empty() && list.size() != count &&
        !((slot == "LearningRate" || slot == "SkipUpdate") && list.size() == 1))
      return importer.report("input '" + slot + "' holds " + llvm::Twine(list.size()) +
                             " variables, expected " + llvm::Twine(count));
  llvm::SmallVector<llvm::SmallVector<Value>> results(merged.outputs.size());
  for (size_t i = 0; i < count; ++i) {
    llvm::SmallVector<llvm::SmallVector<Value>> operands;
    for (const auto &list : lists)
      operands.push_back(list.empty() ? llvm::SmallVector<Value>{}
                                      : llvm::SmallVector<Value>{list[list.size() == 1 ? 0 : i]});
    llvm::SmallVector<NamedAttribute> attributes(merged.attributes);
    attributes.append(attributesOf(i));
    llvm::SmallVector<Value> updated = importer.createByName(merged.target, operands, attributes);
    if (updated.empty())
      return;
    for (size_t slot = 0; slot < updated.size() && slot < results.size(); ++slot)
      results[slot].push_back(updated[slot]);
  }
  for (auto [slot, values] : llvm::zip(merged.outputs, results))
    importer.setOutputs(slot, values);
}

NamedAttribute flag(OpImporter &importer, llvm::StringRef name) {
  return importer.named(name, importer.getBuilder().getBoolAttr(importer.boolAttribute(name, false)));
}

NamedAttribute number(OpImporter &importer, llvm::StringRef name, double otherwise) {
  return importer.named(name,
                        importer.getBuilder().getF64FloatAttr(importer.floatAttribute(name, otherwise)));
}

/// Entry i of a list attribute; `otherwise` where it is shorter.
template <class List, class T> T entry(const List &list, size_t i, T otherwise) {
  return i < list.size() ? T(list[i]) : otherwise;
}

/// Limits an update to the rows of the sparse gradient, for rules that leave other rows unchanged: the
/// gradient is imported dense, with zeros in other rows, and would change them. `kept` are pairs of the slots
/// before and after.
void importForRows(OpImporter &importer, llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> kept) {
  Value rows = importer.rows("Grad");
  if (!rows)
    return importer.report("input 'Grad' is sparse (SELECTED_ROWS), and its rows are not known");
  llvm::SmallVector<Value> before;
  for (auto [input, output] : kept)
    before.push_back(importer.input(input));
  importer.importByTable();
  for (auto [slots, old] : llvm::zip(kept, before))
    if (Value updated = importer.output(slots.second); updated && old && updated != old)
      importer.setOutput(slots.second, importer.whereRows(rows, updated, old));
}

} // namespace

void importMergedMomentum(OpImporter &importer) {
  MergedUpdate merged{importer.target(),
                      {"Param", "Grad", "Velocity", "LearningRate", "MasterParam"},
                      {"ParamOut", "VelocityOut", "MasterParamOut"},
                      {number(importer, "mu", 0), flag(importer, "use_nesterov"),
                       flag(importer, "multi_precision"), number(importer, "rescale_grad", 1)}};
  std::vector<std::string> methods;
  for (std::string &method : importer.stringsAttribute("regularization_method"))
    methods.push_back(std::move(method));
  llvm::SmallVector<double> coefficients = importer.floatsAttribute("regularization_coeff");
  Builder &builder = importer.getBuilder();
  importMerged(importer, merged, [&](size_t i) {
    return llvm::SmallVector<NamedAttribute>{
        importer.named("regularization_method", builder.getStringAttr(entry(methods, i, std::string()))),
        importer.named("regularization_coeff", builder.getF64FloatAttr(entry(coefficients, i, 0.0)))};
  });
}

void importLarsMomentum(OpImporter &importer) {
  MergedUpdate merged{importer.target(),
                      {"Param", "Grad", "Velocity", "LearningRate", "MasterParam"},
                      {"ParamOut", "VelocityOut", "MasterParamOut"},
                      {number(importer, "mu", 0), number(importer, "lars_coeff", 0.001),
                       number(importer, "epsilon", 0), flag(importer, "multi_precision"),
                       number(importer, "rescale_grad", 1)}};
  llvm::SmallVector<double> decays = importer.floatsAttribute("lars_weight_decay", {0.0005});
  Builder &builder = importer.getBuilder();
  importMerged(importer, merged, [&](size_t i) {
    double decay = decays.size() == 1 ? decays.front() : entry(decays, i, 0.0005);
    return llvm::SmallVector<NamedAttribute>{
        importer.named("lars_weight_decay", builder.getF64FloatAttr(decay))};
  });
}

void importMergedAdam(OpImporter &importer) {
  MergedUpdate merged{importer.target(),
                      {"Param", "Grad", "LearningRate", "Moment1", "Moment2", "Moment2Max", "Beta1Pow",
                       "Beta2Pow", "MasterParam", "", "", "", ""},
                      {"ParamOut", "Moment1Out", "Moment2Out", "Moment2MaxOut", "Beta1PowOut", "Beta2PowOut",
                       "MasterParamOut"},
                      {number(importer, "beta1", 0.9), number(importer, "beta2", 0.999),
                       number(importer, "epsilon", 1e-8), flag(importer, "multi_precision"),
                       flag(importer, "use_global_beta_pow"), flag(importer, "amsgrad")}};
  importMerged(importer, merged, [](size_t) { return llvm::SmallVector<NamedAttribute>{}; });
}

/// merged_adam under other names; with use_adamw parameters decay by weight_decay of themselves.
void importFusedAdam(OpImporter &importer) {
  bool decays = importer.boolAttribute("use_adamw", false);
  MergedUpdate merged{
      decays ? pd::AdamwOp::getOperationName() : pd::AdamOp::getOperationName(),
      {"Params", "Grads", "LearningRate", "Moments1", "Moments2", "", "Beta1Pows", "Beta2Pows",
       "MasterParams", "SkipUpdate", "", "", ""},
      {"ParamsOut", "Moments1Out", "Moments2Out", "", "Beta1PowsOut", "Beta2PowsOut", "MasterParamsOut"},
      {number(importer, "beta1", 0.9), number(importer, "beta2", 0.999), number(importer, "epsilon", 1e-8),
       flag(importer, "multi_precision"), flag(importer, "use_global_beta_pow")}};
  Builder &builder = importer.getBuilder();
  if (decays) {
    double decay = importer.floatAttribute("weight_decay", 0);
    merged.attributes.push_back(importer.named("coeff", builder.getF64FloatAttr(decay)));
    merged.attributes.push_back(importer.named("with_decay", builder.getBoolAttr(true)));
  }
  importMerged(importer, merged, [](size_t) { return llvm::SmallVector<NamedAttribute>{}; });
}

/// Multiplies the powers of the betas by the betas before the update: Paddle's kernel for sparse gradients
/// updates the powers in place first. False, and a report, where one is missing.
bool updatePowersFirst(OpImporter &importer) {
  if (importer.boolAttribute("use_global_beta_pow", false))
    return true;
  const char *powers[2][3] = {{"Beta1Pow", "beta1", "Beta1Tensor"}, {"Beta2Pow", "beta2", "Beta2Tensor"}};
  for (size_t i : {0, 1}) {
    Value given = importer.requiredInput(powers[i][0]);
    if (!given)
      return false;
    Expression power = importer.wrap(given);
    Value beta = importer.input(powers[i][2]);
    importer.overrideInput(powers[i][0],
                           beta ? power * importer.wrap(beta)
                                : scale(power, importer.floatAttribute(powers[i][1], i == 0 ? 0.9 : 0.999)));
  }
  return true;
}

/// The update of all rows. The kernel adds epsilon to the root of the second moment in rows without a
/// gradient, and epsilon * sqrt(1 - beta2^t) in the others, as with dense gradients.
void importSparseAdam(OpImporter &importer) {
  Value rows = importer.rows("Grad");
  if (!rows)
    return importer.report("input 'Grad' is sparse (SELECTED_ROWS), and its rows are not known");
  std::pair<const char *, Value> before[] = {{"Param", {}}, {"Moment1", {}}, {"Moment2", {}}};
  for (auto &[slot, value] : before)
    value = importer.input(slot);
  Value power = importer.input("Beta2Pow"), given = importer.input("EpsilonTensor");
  importer.importByTable();
  Value withGradient = importer.output("ParamOut");
  if (!withGradient || !power)
    return;
  Expression inverse = importer.tensors().rsqrt(scale(importer.wrap(power), -1, 1));
  for (auto &[slot, value] : before)
    importer.overrideInput(slot, value);
  importer.overrideInput("EpsilonTensor", given ? inverse * importer.wrap(given)
                                                : scale(inverse, importer.floatAttribute("epsilon", 1e-8)));
  importer.importByTable();
  if (Value others = importer.output("ParamOut"); others && others != withGradient)
    importer.setOutput("ParamOut", importer.whereRows(rows, withGradient, others));
}

/// With lazy_mode only the rows of a sparse gradient are updated, else all rows, as with a dense gradient.
/// Paddle 2.6.2 crashes on sparse gradients of adamw.
void importAdam(OpImporter &importer) {
  if (!importer.isSelectedRows("Grad"))
    return importer.importByTable();
  bool isLazy = importer.boolAttribute("lazy_mode", false);
  if (importer.targets<pd::AdamwOp>()) {
    if (isLazy)
      return importer.report(
          "input 'Grad' is sparse (SELECTED_ROWS) and lazy_mode is set, which is not supported");
    return importer.importByTable();
  }
  if (!updatePowersFirst(importer))
    return;
  if (isLazy)
    importForRows(importer, {{"Param", "ParamOut"}, {"Moment1", "Moment1Out"}, {"Moment2", "Moment2Out"}});
  else
    importSparseAdam(importer);
  if (!importer.boolAttribute("use_global_beta_pow", false))
    for (auto [input, output] : {std::pair("Beta1Pow", "Beta1PowOut"), std::pair("Beta2Pow", "Beta2PowOut")})
      importer.setOutput(output, importer.input(input));
}

void importFtrl(OpImporter &importer) {
  if (!importer.isSelectedRows("Grad"))
    return importer.importByTable();
  importForRows(importer, {{"Param", "ParamOut"},
                           {"SquaredAccumulator", "SquaredAccumOut"},
                           {"LinearAccumulator", "LinearAccumOut"}});
}

/// The same rows once each, in ascending order.
void importMergeSelectedRows(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  importer.setOutput("Out", x);
  if (Value rows = importer.rows("X"))
    importer.setOutputRows(
        "Out", importer.tensors().create<pd::UniqueOp>(rows, llvm::ArrayRef<int64_t>(), TypeAttr()));
}

/// The rows alone, as a tensor.
void importTensorOfSelectedRows(OpImporter &importer) {
  Value x = importer.requiredInput("X"), rows = importer.rows("X");
  if (!x)
    return;
  if (!rows || !rows.getDefiningOp<pd::UniqueOp>())
    return importer.report("input 'X' may have duplicate rows, expected the result of merge_selected_rows");
  importer.setOutput("Out", gather(importer.wrap(x), importer.wrap(rows)));
}

/// Output i is input i.
void importEach(OpImporter &importer) { importer.setOutputs("Out", importer.inputs("X")); }

void importCoalesceTensor(OpImporter &importer) {
  Type type = importer.hasAttribute("dtype") ? importer.typeAttribute("dtype", 0) : Type();
  int64_t bytes = importer.intAttribute("user_defined_size_of_dtype", -1);
  if (bytes > 0 && !(type && type.isIntOrFloat() && bytes * 8 == type.getIntOrFloatBitWidth()))
    return importer.report("attribute 'user_defined_size_of_dtype' is " + llvm::Twine(bytes) +
                           ", which is not the size of 'dtype'");
  importer.importByTable();
}

} // namespace proa::import::hooks
