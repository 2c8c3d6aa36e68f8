/// Case folders in two layouts:
/// - proa's: meta.json, inputs.safetensors and expected.safetensors beside the program
/// (test/corpus/README.md);
/// - ONNX's: a data set, test_data_set_N with input_K.pb and output_K.pb, in the folder of a model. Each data
///   set is a case.
#pragma once

#include "lib/check/CaseMeta.h"
#include "translator/params/ModelTensors.h"

#include <string>
#include <vector>

namespace proa::check {

/// The case folders in `directory` at any depth, or the directory itself if it is one; sorted.
std::vector<std::string> caseFoldersIn(const std::string &directory);

/// The path of a case's model, as Model::open takes it. Error: several models beside a data set.
Result<std::string> modelOfCase(const std::string &folder);

/// The description of a case. For a data set it follows from the model; tolerances are as in ONNX's tests
/// (1e-3 relative, at least 2^-6 for bfloat16, 1e-7 absolute) if data.json beside the model has no others.
/// Errors: the errors of the readers.
Result<CaseMeta> readCase(const std::string &folder);

struct CaseTensors {
  params::Tensors inputs, expected;
};

/// The tensors of a case by name. File K of a data set belongs to the input number K that is not an
/// initializer, or to the output number K. Errors, all at once: the errors of the readers; a file without an
/// input or output; no output; values that are not tensors of numbers.
Result<CaseTensors> readCaseTensors(const std::string &folder);

} // namespace proa::check
