package io.sandboxspi;

import java.util.Optional;

/**
 * The end of a PTY, told to {@link Ptys#onExit}.
 *
 * @param id the id it had
 * @param reason why it ended
 * @param exit how the process ended, where known
 */
public record PtyExit(int id, PtyEndReason reason, Optional<ExitStatus> exit) {}
