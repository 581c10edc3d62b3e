# shellcheck shell=sh
# Carries a program's three streams over a terminal that takes text only. Set before: __b_word, a
# secret word; __b_at, begins the names of what is kept; __b_nl and __b_rs, the bytes 10 and 30;
# __b_input, empty for a program without input; and the function __b_program, which takes the place of
# the shell that calls it. The terminal is raw.
#
# Out go frames, GS kind space number space text RS, with the bytes 29 and 30: O and E, a piece of
# standard output or error, the length of its base64 and that; o and e, the same in plain characters
# with the byte 23 in the place of RS; I, so many pieces of input have been
# taken, said twice; S, the numbers of O, E and I so far and of what came in; N, both streams are at their end; F, it does
# not work. After READY (a mark as the loader's) at most two pieces of O and
# one of E are not acknowledged. In come lines: "o number" and "e number", all pieces up to this one
# are taken; "q", for S or N; "D number text", input for printf; "B number length", and so many bytes of base64; "C
# number", the end of input. A piece whose number is not the next one is passed over. After N a line
# with the word ends the relay; without one it ends after ten seconds, so that nothing that is on its
# way is lost.

exec 2>/dev/null
__b_path=${PATH-}
PATH=${PATH-}:/usr/local/bin:/usr/bin:/bin
umask 077
exec 4<&0 5>&1

__b_fail() {
  printf '\035F 0 %s\036' "$1" >&5
  exit 125
}

# shellcheck disable=SC3067
[ -O "${__b_at%/*}" ] || mkdir -p "${__b_at%/*}" || __b_fail mkdir
mkfifo "$__b_at.typed" "$__b_at.in" "$__b_at.out" "$__b_at.err" "$__b_at.o" "$__b_at.e" \
  "$__b_at.i" "$__b_at.turn" || __b_fail mkfifo

echo 0 >"$__b_at.out.n"
echo 0 >"$__b_at.err.n"
echo 0 >"$__b_at.in.n"

# Who has read the line may write to the terminal.
exec 9<>"$__b_at.turn"
echo >&9

# A piece that is short and plain, in __b_v: a shell reads it by itself, where base64 is a process.
__b_plain() { # what dd said, file
  __b_v=${1##* out?}
  __b_v=${__b_v%% byte*}
  case $__b_v in '' | *[!0-9]*) return 1 ;; esac
  [ "$__b_v" -le 512 ] || return 1
  __b_x='' __b_y=$__b_v __b_v=''
  while IFS= read -r __b_x; do __b_v=$__b_v$__b_x$__b_nl; done <"$2"
  __b_v=$__b_v$__b_x
  # One with zeros is shorter.
  [ "${#__b_v}" -eq "$__b_y" ] || return 1
  case $__b_v in *[!\ -~"$__b_nl$__b_rs"]*) return 1 ;; esac
}

# Kind, stream, acknowledgements, how many go ahead, how large.
__b_carry() {
  __b_n=0 __b_a=0 LC_ALL=C
  export LC_ALL
  exec 6<>"$__b_at.$3" 3<"$__b_at.$2"
  while :; do
    while [ $((__b_n - __b_a)) -ge "$4" ]; do read -r __b_a <&6; done
    __b_v=$(dd bs="$5" count=1 2>&1 <&3 >"$__b_at.$2.b") && [ -s "$__b_at.$2.b" ] || break
    __b_n=$((__b_n + 1))
    if __b_plain "$__b_v" "$__b_at.$2.b"; then
      read -r __b_x <&9
      printf '\035%s %s %s %s\027' "$3" "$__b_n" "${#__b_v}" "$__b_v" >&5
    else
      __b_v=$(base64 <"$__b_at.$2.b")
      read -r __b_x <&9
      printf '\035%s %s %s %s\036' "$1" "$__b_n" "${#__b_v}" "$__b_v" >&5
    fi
    echo "$__b_n" >"$__b_at.$2.n"
    echo >&9
  done
}

# Never waits for the program: what goes ahead fits into the pipes.
__b_sort() {
  exec 6<>"$__b_at.o" 7<>"$__b_at.e" 8<>"$__b_at.i"
  __b_l=0
  while read -r __b_k __b_n __b_r; do
    __b_f=/dev/null
    case $__b_k in
      o) echo "$__b_n" >&6 ;;
      e) echo "$__b_n" >&7 ;;
      q)
        read -r __b_x <&9
        read -r __b_n <"$__b_at.out.n"
        read -r __b_r <"$__b_at.err.n"
        read -r __b_k <"$__b_at.in.n"
        printf '\035S %s %s %s %s\036' "$__b_n" "$__b_r" "$__b_k" "$__b_l" >&5
        echo >&9
        ;;
      [DBC])
        if [ "$__b_n" -eq $((__b_l + 1)) ]; then
          __b_l=$__b_n
          __b_f=$__b_at.b$((__b_n % 8))
        else
          [ "$__b_k" = B ] || continue
        fi
        [ "$__b_k" != B ] || dd bs="$__b_r" count=1 iflag=fullblock >"$__b_f"
        [ "$__b_f" = /dev/null ] || printf '%s %s\n' "$__b_k" "$__b_r" >&8
        ;;
    esac
  done
}

# What the program does not read any more is thrown away.
__b_feed() {
  trap '' PIPE
  exec 8<>"$__b_at.i" 3>"$__b_at.in"
  __b_n=0
  while read -r __b_k __b_r <&8; do
    __b_n=$((__b_n + 1))
    case $__b_k in
      # shellcheck disable=SC2059
      D) printf "$__b_r" >&3 || exec 3>/dev/null ;;
      B) base64 -d <"$__b_at.b$((__b_n % 8))" >&3 || exec 3>/dev/null ;;
      C) exec 3>/dev/null ;;
    esac
    read -r __b_x <&9
    printf '\035I %s %s\036' "$__b_n" "$__b_n" >&5
    echo "$__b_n" >"$__b_at.in.n"
    echo >&9
  done
}

__b_carry O out o 2 32768 4<&- &
__b_c=$!
__b_carry E err e 1 16384 4<&- &
__b_e=$!
__b_t=''
if [ -n "${BASH_VERSION-}" ]; then
  # It reads ahead on a terminal, not on a pipe.
  cat <&4 >"$__b_at.typed" 5>&- 9>&- &
  __b_t=$!
  __b_sort <"$__b_at.typed" 4<&- &
else
  __b_sort <&4 &
fi
__b_s=$!
__b_f=''
if [ -n "$__b_input" ]; then
  __b_feed 4<&- &
  __b_f=$!
fi
printf '\035%s READY\035' "$__b_word" >&5
if [ -n "$__b_input" ]; then
  (exec 4<&- 5>&- 9>&- && PATH=$__b_path && __b_program) \
    <"$__b_at.in" >"$__b_at.out" 2>"$__b_at.err"
else
  (exec 4<&- 5>&- 9>&- && PATH=$__b_path && __b_program) \
    </dev/null >"$__b_at.out" 2>"$__b_at.err"
fi
wait "$__b_c"
wait "$__b_e"
# Who reads the terminal now would take the word.
for __b_n in $__b_t $__b_s $__b_f; do
  kill -KILL "$__b_n"
  wait "$__b_n"
done
rm -f "$__b_at".*
stty min 0 time 100
printf '\035N 0 0\036' >&5
while read -r __b_n && [ "$__b_n" != "$__b_word" ]; do
  [ "$__b_n" != q ] || printf '\035N 0 0\036' >&5
done
