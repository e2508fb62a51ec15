#!/bin/sh
# Finds a Python that is new enough and hands over to tools/setup.
set -o errexit
set -o nounset

cd "$(dirname "$0")/.."

# If $PYTHON is set, only that interpreter is tried.
if [ -n "${PYTHON:-}" ]; then
  candidates="${PYTHON}"
else
  candidates="python3 python3.13 python3.12 python3.11 python3.14"
fi

found=""
for candidate in ${candidates}; do
  version="$("${candidate}" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" || continue
  case "${version}" in
    3.1[1-9] | 3.[2-9][0-9]) exec "${candidate}" -m tools.setup "$@" ;;
  esac
  found="${found:+${found}, }${candidate} is ${version}"
done

echo "error: Python 3.11 or newer is required${found:+; ${found}}" >&2
echo >&2
echo "hint: install one (Debian, Ubuntu: \`apt-get install python3 python3-venv\`), or set PYTHON to its path" >&2
exit 1
