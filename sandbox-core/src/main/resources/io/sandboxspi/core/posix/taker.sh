# shellcheck shell=sh
# The functions of the shell below runner.sh, which is read anew for each launch. Read after start.sh.

# Says that a launch may come. state directory, name of the runner
__s_ready() {
  __s_dir=$1 __s_id=$2 __s_now=$1/$2.now __s_flags=a
  __s_stat
  __s_spare=-
  __s_own_session || exit 125
  __s_applets_first
  # Not everywhere is it the truth, or of now; this shell was started just now.
  __s_forks
  __s_live=''
  [ "${__s_last:-0}" -lt "$$" ] || __s_live=1
  __s_say WAITING
}

# sandbox_take launch mark flags directory, then as __s_go
sandbox_take() {
  __s_id=$1 __s_flags=$3 __s_work=$4 __s_user=''
  __s_last=0
  [ -z "$__s_live" ] || __s_forks
  # shellcheck disable=SC2154
  { echo "__s_id=$1 __r_pid=$$ __r_mark=$2 __s_flags=$3 __r_last=${__s_last:-0}" >"$__s_now"; } 2>/dev/null ||
    exit 125
  __s_record
  __s_unless_dead
  shift 4
  __s_go "$@"
}
