# shellcheck shell=sh
# Carries a program's three streams over one terminal, byte for byte. Set before: __d_word, a secret
# word for marks; __d_dir, a private directory; __d_id, a name for what is kept in it; __d_input, empty
# for a program without input; __d_acks, empty unless input is acknowledged; and the function
# __d_program, which takes the place of the shell that calls it.
#
# Marks go out as GS word space text GS, where GS is the byte 29: READY, E before standard error, O
# behind it, END at the end of both streams; o and e ask for a line in the pipe of that name: what came
# before is taken. Two questions of each may be open. Input comes as a decimal length, a newline, and so
# many bytes; length 0 is its end. With __d_acks the mark I follows each piece that was written, and the
# end. After END a line with the word ends the relay; without one it ends after ten seconds, so that
# nothing that is on its way is lost.
#
# A process is dear: a program that says little costs one for each stream, and no file.

exec 2>/dev/null
__d_path=${PATH-}
PATH=${PATH-}:/usr/local/bin:/usr/bin:/bin
umask 077
exec 4<&0 5>&1
__d_at=$__d_dir/$__d_id

__d_say() {
  printf '\035%s %s\035' "$__d_word" "$1" >&5
}

__d_fail() {
  __d_say "FAILED $1"
  exit 125
}

__d_private() {
  # shellcheck disable=SC3067
  [ -O "$__d_dir" ] || mkdir -p "$__d_dir" || __d_fail directory
}

# The first question does not wait; a later one waits for the answer to that before it.
__d_ask() {
  if [ -z "$__d_asked" ]; then
    __d_private
    mkfifo "$__d_at.$1" || __d_fail mkfifo
    exec 6<>"$__d_at.$1"
    __d_say "$1"
  else
    __d_say "$1"
    read -r __d_n <&6
  fi
  __d_asked=1
}

# Whether dd, by its words, read so many pieces: with fewer it has seen the end.
__d_whole() {
  __d_n=${1%%" records in"*}
  # It may warn before.
  __d_n=${__d_n##*[!0-9+]}
  case $__d_n in
    *+*+* | +* | *+) return 1 ;;
    *+*) [ $((${__d_n%+*} + ${__d_n#*+})) -eq "$2" ] ;;
    *) return 1 ;;
  esac
}

# The vendor drops a connection that it has to wait for.
__d_output() {
  __d_asked=''
  while __d_t=$(LC_ALL=C dd bs=4096 count=16 2>&1 >&5) && __d_whole "$__d_t" 16; do
    __d_ask o
  done
}

# One write for a piece and its marks: a terminal does not mix writes.
__d_piece() {
  printf '\035%s O\035' "$__d_word" >>"$__d_at.b"
  dd bs=65536 count=1 <"$__d_at.b" >&5
  printf '\035%s E\035' "$__d_word" >"$__d_at.b"
}

# A program that says nothing needs no file; a shell's variable does not take a zero.
__d_errors() {
  __d_t=$(LC_ALL=C dd bs=1 count=1 2>&1) || return
  case $__d_t in "0+0 records in"*) return ;; esac
  __d_t=${__d_t%%"1+0 records in"*}
  __d_private
  __d_asked='' __d_pieces=0
  printf '\035%s E\035' "$__d_word" >"$__d_at.b"
  if [ -n "$__d_t" ]; then printf %s "$__d_t"; else printf '\000'; fi >>"$__d_at.b"
  __d_piece
  while __d_t=$(LC_ALL=C dd bs=16384 count=1 2>&1 >>"$__d_at.b") && __d_whole "$__d_t" 1; do
    __d_piece
    __d_pieces=$((__d_pieces + 1))
    [ $((__d_pieces % 4)) -ne 0 ] || __d_ask e
  done
}

# What the program does not read any more is thrown away.
__d_feed() {
  exec 3>"$__d_at.in"
  while read -r __d_n; do
    case $__d_n in
      0) exec 3>/dev/null ;;
      [1-9]*) dd bs="$__d_n" count=1 iflag=fullblock >&3 || exec 3>/dev/null ;;
      *) continue ;;
    esac
    [ -z "$__d_acks" ] || __d_say I
  done
}

# Whoever reads the pipes ends with them. The program is no background job, which would ignore signals.
__d_run() {
  {
    (
      exec 3>&- 4<&- 5>&-
      PATH=$__d_path
      __d_program
    ) <"$1" 2>&1 >&3 | __d_errors 3>&- 4<&-
  } 3>&1 | __d_output 4<&-
}

if [ -z "$__d_input" ]; then
  # Nothing is read before the end.
  stty raw -echo min 0 time 100 || __d_fail stty
  __d_say READY
  __d_run /dev/null
else
  stty raw -echo || __d_fail stty
  __d_private
  __d_t=''
  mkfifo "$__d_at.in" || __d_fail mkfifo
  if [ -n "${BASH_VERSION-}" ]; then
    # It reads ahead on a terminal, not on a pipe.
    mkfifo "$__d_at.typed" || __d_fail mkfifo
    cat <&4 >"$__d_at.typed" 5>&- &
    __d_t=$!
    __d_feed <"$__d_at.typed" 4<&- &
  else
    __d_feed <&4 &
  fi
  __d_f=$!
  __d_say READY
  __d_run "$__d_at.in"
  # Who reads the terminal now would take the word.
  for __d_n in $__d_t $__d_f; do
    kill "$__d_n"
    wait "$__d_n"
  done
  stty min 0 time 100
fi
for __d_n in "$__d_at".*; do
  [ ! -e "$__d_n" ] || rm -f "$__d_at".*
  break
done
__d_say END
while read -r __d_n && [ "$__d_n" != "$__d_word" ]; do :; done
