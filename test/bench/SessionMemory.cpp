//! Resident memory of a model after opening, after a run, and of further sessions. With --for-dims the
//! program is compiled for the dims of the feeds, not for all. usage: session-memory MODEL WEIGHTS
//! [FEED=1x128 ...] [--for-dims]
#include "proa/Model.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

using namespace proa;

namespace {

/// Lines of /proc/self/status, in MB.
void report(const char *what) {
  std::ifstream file("/proc/self/status");
  std::string line, text;
  for (std::string field : {"VmRSS", "RssAnon", "RssFile"}) {
    file.clear();
    file.seekg(0);
    while (std::getline(file, line))
      if (line.starts_with(field + ":"))
        text += fmt::format("  {} {:.1f} MB", field, std::stod(line.substr(field.size() + 1)) * 1024e-6);
  }
  fmt::print("{:20}{}\n", what, text);
}

/// "1x128" as dims.
std::vector<int64_t> dimsOf(const std::string &text) {
  std::vector<int64_t> dims;
  for (const char *at = text.c_str(); *at;) {
    char *end = nullptr;
    dims.push_back(std::strtoll(at, &end, 10));
    at = *end == 'x' ? end + 1 : end;
  }
  return dims;
}

int fail(const Diagnostics &diagnostics) {
  fmt::print(stderr, "{}", diagnostics.text());
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: session-memory MODEL WEIGHTS [FEED=1x128 ...] [--for-dims]\n");
    return 2;
  }
  report("start");
  bool isForDims = std::string(argv[argc - 1]) == "--for-dims";
  auto specialization = isForDims ? Specialization::Always : Specialization::Never;
  auto model = Model::open(argv[1], {.threads = 1, .parameters = argv[2], .specialization = specialization});
  if (!model)
    return fail(model.diagnostics());
  report("opened");
  std::map<std::string, Tensor> feeds;
  for (const TensorInfo &info : model->feeds()) {
    std::vector<int64_t> dims = info.dims;
    for (int i = 3; i < argc; ++i)
      if (std::string text = argv[i]; text.starts_with(info.name + "="))
        dims = dimsOf(text.substr(info.name.size() + 1));
    Tensor zeros(info.dtype, dims);
    std::memset(zeros.data(), 0, zeros.bytes());
    feeds.emplace(info.name, zeros);
  }
  std::vector<Session> sessions;
  for (int i = 0; i < 4; ++i) {
    auto session = model->session();
    if (!session)
      return fail(session.diagnostics());
    if (auto ran = session->run(feeds); !ran)
      return fail(ran.diagnostics());
    sessions.push_back(std::move(*session));
    report(fmt::format("{} session{}", i + 1, i ? "s" : "").c_str());
  }
  fmt::print("arena {:.1f} MB\n", static_cast<double>(sessions.front().arenaBytes()) * 1e-6);
  return 0;
}
