# shellcheck shell=sh
# Runs one program after another, each below a shell that reads taker.sh and its launch from this
# one's input. So the engine of the sandbox starts no process for a launch, and what the program
# writes goes straight to this one's output. Behind it comes a mark on both outputs, unless somebody
# else still has them: then this shell ends, and the outputs with the last who has them.
#
# $1 state directory  $2 name of this runner  $3 shell. Read after start.sh.

__r_has() { # whether a process has one of the outputs, or may have
  for __r_f in "/proc/$1/fd"/*; do
    case $__r_f in
      # Of another user; somebody older has them as little as before.
      *'*') [ ! -e "/proc/$1" ] || [ "$1" -lt "$__r_pid" ] || return 0 ;;
      *)
        # shellcheck disable=SC3013
        if [ "$__r_f" -ef /proc/self/fd/1 ] || [ "$__r_f" -ef /proc/self/fd/8 ]; then return 0; fi
        ;;
    esac
  done
  return 1
}

__r_alone() { # whether nobody else has the outputs; it must be sure
  __s_forks
  # Nobody was started since the launch began.
  [ "$__r_last" = 0 ] || [ "$__s_last" != "$__r_last" ] || return 0
  __r_seen=0
  for __r_look in 1 2 3 4; do
    # Numbers that begin anew tell no age.
    [ "${__s_last:-0}" -gt "$__r_pid" ] || return 1
    __r_high=$__s_last
    set -- /proc/[0-9]*
    [ $# -le 200 ] || return 1
    for __r_p; do
      __r_p=${__r_p#/proc/}
      if [ "$__r_p" -le "$__r_seen" ] || [ "$__r_p" = $$ ]; then continue; fi
      ! __r_has "$__r_p" || return 1
    done
    # Whoever was born meanwhile was not looked at.
    __s_forks
    [ "$__s_last" != "$__r_high" ] || return 0
    __r_seen=$__r_high
  done
  return 1
}

__s_dir=$1 __s_id=$2 __s_flags=''
__s_stat
__s_open_state
__s_tool rm
__r_rm=$__s_at
__s_tool setsid
# shellcheck disable=SC3040
[ -z "${BASH_VERSION-}" ] || set +o posix
__r_own=$__s_dir/$2 __r_shell=$3
# Some shells count how deep they are; a program sees one of the two.
# shellcheck disable=SC2016
[ "$(exec "$__r_shell" -c 'echo "${SHLVL-}"')" = "${SHLVL-}" ] || SHLVL=$((SHLVL - 1))
exec 8>&2 2>"$__r_own.msg"
while :; do
  __s_id=''
  echo >"$__r_own.now"
  # shellcheck disable=SC2154
  (exec "$__s_at" "$__r_shell") 2>&8 8>&-
  __s_code=$?
  # Its launch: "read" takes a call of the system for each byte.
  # shellcheck disable=SC1090
  [ ! -r "$__r_own.now" ] || . "$__r_own.now"
  [ -n "$__s_id" ] || break # the input has ended
  __s_how "$__r_own.msg"
  # A kill that has removed the record needs no answer; what was not started has one.
  # shellcheck disable=SC2154
  [ ! -e "$__s_dir/$__s_id.pid" ] || [ -s "$__s_dir/$__s_id.status" ] ||
    echo "$__s_word ." >"$__s_dir/$__s_id.status"
  # Whoever kills it is done with this too, and forks disturb him.
  [ ! -e "$__s_dir/$__s_id.dead" ] || exec "$__r_rm" -f "$__r_own.msg" "$__r_own.now"
  __r_alone || break
  printf '\036%s EXIT %s\036' "$__r_mark" "$__s_word"
  printf '\036%s EXIT\036' "$__r_mark" >&8
  # What is left of the program's input is no launch.
  case $__s_flags in *n*) ;; *) break ;; esac
  [ -z "$__s_sure" ] || true >"$__r_own.msg"
done
"$__r_rm" -f "$__r_own.msg" "$__r_own.now"
exit "$__s_code"
