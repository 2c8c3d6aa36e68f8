/// Inlining of model-local functions.
#pragma once

#include "proa/Result.h"
#include "translator/onnx/Model.h"

#include <string>

namespace proa::onnx {

/// The model with the nodes of functions instead of their calls, also in subgraphs and functions, and without
/// functions. The model must have passed `check`. `file` is the model's file in errors.
/// - A value `v` of a function that node `c` calls becomes `c/v`,
///   a node `n` becomes `c/n`;
///   for a call without a name, `c` is the function's name and a number.
/// - An attribute that refers to one of the function gets the value of the call, else its default; without
///   both it is absent.
/// - Opsets that only functions import are imported by the model. A node whose op has another version in the
///   function's opset keeps that one (Node::opset).
/// - A call of a function that is also an op of another domain than ONNX's stays, with the nodes of the
///   function (Node::expansion).
/// Errors: a call with more inputs or outputs than the function has; an attribute of another type than the
/// reference to it; more than `maxNodes` nodes and calls, which functions that call each other twice can
/// create.
Result<Model> inlineFunctions(Model model, const std::string &file, size_t maxNodes = size_t(1) << 20);

} // namespace proa::onnx
