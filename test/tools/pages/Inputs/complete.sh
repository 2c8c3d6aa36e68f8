# complete.sh TOOL WORD... LAST: prints what bash completes LAST to, one a line, sorted.
source "$(dirname "$(command -v "$1")")/../pages/completions/$1"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"_${1//-/_}"
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}" | sort
