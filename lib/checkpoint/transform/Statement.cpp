#include "lib/checkpoint/transform/Statement.h"

#include "lib/base/support/Json.h"
#include "lib/base/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace proa::transform {
namespace {

enum class TokenKind : uint8_t {
  Name,
  Integer,
  String,
  Arrow,
  Equal,
  Colon,
  LeftBracket,
  RightBracket,
  Comma,
  Line,
  End
};

struct Token {
  TokenKind kind;
  std::string_view text;
  unsigned line, column;
};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$'; }
bool isNameCharacter(char c) { return isNameStart(c) || isDigit(c) || c == '.' || c == '*' || c == '^'; }

/// The location of a character: a line and column of a file, or a column of one statement.
struct Locations {
  const std::string &file;
  bool isOneStatement = false;

  std::string at(unsigned line, unsigned column) const {
    return isOneStatement ? fmt::format("{}, column {}", file, column)
                          : fmt::format("{}:{}:{}", file, line, column);
  }
};

class StatementLexer {
public:
  StatementLexer(std::string_view text, const Locations &locations, Diagnostics &diagnostics)
      : text(text), locations(locations), diagnostics(diagnostics) {}

  std::vector<Token> run() {
    while (at < text.size())
      next();
    push(TokenKind::Line, 0);
    push(TokenKind::End, 0);
    return std::move(tokens);
  }

private:
  void push(TokenKind kind, size_t length) {
    tokens.push_back({kind, text.substr(at, length), line, static_cast<unsigned>(at - lineStart + 1)});
    isBlank = false;
    at += length;
  }
  template <class Predicate> size_t lengthOf(size_t from, Predicate predicate) const {
    size_t end = from;
    while (end < text.size() && predicate(text[end]))
      ++end;
    return end - at;
  }
  void fail(const std::string &message) {
    diagnostics.add(locations.at(line, static_cast<unsigned>(at - lineStart + 1)), message);
  }

  void next() {
    char c = text[at];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == '\n') {
      newLine();
    } else if (c == '#') {
      isBlank = false;
      at += lengthOf(at, [](char other) { return other != '\n'; });
    } else if (text.substr(at, 2) == "->") {
      push(TokenKind::Arrow, 2);
    } else if (isDigit(c) || (c == '-' && at + 1 < text.size() && isDigit(text[at + 1]))) {
      push(TokenKind::Integer, lengthOf(at + 1, isDigit));
    } else if (isNameStart(c)) {
      push(TokenKind::Name, lengthOf(at, isNameCharacter));
    } else if (c == '"' || c == '\'') {
      string(c);
    } else {
      punctuation(c);
    }
  }

  void newLine() {
    // A statement continues after a comma or an arrow, unless a blank line follows.
    bool isOpen =
        !tokens.empty() && (tokens.back().kind == TokenKind::Comma || tokens.back().kind == TokenKind::Arrow);
    if (isOpen && !isBlank)
      ++at;
    else
      push(TokenKind::Line, 1);
    isBlank = true;
    ++line;
    lineStart = at;
  }

  void string(char quote) {
    size_t end = text.find_first_of(std::string{quote, '\n'}, at + 1);
    if (end == std::string_view::npos || text[end] == '\n') {
      fail(fmt::format("the string has no closing {}", quote));
      return push(TokenKind::Name, std::min(end, text.size()) - at); // no second error
    }
    push(TokenKind::String, end + 1 - at);
  }

  void punctuation(char c) {
    constexpr std::string_view characters = "=:[],";
    constexpr TokenKind kinds[] = {TokenKind::Equal, TokenKind::Colon, TokenKind::LeftBracket,
                                   TokenKind::RightBracket, TokenKind::Comma};
    if (size_t index = characters.find(c); index != std::string_view::npos)
      return push(kinds[index], 1);
    fail(fmt::format("unexpected character `{}`, expected a name, `->`, `,` or `=`; quote names with other "
                     "characters",
                     c));
    ++at;
  }

  std::string_view text;
  const Locations &locations;
  Diagnostics &diagnostics;
  std::vector<Token> tokens;
  size_t at = 0, lineStart = 0;
  unsigned line = 1;
  /// The line has neither a token nor a comment so far.
  bool isBlank = true;
};

/// Attributes without a value. Another name after a comma is a target.
constexpr std::string_view flags[] = {"fused_qkv", "fused_qkv_old", "fused_ffn", "average"};
bool isFlagName(std::string_view name) { return std::ranges::find(flags, name) != std::end(flags); }

