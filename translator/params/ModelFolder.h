/// A program and its weights in a folder.
#pragma once

#include "lib/base/support/Files.h"
#include "proa/Tensor.h"
#include "translator/program/SourceProgram.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace proa::params {

using Tensors = std::map<std::string, Tensor>;

/// How weights are stored.
enum class WeightsForm : uint8_t {
  None,
  Safetensors, ///< *.safetensors
  Combined,    ///< *.pdiparams, __params__
  Separate,    ///< a file for each variable, beside __model__
  Memory,      ///< ModelFiles::content and ModelFiles::tensors
  Generated,   ///< `generated_params` of meta.json: generated from a seed (test/corpus/README.md)
};

/// The files of a model. The path of a missing file is empty.
struct ModelFiles {
  std::string program;
  WeightsForm weightsForm = WeightsForm::None;
  std::string weights;
  std::string startup; ///< startup.json: the program that initializes the parameters
  std::string meta;    ///< meta.json
  /// Other programs and weights in the folder, which come later in the order of findModel. A file that has
  /// the same content in another form is not among them: program.pdmodel beside program.json, and
  /// params.pdiparams that is not newer than params.safetensors.
  std::vector<std::string> unused;
  /// WeightsForm::Memory: the content of a safetensors or .pdiparams file; may be null.
  std::shared_ptr<const MappedFile> content = nullptr;
  /// WeightsForm::Memory: weights by name, which replace the weights of `content`.
  Tensors tensors = {};
};

/// Whether the name is one of a program: *.pdmodel, *.onnx, __model__, program.json.
bool isProgram(const std::string &file);
/// The names of weights that are looked for beside a program, as text for messages.
std::string weightsNames(const std::string &program);

/// Finds the files of a model. `path` is a program file, one without its extension .pdmodel, .json or .onnx,
/// or a folder with one program: program.json, program.pdmodel, __model__, or else the only *.pdmodel or
/// *.onnx or the only *.json whose text begins as a program; of several, inference.json, model.json or
/// model.onnx; else a file named "model". A model of ONNX has its own weights. Weights are `weights` if
/// given; else, beside the program, the file of the program's own name with .safetensors or .pdiparams,
/// params.safetensors, params.pdiparams, __params__, for "model" the file "params"; else what meta.json
/// generates; else, for a program without an extension, the folder itself. Errors: a missing file or folder;
/// no program, or several; weights in an unknown form.
Result<ModelFiles> findModel(const std::string &path, const std::string &weights = {});

struct ModelFolder {
  ModelFiles files;
  translator::SourceProgram program;
  /// Weights and other persistable variables by name; nothing where the model has none.
  Tensors parameters;
};

/// Reads the program and its weights. Errors, all at once: from the readers. Tensors that the program
/// does not name are ignored, and variables without a tensor are not errors: the program may write them
/// first. Where weights have another element type or other dims than a legacy program declares, the variable
/// gets the type of the weights (legacy::Variable::declaredAs); the importer warns. For a model of the new IR
/// this is an error: each of its ops declares its types.
Result<ModelFolder> readModelFolder(const std::string &path, const std::string &weights = {});
/// The tensors of the weights file by name; empty without a file. `names`: the names in a file without names,
/// in the order of Paddle's files. Other tensors are ignored.
Result<Tensors> readTensors(const ModelFiles &files, const std::vector<std::string> &names);
/// The weights alone.
Result<Tensors> readParameters(const ModelFiles &files, translator::SourceProgram &program);
Result<Tensors> readParameters(const ModelFiles &files, legacy::Program &program);

/// Names of the variables that Paddle saves with a model, in the order of its files: persistable tensors,
/// sorted.
std::vector<std::string> savedVariables(const translator::SourceProgram &program);
std::vector<std::string> savedVariables(const legacy::Program &program);

} // namespace proa::params
