#include "tools/proa-lsp-server/Relay.h"

#include "tools/proa-lsp-server/Session.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstdio>
#include <memory>
#include <thread>
#include <unistd.h>

namespace json = llvm::json;
using llvm::lsp::JSONStreamStyle;
using llvm::lsp::JSONTransportInputOverFile;

namespace proa::lsp {
namespace {

struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

void write(std::FILE *out, llvm::StringRef text) {
  std::fprintf(out, "Content-Length: %zu\r\n\r\n", text.size());
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
}

/// Passes messages on until the input ends.
void relay(std::FILE *in, JSONStreamStyle style, std::FILE *out, bool isPretty,
           llvm::function_ref<void(json::Object &)> change) {
  JSONTransportInputOverFile input(in, style);
  std::string text;
  while (!input.isEndOfInput() && !input.hasError()) {
    text.clear();
    if (failed(input.readMessage(text)))
      continue;
    llvm::Expected<json::Value> message = json::parse(text);
    if (!message) { // MLIR's server reports it
      llvm::consumeError(message.takeError());
      write(out, text);
      continue;
    }
    if (json::Object *object = message->getAsObject())
      change(*object);
    write(out, isPretty ? llvm::formatv("{0:2}", *message).str() : llvm::formatv("{0}", *message).str());
  }
}

/// Replaces the file descriptor `number` by an end of a new pipe. Returns the former file, and the other end.
std::array<File, 2> redirect(int descriptor, bool isRead) {
  int ends[2];
  if (::pipe(ends) != 0)
    return {};
  int former = ::dup(descriptor);
  ::dup2(ends[isRead ? 0 : 1], descriptor);
  ::close(ends[isRead ? 0 : 1]);
  File file(::fdopen(former, isRead ? "r" : "w")), other(::fdopen(ends[isRead ? 1 : 0], isRead ? "w" : "r"));
  return {std::move(file), std::move(other)};
}

} // namespace

int runServer(mlir::DialectRegistry &registry, const RelayOptions &options) {
  auto [editorIn, toServer] = redirect(STDIN_FILENO, /*isRead=*/true);
  auto [editorOut, fromServer] = redirect(STDOUT_FILENO, /*isRead=*/false);
  if (!editorIn || !editorOut || !toServer || !fromServer) {
    std::perror("proa-lsp-server: cannot create pipes");
    return 1;
  }
  auto session = std::make_shared<Session>(registry);
  // It may still wait for the editor when the server has ended: detached, with files that it owns.
  std::thread([session, in = std::move(editorIn), out = std::move(toServer), options] {
    relay(in.get(), options.isDelimited ? JSONStreamStyle::Delimited : JSONStreamStyle::Standard, out.get(),
          false, [&](json::Object &message) { session->fromClient(message); });
  }).detach();
  std::thread answers([&] {
    relay(fromServer.get(), JSONStreamStyle::Standard, editorOut.get(), options.isPretty,
          [&](json::Object &message) { session->fromServer(message); });
  });
  std::string log = "--log=" + options.log, name = "proa-lsp-server";
  std::array<char *, 3> arguments{name.data(), log.data(), nullptr};
  int code = failed(mlir::MlirLspServerMain(2, arguments.data(), registry)) ? 1 : 0;
  llvm::outs().flush();
  ::close(STDOUT_FILENO); // the end of the answers
  answers.join();
  return code;
}

} // namespace proa::lsp
