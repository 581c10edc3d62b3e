# shellcheck shell=sh
# Functions on files of the workspace, for a kept shell. The first argument is the workspace, the
# second a path in it. The first word of an answer is OK, or says what is wrong: MISSING, OUTSIDE,
# LOOP, DIRECTORY, FILE (in the place of a directory), FULL (a directory), TOOL (one is missing), or
# FAILED. Names may hold anything; variables start with sf_.

# Finds the real path of $2 below $1 in sf_at, links resolved by hand. $3 is "entry" to leave a link
# at the end alone. sf_gone says that a part of it does not exist.
sf_walk() {
  sf_root=$(cd -P -- "$1" 2>/dev/null && pwd -P && echo x) || return 1
  sf_root=${sf_root%??}
  sf_at=$sf_root sf_rest=$2 sf_gone='' sf_hops=0
  while [ -n "$sf_rest" ]; do
    sf_part=${sf_rest%%/*}
    case $sf_rest in */*) sf_rest=${sf_rest#*/} ;; *) sf_rest='' ;; esac
    case $sf_part in
      '' | .) continue ;;
      ..)
        sf_at=${sf_at%/*}
        continue
        ;;
    esac
    if [ -h "$sf_at/$sf_part" ] && { [ -n "$sf_rest" ] || [ "$3" != entry ]; }; then
      sf_hops=$((sf_hops + 1))
      [ "$sf_hops" -le 40 ] || { echo LOOP && return 1; }
      sf_to=$(readlink -n "$sf_at/$sf_part" && echo x) || { echo TOOL readlink && return 1; }
      sf_to=${sf_to%x}
      case $sf_to in /*) sf_at='' ;; esac
      sf_rest=$sf_to/$sf_rest
      sf_rest=${sf_rest%/}
      continue
    fi
    sf_at=$sf_at/$sf_part
    [ -e "$sf_at" ] || [ -h "$sf_at" ] || sf_gone=1
  done
  case $sf_at/ in
    "$sf_root"/*) ;;
    *) echo OUTSIDE && return 1 ;;
  esac
  # A file in the place of a directory.
  if [ -n "$sf_gone" ]; then
    sf_up=${sf_at%/*}
    while [ ! -e "$sf_up" ] && [ -n "$sf_up" ]; do sf_up=${sf_up%/*}; done
    [ -d "${sf_up:-/}" ] || { echo FILE && return 1; }
  fi
}

# The file of a read, when it is one.
sf_file() {
  sf_walk "$1" "$2" target || return 1
  if [ -n "$sf_gone" ]; then echo MISSING && return 1; fi
  if [ -d "$sf_at" ]; then echo DIRECTORY && return 1; fi
  if [ ! -f "$sf_at" ] || [ ! -r "$sf_at" ]; then echo FAILED it cannot be read && return 1; fi
}

# sf_read workspace path most: "OK", a newline and the content, or "BIG" and the real path.
sf_read() {
  sf_file "$1" "$2" || return 0
  sf_size=$(wc -c <"$sf_at") || sf_size=0
  if [ "$sf_size" -gt "$3" ]; then
    printf 'BIG %s' "$sf_at"
  else
    echo OK
    head -c "$3" "$sf_at"
  fi
}

# Where a write goes: sf_at, its parents made, and sf_part_file beside it.
sf_target() { # workspace path temporary-name
  sf_walk "$1" "$2" target || return 1
  if [ -d "$sf_at" ]; then echo DIRECTORY && return 1; fi
  if [ -n "$sf_gone" ] && [ ! -d "${sf_at%/*}" ]; then
    mkdir -p "${sf_at%/*}" || { echo FAILED its parents cannot be made && return 1; }
  fi
  sf_part_file=${sf_at%/*}/$3
}

# sf_begin workspace path temporary-name: "OK", and the temporary file's path.
sf_begin() {
  sf_target "$1" "$2" "$3" || return 0
  if (: >"$sf_part_file"); then
    printf 'OK\n%s' "$sf_part_file"
  else
    echo FAILED it cannot be written
  fi
}

# sf_put workspace path temporary-name base64: a small file at once.
sf_put() {
  sf_target "$1" "$2" "$3" || return 0
  command -v base64 >/dev/null || { echo TOOL base64 && return 0; }
  if (printf %s "$4" | base64 -d >"$sf_part_file"); then
    sf_swap
  else
    rm -f "$sf_part_file"
    echo FAILED it cannot be written
  fi
}

# sf_end workspace path temporary-name size: puts a whole temporary file in its place.
sf_end() {
  sf_target "$1" "$2" "$3" || return 0
  sf_size=$(wc -c <"$sf_part_file") || sf_size=none
  if [ "$((sf_size))" = "$4" ]; then
    sf_swap
  else
    rm -f "$sf_part_file"
    echo FAILED "$sf_size of $4 bytes arrived"
  fi
}

# sf_drop workspace path temporary-name: forgets a write.
sf_drop() {
  sf_target "$1" "$2" "$3" || return 0
  rm -f "$sf_part_file"
  echo OK
}

sf_swap() {
  if [ -f "$sf_at" ]; then
    chmod "$(stat -c %a "$sf_at")" "$sf_part_file" 2>/dev/null
  fi
  if mv -f "$sf_part_file" "$sf_at"; then
    echo OK
  else
    rm -f "$sf_part_file"
    echo FAILED it cannot be replaced
  fi
}

# sf_stat workspace path: "OK", mode in hexadecimal, size, seconds.
sf_stat() {
  sf_walk "$1" "$2" entry || return 0
  if [ -n "$sf_gone" ]; then
    echo MISSING
  else
    sf_info=$(stat -c '%f %s %Y' "$sf_at") || { echo FAILED it cannot be examined && return 0; }
    echo "OK $sf_info"
  fi
}

# sf_list workspace path: "OK", then in batches a count, a line as above for each entry, and the
# names, each with a NUL character behind it.
sf_list() {
  sf_walk "$1" "$2" target || return 0
  if [ -n "$sf_gone" ]; then
    echo MISSING
  elif [ ! -d "$sf_at" ]; then
    echo FILE
  elif ! (cd "$sf_at/"); then
    echo FAILED it cannot be read
  else
    echo OK
    # shellcheck disable=SC2016
    (cd "$sf_at/" && find . -mindepth 1 -maxdepth 1 -exec sh -c '
      echo "$#"
      stat -c "%f %s %Y" "$@"
      printf "%s\0" "$@"' sh {} +)
  fi
}

# sf_make workspace path: a directory and its parents.
sf_make() {
  sf_walk "$1" "$2" target || return 0
  if [ -z "$sf_gone" ] && [ ! -d "$sf_at" ]; then
    echo FILE
  elif mkdir -p "$sf_at"; then
    echo OK
  else
    echo FAILED it cannot be made
  fi
}

# sf_remove workspace path tree-or-one: a link itself, never its target.
sf_remove() {
  sf_walk "$1" "$2" entry || return 0
  if [ "$sf_at" = "$sf_root" ]; then
    echo FAILED it is the workspace
  elif [ -n "$sf_gone" ]; then
    if [ "$3" = tree ]; then echo OK; else echo MISSING; fi
  elif [ "$3" = tree ]; then
    if rm -rf "$sf_at"; then echo OK; else echo FAILED it cannot be removed; fi
  elif [ -d "$sf_at" ] && [ ! -h "$sf_at" ]; then
    if rmdir "$sf_at"; then echo OK; else echo FULL; fi
  elif rm -f "$sf_at"; then
    echo OK
  else
    echo FAILED it cannot be removed
  fi
}
