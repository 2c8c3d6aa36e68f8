#include "tools/proa-check/Child.h"

#include "lib/base/support/Cores.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace proa::tools {
namespace {

using nlohmann::json;

constexpr size_t keptOutput = 4000;

double millisecondsSince(Child::Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Child::Clock::now() - start).count();
}

Outcome outcomeOf(const check::CaseResult &result) {
  Outcome outcome;
  outcome.status = result.status;
  outcome.stage = check::nameOf(result.stage);
  outcome.diagnostics = result.diagnostics;
  for (const check::ComparedOutput &output : result.outputs)
    outcome.maxAbsolute = std::max(outcome.maxAbsolute, output.comparison.maxAbsolute);
  return outcome;
}

std::string dump(const json &value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// Messages to the parent, one line of JSON each: {"stage": ...} when a stage begins, {"status": ...} at the
/// end.
void writeLine(int descriptor, const std::string &line) {
  for (size_t done = 0; done < line.size();) {
    ssize_t put = ::write(descriptor, line.data() + done, line.size() - done);
    if (put < 0 && errno != EINTR)
      return;
    done += put > 0 ? static_cast<size_t>(put) : 0;
  }
}

[[noreturn]] void runChild(const CheckFunction &check, const std::string &folder, int resultEnd,
                           int outputEnd) {
  ::setpgid(0, 0);
  ::signal(SIGINT, SIG_DFL);
  int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(outputEnd, STDOUT_FILENO);
  ::dup2(outputEnd, STDERR_FILENO);
  auto onStage = [&](check::Stage stage) { writeLine(resultEnd, dump({{"stage", check::nameOf(stage)}})); };
  writeLine(resultEnd, lineOf(outcomeOf(check(folder, onStage))));
  std::fflush(nullptr);
  ::_exit(0); // skip the parent's atexit handlers
}

} // namespace

void Child::Stream::read() {
  char buffer[1 << 14];
  while (descriptor >= 0) {
    ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got > 0)
      text.append(buffer, static_cast<size_t>(got));
    else if (got < 0 && errno == EINTR)
      continue;
    else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return;
    else
      close();
  }
}

void Child::Stream::close() {
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
}

Child::Child(const CheckFunction &check, const std::string &folder, const TimeLimits &limits)
    : limits(limits), start(Clock::now()) {
  int resultPipe[2], outputPipe[2];
  if (::pipe2(resultPipe, O_CLOEXEC) != 0)
    return;
  if (::pipe2(outputPipe, O_CLOEXEC) != 0) {
    ::close(resultPipe[0]);
    ::close(resultPipe[1]);
    return;
  }
  process = ::fork();
  if (process == 0)
    runChild(check, folder, resultPipe[1], outputPipe[1]);
  ::close(resultPipe[1]);
  ::close(outputPipe[1]);
  result.descriptor = resultPipe[0];
  output.descriptor = outputPipe[0];
  for (int descriptor : {result.descriptor, output.descriptor})
    ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  result.close();
  output.close();
}

bool Child::read() {
  result.read();
  output.read();
  if (output.text.size() > 2 * keptOutput)
    output.text.erase(0, output.text.size() - keptOutput);
  return result.descriptor < 0 && output.descriptor < 0;
}

std::chrono::milliseconds Child::cpuTime() const {
  clockid_t clock;
  timespec time{};
  if (process <= 0 || ::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return std::chrono::milliseconds(0); // it has ended
  return std::chrono::milliseconds(time.tv_sec * 1000 + time.tv_nsec / 1000000);
}

std::chrono::milliseconds Child::untilLimit() const {
  auto real = std::chrono::duration_cast<std::chrono::milliseconds>(start + limits.real - Clock::now());
  auto cpu = limits.cpu - cpuTime();
  // All cores may work for the process.
  if (cpu.count() > 0)
    cpu = std::max(cpu / availableCores(), std::chrono::milliseconds(1));
  return std::min(real, cpu);
}

void Child::kill() {
  bool isCpu = cpuTime() >= limits.cpu;
  timeOut = fmt::format("time-out after {:.1f} s{}", (isCpu ? limits.cpu : limits.real).count() / 1000.0,
                        isCpu ? " of CPU time" : "");
  if (process > 0) {
    ::kill(-process, SIGKILL);
    ::kill(process, SIGKILL); // if it has not created its group yet
  }
}

Outcome Child::finish() {
  Outcome outcome;
  if (process < 0) {
    outcome.stage = "crash";
    outcome.diagnostics.add("", std::string("cannot start a process: ") + std::strerror(errno));
    return outcome;
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  outcome = interpret(status);
  outcome.milliseconds = millisecondsSince(start);
  outcome.output =
      output.text.size() > keptOutput ? output.text.substr(output.text.size() - keptOutput) : output.text;
  return outcome;
}

Outcome Child::interpret(int status) {
  Outcome outcome;
  std::string stage = "start";
  for (size_t at = 0, end; (end = result.text.find('\n', at)) != std::string::npos; at = end + 1) {
    std::string text = result.text.substr(at, end - at);
    if (std::optional<Outcome> ended = outcomeOfLine(text))
      return *ended;
    json line = json::parse(text, nullptr, false);
    if (line.is_object() && line.contains("stage"))
      stage = line["stage"];
  }
  outcome.stage = timeOut.empty() ? "crash" : "time-out";
  if (!timeOut.empty())
    outcome.diagnostics.add("", timeOut + " in stage " + stage);
  else if (WIFSIGNALED(status))
    outcome.diagnostics.add("", fmt::format("{} in stage {}", ::strsignal(WTERMSIG(status)), stage));
  else
    outcome.diagnostics.add(
        "", fmt::format("the process ended with code {} in stage {}", WEXITSTATUS(status), stage));
  return outcome;
}

std::string lineOf(const Outcome &outcome) {
  json diagnostics = json::array();
  for (const Diagnostic &p : outcome.diagnostics)
    diagnostics.push_back({p.location, p.message});
  return dump({{"status", static_cast<int>(outcome.status)},
               {"stage", outcome.stage},
               {"problems", diagnostics},
               {"maxAbsolute", outcome.maxAbsolute}});
}

std::optional<Outcome> outcomeOfLine(const std::string &text) {
  json line = json::parse(text, nullptr, false);
  if (!line.is_object() || !line.contains("status"))
    return std::nullopt;
  Outcome outcome;
  outcome.status = static_cast<check::Status>(line["status"].get<int>());
  outcome.stage = line["stage"];
  for (const json &p : line["problems"])
    outcome.diagnostics.add(p[0], p[1]);
  if (line["maxAbsolute"].is_number())
    outcome.maxAbsolute = line["maxAbsolute"];
  return outcome;
}

Outcome checkHere(const CheckFunction &check, const std::string &folder) {
  Child::Clock::time_point start = Child::Clock::now();
  Outcome outcome = outcomeOf(check(folder, [](check::Stage) {}));
  outcome.milliseconds = millisecondsSince(start);
  return outcome;
}

} // namespace proa::tools
