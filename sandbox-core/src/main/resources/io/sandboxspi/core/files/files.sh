# shellcheck shell=sh
# Functions on files below a root. The first argument is the root, the second a path below it. The
# first line of an answer is OK, or a word that says what is wrong: MISSING, OUTSIDE, LOOP,
# DIRECTORY, FILE (in the place of a directory), FULL (a directory), CHANGED (while it was used),
# TOOL (one is missing), or FAILED. Names may hold anything; variables start with sf_. A path is
# resolved by hand, then the shell goes to the directory it leads to and makes sure that it is there.

# Finds the real path of $2 below $1 in sf_at. $3 is "entry" to leave a link at the end alone.
# sf_gone says that a part of it does not exist.
sf_walk() {
  if ! cd -P -- "$1" 2>/dev/null; then echo MISSING && return 1; fi
  sf_root=$PWD
  if [ "$sf_root" = / ]; then echo OUTSIDE && return 1; fi
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

# Goes to the directory that sf_at is in; sf_name is the entry.
sf_go() {
  case $sf_at in
    "$sf_root") sf_up=$sf_root sf_name=. ;;
    *) sf_up=${sf_at%/*} sf_name=${sf_at##*/} ;;
  esac
  if ! cd -P -- "$sf_up" 2>/dev/null || [ "$PWD" != "$sf_up" ]; then echo CHANGED && return 1; fi
}

