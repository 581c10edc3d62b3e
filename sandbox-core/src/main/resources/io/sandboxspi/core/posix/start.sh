# shellcheck shell=sh
# What launch.sh and taker.sh have in common. The variables of a launch are __s_dir, __s_id, __s_flags,
# __s_work and __s_user. Names start with __s_: they must not meet a variable of the program. A special builtin
# whose redirection fails ends dash, hence "echo" and "true".

__s_first=''

__s_say() {
  case $__s_flags in *a*) printf '\036%s %s\036' "$__s_id" "$1" ;; esac
}

__s_fail() { # exit code, error code, what is missing
  { echo "error $2 $3 ." >"$__s_dir/$__s_id.status"; } 2>/dev/null
  __s_say "ERROR $2 $3"
  exit "$1"
}

__s_unless_dead() {
  [ -e "$__s_dir/$__s_id.dead" ] || return 0
  __s_say REFUSED
  exit 125
}

__s_tool() { # a tool of the launcher; the program's PATH comes last
  __s_path=${PATH-}
  PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:$__s_path
  __s_at=$(command -v "$1") || __s_at=
  PATH=$__s_path
  [ -n "$__s_at" ] || __s_fail 125 LAUNCH_FAILED "tool $1"
}

__s_stat() { # fields of this process, from the third on
  { read -r __s_stat </proc/self/stat; } 2>/dev/null || __s_stat=') ? 0 0 0 0'
  __s_stat=${__s_stat##*) }
}

__s_forks() { # the number that was last given to a process
  __s_last=''
  { read -r __s_last </proc/loadavg; } 2>/dev/null
  __s_last=${__s_last##* }
}

__s_open_state() {
  if [ ! -d "$__s_dir" ]; then
    __s_tool mkdir
    "$__s_at" -m 700 "$__s_dir" 2>/dev/null
  fi
  # shellcheck disable=SC3067
  if [ ! -d "$__s_dir" ] || [ -h "$__s_dir" ] || [ ! -O "$__s_dir" ] || [ ! -w "$__s_dir" ]; then
    __s_fail 125 LAUNCH_FAILED "state directory"
  fi
}

__s_own_session() { # whether this shell leads a session, with its terminal if it has one
  # shellcheck disable=SC2086
  set -- $__s_stat
  [ "$4" = "$$" ] && [ "$3" = "$$" ] && { [ "$5" != 0 ] || [ ! -t 0 ]; }
}

__s_record() { # what stands for this process from now on; one write, whole if it ends in a dot
  # shellcheck disable=SC2086
  set -- $__s_stat
  set -C
  { echo "$$ ${20:-0} $__s_spare ." >"$__s_dir/$__s_id.pid"; } 2>/dev/null ||
    __s_fail 125 LAUNCH_FAILED record
  set +C
}

__s_find() { # the program's file, as execvp would find it
  __s_found='' __s_denied=''
  case $1 in
    */*)
      [ -e "$1" ] || return 0
      if [ -f "$1" ] && [ -x "$1" ]; then __s_found=$1; else __s_denied=1; fi
      ;;
    ?*)
      __s_rest=${PATH:-/usr/bin:/bin}:
      while [ -n "$__s_rest" ]; do
        __s_try=${__s_rest%%:*}
        __s_try=${__s_try:-.}/$1
        __s_rest=${__s_rest#*:}
        [ -f "$__s_try" ] || continue
        if [ -x "$__s_try" ]; then
          __s_found=$__s_try
          return 0
        fi
        __s_denied=1
      done
      ;;
  esac
}

__s_applets_first() { # whether the shell prefers its own applets to files in PATH
  if [ -z "$__s_first" ]; then
    __s_path=${PATH-}
    # shellcheck disable=SC2123
    PATH=/nonexistent
    command -v sort >/dev/null 2>&1
    __s_first=$?
    PATH=$__s_path
  fi
  return "$__s_first"
}

__s_how() { # how a program ended, in __s_word; $1 holds what the shell printed of it
  # A shell tells a signal from a code above 128 only by what it prints.
  __s_word="exit $__s_code" __s_sure=''
  [ ! -s "$1" ] || __s_sure=1
  case $__s_code in
    130 | 141) __s_sure=1 ;; # no shell prints these two
    143) [ -z "${BASH_VERSION-}" ] || __s_sure=1 ;;
  esac
  if [ "$__s_code" -gt 128 ] && [ -n "$__s_sure" ]; then
    __s_word="signal $((__s_code - 128))"
  fi
}

__s_supervise() {
  trap : HUP INT QUIT TERM USR1 USR2
  # It prints what it should in its own mode only.
  # shellcheck disable=SC3040
  [ -z "${BASH_VERSION-}" ] || set +o posix
  exec 8>&2 2>"$__s_dir/$__s_id.msg"
  (exec "$@") 2>&8 8>&-
  __s_code=$?
  __s_how "$__s_dir/$__s_id.msg"
  { echo "$__s_word ." >"$__s_dir/$__s_id.status"; } 2>/dev/null
  [ -z "$__s_mark" ] || printf '\036%s EXIT %s\036' "$__s_mark" "$__s_word"
  exit "$__s_code"
}

__s_account() { # how to become the user: __s_as, and what that needs
  __s_tool id
  __s_own=$("$__s_at" -u)
  __s_uid=$("$__s_at" -u "$__s_user" 2>/dev/null) || __s_fail 125 USER_NOT_FOUND user
  __s_gid=$("$__s_at" -g "$__s_user" 2>/dev/null) || __s_fail 125 USER_NOT_FOUND user
  __s_as=''
  [ "$__s_own" != "$__s_uid" ] || return 0
  [ "$__s_own" = 0 ] || __s_fail 125 UNSUPPORTED "root for another user"
  # Whoever ends launches reads what belongs to others in another way from now on.
  { true >"$__s_dir/users"; } 2>/dev/null || __s_fail 125 LAUNCH_FAILED record
  __s_path=${PATH-}
  PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:$__s_path
  # The su of others makes a session of its own, without the terminal.
  case $(setpriv --help 2>&1) in
    *--reuid*) __s_as=setpriv ;;
    *) case $(su --help 2>&1) in *[Bb]usy[Bb]ox*) __s_as=su ;; esac ;;
  esac
  __s_sh=$(command -v "$__s_shell")
  PATH=$__s_path
  __s_tool "${__s_as:-setpriv}"
}

# Starts the program: a count and that many NAME=VALUE to export, a count and that many for env(1),
# then the program and its arguments.
__s_go() {
  __s_count=$1
  shift
  while [ "$__s_count" -gt 0 ]; do
    # shellcheck disable=SC2163
    export "$1"
    shift
    __s_count=$((__s_count - 1))
  done
  export "SANDBOX_PROCESS=$__s_id"
  __s_count=$1
  shift

  [ -d "$__s_work" ] || __s_fail 125 WORKING_DIRECTORY_NOT_FOUND directory
  cd "$__s_work" 2>/dev/null || __s_fail 125 LAUNCH_FAILED directory
  eval "__s_find \"\${$((__s_count + 1))}\""
  if [ -z "$__s_found" ]; then
    [ -z "$__s_denied" ] || __s_fail 126 COMMAND_NOT_EXECUTABLE program
    __s_fail 127 COMMAND_NOT_FOUND program
  fi
  if [ "$__s_count" -gt 0 ]; then
    __s_tool env
    set -- "$__s_at" "$@"
  else
    case $1 in -*) __s_name=own ;; *) __s_name='' ;; esac
    if [ -n "$__s_name" ] || __s_applets_first; then
      shift
      set -- "$__s_found" "$@"
    fi
  fi
  if [ -n "$__s_user" ]; then
    __s_account
    # shellcheck disable=SC2016
    case $__s_as in
      setpriv) set -- "$__s_at" "--reuid=$__s_uid" "--regid=$__s_gid" --init-groups -- "$@" ;;
      su) set -- "$__s_at" -m -s "$__s_sh" -c 'exec "$@"' -- "$__s_user" sandbox-user "$@" ;;
    esac
  fi
  case $__s_flags in
    *z*)
      if [ -t 0 ]; then
        __s_tool stty
        "$__s_at" rows "$__s_rows" cols "$__s_columns" 2>/dev/null ||
          __s_fail 125 LAUNCH_FAILED "terminal size"
      fi
      ;;
  esac
  case $__s_flags in *n*) exec </dev/null ;; esac
  __s_say "STARTED $$"
  case $__s_flags in *s*) __s_supervise "$@" ;; esac
  exec "$@"
}

