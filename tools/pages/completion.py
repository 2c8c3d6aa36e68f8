"""Completion of a tool's command line in bash, from the text of its --help."""

import shlex

# Without the functions of the package bash-completion, so that `source FILE` is enough. Bash splits --to=json into
# three words.
FUNCTION = r'''# bash completion for {tool}; generated from {tool} --help
_{function}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} option=
  COMPREPLY=()
  if [[ $cur == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 1]}} cur=
  elif ((COMP_CWORD > 1)) && [[ ${{COMP_WORDS[COMP_CWORD - 1]}} == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 2]}}
  elif [[ $cur != -* ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 1]}}
    case $option in
      {flags}) option= ;;
      -*) ;;
      *) option= ;;
    esac
  fi
  case $option in
{values}  esac
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W {options} -- "$cur")
    [[ ${{COMPREPLY-}} != *= ]] || compopt -o nospace 2>/dev/null
    return
  fi
  {positional}
}}
complete -F _{function} {tool}
'''

FILES = '''compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur")'''
FOLDERS = '''compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur")'''


def words(choices):
    return f"mapfile -t COMPREPLY < <(compgen -W {shlex.quote(' '.join(choices))} -- \"$cur\")"


def name_of(entry, name):
    """The name that is completed, up to the equals sign if --help shows one."""
    return name + "=" if entry.has_equals else name


def list_of_words(choices):
    """Completes the last part of a list with commas."""
    return ('''local head=; [[ $cur != *,* ]] || head=${cur%,*},; mapfile -t COMPREPLY < <(compgen -P "$head" -W '''
            + shlex.quote(" ".join(choices)) + ''' -- "${cur##*,}")''')


def action(entry):
    """The command that completes the value of an option, or ":"."""
    if entry.choices and entry.files:
        kind = "-d" if entry.files == "folder" else "-f"
        return (f"compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen {kind} -- \"$cur\"; "
                f"compgen -W {shlex.quote(' '.join(entry.choices))} -- \"$cur\")")
    if entry.choices:
        return list_of_words(entry.choices) if entry.is_list else words(entry.choices)
    return {"file": FILES, "folder": FOLDERS, "": ":"}[entry.files]


def values_of(page):
    """The rows of `case` that complete values, and the options of passes, which are the value of the pass."""
    rows, plain = [], []
    for entry in page.entries(is_option=True):
        if not entry.value and not entry.nested:
            continue
        command = words([name_of(nested, name.removeprefix("--")) for nested in entry.nested for name in nested.names]
                        ) if entry.nested else action(entry)
        if command == ":":
            plain += entry.names
        else:
            rows.append(f"    {'|'.join(entry.names)}) {command}; return ;;\n")
    return "".join(rows) + (f"    {'|'.join(plain)}) return ;;\n" if plain else "")


def completion(page):
    options, flags = [], []
    for entry in page.entries(is_option=True):
        long_names = [name for name in entry.names if name.startswith("--")]
        options += [name_of(entry, name) for name in long_names or entry.names]
        flags += [] if entry.value else entry.names
    positionals = page.entries(is_option=False)
    takes_files = "file>" in page.usage or any(entry.files == "file" for entry in positionals)
    takes_folders = any(entry.files == "folder" for entry in positionals)
    return FUNCTION.format(tool=page.tool, function=page.tool.replace("-", "_"), flags="|".join(flags),
                           values=values_of(page), options=shlex.quote(" ".join(options)),
                           positional=FILES if takes_files else FOLDERS if takes_folders else "return")