# Goes to a directory below sf_root, and makes what is missing of it on the way.
sf_deep() {
  sf_rest=${1#"$sf_root"} sf_up=$sf_root
  sf_rest=${sf_rest#/}
  cd -P -- "$sf_root" 2>/dev/null || { echo CHANGED && return 1; }
  while [ -n "$sf_rest" ]; do
    sf_part=${sf_rest%%/*}
    case $sf_rest in */*) sf_rest=${sf_rest#*/} ;; *) sf_rest='' ;; esac
    sf_up=$sf_up/$sf_part
    if [ ! -d "./$sf_part" ] && ! mkdir "./$sf_part" 2>/dev/null && [ ! -d "./$sf_part" ]; then
      echo FAILED "its directory cannot be made" && return 1
    fi
    if ! cd -P -- "./$sf_part" 2>/dev/null || [ "$PWD" != "$sf_up" ]; then
      echo CHANGED && return 1
    fi
  done
}

# The file of a read, when it is one.
sf_file() {
  sf_walk "$1" "$2" target || return 1
  if [ -n "$sf_gone" ]; then echo MISSING && return 1; fi
  sf_go || return 1
  if [ -d "./$sf_name" ]; then echo DIRECTORY && return 1; fi
  if [ ! -f "./$sf_name" ] || [ ! -r "./$sf_name" ]; then
    echo FAILED "it cannot be read" && return 1
  fi
}

# Whether descriptor 3 is below the root, where the system tells.
sf_held() {
  [ -e /proc/self/fd/3 ] || return 0
  sf_to=$(readlink -n /proc/self/fd/3 && echo x)
  case $sf_to in
    "$sf_root"/*) ;;
    *) echo CHANGED && return 1 ;;
  esac
}

# sf_read root path most: "OK" and the content, or "BIG" and what sf_seen tells.
sf_read() {
  sf_file "$1" "$2" || return 0
  { sf_short "$3"; } 3<"./$sf_name"
}

sf_short() {
  sf_held || return 0
  # GNU wc asks for the size, busybox reads: so not all of a large file.
  sf_size=$(head -c $(($1 + 1)) <&3 | wc -c)
  if [ "$((sf_size))" -gt "$1" ]; then
    sf_seen BIG "./$sf_name"
  else
    echo OK
    head -c "$1" "./$sf_name"
  fi
}

# A word, owner, group, mode, size and time of a file in this directory; in the next line its path.
sf_seen() { # word name
  echo "$1 $(stat -c '%u %g %a %s %y' "$2")"
  printf %s "$sf_up/$sf_name"
}

# sf_cat root path mark: "OK", the content, of any size, and the mark: without it a part is missing.
sf_cat() {
  sf_file "$1" "$2" || return 0
  {
    sf_held && echo OK && cat <&3 && printf %s "$3"
  } 3<"./$sf_name"
}

# Where a write goes: goes to the directory, made if it is missing; sf_name is the entry.
sf_target() {
  sf_walk "$1" "$2" target || return 1
  if [ -d "$sf_at" ]; then echo DIRECTORY && return 1; fi
  sf_name=${sf_at##*/}
  sf_deep "${sf_at%/*}"
}

# sf_put root path temporary-name base64: a small file at once.
sf_put() {
  command -v base64 >/dev/null || { echo TOOL base64 && return 0; }
  sf_target "$1" "$2" || return 0
  if (set -C && printf %s "$4" | base64 -d >"./$3"); then
    sf_swap "$3"
  else
    rm -f "./$3"
    echo FAILED "it cannot be written"
  fi
}

# sf_part root path temporary-name: makes an empty file; "OK" and what sf_seen tells.
sf_part() {
  sf_target "$1" "$2" || return 0
  sf_name=$3
  if (set -C && : >"./$3"); then sf_seen OK "./$3"; else echo FAILED "it cannot be written"; fi
}

# sf_save root path temporary-name: "OK" before the content comes on the input.
sf_save() {
  sf_target "$1" "$2" || return 0
  set -C
  {
    echo OK && exec cat >&4
  } 4>"./$3" || echo FAILED "it cannot be written"
}

# sf_end root path temporary-name size: puts a whole temporary file in its place.
sf_end() {
  sf_target "$1" "$2" || return 0
  sf_size=$(stat -c %s "./$3") || sf_size=none
  if [ "$sf_size" = "$4" ]; then
    sf_swap "$3"
  else
    rm -f "./$3"
    echo FAILED "$sf_size of $4 bytes arrived"
  fi
}

# sf_drop root path temporary-name: forgets a write.
sf_drop() {
  sf_target "$1" "$2" || return 0
  rm -f "./$3"
  echo OK
}

sf_swap() {
  if [ -f "./$sf_name" ]; then
    chmod "$(stat -c %a "./$sf_name")" "./$1" 2>/dev/null
  fi
  if sf_mv "./$1" "./$sf_name"; then
    echo OK
  else
    rm -f "./$1"
    echo FAILED "it cannot be replaced"
  fi
}

# Renames; a link to a directory is a link. A directory must be writable to get another parent.
sf_mv() {
  if [ -d "$1" ] && [ ! -h "$1" ] && [ ! -w "$1" ]; then
    sf_was=$(stat -c %a "$1") && chmod u+w "$1" || return 1
    if sf_mv_open "$1" "$2"; then
      chmod "$sf_was" "$2"
    else
      chmod "$sf_was" "$1"
      return 1
    fi
  else
    sf_mv_open "$1" "$2"
  fi
}

sf_mv_open() {
  if [ -z "${sf_mv_t-}" ]; then
    case $(mv --help 2>&1) in *' -T'*) sf_mv_t=T ;; *) sf_mv_t=- ;; esac
  fi
  if [ "$sf_mv_t" = T ]; then
    mv -f -T -- "$1" "$2"
  else
    [ ! -h "$2" ] || [ ! -d "$2" ] || rm -f -- "$2"
    mv -f -- "$1" "$2"
  fi
}

# sf_stat root path: "OK", mode in hexadecimal, size, seconds.
sf_stat() {
  sf_walk "$1" "$2" entry || return 0
  if [ -n "$sf_gone" ]; then
    echo MISSING
  elif sf_go; then
    sf_info=$(stat -c '%f %s %Y' -- "./$sf_name") || { echo FAILED "it cannot be examined"; return 0; }
    echo "OK $sf_info"
  fi
}

