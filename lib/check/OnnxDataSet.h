/// Data sets in the layout of ONNX's tests: a folder test_data_set_N with a file for each input and output of
/// the model in the folder around it.
#pragma once

#include "lib/check/CaseMeta.h"
#include "translator/params/ModelTensors.h"

#include <string>

namespace proa::check {

/// Whether the folder is named as a data set is, and a model is beside it.
bool isOnnxDataSet(const std::string &folder);

/// The model of a data set: model.onnx, or the only *.onnx beside the folder. Error: several.
Result<std::string> modelOfDataSet(const std::string &folder);

/// The description that follows from the model and from data.json beside it, which may hold `rtol` and
/// `atol`.
Result<CaseMeta> readOnnxMeta(const std::string &folder);

/// Reads input_K.pb or output_K.pb of all K: the values of the inputs that are not initializers, or of the
/// outputs.
Result<params::Tensors> readOnnxInputs(const std::string &folder);
Result<params::Tensors> readOnnxOutputs(const std::string &folder);

} // namespace proa::check
