# shellcheck shell=sh
# Starts one program as the leader of a session of its own, or under a shell that leads it.
#
# $1 this text      $2 state directory  $3 launch id     $4 flags        $5 shell for a second stage
# $6 rows           $7 columns          $8 directory     $9 mark of the exit trailer, or empty
# $10 user or empty; then a count and that many NAME=VALUE to export, a count and that many for env(1), the program.
#
# Flags: a announce on standard output, n no input, s supervise, z set the terminal's size,
# w wait for another launch, 2 second stage. Read after start.sh.

__s_wait() { # a spare: the next launch comes through a pipe, its arguments through a file
  __s_tool mkfifo
  "$__s_at" -m 600 "$__s_dir/$__s_id.fifo" 2>/dev/null || __s_fail 125 LAUNCH_FAILED pipe
  exec 7<>"$__s_dir/$__s_id.fifo"
  { echo "waiting ." >"$__s_dir/$__s_id.status"; } 2>/dev/null || __s_fail 125 LAUNCH_FAILED record
  __s_unless_dead
  __s_say WAITING
  read -r __s_next <&7 && [ -f "$__s_dir/$__s_next.args" ] || exit 125
  exec 7<&-
  __s_spare=$__s_id
  { true >"$__s_dir/$__s_id.pid"; } 2>/dev/null
}

__s_read() { # the fixed arguments
  __s_dir=$1 __s_id=$2 __s_flags=$3 __s_shell=$4
  __s_rows=$5 __s_columns=$6 __s_work=$7 __s_mark=$8 __s_user=$9
}

__s_text=$1 __s_spare=-
shift
__s_read "$@"
__s_stat
case $__s_flags in
  *2*) ;;
  *)
    __s_open_state
    __s_unless_dead
    if ! __s_own_session; then
      __s_tool setsid
      shift 3
      __s_tty=''
      [ ! -t 0 ] || __s_tty=-c
      # shellcheck disable=SC2016
      {
        "$__s_at" $__s_tty "$__s_shell" -c 'eval "$1"' sandbox-launch "$__s_text" \
          "$__s_dir" "$__s_id" "2$__s_flags" "$@" 2>&8 8>&-
      } 8>&2 2>/dev/null
      exit $?
    fi
    ;;
esac
__s_record
__s_unless_dead
case $__s_flags in
  *w*)
    __s_wait
    # shellcheck disable=SC1090
    . "$__s_dir/$__s_next.args"
    __s_read "$@"
    __s_unless_dead
    __s_record
    __s_unless_dead
    ;;
esac
shift 9

__s_go "$@"
