package io.sandboxspi;

import java.time.Duration;
import java.util.Optional;

/**
 * A PTY as {@link Ptys#list()} shows it.
 *
 * @param id the id in this session
 * @param program the program, without arguments
 * @param hasTerminal whether it has a terminal and so takes input
 * @param age since its launch
 * @param exit how it ended if it has and its last output is not collected yet
 */
public record PtyInfo(
    int id, String program, boolean hasTerminal, Duration age, Optional<ExitStatus> exit) {}
