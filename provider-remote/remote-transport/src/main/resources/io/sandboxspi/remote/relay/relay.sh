# shellcheck shell=sh
# Carries a program's three streams over one terminal, byte for byte. Set before: __d_word, a secret
# word for marks; __d_dir, a directory to be made; __d_input, empty for a program without input;
# __d_window, a number or empty; __d_acks, empty unless input is acknowledged; and the function __d_program, which takes the place of the shell
# that calls it.
#
# Marks go out as GS word space text GS, where GS is the byte 29: READY, E before standard error, O
# behind it, B behind a batch of standard output, END at the end of both streams. With __d_window, a
# batch or a piece of standard error is sent only while fewer than so many are not acknowledged: by
# a line in the pipe "o" or "e". Input comes as a decimal length, a newline, and so many bytes;
# length 0 is its end. With __d_acks the mark I follows each piece that was written. After END a line with the word ends the relay; without one it ends after ten
# seconds, so that nothing that is on its way is lost.

exec 2>/dev/null
PATH=${PATH-}:/usr/local/bin:/usr/bin:/bin
umask 077
exec 4<&0 5>&1

__d_say() {
  printf '\035%s %s\035' "$__d_word" "$1" >&5
}

__d_fail() {
  __d_say "FAILED $1"
  exit 125
}

stty raw -echo || __d_fail stty
mkdir -p "${__d_dir%/*}" && mkdir "$__d_dir" || __d_fail directory
(cd "$__d_dir" && mkfifo typed in out err o e) || __d_fail mkfifo

# What the program does not read any more is thrown away.
__d_feed() {
  exec 3>"$__d_dir/in"
  while read -r __d_n; do
    case $__d_n in
      0) exec 3>/dev/null ;;
      [1-9]*)
        dd bs="$__d_n" count=1 iflag=fullblock >&3 || exec 3>/dev/null
        [ -z "$__d_acks" ] || __d_say I
        ;;
    esac
  done
}

# Waits until one more may be sent; the first ones may.
__d_credit() {
  if [ "$__d_free" -gt 0 ]; then __d_free=$((__d_free - 1)); else read -r __d_n <&6; fi
}

# The vendor drops a connection that it has to wait for.
__d_output() {
  __d_free=$__d_window
  exec 6<>"$__d_dir/o" 3<"$__d_dir/out"
  if [ -z "$__d_window" ]; then exec cat <&3 >&5; fi
  while __d_credit; do
    LC_ALL=C dd bs=4096 count=16 <&3 >&5 2>"$__d_dir/told"
    while read -r __d_n && [ "${__d_n#*records in}" = "$__d_n" ]; do :; done <"$__d_dir/told"
    case $__d_n in [1-9]* | *+[1-9]*) ;; *) break ;; esac
    __d_say B
  done
}

# One write for a piece and its marks: a terminal does not mix writes.
__d_errors() {
  __d_free=${__d_window:-999999}
  exec 6<>"$__d_dir/e" 3<"$__d_dir/err"
  while __d_credit && dd bs=16384 count=1 <&3 >"$__d_dir/piece" && [ -s "$__d_dir/piece" ]; do
    {
      printf '\035%s E\035' "$__d_word"
      cat "$__d_dir/piece"
      printf '\035%s O\035' "$__d_word"
    } | dd bs=65536 iflag=fullblock >&5
  done
}

__d_output 4<&- &
__d_c=$!
__d_errors 4<&- &
__d_e=$!
__d_t='' __d_f=''
if [ -n "$__d_input" ]; then
  if [ -n "${BASH_VERSION-}" ]; then
    # It reads ahead on a terminal, not on a pipe.
    cat <&4 >"$__d_dir/typed" 5>&- &
    __d_t=$!
    __d_feed <"$__d_dir/typed" 4<&- &
  else
    __d_feed <&4 &
  fi
  __d_f=$!
fi
__d_say READY
if [ -n "$__d_input" ]; then
  (exec 4<&- 5>&- && __d_program) <"$__d_dir/in" >"$__d_dir/out" 2>"$__d_dir/err"
else
  (exec 4<&- 5>&- && __d_program) </dev/null >"$__d_dir/out" 2>"$__d_dir/err"
fi
__d_code=$?
wait "$__d_c"
wait "$__d_e"
# Who reads the terminal now would take the word.
for __d_n in $__d_t $__d_f; do
  kill "$__d_n"
  wait "$__d_n"
done
rm -rf "$__d_dir"
stty min 0 time 100
__d_say END
while read -r __d_n && [ "$__d_n" != "$__d_word" ]; do :; done
exit "$__d_code"
