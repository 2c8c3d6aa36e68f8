#include "translator/import/legacy/FusedAttributes.h"
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"
#include "translator/import/legacy/hooks/Activations.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/linalg/ProductOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/shape/View.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

#include <cmath>

using namespace mlir;

namespace proa::import {

using hooks::apply, hooks::Expression, hooks::scale, hooks::TensorBuilder;

namespace {

enum class Neutral { False, EmptyString, EmptyList, Ones, ZeroOrOne };

struct Row {
  llvm::StringRef attribute;
  Neutral neutral;
};

/// The one place that says which value of such an attribute changes nothing.
constexpr Row rows[] = {{"fuse_activation", Neutral::EmptyString},
                        {"fuse_relu", Neutral::False},
                        {"fuse_brelu", Neutral::False},
                        {"fuse_with_relu", Neutral::False},
                        {"fuse_relu_before_depthwise_conv", Neutral::False},
                        {"fuse_residual_connection", Neutral::False},
                        {"fused_reshape_X", Neutral::EmptyList},
                        {"fused_reshape_Y", Neutral::EmptyList},
                        {"fused_reshape_Out", Neutral::EmptyList},
                        {"fused_transpose_X", Neutral::EmptyList},
                        {"fused_transpose_Y", Neutral::EmptyList},
                        {"fused_transpose_Out", Neutral::EmptyList},
                        {"fused_reshape2_shape", Neutral::EmptyList},
                        {"fused_unsqueeze2_axes", Neutral::EmptyList},
                        {"fused_output_scale", Neutral::Ones},
                        {"Scale_x", Neutral::Ones},
                        {"Scale_y", Neutral::Ones},
                        {"Scale_out", Neutral::Ones},
                        {"scale_x", Neutral::Ones},
                        {"scale_y", Neutral::Ones},
                        {"scale_out", Neutral::Ones},
                        {"Scale_in", Neutral::Ones},
                        {"Scale_weights", Neutral::Ones},
                        {"Scale_in_eltwise", Neutral::ZeroOrOne},
                        {"scale_in_eltwise", Neutral::ZeroOrOne}};

/// Parameters of the activation, without effect if there is none.
bool isParameter(llvm::StringRef attribute) {
  return attribute == "fuse_alpha" || attribute == "fuse_beta" || attribute == "fuse_brelu_threshold";
}

const Row *findRow(llvm::StringRef attribute) {
  const Row *found = llvm::find_if(rows, [&](const Row &row) { return row.attribute == attribute; });
  return found == std::end(rows) ? nullptr : found;
}

bool areAll(llvm::ArrayRef<double> values, llvm::function_ref<bool(double)> holds) {
  return llvm::all_of(values, holds);
}

bool isNeutral(OpImporter &importer, const Row &row) {
  switch (row.neutral) {
  case Neutral::False:
    return !importer.boolAttribute(row.attribute, false);
  case Neutral::EmptyString:
    return importer.stringAttribute(row.attribute, "").empty();
  case Neutral::EmptyList:
    return importer.intsAttribute(row.attribute).empty();
  case Neutral::Ones:
    return areAll(importer.floatsAttribute(row.attribute), [](double v) { return v == 1; });
  case Neutral::ZeroOrOne:
    return areAll(importer.floatsAttribute(row.attribute), [](double v) { return v == 0 || v == 1; });
  }
  return false;
}

std::string describe(OpImporter &importer, const Row &row) {
  std::string text;
  llvm::raw_string_ostream out(text);
  switch (row.neutral) {
  case Neutral::False:
    out << "true";
    break;
  case Neutral::EmptyString:
    out << '"' << importer.stringAttribute(row.attribute, "") << '"';
    break;
  case Neutral::EmptyList:
    out << '[';
    llvm::interleaveComma(importer.intsAttribute(row.attribute), out);
    out << ']';
    break;
  case Neutral::Ones:
  case Neutral::ZeroOrOne:
    llvm::interleaveComma(importer.floatsAttribute(row.attribute), out,
                          [&](double v) { out << fmt::format("{}", static_cast<float>(v)); });
    break;
  }
  return text;
}

llvm::StringRef expected(Neutral neutral) {
  switch (neutral) {
  case Neutral::False:
    return "false";
  case Neutral::EmptyString:
    return "\"\"";
  case Neutral::EmptyList:
    return "[]";
  case Neutral::Ones:
    return "1";
  case Neutral::ZeroOrOne:
    return "0 or 1";
  }
  return "";
}

/// Attributes that give the result an activation.
constexpr llvm::StringRef activationFlags[] = {"fuse_activation", "fuse_relu", "fuse_brelu",
                                               "fuse_with_relu"};

constexpr llvm::StringRef activations[] = {
    "abs",  "clip", "gelu",  "gelu_erf", "gelu_tanh", "hard_sigmoid", "hard_swish", "leaky_relu",
    "mish", "relu", "relu6", "sigmoid",  "sqrt",      "swish",        "tanh"};

} // namespace

bool isFusedAttribute(llvm::StringRef attribute) { return isParameter(attribute) || findRow(attribute); }

FusedAttributes::FusedAttributes(OpImporter &importer, const LegacyOp &entry)
    : importer(importer), entry(entry) {
  for (const legacy::Attribute &attribute : importer.legacyOp().attributes) {
    const Row *row = findRow(attribute.name);
    bool isOwn = llvm::any_of(entry.attributes,
                              [&](const MappedAttribute &own) { return own.sourceName == attribute.name; });
    if (!row || isOwn || isNeutral(importer, *row))
      continue;
    if (entry.ignores(row->attribute))
      present.insert(row->attribute);
    else
      importer.report("attribute '" + row->attribute + "' is " + describe(importer, *row) +
                      ", which is not supported on " + entry.type + "; expected " + expected(row->neutral));
  }
  // Slots that only the fused kernels read; `fc` lists none, because its hook reads them.
  if (entry.ignores("fuse_activation"))
    for (llvm::StringRef slot : {"Bias", "ResidualData"})
      if (entry.ignores(slot) && !importer.inputs(slot).empty())
        present.insert(slot);
  if (has("fuse_residual_connection") && importer.inputs("ResidualData").empty())
    importer.report("attribute 'fuse_residual_connection' is true: input 'ResidualData' is missing");
  checkActivation();
  for (llvm::StringRef slot : {"X", "Y", "Out"})
    checkRearrangement(slot);
}

void FusedAttributes::checkActivation() {
  if (!has("fuse_activation"))
    return;
  std::string name = importer.stringAttribute("fuse_activation", "");
  if (!llvm::is_contained(activations, name))
    importer.report("attribute 'fuse_activation' is \"" + name + "\", expected one of " +
                    llvm::join(llvm::ArrayRef(activations), ", "));
  // oneDNN's versions apply the scale before the activation or after it.
  if (has("Scale_out") && entry.target == pd::MatmulOp::getOperationName())
    importer.report("attribute 'Scale_out' is not 1 beside 'fuse_activation', which is not supported");
}

void FusedAttributes::checkRearrangement(llvm::StringRef slot) {
  std::string reshape = ("fused_reshape_" + slot).str(), transpose = ("fused_transpose_" + slot).str();
  if (has(reshape) != has(transpose))
    importer.report("attribute '" + (has(reshape) ? reshape : transpose) + "' is given without '" +
                    (has(reshape) ? transpose : reshape) + "', expected both or none");
}

double FusedAttributes::scaleOf(llvm::StringRef name) {
  std::string lower = name.lower();
  for (llvm::StringRef spelling : {name, llvm::StringRef(lower)})
    if (has(spelling)) {
      llvm::SmallVector<double> values = importer.floatsAttribute(spelling);
      if (values.size() == 1 && values.front() != 0 && std::isfinite(values.front()))
        return values.front();
      importer.report("attribute '" + spelling + "' must be one finite number other than 0");
    }
  return 1;
}

Value FusedAttributes::rearrangedInput(llvm::StringRef slot) {
  Value value = importer.requiredInput(slot);
  if (!value || !has(("fused_reshape_" + slot).str()))
    return value;
  TensorBuilder &e = importer.tensors();
  return e.transpose(e.reshape(e.wrap(value), importer.intsAttribute(("fused_reshape_" + slot).str())),
                     importer.intsAttribute(("fused_transpose_" + slot).str()));
}

Value FusedAttributes::rearrangedResult(Value result) {
  TensorBuilder &e = importer.tensors();
  if (has("fused_reshape2_shape"))
    return e.reshape(e.wrap(result), importer.intsAttribute("fused_reshape2_shape"));
  if (has("fused_unsqueeze2_axes"))
    return e.create<pd::UnsqueezeOp>(result, Value(), importer.intsAttribute("fused_unsqueeze2_axes"));
  if (!has("fused_reshape_Out"))
    return result;
  return e.reshape(e.transpose(e.wrap(result), importer.intsAttribute("fused_transpose_Out")),
                   importer.intsAttribute("fused_reshape_Out"));
}

void FusedAttributes::applyToInputs() {
  for (llvm::StringRef slot : {"X", "Y"}) {
    double factor = scaleOf(slot == "X" ? "Scale_x" : "Scale_y");
    if (factor == 1 && !has(("fused_reshape_" + slot).str()))
      continue;
    Value value = rearrangedInput(slot);
    if (value && factor != 1)
      value = scale(importer.wrap(value), 1 / factor);
    if (value)
      importer.overrideInput(slot, value);
  }
  if (has("fuse_relu_before_depthwise_conv"))
    if (Value value = importer.requiredInput("Input"))
      importer.overrideInput("Input", importer.tensors().create<pd::ReluOp>(value));
}

/// A convolution's bias has one element for each channel.
Value FusedAttributes::withBias(Value result) {
  Value bias = importer.input("Bias");
  if (!bias)
    return {};
  std::string layout = importer.stringAttribute("data_format", "NCHW");
  llvm::SmallVector<int64_t> shape(pd::tensorType(result).getRank(), 1);
  shape[layout.back() == 'C' ? shape.size() - 1 : 1] = -1;
  return importer.wrap(result) + importer.tensors().reshape(importer.wrap(bias), shape);
}

Value FusedAttributes::withResidual(Value result) {
  Value residual = importer.input("ResidualData");
  return residual ? importer.wrap(result) + importer.wrap(residual) : Value();
}

Value FusedAttributes::activated(Value result) {
  TensorBuilder &e = importer.tensors();
  Expression x = e.wrap(result);
  if (has("fuse_brelu")) // of Paddle before 2.2
    return apply<pd::ClipOp>(x, Value(), Value(), llvm::APFloat(0.0),
                             llvm::APFloat(importer.floatAttribute("fuse_brelu_threshold", 6)));
  std::string name = has("fuse_activation") ? importer.stringAttribute("fuse_activation", "") : "relu";
  bool ofName = has("fuse_activation"), hasAlpha = importer.hasAttribute("fuse_alpha");
  double alpha = ofName ? importer.floatAttribute("fuse_alpha", 0) : 0,
         beta = ofName ? importer.floatAttribute("fuse_beta", 0) : 0;
  auto clip = [](Expression x, double least, double most) {
    return apply<pd::ClipOp>(x, Value(), Value(), llvm::APFloat(least), llvm::APFloat(most));
  };
  // A leaky relu with the slope 0 is a relu.
  if (name == "leaky_relu" || (name == "relu" && alpha != 0))
    return apply<pd::LeakyReluOp>(x, llvm::APFloat(alpha));
  if (name == "clip")
    return clip(x, alpha, beta);
  if (name == "relu6")
    return clip(x, 0, hasAlpha ? alpha : 6);
  if (name == "swish")
    return apply<pd::SwishOp>(x, llvm::APFloat(hasAlpha ? alpha : 1));
  if (name == "hard_sigmoid")
    return clip(scale(x, alpha, beta), 0, 1);
  if (name == "hard_swish") {
    // Older programs do not have the numbers.
    bool isPlain = alpha == 0 && beta == 0;
    return x * clip(scale(x, isPlain ? 1.0 / 6 : alpha, isPlain ? 0.5 : beta), 0, 1);
  }
  if (llvm::StringRef(name).starts_with("gelu"))
    return apply<pd::GeluOp>(x, name == "gelu_tanh");
  return hooks::activation(x, name);
}

Value FusedAttributes::applyToResult(Value result) {
  bool scalesLast = entry.target == pd::MatmulOp::getOperationName();
  auto scaled = [&](double factor) { return scale(importer.wrap(result), factor); };
  double factor = scaleOf("Scale_out");
  if (factor != 1 && !scalesLast)
    result = scaled(factor);
  if (has("Bias"))
    result = withBias(result);
  if (result && has("ResidualData"))
    result = withResidual(result);
  if (result && llvm::any_of(activationFlags, [&](llvm::StringRef flag) { return has(flag); }))
    result = activated(result);
  if (!result)
    return {};
  if (factor != 1 && scalesLast)
    result = scaled(factor);
  if (has("fused_output_scale"))
    result = scaled(scaleOf("fused_output_scale"));
  return rearrangedResult(result);
}

} // namespace proa::import
