# shellcheck shell=sh
# Functions that end, signal and look at launches by the state launch.sh keeps. Their first argument
# is the state directory. They answer one line for each launch and keep nothing but variables that
# start with sk_. What runs often is made of builtins: a fork is dear.

sk_nl='
'

# Reads a record: sk_pid and sk_start. A record without its dot is being written, or never was.
sk_load() {
  sk_pid='' sk_start='' sk_spare='' sk_dot=''
  { read -r sk_pid sk_start sk_spare sk_dot <"$sk_dir/$1.pid"; } 2>/dev/null
  case $sk_pid$sk_start in *[!0-9]*) return 1 ;; esac
  [ "$sk_dot" = . ] && [ "${sk_pid:-0}" -gt 1 ]
}

# What stands behind a process's name, which may hold anything; left in sk_stat. Dash looks for the
# longest match through all of the line.
sk_behind() { # line of stat
  sk_stat=${1#*) }
  case $sk_stat in *") "*) sk_stat=${sk_stat##*) } ;; esac
}

# Whether a process has this start and lives; its group is left in sk_group.
sk_lives() { # pid start
  { read -r sk_stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  sk_behind "$sk_stat"
  # shellcheck disable=SC2086
  set -- "$2" $sk_stat
  sk_group=$4
  case $2 in [ZXx]) return 1 ;; esac
  [ "$1" = "${21-}" ]
}

# Hundredths of a second on a clock that only goes up.
sk_clock() {
  if { read -r sk_now sk_stat </proc/uptime; } 2>/dev/null; then
    sk_now=$((${sk_now%.*} * 100 + 1${sk_now#*.} - 100))
  else
    sk_now=$(date +%s)00
  fi
}

# sandbox_kill directory milliseconds id..
# Ends trees. Answers "ID CONFIRMED", "ID GONE", both with "exit N" or "signal N" behind them where
# that was recorded, "ID ALIVE pid..", or "ID UNPROVEN why".
sandbox_kill() {
  sk_dir=$1
  sk_clock
  sk_limit=$((sk_now + $2 / 10 + 1))
  shift 2
  sk_ifs=$IFS sk_open='' sk_names=' ' sk_files='' sk_empty=' ' sk_stuck=0 sk_pass=0 sk_n=0
  IFS=' '
  [ -d "$sk_dir" ] || mkdir -m 700 "$sk_dir" 2>/dev/null
  for sk_id; do
    if { true >"$sk_dir/$sk_id.dead"; } 2>/dev/null; then
      sk_n=$((sk_n + 1))
      sk_open="$sk_open $sk_n" sk_names="$sk_names$sk_id=$sk_n "
      eval "sk_I$sk_n=\$sk_id sk_S$sk_n="
    else
      echo "$sk_id UNPROVEN tombstone"
    fi
  done
  if [ -r "/proc/$$/stat" ]; then
    while [ -n "$sk_open" ]; do
      sk_pass=$((sk_pass + 1))
      sk_sweep
      sk_settle
    done
  else
    sk_blind
  fi
  # shellcheck disable=SC2086
  [ -z "$sk_files" ] || (cd "$sk_dir" && IFS=' ' && rm -f $sk_files)
  IFS=$sk_ifs
}

# One look at all processes, and a SIGKILL to what belongs to the open launches.
sk_sweep() {
  sk_vars='' sk_tokens='' sk_members='' sk_groups=' ' sk_unsure=''
  sk_leaders
  sk_forks
  sk_b=$sk_last
  sk_all=$(cat /proc/[0-9]*/stat 2>/dev/null)
  sk_forks
  # Who forks and ends while the list is read is in it in neither form: look again, a few times.
  [ $((sk_last - sk_b)) -le 2 ] || [ "$sk_pass" -ge 4 ] || sk_unsure=1
  set -f
  IFS=$sk_nl
  for sk_line in $sk_all; do
    IFS=' '
    sk_p=${sk_line%% *}
    sk_behind "$sk_line"
    # shellcheck disable=SC2086
    set -- $sk_stat
    eval "sk_b=\${sk_B$sk_p-}"
    if [ -n "$sk_b" ]; then
      if [ "$sk_b" = "${20}" ]; then eval "sk_A$sk_p=here"; else eval "sk_A$sk_p=other"; fi
    fi
    # Not the dead, not this shell, nothing older than the launches, no kernel thread.
    case $1 in [ZXx]) continue ;; esac
    [ "$sk_p" != $$ ] || { sk_group=$3 && continue; }
    if [ "${20}" -ge "$sk_oldest" ] && [ $(($7 & 2097152)) = 0 ]; then
      sk_tokens="$sk_tokens $sk_p:$2:$3:$4"
    fi
  done
  for sk_p in $sk_known; do
    eval "[ \$sk_A$sk_p != here ] || sk_G$sk_p=\$sk_L$sk_p"
  done
  sk_claim
  [ -z "$sk_tokens" ] || sk_cookies
  sk_strike
  IFS=' '
  # shellcheck disable=SC2086
  [ -z "$sk_vars" ] || unset $sk_vars
  set +f
}

# The number that was last given to a process.
sk_forks() {
  sk_last=0
  { read -r sk_last </proc/loadavg; } 2>/dev/null
  sk_last=${sk_last##* }
}

# What the records say: the launch L, start B and state A of each leader, and the oldest start.
sk_leaders() {
  sk_known='' sk_oldest=''
  for sk_n in $sk_open; do
    eval "sk_id=\$sk_I$sk_n sk_M$sk_n="
    if sk_load "$sk_id"; then
      # Of two launches with one number the younger has it.
      eval "sk_b=\${sk_B$sk_pid:-0}"
      if [ "$sk_b" -lt "$sk_start" ] || [ "$sk_b" = 0 ]; then
        eval "sk_L$sk_pid=$sk_n sk_B$sk_pid=$sk_start sk_A$sk_pid=gone"
        sk_known="$sk_known $sk_pid"
        sk_vars="$sk_vars sk_L$sk_pid sk_B$sk_pid sk_A$sk_pid sk_G$sk_pid"
      fi
    else
      sk_start=0
    fi
    [ "${sk_oldest:-$sk_start}" -lt "$sk_start" ] || sk_oldest=$sk_start
  done
  # A second earlier: a stage before the leader carries the cookie too.
  sk_oldest=$((sk_oldest - 100))
}

# Takes what is in a known session or group, or a child of a member, until nothing more is found.
sk_claim() {
  sk_more=1
  while [ -n "$sk_more" ]; do
    sk_more='' sk_left=''
    IFS=' '
    for sk_t in $sk_tokens; do
      IFS=:
      # shellcheck disable=SC2086
      set -- $sk_t
      eval "sk_o=\${sk_G$4-\${sk_G$3-\${sk_O$2-}}}"
      if [ -n "$sk_o" ]; then sk_take "$@"; else sk_left="$sk_left $sk_t"; fi
    done
    sk_tokens=$sk_left
  done
  IFS=' '
}

# Takes one process for launch sk_o; a group counts as the launch's if its leader does.
sk_take() { # pid parent group session
  sk_more=1
  sk_members="$sk_members $1" sk_vars="$sk_vars sk_O$1"
  eval "sk_O$1=$sk_o sk_M$sk_o=\"\$sk_M$sk_o $1\" sk_S$sk_o=1"
  if [ "$1" = "$3" ] || [ "$1" = "$4" ]; then
    eval "sk_G$1=$sk_o"
    sk_vars="$sk_vars sk_G$1"
  fi
  eval "sk_g=\${sk_G$3-}"
  case $sk_g$sk_groups in '' | ' '* | *" $3 "*) ;; *) sk_groups="$sk_groups$3 " ;; esac
}

# Once a launch had another user: what only its owner may read, as even root may not everywhere.
sk_others() { # environ..
  [ -e "$sk_dir/users" ] || return 0
  IFS=$sk_nl
  for sk_u in $(stat -c '%u %g %U' "$@" 2>/dev/null | sort -u); do
    sk_g=${sk_u#* }
    [ "${sk_u%% *}" != 0 ] || continue
    printf '\n==> /proc/0/environ <==\n=\0'
    case $(setpriv --help 2>&1) in
      *--reuid*)
        setpriv "--reuid=${sk_u%% *}" "--regid=${sk_g%% *}" --clear-groups \
          head -n 999999 /dev/null "$@" 2>/dev/null
        ;;
      *)
        # shellcheck disable=SC2016
        su -m -s /bin/sh -c 'exec head -n 999999 /dev/null "$@"' -- "${sk_g#* }" sh "$@" 2>/dev/null
        ;;
    esac
  done
}

# Takes what carries a cookie. Then, a leader having gone, its group, unless another launch's is there.
sk_cookies() {
  sk_all=''
  IFS=' '
  for sk_t in $sk_tokens; do sk_all="$sk_all /proc/${sk_t%%:*}/environ"; done
  # shellcheck disable=SC2086
  set -- $sk_all
  # Variables end in NUL and may hold newlines; head names the files between newlines.
  sk_all=$(
    LC_ALL=C
    export LC_ALL
    { head -n 999999 /dev/null "$@" 2>/dev/null; sk_others "$@"; } | tr '\001\n\000' '\002\001\n' |
      sed 's/'"$sk_one"'==> .proc.\([0-9]*\).environ <=='"$sk_one"'/\
@\1\
/g' | sed -e '/^@[0-9]*$/b' -e '/^SANDBOX_PROCESS=/b' -e '/./!d' -e 's/.*/=/'
  )
  sk_p='' sk_some=1
  IFS=$sk_nl
  for sk_line in $sk_all @; do
    case $sk_line in
      @*)
        # No environment at all: it may be about to get one. The next look believes it.
        case $sk_some$sk_empty in
          1* | *" $sk_p "*) ;;
          *) sk_empty="$sk_empty$sk_p " sk_unsure=1 ;;
        esac
        sk_p=${sk_line#@} sk_some=''
        ;;
      SANDBOX_PROCESS=*)
        sk_some=1 sk_o=${sk_line#*=}
        case $sk_names in
          *" $sk_o="*) sk_o=${sk_names#*" $sk_o="} sk_o=${sk_o%% *} ;;
          *) sk_o=- ;;
        esac
        eval "sk_C${sk_p:-0}=\$sk_o"
        sk_vars="$sk_vars sk_C${sk_p:-0}"
        ;;
      *) sk_some=1 ;;
    esac
  done
  sk_left=''
  IFS=' '
  for sk_t in $sk_tokens; do
    IFS=:
    # shellcheck disable=SC2086
    set -- $sk_t
    eval "sk_o=\${sk_C$1-}"
    case $sk_o in
      [0-9]*)
        case " $sk_open " in *" $sk_o "*) sk_take "$@" && continue ;; esac
        ;;
      -)
        for sk_g in "$3" "$4"; do
          eval "[ \"\${sk_A$sk_g-}\" != gone ] || sk_A$sk_g=other"
        done
        ;;
    esac
    sk_left="$sk_left $sk_t"
  done
  sk_tokens=$sk_left
  IFS=' '
  for sk_p in $sk_known; do
    eval "[ \$sk_A$sk_p != gone ] || sk_G$sk_p=\$sk_L$sk_p"
  done
  sk_claim
}

