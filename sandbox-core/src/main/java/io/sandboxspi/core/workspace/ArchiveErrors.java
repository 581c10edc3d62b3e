package io.sandboxspi.core.workspace;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;

/** What is wrong with an archive, in one form. */
final class ArchiveErrors {
  private static final int LONGEST_NAME = 200;

  private ArchiveErrors() {}

  /** A member that is not allowed. */
  static SandboxException member(String member, String reason) {
    String shown = shown(member);
    return SandboxException.builder(
            ErrorCode.INVALID_ARCHIVE,
            Operation.ARCHIVE_HYDRATE,
            "archive member \"" + shown + "\" " + reason)
        .context("member", shown)
        .context("reason", reason)
        .build();
  }

  /** An archive that cannot be read. */
  static SandboxException corrupt(String reason, Throwable cause) {
    return SandboxException.builder(
            ErrorCode.INVALID_ARCHIVE, Operation.ARCHIVE_HYDRATE, "the archive " + reason)
        .context("reason", reason)
        .cause(cause)
        .build();
  }

  /** A bound that was passed. */
  static SandboxException limit(String limit, long allowed, long actual) {
    return SandboxException.builder(
            ErrorCode.LIMIT_EXCEEDED,
            Operation.ARCHIVE_HYDRATE,
            "the archive has " + limit + " " + actual + "; allowed: at most " + allowed)
        .context("limit", limit)
        .context("allowed", allowed)
        .context("actual", actual)
        .build();
  }

  private static String shown(String member) {
    StringBuilder text = new StringBuilder();
    member
        .chars()
        .limit(LONGEST_NAME)
        .forEach(c -> text.append(Character.isISOControl(c) ? '\uFFFD' : (char) c));
    return member.length() > LONGEST_NAME ? text.append('…').toString() : text.toString();
  }
}
