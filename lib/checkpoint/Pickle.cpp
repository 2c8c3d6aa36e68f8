#include "lib/checkpoint/Pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>

namespace proa::checkpoints {

bool PickleValue::isCallOf(std::string_view name) const {
  return kind == Kind::Object && callable && callable->text.ends_with(name);
}

const PickleValue *PickleValue::member(std::string_view key) const {
  const PickleValue *dict = kind == Kind::Object && state ? state : this;
  if (dict->kind != Kind::Dict)
    return nullptr;
  for (size_t i = 0; i + 1 < dict->items.size(); i += 2)
    if (dict->items[i]->kind == Kind::Text && dict->items[i]->text == key)
      return dict->items[i + 1];
  return nullptr;
}

bool PickleValue::integers(std::vector<int64_t> &values) const {
  const PickleValue *list = isCallOf("torch.Size") && !items.empty() ? items[0] : this;
  if (list->kind != Kind::List)
    return false;
  values.clear();
  for (const PickleValue *item : list->items) {
    if (item->kind != Kind::Integer)
      return false;
    values.push_back(item->integer);
  }
  return true;
}

namespace {

/// Globals of state dicts of Paddle, NumPy and PyTorch. "*" at the end means any name.
constexpr std::string_view allowedGlobals[] = {
    "collections.OrderedDict",
    "collections.defaultdict",
    "_codecs.encode",
    "builtins.tuple",
    "builtins.dict",
    "numpy.ndarray",
    "numpy.dtype",
    "numpy.core.multiarray._reconstruct",
    "numpy.core.multiarray.scalar",
    "numpy.core.numeric._frombuffer",
    "numpy._core.multiarray._reconstruct",
    "numpy._core.multiarray.scalar",
    "numpy._core.numeric._frombuffer",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_parameter",
    "torch.Size",
    "torch.FloatStorage",
    "torch.DoubleStorage",
    "torch.HalfStorage",
    "torch.BFloat16Storage",
    "torch.LongStorage",
    "torch.IntStorage",
    "torch.ShortStorage",
    "torch.CharStorage",
    "torch.ByteStorage",
    "torch.BoolStorage",
    "torch.ComplexFloatStorage",
    "torch.ComplexDoubleStorage",
    "torch.float32",
    "torch.float64",
    "torch.float16",
    "torch.bfloat16",
    "torch.int64",
    "torch.int32",
    "torch.int16",
    "torch.int8",
    "torch.uint8",
    "torch.bool",
    "torch.complex64",
    "torch.complex128",
    "torch.serialization._get_layout",
    "torch.distributed.checkpoint.metadata.*",
    "torch.distributed.checkpoint.filesystem._StorageInfo",
    "torch.distributed._shard.sharded_tensor.metadata.*",
    "paddle.distributed.checkpoint.metadata.*",
    "paddle.distributed.flex_checkpoint.dcp.metadata.*",
};

bool isAllowed(std::string_view name) {
  return std::ranges::any_of(allowedGlobals, [&](std::string_view allowed) {
    if (!allowed.ends_with('*'))
      return name == allowed;
    allowed.remove_suffix(1);
    return name.starts_with(allowed) && name.find('.', allowed.size()) == std::string_view::npos;
  });
}

} // namespace

/// Runs the opcodes on a stack of values.
class PickleReader {
public:
  PickleReader(std::span<const std::byte> content, const std::string &where)
      : content(content), where(where) {}

  Result<Pickle> read() {
    while (!pickle.result) {
      opcodeAt = at;
      uint8_t opcode = read<uint8_t>();
      if (reason.empty() && !literal(opcode) && !structure(opcode) && reason.empty())
        reason = fmt::format("the opcode 0x{:02x} does not occur in state dicts", opcode);
      if (!reason.empty())
        return errorAt(where, fmt::format("pickle, byte {}: {}", opcodeAt, reason));
    }
    return std::move(pickle);
  }

private:
  using Kind = PickleValue::Kind;

  void wrong(const std::string &message) { reason = reason.empty() ? message : reason; }

  std::string_view take(uint64_t bytes) {
    if (bytes > content.size() - at) {
      wrong("the file ends in a value");
      at = content.size();
      return {};
    }
    std::string_view text(reinterpret_cast<const char *>(content.data()) + at, bytes);
    at += bytes;
    return text;
  }