# Kills the groups at once, then each process. Counts the looks at which nothing could be killed.
sk_strike() {
  sk_hit=''
  IFS=' '
  for sk_g in $sk_groups; do
    [ "$sk_g" = "$sk_group" ] || kill -9 "-$sk_g" 2>/dev/null
  done
  for sk_p in $sk_members; do
    kill -9 "$sk_p" 2>/dev/null && sk_hit=1
  done
  sk_stuck=$((sk_stuck + 1))
  [ -z "$sk_hit" ] || sk_stuck=0
}

# Answers for the launches of which the last look saw nothing; goes on with the others, or gives up.
sk_settle() {
  sk_left='' sk_over=''
  sk_clock
  [ "$sk_now" -lt "$sk_limit" ] && [ "$sk_stuck" -lt 6 ] || sk_over=1
  for sk_n in $sk_open; do
    eval "sk_id=\$sk_I$sk_n sk_m=\$sk_M$sk_n sk_o=\$sk_S$sk_n"
    if [ -z "$sk_m$sk_unsure" ]; then
      # The record goes with this answer, so what it says must be in it.
      sk_line=''
      { read -r sk_line <"$sk_dir/$sk_id.status"; } 2>/dev/null
      case $sk_line in exit*' .' | signal*' .') sk_line=" ${sk_line% .}" ;; *) sk_line='' ;; esac
      if [ -n "$sk_o" ]; then echo "$sk_id CONFIRMED$sk_line"; else echo "$sk_id GONE$sk_line"; fi
      sk_forget
    elif [ -z "$sk_over" ]; then
      sk_left="$sk_left $sk_n"
    elif [ -n "$sk_m" ]; then
      echo "$sk_id ALIVE$sk_m"
    else
      echo "$sk_id UNPROVEN time"
    fi
  done
  sk_open=$sk_left
  [ -z "$sk_open" ] || [ "$sk_pass" -lt 2 ] || sleep 0.01 2>/dev/null || sleep 1
}

