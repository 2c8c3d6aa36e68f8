#include "translator/import/FusedParts.h"
#include "translator/import/LegacyTable.h"
#include "translator/import/hooks/Formula.h"

#include "dialects/pd/ir/Infer.h"

#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

#include <cmath>

using namespace mlir;

namespace proa::import {
namespace {

enum class Neutral { False, EmptyString, EmptyList, Ones, ZeroOrOne };

struct Part {
  llvm::StringRef attribute;
  Neutral neutral;
};

/// The one place that says which value of such an attribute changes nothing.
constexpr Part parts[] = {{"fuse_activation", Neutral::EmptyString},
                          {"fuse_relu", Neutral::False},
                          {"fuse_with_relu", Neutral::False},
                          {"fuse_relu_before_depthwise_conv", Neutral::False},
                          {"fuse_residual_connection", Neutral::False},
                          {"fused_reshape_X", Neutral::EmptyList},
                          {"fused_reshape_Y", Neutral::EmptyList},
                          {"fused_reshape_Out", Neutral::EmptyList},
                          {"fused_transpose_X", Neutral::EmptyList},
                          {"fused_transpose_Y", Neutral::EmptyList},
                          {"fused_transpose_Out", Neutral::EmptyList},
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

/// Numbers of the activation: they say nothing without it.
bool isParameter(llvm::StringRef attribute) { return attribute == "fuse_alpha" || attribute == "fuse_beta"; }

const Part *findPart(llvm::StringRef attribute) {
  const Part *found = llvm::find_if(parts, [&](const Part &part) { return part.attribute == attribute; });
  return found == std::end(parts) ? nullptr : found;
}

bool areAll(llvm::ArrayRef<double> values, llvm::function_ref<bool(double)> holds) {
  return llvm::all_of(values, holds);
}

bool isNeutral(OpImporter &importer, const Part &part) {
  switch (part.neutral) {
  case Neutral::False:
    return !importer.boolAttribute(part.attribute, false);
  case Neutral::EmptyString:
    return importer.stringAttribute(part.attribute, "").empty();
  case Neutral::EmptyList:
    return importer.intsAttribute(part.attribute).empty();
  case Neutral::Ones:
    return areAll(importer.floatsAttribute(part.attribute), [](double v) { return v == 1; });
  case Neutral::ZeroOrOne:
    return areAll(importer.floatsAttribute(part.attribute), [](double v) { return v == 0 || v == 1; });
  }
  return false;
}

std::string describe(OpImporter &importer, const Part &part) {
  std::string text;
  llvm::raw_string_ostream out(text);
  switch (part.neutral) {
  case Neutral::False:
    out << "true";
    break;
  case Neutral::EmptyString:
    out << '"' << importer.stringAttribute(part.attribute, "") << '"';
    break;
  case Neutral::EmptyList:
    out << '[';
    llvm::interleaveComma(importer.intsAttribute(part.attribute), out);
    out << ']';
    break;
  case Neutral::Ones:
  case Neutral::ZeroOrOne:
    llvm::interleaveComma(importer.floatsAttribute(part.attribute), out,
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

constexpr llvm::StringRef activations[] = {
    "abs",  "clip", "gelu",  "gelu_erf", "gelu_tanh", "hard_sigmoid", "hard_swish", "leaky_relu",
    "mish", "relu", "relu6", "sigmoid",  "sqrt",      "swish",        "tanh"};

} // namespace

bool isFusedPart(llvm::StringRef attribute) { return isParameter(attribute) || findPart(attribute); }

FusedParts::FusedParts(OpImporter &importer, const LegacyOp &entry) : importer(importer), entry(entry) {
  for (const legacy::Attribute &attribute : importer.legacyOp().attributes) {
    const Part *part = findPart(attribute.name);
    bool isOwn = llvm::any_of(entry.attributes,
                              [&](const LegacyAttribute &own) { return own.legacyName == attribute.name; });
    if (!part || isOwn || isNeutral(importer, *part))
      continue;
    if (llvm::is_contained(entry.ignored, part->attribute))
      present.insert(part->attribute);
    else
      importer.report("attribute '" + part->attribute + "' is " + describe(importer, *part) +
                      ", which is not supported on " + entry.type + "; expected " + expected(part->neutral));
  }
  // Slots of the fused kernels alone; the hook of `fc` reads its own.
  if (llvm::is_contained(entry.ignored, "fuse_activation"))
    for (llvm::StringRef slot : {"Bias", "ResidualData"})
      if (llvm::is_contained(entry.ignored, slot) && !importer.inputs(slot).empty())
        present.insert(slot);
  if (has("fuse_residual_connection") && importer.inputs("ResidualData").empty())
    importer.report("attribute 'fuse_residual_connection' is true: input 'ResidualData' is missing");
  checkActivation();
  for (llvm::StringRef slot : {"X", "Y", "Out"})
    checkRearrangement(slot);
}

void FusedParts::checkActivation() {
  if (!has("fuse_activation"))
    return;
  std::string name = importer.stringAttribute("fuse_activation", "");
  if (!llvm::is_contained(activations, name))
    importer.report("attribute 'fuse_activation' is \"" + name + "\", expected one of " +
                    llvm::join(llvm::ArrayRef(activations), ", "));
  // oneDNN's versions apply the scale before the activation or after it.
  if (has("Scale_out") && entry.target == "pd.matmul")
    importer.report("attribute 'Scale_out' is not 1 beside 'fuse_activation', which is not supported");
}

void FusedParts::checkRearrangement(llvm::StringRef slot) {
  std::string reshape = ("fused_reshape_" + slot).str(), transpose = ("fused_transpose_" + slot).str();
  if (has(reshape) != has(transpose))
    importer.report("attribute '" + (has(reshape) ? reshape : transpose) + "' is given without '" +
                    (has(reshape) ? transpose : reshape) + "', expected both or none");
}

double FusedParts::scaleOf(llvm::StringRef name) {
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

Value FusedParts::rearrangedInput(llvm::StringRef slot) {
  Value value = importer.requiredInput(slot);
  hooks::Formula f(importer);
  if (!value || !has(("fused_reshape_" + slot).str()))
    return value;
  value = f.reshape(value, importer.intsAttribute(("fused_reshape_" + slot).str()));
  return f.make("pd.transpose", {{value}},
                {f.integers("perm", importer.intsAttribute(("fused_transpose_" + slot).str()))});
}

Value FusedParts::rearrangedResult(Value result) {
  hooks::Formula f(importer);
  if (!has("fused_reshape_Out"))
    return result;
  result =
      f.make("pd.transpose", {{result}}, {f.integers("perm", importer.intsAttribute("fused_transpose_Out"))});
  return f.make("pd.reshape", {{result}, {}},
                {f.integers("shape", importer.intsAttribute("fused_reshape_Out"))});
}

void FusedParts::applyToInputs() {
  hooks::Formula f(importer);
  for (llvm::StringRef slot : {"X", "Y"}) {
    double scale = scaleOf(slot == "X" ? "Scale_x" : "Scale_y");
    if (scale == 1 && !has(("fused_reshape_" + slot).str()))
      continue;
    Value value = rearrangedInput(slot);
    if (scale != 1)
      value = f.scale(value, 1 / scale);
    if (value)
      importer.overrideInput(slot, value);
  }
  if (has("fuse_relu_before_depthwise_conv"))
    if (Value value = f.make("pd.relu", {{importer.requiredInput("Input")}}))
      importer.overrideInput("Input", value);
}

/// A convolution's bias has one element for each channel.
Value FusedParts::withBias(Value result) {
  hooks::Formula f(importer);
  Value bias = importer.input("Bias");
  if (!bias || !result)
    return {};
  std::string layout = importer.stringAttribute("data_format", "NCHW");
  llvm::SmallVector<int64_t> shape(pd::tensorType(result).getRank(), 1);
  shape[layout.back() == 'C' ? shape.size() - 1 : 1] = -1;
  return f.add(result, f.reshape(bias, shape));
}

Value FusedParts::withResidual(Value result) {
  return hooks::Formula(importer).add(result, importer.input("ResidualData"));
}

Value FusedParts::activated(Value result) {
  hooks::Formula f(importer);
  std::string name = has("fuse_activation") ? importer.stringAttribute("fuse_activation", "") : "relu";
  bool ofName = has("fuse_activation");
  double alpha = ofName ? importer.floatAttribute("fuse_alpha", 0) : 0,
         beta = ofName ? importer.floatAttribute("fuse_beta", 0) : 0;
  Builder &builder = importer.getBuilder();
  auto clip = [&](Value x, double least, double most) {
    return f.make("pd.clip", {{x}, {}, {}}, {f.number("min", least), f.number("max", most)});
  };
  // A leaky relu with the slope 0 is a relu.
  if (name == "leaky_relu" || (name == "relu" && alpha != 0))
    return f.make("pd.leaky_relu", {{result}}, {f.number("negative_slope", alpha)});
  if (name == "clip")
    return clip(result, alpha, beta);
  if (name == "relu6")
    return clip(result, 0, importer.hasAttribute("fuse_alpha") ? alpha : 6);
  if (name == "swish")
    return f.make("pd.swish", {{result}},
                  {f.number("beta", importer.hasAttribute("fuse_alpha") ? alpha : 1)});
  if (name == "hard_sigmoid")
    return clip(f.scale(result, alpha, beta), 0, 1);
  if (name == "hard_swish") {
    // Programs of versions before the numbers were written have none.
    bool isPlain = alpha == 0 && beta == 0;
    return f.multiply(result, clip(f.scale(result, isPlain ? 1.0 / 6 : alpha, isPlain ? 0.5 : beta), 0, 1));
  }
  if (llvm::StringRef(name).starts_with("gelu"))
    return f.make("pd.gelu", {{result}},
                  {importer.named("approximate", builder.getBoolAttr(name == "gelu_tanh"))});
  return f.make("pd." + name, {{result}});
}

Value FusedParts::applyToResult(Value result) {
  hooks::Formula f(importer);
  bool scalesLast = entry.target == "pd.matmul";
  double scale = scaleOf("Scale_out");
  if (scale != 1 && !scalesLast)
    result = f.scale(result, scale);
  if (has("Bias"))
    result = withBias(result);
  if (has("ResidualData"))
    result = withResidual(result);
  if (has("fuse_activation") || has("fuse_relu") || has("fuse_with_relu"))
    result = activated(result);
  if (scale != 1 && scalesLast)
    result = f.scale(result, scale);
  if (has("fused_output_scale"))
    result = f.scale(result, scaleOf("fused_output_scale"));
  return rearrangedResult(result);
}

} // namespace proa::import