  template <class T> T read() {
    T value{};
    std::string_view bytes = take(sizeof value);
    if (!bytes.empty())
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  std::string_view line() {
    std::string_view rest(reinterpret_cast<const char *>(content.data()) + at, content.size() - at);
    size_t end = rest.find('\n');
    std::string_view text = take(end == std::string_view::npos ? rest.size() + 1 : end);
    at += end == std::string_view::npos ? 0 : 1;
    return text;
  }

  PickleValue &create(Kind kind) { return pickle.values.emplace_back(PickleValue{.kind = kind}); }
  PickleValue &push(Kind kind) {
    PickleValue &value = create(kind);
    stack.push_back(&value);
    return value;
  }
  bool pushText(Kind kind, uint64_t bytes) {
    push(kind).text = take(bytes);
    return true;
  }
  bool pushInteger(int64_t value) {
    push(Kind::Integer).integer = value;
    return true;
  }

  /// Removes the last value; a value None after an error.
  PickleValue *pop() {
    if (stack.empty() || (!marks.empty() && stack.size() <= marks.back())) {
      wrong("the stack is empty");
      return &create(Kind::None);
    }
    PickleValue *value = stack.back();
    stack.pop_back();
    return value;
  }
  /// The values after the last mark.
  std::vector<const PickleValue *> popMark() {
    if (marks.empty()) {
      wrong("there is no mark");
      return {};
    }
    std::vector<const PickleValue *> values(stack.begin() + static_cast<ptrdiff_t>(marks.back()),
                                            stack.end());
    stack.resize(marks.back());
    marks.pop_back();
    return values;
  }
  PickleValue *top() {
    PickleValue *value = pop();
    stack.push_back(value);
    return value;
  }

  /// Opcodes that push a value of their own.
  bool literal(uint8_t opcode) {
    switch (opcode) {
    case 'N':
      push(Kind::None);
      return true;
    case 0x88: // NEWTRUE
    case 0x89: // NEWFALSE
      push(Kind::Bool).integer = opcode == 0x88;
      return true;
    case 'J':
      return pushInteger(read<int32_t>());
    case 'K':
      return pushInteger(read<uint8_t>());
    case 'M':
      return pushInteger(read<uint16_t>());
    case 0x8a: // LONG1
      return longInteger(read<uint8_t>());
    case 'G':
      push(Kind::Float).real = std::bit_cast<double>(__builtin_bswap64(read<uint64_t>()));
      return true;
    case 'X': // BINUNICODE
      return pushText(Kind::Text, read<uint32_t>());
    case 0x8c: // SHORT_BINUNICODE
      return pushText(Kind::Text, read<uint8_t>());
    case 0x8d: // BINUNICODE8
      return pushText(Kind::Text, read<uint64_t>());
    case 'T': // BINSTRING
    case 'B': // BINBYTES
      return pushText(opcode == 'T' ? Kind::Text : Kind::Bytes, read<uint32_t>());
    case 'U': // SHORT_BINSTRING
    case 'C': // SHORT_BINBYTES
      return pushText(opcode == 'U' ? Kind::Text : Kind::Bytes, read<uint8_t>());
    case 0x8e: // BINBYTES8
    case 0x96: // BYTEARRAY8
      return pushText(Kind::Bytes, read<uint64_t>());
    case '}':
      push(Kind::Dict);
      return true;
    case ']':
    case ')':
      push(Kind::List);
      return true;
    default:
      return false;
    }
  }

  bool longInteger(size_t bytes) {
    std::string_view digits = take(bytes);
    if (digits.size() > 8)
      wrong("an integer has more than 64 bits");
    uint64_t value = !digits.empty() && digits.back() < 0 ? UINT64_MAX : 0;
    if (!digits.empty() && digits.size() <= 8) // without digits it is 0
      std::memcpy(&value, digits.data(), digits.size());
    return pushInteger(static_cast<int64_t>(value));
  }

  /// Opcodes that use the stack or the memo.
  bool structure(uint8_t opcode) {
    switch (opcode) {
    case 0x80: // PROTO
      if (uint8_t protocol = read<uint8_t>(); protocol > 5)
        wrong(fmt::format("found protocol {}, expected at most 5", protocol));
      return true;
    case 0x95: // FRAME
      read<uint64_t>();
      return true;
    case '.':
      pickle.result = pop();
      return true;
    case '(':
      marks.push_back(stack.size());
      return true;
    case '0':
      pop();
      return true;
    case 't':
    case 'l':
      return pushList(popMark());
    case 0x85: // TUPLE1 to TUPLE3
    case 0x86:
    case 0x87: {
      std::vector<const PickleValue *> items(opcode - 0x84);
      for (size_t i = items.size(); i-- > 0;)
        items[i] = pop();
      return pushList(std::move(items));
    }
    case 'q':
      return memoize(read<uint8_t>());
    case 'r':
      return memoize(read<uint32_t>());
    case 0x94: // MEMOIZE
      return memoize(memo.size());
    case 'h':
      return recall(read<uint8_t>());
    case 'j':
      return recall(read<uint32_t>());
    default:
      return container(opcode) || object(opcode);
    }
  }

  bool pushList(std::vector<const PickleValue *> items) {
    push(Kind::List).items = std::move(items);
    return true;
  }
  bool memoize(uint64_t index) {
    memo[index] = top();
    return true;
  }
  bool recall(uint64_t index) {
    auto found = memo.find(index);
    if (found == memo.end())
      wrong(fmt::format("value {} is not in the memo", index));
    else
      stack.push_back(found->second);
    return true;
  }

  bool container(uint8_t opcode) {
    std::vector<const PickleValue *> items;
    if (opcode == 's' || opcode == 'a') {
      items.resize(opcode == 's' ? 2 : 1);
      for (size_t i = items.size(); i-- > 0;)
        items[i] = pop();
    } else if (opcode == 'u' || opcode == 'e') {
      items = popMark();
    } else {
      return false;
    }
    PickleValue *target = top();
    bool isDict = opcode == 's' || opcode == 'u';
    if (target->is(Kind::Object) && isDict && target->isCallOf("OrderedDict")) {
      target->kind = Kind::Dict;
      target->items.clear();
    }
    if (!target->is(isDict ? Kind::Dict : Kind::List) || (isDict && items.size() % 2 != 0))
      wrong(isDict ? "expected a dict below the items" : "expected a list below the items");
    target->items.insert(target->items.end(), items.begin(), items.end());
    return true;
  }

  bool object(uint8_t opcode) {
    switch (opcode) {
    case 'c': {
      std::string_view module = line();
      pushGlobal(module, line());
      return true;
    }
    case 0x93: { // STACK_GLOBAL
      PickleValue *name = pop(), *module = pop();
      pushGlobal(module->text, name->text);
      return true;
    }
    case 'R':
    case 0x81: { // REDUCE, NEWOBJ
      PickleValue *arguments = pop(), *callable = pop();
      if (!callable->is(Kind::Global) || !arguments->is(Kind::List))
        wrong("expected a global and its arguments");
      else
        call(callable, *arguments);
      return true;
    }
    case 'b': { // BUILD
      PickleValue *state = pop();
      PickleValue *target = top();
      if (target->is(Kind::Object))
        target->state = state;
      return true;
    }
    case 'Q': { // BINPERSID
      PickleValue *id = pop();
      push(Kind::Persistent).items = {id};
      return true;
    }
    default:
      return false;
    }
  }

  void pushGlobal(std::string_view module, std::string_view name) {
    std::string &full = pickle.owned.emplace_back(fmt::format("{}.{}", module, name));
    if (!isAllowed(full))
      wrong(fmt::format("the global '{}' does not occur in state dicts; pickles can run any code, and this "
                        "reader runs none",
                        full));
    push(Kind::Global).text = full;
  }

  void call(PickleValue *callable, const PickleValue &arguments) {
    // NumPy's bytes in protocol 2: _codecs.encode(text, "latin1").
    if (callable->text == "_codecs.encode" && !arguments.items.empty()) {
      push(Kind::Bytes).text = latin1(arguments.items[0]->text);
      return;
    }
    PickleValue &result = push(Kind::Object);
    result.callable = callable;
    result.items = arguments.items;
    if (callable->text == "collections.OrderedDict" && result.items.empty())
      result = {.kind = Kind::Dict};
  }

  std::string_view latin1(std::string_view utf8) {
    std::string &bytes = pickle.owned.emplace_back();
    for (size_t i = 0; i < utf8.size(); ++i) {
      auto byte = static_cast<unsigned char>(utf8[i]);
      if (byte >= 0xc0 && i + 1 < utf8.size())
        byte = static_cast<unsigned char>((byte << 6) | (static_cast<unsigned char>(utf8[++i]) & 0x3f));
      bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
  }

  std::span<const std::byte> content;
  const std::string &where;
  size_t at = 0, opcodeAt = 0;
  std::string reason;
  std::vector<PickleValue *> stack;
  std::vector<size_t> marks;
  std::map<uint64_t, PickleValue *> memo;
  Pickle pickle;
};

Result<Pickle> Pickle::read(std::span<const std::byte> content, const std::string &where) {
  return PickleReader(content, where).read();
}

Result<PickleFile> PickleFile::open(const std::string &path) {
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  Result<Pickle> pickle = Pickle::read((*file)->bytes(), path);
  if (!pickle)
    return pickle.diagnostics();
  return PickleFile{std::move(*file), std::move(*pickle)};
}

} // namespace proa::checkpoints