# Goes to the directory of a list, when it is one.
sf_in() {
  sf_walk "$1" "$2" target || return 1
  if [ -n "$sf_gone" ]; then echo MISSING && return 1; fi
  if [ ! -d "$sf_at" ]; then echo FILE && return 1; fi
  if ! cd -P -- "$sf_at" 2>/dev/null; then echo FAILED "it cannot be read" && return 1; fi
  if [ "$PWD" != "$sf_at" ]; then echo CHANGED && return 1; fi
}

# sf_list root path: "OK", then in batches a count, a line as above for each entry, and the names,
# each with a NUL character behind it.
sf_list() {
  sf_in "$1" "$2" || return 0
  if [ ! -r . ]; then echo FAILED "it cannot be read" && return 0; fi
  echo OK
  # shellcheck disable=SC2016
  find . -mindepth 1 -maxdepth 1 -exec sh -c '
    echo "$#"
    stat -c "%f %s %Y" "$@"
    printf "%s\0" "$@"' sh {} +
}

# sf_make root path: a directory and its parents.
sf_make() {
  sf_walk "$1" "$2" target || return 0
  if [ -z "$sf_gone" ] && [ ! -d "$sf_at" ]; then
    echo FILE
  elif sf_deep "$sf_at"; then
    echo OK
  fi
}

# sf_remove root path tree-or-one: a link itself, never its target.
sf_remove() {
  sf_walk "$1" "$2" entry || return 0
  if [ "$sf_at" = "$sf_root" ]; then
    echo FAILED "it is the root"
  elif [ -n "$sf_gone" ]; then
    if [ "$3" = tree ]; then echo OK; else echo MISSING; fi
  elif ! sf_go; then
    return 0
  elif [ "$3" = tree ]; then
    rm -rf -- "./$sf_name" 2>/dev/null || sf_force
    if [ -e "./$sf_name" ] || [ -h "./$sf_name" ]; then
      echo FAILED "it cannot be removed"
    else
      echo OK
    fi
  elif [ -d "./$sf_name" ] && [ ! -h "./$sf_name" ]; then
    if rmdir -- "./$sf_name" 2>/dev/null; then echo OK; else echo FULL; fi
  elif rm -f -- "./$sf_name"; then
    echo OK
  else
    echo FAILED "it cannot be removed"
  fi
}

# Removes what has directories that are closed to their owner.
sf_force() {
  find "./$sf_name" -type d -exec chmod u+rwx {} ';' 2>/dev/null
  rm -rf -- "./$sf_name"
}

# sf_move root from to: renames an entry, a link itself.
sf_move() {
  sf_walk "$1" "$2" entry || return 0
  if [ -n "$sf_gone" ]; then echo MISSING && return 0; fi
  sf_go || return 0
  sf_from_up=$sf_up sf_from=$sf_name
  sf_walk "$1" "$3" entry || return 0
  if [ -d "$sf_at" ] && [ ! -h "$sf_at" ]; then echo DIRECTORY && return 0; fi
  sf_name=${sf_at##*/}
  sf_deep "${sf_at%/*}" || return 0
  { sf_rename; } 3<"$sf_from_up"
}

# With descriptor 3 on the directory that the entry is in.
sf_rename() {
  if [ -e /proc/self/fd/3 ]; then
    sf_to=$(readlink -n /proc/self/fd/3 && echo x)
    if [ "$sf_to" != "${sf_from_up}x" ]; then echo CHANGED && return 0; fi
    sf_from_up=/proc/self/fd/3
  fi
  if sf_mv "$sf_from_up/$sf_from" "./$sf_name" 2>/dev/null; then
    echo OK
  else
    echo FAILED "it cannot be renamed"
  fi
}

# sf_mode root path octal: sets the mode of what is no link.
sf_mode() {
  sf_walk "$1" "$2" target || return 0
  if [ -n "$sf_gone" ]; then echo MISSING && return 0; fi
  sf_go || return 0
  if [ -h "./$sf_name" ]; then
    echo CHANGED
  elif chmod -- "$3" "./$sf_name"; then
    echo OK
  else
    echo FAILED "its permissions cannot be changed"
  fi
}

# sf_pack root path exclude..: "OK" and a tar of the directory.
sf_pack() {
  command -v tar >/dev/null || { echo TOOL tar && return 0; }
  sf_in "$1" "$2" || return 0
  shift 2
  # The reader leaves out what is not; this saves the way.
  case $(tar --help 2>&1) in *--exclude*) ;; *) set -- ;; esac
  sf_n=$#
  while [ "$sf_n" -gt 0 ]; do
    sf_n=$((sf_n - 1))
    case $1 in *[\*\?\[\\]*) ;; *) set -- "$@" "--exclude=./$1" ;; esac
    shift
  done
  echo OK
  exec tar "$@" -cf - .
}

