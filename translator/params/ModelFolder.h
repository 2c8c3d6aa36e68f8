/// A program and its weights, as they lie in a folder.
#pragma once

#include "proa/Tensor.h"
#include "translator/legacy/Program.h"

#include <map>
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
  Generated,   ///< `generated_params` of meta.json: made from a seed (test/corpus/README.md)
};

/// The files of a model. The path of a missing file is empty.
struct ModelFiles {
  std::string program;
  WeightsForm weightsForm = WeightsForm::None;
  std::string weights;
  std::string startup; ///< startup.json: the program that makes the first values of parameters
  std::string meta;    ///< meta.json
};

/// Finds the files of a model. `path` is a program file or a folder with one program: program.json,
/// program.pdmodel,
/// __model__, or else the only *.json or *.pdmodel in it. Weights are `weights` if given; else, beside the
/// program, the file of the program's own name with .safetensors or .pdiparams, params.safetensors,
/// params.pdiparams, __params__; else what meta.json generates; else, for __model__, the folder itself.
/// Errors: there is nothing at `path`; no program, or several; the given weights are of no known form.
Result<ModelFiles> findModel(const std::string &path, const std::string &weights = {});

struct ModelFolder {
  ModelFiles files;
  legacy::Program program;
  /// Weights and other persistable variables by name; nothing where the model has none.
  Tensors parameters;
};

/// Reads the program and its weights. Errors, all at once: those of the readers. Tensors that the program
/// doesn't name are left out, and variables without a tensor are no error: the program may write them first.
/// Where weights have another element type or other dims than the program declares, the variable gets those
/// of the weights (legacy::Variable::declaredAs); the importer warns.
Result<ModelFolder> readModelFolder(const std::string &path, const std::string &weights = {});
/// The tensors of the weights file by name, where there is one. `names` are those of a file that has none
/// itself, in the order of Paddle's files. Other tensors are left out.
Result<Tensors> readTensors(const ModelFiles &files, const std::vector<std::string> &names);
/// The weights alone.
Result<Tensors> readParameters(const ModelFiles &files, legacy::Program &program);

/// Names of the variables that Paddle saves with a model, in the order of its files: persistable tensors,
/// sorted.
std::vector<std::string> savedVariables(const legacy::Program &program);

} // namespace proa::params