# Marks the state of a launch for removal. One that has left nothing may still start: its tombstone stays.
sk_forget() {
  [ ! -e "$sk_dir/$sk_id.args" ] || sk_files="$sk_files $sk_id.args"
  if sk_load "$sk_id"; then
    case $sk_spare in -) ;; *) sk_files="$sk_files $sk_spare.pid $sk_spare.status $sk_spare.fifo" ;; esac
  else
    [ -s "$sk_dir/$sk_id.status" ] || return 0
  fi
  sk_files="$sk_files $sk_id.pid $sk_id.status $sk_id.msg $sk_id.fifo $sk_id.dead"
}

# Without /proc only a group can be ended, and nothing proves it.
sk_blind() {
  for sk_n in $sk_open; do
    eval "sk_id=\$sk_I$sk_n"
    ! sk_load "$sk_id" || kill -9 "-$sk_pid" 2>/dev/null
    echo "$sk_id UNPROVEN proc"
  done
}

# sandbox_signal directory name id..
# Signals groups. Answers "ID SENT", "ID REFUSED", or "ID GONE": no leader with this record lives.
sandbox_signal() {
  sk_dir=$1 sk_o=$2
  shift 2
  for sk_id; do
    if [ ! -r "/proc/$$/stat" ]; then
      echo "$sk_id REFUSED"
    elif ! sk_load "$sk_id" || ! sk_lives "$sk_pid" "$sk_start"; then
      echo "$sk_id GONE"
    elif kill "-$sk_o" "-$sk_pid" 2>/dev/null; then
      echo "$sk_id SENT"
    else
      echo "$sk_id REFUSED"
    fi
  done
}