class StatementParser {
public:
  StatementParser(std::vector<Token> tokens, const Locations &locations, const Variables &variables,
                  Diagnostics &diagnostics)
      : tokens(std::move(tokens)), locations(locations), variables(variables), diagnostics(diagnostics) {}

  void run(std::vector<Statement> &statements) {
    while (peek().kind != TokenKind::End) {
      if (accept(TokenKind::Line))
        continue;
      Statement statement;
      statement.location = locations.at(peek().line, peek().column);
      if (parse(statement))
        statements.push_back(std::move(statement));
      else
        skipLine();
    }
  }

private:
  const Token &peek(size_t offset = 0) const {
    return tokens[std::min(position + offset, tokens.size() - 1)];
  }
  bool accept(TokenKind kind) {
    if (peek().kind != kind)
      return false;
    ++position;
    return true;
  }
  void skipLine() {
    while (peek().kind != TokenKind::Line && peek().kind != TokenKind::End)
      ++position;
  }
  bool fail(const Token &token, const std::string &message) {
    diagnostics.add(locations.at(token.line, token.column), message);
    return false;
  }
  bool unexpected(std::string_view expected) {
    bool isEnd = peek().kind == TokenKind::Line || peek().kind == TokenKind::End;
    return fail(peek(),
                fmt::format("{}, expected {}",
                            isEnd ? "the statement ends here" : fmt::format("unexpected `{}`", peek().text),
                            expected));
  }

  bool parse(Statement &statement) {
    do {
      if (!parseTerm(statement.sources))
        return false;
    } while (accept(TokenKind::Comma));
    if (!accept(TokenKind::Arrow))
      return unexpected("`,` or `->`");
    bool hasAttributes = false;
    do {
      hasAttributes |= !statement.targets.empty() && isAttribute();
      if (!(hasAttributes ? parseAttribute(statement) : parseTerm(statement.targets)))
        return false;
    } while (accept(TokenKind::Comma));
    if (peek().kind != TokenKind::Line && peek().kind != TokenKind::End)
      return unexpected("`,` or the end of the line");
    return true;
  }

  bool isAttribute() const {
    return peek().kind == TokenKind::Name && (peek(1).kind == TokenKind::Equal || isFlagName(peek().text));
  }

  bool parseTerm(std::vector<Term> &terms) {
    Token token = peek();
    if (token.kind != TokenKind::Name && token.kind != TokenKind::String)
      return unexpected("the name of a tensor");
    ++position;
    Term term;
    if (token.kind == TokenKind::String) {
      term.name = token.text.substr(1, token.text.size() - 2);
    } else {
      term.isTransposed = token.text.ends_with("^T");
      term.name = token.text.substr(0, token.text.size() - (term.isTransposed ? 2 : 0));
      if (term.name.find('^') != std::string::npos)
        return fail(token, fmt::format("`{}` has `^`, expected it in the suffix `^T` only", token.text));
    }
    if (term.name.empty())
      return fail(token, "the name is empty, expected the name of a tensor");
    if (accept(TokenKind::LeftBracket) && !parseRange(term))
      return false;
    terms.push_back(std::move(term));
    return true;
  }

  bool parseRange(Term &term) {
    Token first = peek();
    std::optional<int64_t> begin = parseInteger(), end;
    if (!begin || !accept(TokenKind::Colon) || !(end = parseInteger()) || !accept(TokenKind::RightBracket))
      return unexpected("a range `NAME[BEGIN:END]` of numbers");
    if (*begin < 0 || *end <= *begin)
      return fail(first, fmt::format("the range [{}:{}] is empty, expected 0 <= BEGIN < END", *begin, *end));
    term.range = {*begin, *end};
    return true;
  }

