// Runs one model in several threads: docs/embedding.md.
#include "proa/Model.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

/// Runs the model `runs` times in a session of this thread, with results in memory of its own.
int serve(const proa::Model &model, int runs) {
  auto session = model.session();
  if (!session) {
    std::fputs(session.diagnostics().text().c_str(), stderr);
    return 1;
  }
  const proa::TensorInfo &feed = model.feeds().front();
  std::vector<int64_t> dims = feed.dims;
  for (int64_t &dim : dims)
    dim = dim < 0 ? 1 : dim;
  proa::Tensor image(feed.dtype, dims);
  for (int64_t i = 0; i < image.size(); ++i)
    image.as<float>()[i] = static_cast<float>(i % 7) / 7;
  // The dims of the result, once.
  auto first = session->run({{feed.name, image}});
  if (!first) {
    std::fputs(first.diagnostics().text().c_str(), stderr);
    return 1;
  }
  proa::Tensor scores(first->front().tensor.dtype(), first->front().tensor.dims());
  proa::RunOptions options;
  options.timeLimit = std::chrono::seconds(10);
  options.outputs[first->front().name] = {scores.dtype(), scores.dims(), {}, scores.data()};
  for (int run = 0; run < runs; ++run)
    if (auto done = session->run({{feed.name, image}}, options); !done) {
      std::fputs(done.diagnostics().text().c_str(), stderr);
      return 1;
    }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: embedding-example MODEL\n", stderr);
    return 2;
  }
  auto model = proa::Model::open(argv[1], {.threads = 1});
  if (!model) {
    std::fputs(model.diagnostics().text().c_str(), stderr);
    return 1;
  }
  constexpr int threads = 4, runs = 10;
  std::vector<int> failed(threads);
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] { failed[static_cast<size_t>(thread)] = serve(*model, runs); });
  for (std::thread &thread : running)
    thread.join();
  for (int code : failed)
    if (code != 0)
      return code;
  std::printf("%d threads ran the model %d times each\n", threads, runs);
  return 0;
}
