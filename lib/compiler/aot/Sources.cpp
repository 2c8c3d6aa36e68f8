//! C source of compiled libraries.
#include "lib/base/support/NamedDims.h"
#include "lib/compiler/aot/LinkLibrary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace proa::aot {
namespace {

// @WORD@ is replaced by fill().
constexpr const char *headerTemplate = R"(/*
 * @NAME@, compiled by proa-compile @VERSION@.
 * Link with the library and with libproa_runtime.so. Errors: see proa-c/tensor.h.
 *
 * Inputs, in this order (-1: a dynamic dim):
@INPUTS@ * Outputs:
@OUTPUTS@ */
#ifndef @GUARD@
#define @GUARD@

#include "proa-c/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define @UPPER@_INPUTS @INPUTCOUNT@
#define @UPPER@_OUTPUTS @OUTPUTCOUNT@

/*
 * Loads the program; NULL on failure.
 * @WEIGHTS@
 */
proa_program *@PREFIX@_create(const char *weights_path);

/*
 * Runs it once; 0 on success. `inputs` is an array of @INPUTCOUNT@ tensors, `outputs` one of @OUTPUTCOUNT@, which is
 * written. The data of outputs is valid until the next run or destroy. Use a program from one thread at a time.
 */
int @PREFIX@_run(proa_program *program, const proa_tensor *inputs, proa_tensor *outputs);

/* Frees the program; NULL is allowed. */
void @PREFIX@_destroy(proa_program *program);

#ifdef __cplusplus
}
#endif

#endif
)";

// Weights are in the section for large data, because they may exceed the 2 GB that code can address.
constexpr const char *entryTemplate = R"(#include "proa-c/runtime.h"

#ifdef __x86_64__
#define SECTION ".section .lrodata,\"al\",@progbits\n"
#else
#define SECTION ".section .rodata\n"
#endif
#define BYTES(symbol, file) \
  __asm__(SECTION ".balign 64\n" #symbol ":\n.incbin \"" file "\"\n" #symbol "_end:\n.byte 0\n.text\n"); \
  extern const char symbol[], symbol##_end[];

BYTES(proa_description, "description.bin")
@BYTESOFWEIGHTS@
@DECLARATIONS@
static void (*const kernels[])(void) = {@KERNELS@0};

#define EXPORT __attribute__((visibility("default")))

EXPORT proa_program *@PREFIX@_create(const char *weights_path) {
  proa_program_data data = {PROA_PROGRAM_FORMAT};
  data.description = proa_description;
  data.description_size = (size_t)(proa_description_end - proa_description);
  @WEIGHTS@
  data.kernels = kernels;
  data.kernel_count = @KERNELCOUNT@;
  return proa_program_create(&data, weights_path);
}

EXPORT int @PREFIX@_run(proa_program *program, const proa_tensor *inputs, proa_tensor *outputs) {
  return proa_program_run(program, inputs, outputs);
}

EXPORT void @PREFIX@_destroy(proa_program *program) { proa_program_destroy(program); }
)";

using Words = std::vector<std::pair<std::string, std::string>>;

/// Replaces each @WORD@ of the template; replacements are not scanned again.
std::string fill(const std::string &text, const Words &words) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    bool replaced = false;
    if (text[at] == '@')
      for (const auto &[word, value] : words)
        if (std::string marked = "@" + word + "@"; text.compare(at, marked.size(), marked) == 0) {
          out += value;
          at += marked.size();
          replaced = true;
          break;
        }
    if (!replaced)
      out += text[at++];
  }
  return out;
}

/// The text without line breaks and "*/", so that any variable name can be in a comment.
std::string forComment(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.replace(at, 2, "* /");
  return text;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string listing(const std::vector<TensorInfo> &infos) {
  std::string text;
  for (size_t i = 0; i < infos.size(); ++i)
    text += fmt::format(" *   [{}] {}: {}\n", i, forComment(infos[i].name), describe(infos[i]));
  return infos.empty() ? " *   none\n" : text;
}

std::string weightsNote(const Description &description) {
  size_t count = description.weights().size();
  if (count == 0)
    return "The program has no weights: weights_path is NULL.";
  if (!description.embedded.empty())
    return fmt::format(
        "Its {} weights are embedded: weights_path is NULL, or a .safetensors or .pdiparams file with\n"
        " * others.",
        count);
  return fmt::format("weights_path is a .safetensors or .pdiparams file with its {} weights.", count);
}

} // namespace

std::string prefixOf(const std::string &path) {
  std::string name = std::filesystem::path(path).filename().string();
  name = name.substr(0, name.find('.'));
  if (name.starts_with("lib"))
    name = name.substr(3);
  for (char &c : name)
    if (static_cast<unsigned char>(c) >= 128 || !std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "model_" + name : name;
}

bool isIdentifier(const std::string &name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); });
}

std::string headerText(const Description &description, const std::string &prefix) {
  std::vector<TensorInfo> inputs = description.inputs(), outputs = description.outputs();
  return fill(headerTemplate, {{"NAME", forComment(description.name)},
                               {"VERSION", version()},
                               {"INPUTS", listing(inputs)},
                               {"OUTPUTS", listing(outputs)},
                               {"GUARD", upper(prefix) + "_H"},
                               {"UPPER", upper(prefix)},
                               {"INPUTCOUNT", std::to_string(inputs.size())},
                               {"OUTPUTCOUNT", std::to_string(outputs.size())},
                               {"WEIGHTS", weightsNote(description)},
                               {"PREFIX", prefix}});
}

std::string entryText(const Description &description, const std::string &prefix) {
  std::string declarations, table;
  for (size_t i = 0; i < description.kernels.size(); ++i) {
    // The assembler name, because symbols need not be C identifiers.
    declarations += fmt::format("extern void kernel{}(void) __asm__(\"{}\");\n", i, description.kernels[i]);
    table += fmt::format("kernel{}, ", i);
  }
  bool embedded = !description.embedded.empty();
  return fill(entryTemplate,
              {{"PREFIX", prefix},
               {"BYTESOFWEIGHTS", embedded ? "BYTES(proa_weights, \"weights.bin\")" : ""},
               {"WEIGHTS", embedded ? "data.weights = proa_weights;\n"
                                      "  data.weights_size = (size_t)(proa_weights_end - proa_weights);"
                                    : ""},
               {"DECLARATIONS", declarations},
               {"KERNELS", table},
               {"KERNELCOUNT", std::to_string(description.kernels.size())}});
}

} // namespace proa::aot