# sandbox_status directory id..
# Answers "ID exit N", "ID signal N", "ID error CODE what", "ID waiting", "ID running PID",
# "ID ended", "ID unknown".
sandbox_status() {
  sk_dir=$1
  shift
  for sk_id; do
    sk_line=''
    { read -r sk_line <"$sk_dir/$sk_id.status"; } 2>/dev/null
    case $sk_line in
      [es]*' .') echo "$sk_id ${sk_line% .}" ;;
      *)
        if ! sk_load "$sk_id" || [ ! -r "/proc/$$/stat" ]; then
          echo "$sk_id unknown"
        elif ! sk_lives "$sk_pid" "$sk_start"; then
          echo "$sk_id ended"
        elif [ "$sk_line" = 'waiting .' ]; then
          echo "$sk_id waiting"
        else
          echo "$sk_id running $sk_pid"
        fi
        ;;
    esac
  done
}

# sandbox_release directory spare id arguments
# Gives a waiting spare its launch. Answers "SPARE RELEASED", or "SPARE GONE": it will not start.
sandbox_release() {
  sk_dir=$1 sk_line=''
  { read -r sk_line <"$sk_dir/$2.status"; } 2>/dev/null
  if [ "$sk_line" = 'waiting .' ] && sk_load "$2" && sk_lives "$sk_pid" "$sk_start" &&
    { printf '%s\n' "$4" >"$sk_dir/$3.args"; } 2>/dev/null &&
    { true >"$sk_dir/$2.status"; } 2>/dev/null &&
    { echo "$3" 1<>"$sk_dir/$2.fifo"; } 2>/dev/null; then
    echo "$2 RELEASED"
  else
    echo "$2 GONE"
  fi
}

# sandbox_dismiss directory spare..
# Lets spares end by themselves, also those that do not wait yet. Answers nothing.
sandbox_dismiss() {
  sk_dir=$1 sk_files=''
  shift
  for sk_id; do
    { true >"$sk_dir/$sk_id.dead"; } 2>/dev/null
    sk_line=''
    { read -r sk_line <"$sk_dir/$sk_id.status"; } 2>/dev/null
    if [ "$sk_line" = 'waiting .' ] && sk_load "$sk_id" && sk_lives "$sk_pid" "$sk_start"; then
      # No launch has this name, so it ends.
      { echo . 1<>"$sk_dir/$sk_id.fifo"; } 2>/dev/null
      sk_files="$sk_files $sk_id.pid $sk_id.status $sk_id.fifo $sk_id.dead"
    fi
  done
  # shellcheck disable=SC2086
  [ -z "$sk_files" ] || (cd "$sk_dir" && rm -f $sk_files)
}

sk_one=$(printf '\001')
