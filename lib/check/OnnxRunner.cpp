#include "lib/check/OnnxRunner.h"

#include "translator/params/Safetensors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace proa::check {
namespace {

namespace fs = std::filesystem;

/// Reads until a line or the stream ends.
std::string readLine(int descriptor) {
  std::string line;
  char byte = 0;
  while (true) {
    ssize_t got = ::read(descriptor, &byte, 1);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0 || byte == '\n')
      return line;
    line += byte;
  }
}

[[noreturn]] void execute(const OnnxRunnerCommand &command, const std::string &socket, int input,
                          int output) {
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  if (fs::exists(command.packages)) {
    const char *others = std::getenv("PYTHONPATH");
    ::setenv("PYTHONPATH", (command.packages + (others ? std::string(":") + others : "")).c_str(), 1);
  }
  ::execlp(command.python.c_str(), command.python.c_str(), command.script.c_str(), socket.c_str(), nullptr);
  ::_exit(127);
}

std::optional<Stage> stageOf(const std::string &name) {
  for (Stage stage : {Stage::Export, Stage::Compile, Stage::Run})
    if (name == nameOf(stage))
      return stage;
  return std::nullopt;
}

} // namespace

Result<std::shared_ptr<OnnxRunner>> OnnxRunner::start(const OnnxRunnerCommand &command) {
  std::shared_ptr<OnnxRunner> runner(new OnnxRunner());
  Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.diagnostics();
  int toRunner[2], fromRunner[2];
  if (::pipe2(toRunner, O_CLOEXEC) != 0 || ::pipe2(fromRunner, O_CLOEXEC) != 0)
    return errorAt(command.script, std::string("cannot start ONNX Runtime: ") + std::strerror(errno));
  runner->socket = folder->file("socket");
  runner->folder.emplace(std::move(*folder));
  runner->owner = ::getpid();
  runner->input = toRunner[1];
  runner->process = ::fork();
  if (runner->process == 0)
    execute(command, runner->socket, toRunner[0], fromRunner[1]);
  ::close(toRunner[0]);
  ::close(fromRunner[1]);
  std::string line = readLine(fromRunner[0]);
  ::close(fromRunner[0]);
  if (line != "ready")
    return errorAt(command.script, "cannot run models in ONNX Runtime: " + command.python +
                                       " needs the packages onnx and onnxruntime, which ./bootstrap.sh onnx "
                                       "installs into " +
                                       command.packages);
  return runner;
}

OnnxRunner::~OnnxRunner() {
  if (::getpid() != owner) // a child
    return;
  ::close(input);
  if (process > 0)
    ::waitpid(process, nullptr, 0);
}

Result<std::string> OnnxRunner::ask(const std::string &request) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string answer;
  if (connection >= 0 &&
      ::connect(connection, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 &&
      ::send(connection, request.data(), request.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(request.size()))
    answer = readLine(connection);
  if (connection >= 0)
    ::close(connection);
  if (answer.empty())
    return errorAt("ONNX Runtime", "its process ended without an answer");
  return answer;
}

OnnxRunner::Answer OnnxRunner::run(const std::string &model, const Tensors &feeds) const {
  std::string inputs = model + ".inputs.safetensors", outputs = model + ".outputs.safetensors";
  if (Result<void> written = params::writeSafetensors(inputs, feeds); !written)
    return {Stage::Run, written.diagnostics()};
  nlohmann::json request{{"model", model}, {"inputs", inputs}, {"outputs", outputs}};
  Result<std::string> text = ask(request.dump() + "\n");
  if (!text)
    return {Stage::Run, text.diagnostics()};
  nlohmann::json answer = nlohmann::json::parse(*text, nullptr, false);
  if (!answer.is_object() || !answer.contains("stage") || !answer.contains("reason"))
    return {Stage::Run, errorAt("ONNX Runtime", "found the answer '" + *text + "', expected a stage")};
  if (std::optional<Stage> failed = stageOf(answer["stage"]))
    return {*failed, errorAt(*failed == Stage::Export ? "onnx.checker" : "ONNX Runtime", answer["reason"])};
  return {Stage::Run, params::readSafetensors(outputs)};
}

} // namespace proa::check
