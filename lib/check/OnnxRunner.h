/// ONNX Runtime, in processes of their own (test/onnx/runner.py).
#pragma once

#include "lib/base/support/TemporaryFolder.h"
#include "lib/check/CaseResult.h"

#include <memory>
#include <optional>
#include <string>

namespace proa::check {

/// How the process is started.
struct OnnxRunnerCommand {
  std::string python;
  std::string packages; ///< folder of Python packages, searched before `python`'s packages; may be missing
  std::string script;
};

/// A process that serves the requests of this process and of its children.
class OnnxRunner {
public:
  /// Starts the process. Error: it cannot be started, or Python lacks the packages onnx and onnxruntime.
  static Result<std::shared_ptr<OnnxRunner>> start(const OnnxRunnerCommand &command);
  ~OnnxRunner();
  OnnxRunner(const OnnxRunner &) = delete;
  OnnxRunner &operator=(const OnnxRunner &) = delete;

  struct Answer {
    Stage stage = Stage::Run; ///< the stage that failed, if there are no outputs
    Result<Tensors> outputs;
  };
  /// Checks a model file by onnx.checker (full check) and runs it in ONNX Runtime. Files of the request are
  /// written beside the model.
  Answer run(const std::string &model, const Tensors &feeds) const;
  /// A folder for files of requests, which is removed with the process.
  const std::string &getFolder() const { return folder->path(); }

private:
  OnnxRunner() = default;
  Result<std::string> ask(const std::string &request) const;

  std::optional<TemporaryFolder> folder;
  std::string socket;
  pid_t owner = -1, process = -1;
  int input = -1; ///< the process ends when this is closed
};

} // namespace proa::check
