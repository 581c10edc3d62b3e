# shellcheck shell=sh
# Carries a program's three streams over a terminal that takes text only. Set before: __b_word, a
# secret word; __b_dir, a directory to be made; __b_input, empty for a program without input; and the
# function __b_program, which takes the place of the shell that calls it.
#
# Out go frames, GS kind space number space text RS, with the bytes 29 and 30: O and E, a piece of
# standard output or error, the length of its base64 and that; I, so many pieces of input have been
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

stty raw -echo || __b_fail stty
mkdir -p "$__b_dir" || __b_fail mkdir
mkfifo "$__b_dir/typed" "$__b_dir/in" "$__b_dir/out" "$__b_dir/err" "$__b_dir/o" "$__b_dir/e" \
  "$__b_dir/i" "$__b_dir/turn" || __b_fail mkfifo

echo 0 >"$__b_dir/out.n"
echo 0 >"$__b_dir/err.n"
echo 0 >"$__b_dir/in.n"

# Who has read the line may write to the terminal.
exec 9<>"$__b_dir/turn"
echo >&9

# Kind, stream, acknowledgements, how many go ahead, how large.
__b_carry() {
  __b_n=0 __b_a=0
  exec 6<>"$__b_dir/$3" 3<"$__b_dir/$2"
  while :; do
    while [ $((__b_n - __b_a)) -ge "$4" ]; do read -r __b_a <&6; done
    dd bs="$5" count=1 <&3 >"$__b_dir/$2.b" && [ -s "$__b_dir/$2.b" ] || break
    __b_n=$((__b_n + 1))
    __b_v=$(base64 <"$__b_dir/$2.b")
    read -r __b_x <&9
    printf '\035%s %s %s %s\036' "$1" "$__b_n" "${#__b_v}" "$__b_v" >&5
    echo "$__b_n" >"$__b_dir/$2.n"
    echo >&9
  done
}

# Never waits for the program: what goes ahead fits into the pipes.
__b_sort() {
  exec 6<>"$__b_dir/o" 7<>"$__b_dir/e" 8<>"$__b_dir/i"
  __b_l=0
  while read -r __b_k __b_n __b_r; do
    __b_f=/dev/null
    case $__b_k in
      o) echo "$__b_n" >&6 ;;
      e) echo "$__b_n" >&7 ;;
      q)
        read -r __b_x <&9
        read -r __b_n <"$__b_dir/out.n"
        read -r __b_r <"$__b_dir/err.n"
        read -r __b_k <"$__b_dir/in.n"
        printf '\035S %s %s %s %s\036' "$__b_n" "$__b_r" "$__b_k" "$__b_l" >&5
        echo >&9
        ;;
      [DBC])
        if [ "$__b_n" -eq $((__b_l + 1)) ]; then
          __b_l=$__b_n
          __b_f=$__b_dir/b$((__b_n % 8))
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
  exec 8<>"$__b_dir/i" 3>"$__b_dir/in"
  __b_n=0
  while read -r __b_k __b_r <&8; do
    __b_n=$((__b_n + 1))
    case $__b_k in
      # shellcheck disable=SC2059
      D) printf "$__b_r" >&3 || exec 3>/dev/null ;;
      B) base64 -d <"$__b_dir/b$((__b_n % 8))" >&3 || exec 3>/dev/null ;;
      C) exec 3>/dev/null ;;
    esac
    read -r __b_x <&9
    printf '\035I %s %s\036' "$__b_n" "$__b_n" >&5
    echo "$__b_n" >"$__b_dir/in.n"
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
  cat <&4 >"$__b_dir/typed" 5>&- 9>&- &
  __b_t=$!
  __b_sort <"$__b_dir/typed" 4<&- &
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
    <"$__b_dir/in" >"$__b_dir/out" 2>"$__b_dir/err"
else
  (exec 4<&- 5>&- 9>&- && PATH=$__b_path && __b_program) \
    </dev/null >"$__b_dir/out" 2>"$__b_dir/err"
fi
wait "$__b_c"
wait "$__b_e"
# Who reads the terminal now would take the word.
for __b_n in $__b_t $__b_s $__b_f; do
  kill -KILL "$__b_n"
  wait "$__b_n"
done
rm -rf "$__b_dir"
stty min 0 time 100
printf '\035N 0 0\036' >&5
while read -r __b_n && [ "$__b_n" != "$__b_word" ]; do
  [ "$__b_n" != q ] || printf '\035N 0 0\036' >&5
done