# sf_fresh root path: a new empty directory.
sf_fresh() {
  sf_walk "$1" "$2" entry || return 0
  if [ -z "$sf_gone" ]; then echo FAILED "it exists" && return 0; fi
  sf_name=${sf_at##*/}
  sf_deep "${sf_at%/*}" || return 0
  if mkdir -m 700 "./$sf_name"; then echo OK; else echo FAILED "it cannot be made"; fi
}

# sf_unpack root path last: "OK", then takes a tar from the input into the directory. Its last entry
# is a file of this name, which is removed: without it a part is missing.
sf_unpack() {
  command -v tar >/dev/null || { echo TOOL tar && return 0; }
  sf_in "$1" "$2" || return 0
  echo OK
  umask 0
  tar -xpof - >&2 && rm "./$3" >&2
}

# sf_close root path mode name...: gives directories below a directory their modes, for a tar that did not.
sf_close() {
  sf_in "$1" "$2" || return 0
  shift 2
  while [ "$#" -gt 1 ]; do
    # What cannot be reached is in a directory that tar has closed, and was closed before it.
    if [ -d "./$2" ] && [ ! -h "./$2" ] && ! chmod "$1" "./$2"; then
      echo FAILED "modes cannot be set"
      return 0
    fi
    shift 2
  done
  echo OK
}

# sf_switch root path staged-name old-name: the entries of a directory in it in the place of all.
sf_switch() {
  sf_in "$1" "$2" || return 0
  if [ ! -d "./$3" ] || [ -h "./$3" ]; then echo MISSING && return 0; fi
  if ! mkdir -m 700 "./$4"; then echo FAILED "it cannot be changed" && return 0; fi
  if ! sf_shift . "./$4" "$3" "$4"; then
    sf_shift "./$4" . "$3" "$4"
  elif ! sf_shift "./$3" . "$3" "$4"; then
    sf_shift . "./$3" "$3" "$4" && sf_shift "./$4" . "$3" "$4"
  else
    rm -rf "./$3" "./$4" 2>/dev/null || { sf_name=$4 && sf_force; }
    echo OK && return 0
  fi
  rmdir "./$4"
  echo FAILED "its entries cannot be replaced"
}

# Renames all entries of a directory into another, but for two names.
sf_shift() { # from to but but
  # shellcheck disable=SC2016
  find "$1" -mindepth 1 -maxdepth 1 -type d ! -perm -200 ! -name "$3" ! -name "$4" -exec sh -c '
    sf_d=$1
    shift
    for sf_e; do
      sf_m=$(stat -c %a "$sf_e") && chmod u+w "$sf_e" || exit 1
      if mv -f -- "$sf_e" "$sf_d/"; then
        chmod "$sf_m" "$sf_d/${sf_e##*/}"
      else
        chmod "$sf_m" "$sf_e"
        exit 1
      fi
    done' sh "$2" {} + || return 1
  # shellcheck disable=SC2016
  find "$1" -mindepth 1 -maxdepth 1 ! -name "$3" ! -name "$4" -exec sh -c '
    sf_d=$1
    shift
    mv -f -- "$@" "$sf_d/"' sh "$2" {} +
}
