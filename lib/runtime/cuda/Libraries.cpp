#include "lib/runtime/cuda/Libraries.h"

#include "lib/runtime/ranks/Communicator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace proa::cuda {
namespace {

template <class Library> typename LazyLibrary<Library>::Open refusal(const std::string &reason) {
  return [reason]() -> Result<std::shared_ptr<Library>> { return errorAt("", reason); };
}

template <class Library> Result<void> checkOpen(LazyLibrary<Library> &library) {
  Result<std::shared_ptr<Library>> opened = library.get();
  return opened ? Result<void>() : Result<void>(opened.diagnostics());
}

/// `open(driver)`, unless $PROA_CUDA_LIBRARIES is set and does not list the library.
template <class Library>
typename LazyLibrary<Library>::Open opener(const std::shared_ptr<Driver> &driver, const char *name,
                                           Result<std::shared_ptr<Library>> (*open)(std::shared_ptr<Driver>,
                                                                                    const std::string &)) {
  return [=]() -> Result<std::shared_ptr<Library>> {
    const char *allowed = std::getenv("PROA_CUDA_LIBRARIES");
    if (allowed &&
        ("," + std::string(allowed) + ",").find("," + std::string(name) + ",") == std::string::npos)
      return errorAt("", fmt::format("{} is not in PROA_CUDA_LIBRARIES={}", name, allowed));
    return open(driver, "");
  };
}

} // namespace

Libraries::Libraries(const std::shared_ptr<Driver> &driver)
    : blas(opener(driver, cublasLt, openCublasLt)), dnn(opener(driver, cudnn, openCudnn)),
      fft(opener(driver, cufft, openCufft)), solver(opener(driver, cusolver, openCusolver)),
      collectives(opener(driver, nccl, openNccl)) {}

Libraries::Libraries(const std::string &reason)
    : blas(refusal<Blas>(reason)), dnn(refusal<Dnn>(reason)), fft(refusal<Fft>(reason)),
      solver(refusal<Solver>(reason)), collectives(refusal<CollectiveLibrary>(reason)) {}

std::shared_ptr<Libraries> Libraries::none(const std::string &reason) {
  return std::shared_ptr<Libraries>(new Libraries(reason));
}

Result<void> Libraries::check(const std::string &name) {
  if (name == cublasLt)
    return checkOpen(blas);
  if (name == cudnn)
    return checkOpen(dnn);
  if (name == cufft)
    return checkOpen(fft);
  if (name == cusolver)
    return checkOpen(solver);
  if (name == nccl)
    return checkOpen(collectives);
  return errorAt("", "unknown library '" + name + "'");
}

Result<std::shared_ptr<CollectiveGroup>> Libraries::groupOf(runtime::Communicator &communicator,
                                                            const std::vector<int64_t> &ranks,
                                                            const std::string &what) {
  Result<std::shared_ptr<CollectiveLibrary>> library = collectives.get();
  if (!library)
    return library.diagnostics();
  std::pair key(static_cast<const void *>(&communicator), ranks);
  {
    std::lock_guard lock(groupsMutex);
    if (std::shared_ptr<CollectiveGroup> group = groups[key]; group && group->check())
      return group;
  }
  // Without the lock: another rank that uses these libraries may have to join first.
  // The first rank names the group and tells the others.
  bool isFirst = communicator.rank() == ranks.front();
  Result<CollectiveLibrary::Id> id = isFirst ? (*library)->newId() : CollectiveLibrary::Id{};
  if (!id)
    return id.diagnostics();
  runtime::Operation operation{
      fmt::format("the group of devices of ranks {} for {}", fmt::join(ranks, ", "), what), 0,
      /*isStart=*/true};
  auto given =
      communicator.gather(operation, std::as_bytes(std::span(*id)).first(isFirst ? id->size() : 0), ranks);
  if (!given)
    return given.diagnostics();
  const std::vector<std::byte> &bytes = given->at(ranks.front());
  if (bytes.size() != id->size())
    return errorAt("", fmt::format("rank {} sent no name of the group of devices", ranks.front()));
  std::memcpy(id->data(), bytes.data(), bytes.size());
  auto member = static_cast<int>(std::ranges::find(ranks, communicator.rank()) - ranks.begin());
  auto joined = (*library)->join(*id, static_cast<int>(ranks.size()), member);
  if (!joined)
    return joined.diagnostics();
  std::lock_guard lock(groupsMutex);
  return groups[key] = std::move(*joined);
}

} // namespace proa::cuda