  std::optional<int64_t> parseInteger() {
    int64_t value = 0;
    std::string_view digits = peek().text;
    if (peek().kind != TokenKind::Integer ||
        std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
      return std::nullopt;
    ++position;
    return value;
  }

  bool parseAttribute(Statement &statement) {
    Token key = peek();
    if (key.kind != TokenKind::Name)
      return unexpected("an attribute `KEY = VALUE`");
    ++position;
    if (statement.find(key.text))
      return fail(key, fmt::format("the attribute `{}` is repeated, expected it once", key.text));
    Attribute attribute{std::string(key.text)};
    attribute.isFlag = !accept(TokenKind::Equal);
    if (attribute.isFlag && !isFlagName(key.text))
      return fail(key, fmt::format("`{}` has no value, expected `{} = VALUE`; targets are before attributes",
                                   key.text, key.text));
    if (!attribute.isFlag && !parseValue(attribute))
      return false;
    statement.attributes.push_back(std::move(attribute));
    return true;
  }

  bool parseValue(Attribute &attribute) {
    Token token = peek();
    if (token.kind == TokenKind::Name && token.text.starts_with('$')) {
      auto variable = variables.find(token.text.substr(1));
      if (variable == variables.end())
        return fail(token,
                    fmt::format("the variable `{}` is not defined, expected its value in --define {}=VALUE{}",
                                token.text, token.text.substr(1), suggest(token.text.substr(1))));
      attribute.value = variable->second;
    } else if (token.kind == TokenKind::String) {
      attribute.value = token.text.substr(1, token.text.size() - 2);
    } else if (token.kind == TokenKind::Integer) {
      attribute.value = token.text;
    } else {
      return unexpected("a number, a string or a variable `$NAME`");
    }
    ++position;
    return true;
  }

  std::string suggest(std::string_view name) const {
    std::vector<std::string> names;
    for (const auto &[known, value] : variables)
      names.push_back(known);
    return didYouMean(name, names);
  }

  std::vector<Token> tokens;
  const Locations &locations;
  const Variables &variables;
  Diagnostics &diagnostics;
  size_t position = 0;
};

void parseText(std::string_view text, const Locations &locations, const Variables &variables,
               std::vector<Statement> &statements, Diagnostics &diagnostics) {
  StatementLexer lexer(text, locations, diagnostics);
  StatementParser(lexer.run(), locations, variables, diagnostics).run(statements);
}

/// The statements of Paddle's `aoa_config` as JSON.
void parseConfig(std::string_view text, const std::string &file, const Variables &variables,
                 std::vector<Statement> &statements, Diagnostics &diagnostics) {
  Result<nlohmann::json> config = parseJson(text, file);
  if (!config)
    return diagnostics.append(config.diagnostics());
  auto list = config->find("aoa_statements");
  if (list == config->end() || !list->is_array())
    return diagnostics.add(file, "the object has no list `aoa_statements`, expected the statements there");
  if (auto reverse = config->find("aoa_config_reverse"); reverse != config->end() && *reverse == true)
    diagnostics.add(
        file, "`aoa_config_reverse` is set, expected statements that apply forward; --inverse inverts them");
  for (size_t i = 0; i < list->size(); ++i) {
    std::string path = fmt::format("{}: aoa_statements[{}]", file, i);
    if (!(*list)[i].is_string()) {
      diagnostics.add(path, "is not a string, expected a statement");
      continue;
    }
    parseText((*list)[i].get_ref<const std::string &>(), {path, true}, variables, statements, diagnostics);
  }
}

/// A name as a statement writes it: quoted if it is not an identifier.
std::string textOfName(const std::string &name) {
  bool isIdentifier = isNameStart(name.front()) && std::ranges::all_of(name, isNameCharacter) &&
                      name.find('^') == std::string::npos;
  return isIdentifier ? name : '"' + name + '"';
}

std::string textOfTerms(const std::vector<Term> &terms) {
  constexpr size_t most = 6;
  std::string text;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms.size() > most && i == most / 2) {
      text += fmt::format(", ... ({} names)", terms.size());
      i = terms.size() - 1;
    }
    text += (i == 0 ? "" : ", ") + textOfName(terms[i].name);
    if (terms[i].range)
      text += fmt::format("[{}:{}]", terms[i].range->first, terms[i].range->second);
    if (terms[i].isTransposed)
      text += "^T";
  }
  return text;
}

} // namespace

const Attribute *Statement::find(std::string_view key) const {
  auto at = std::ranges::find(attributes, key, &Attribute::key);
  return at == attributes.end() ? nullptr : &*at;
}

std::string textOf(const Statement &statement) {
  std::string text = textOfTerms(statement.sources) + " -> " + textOfTerms(statement.targets);
  for (const Attribute &attribute : statement.attributes) {
    bool isInteger = !attribute.value.empty() && std::ranges::all_of(attribute.value, isDigit);
    std::string_view quote = isInteger ? "" : "\"";
    text += ", " + attribute.key;
    if (!attribute.isFlag)
      text += fmt::format("={}{}{}", quote, attribute.value, quote);
  }
  return text;
}

Result<std::vector<Statement>> parseStatements(std::string_view text, const std::string &file,
                                               const Variables &variables) {
  std::vector<Statement> statements;
  Diagnostics diagnostics;
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{')
    parseConfig(text, file, variables, statements, diagnostics);
  else
    parseText(text, {file}, variables, statements, diagnostics);
  if (!diagnostics.empty())
    return diagnostics;
  return statements;
}

} // namespace proa::transform
