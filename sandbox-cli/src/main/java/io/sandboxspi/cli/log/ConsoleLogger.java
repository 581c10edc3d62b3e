package io.sandboxspi.cli.log;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** One line on standard error for each event; stack traces only when debugging. Thread-safe. */
final class ConsoleLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1L;

  ConsoleLogger(String loggerName) {
    this.name = loggerName;
  }

  @Override
  public boolean isTraceEnabled() {
    return false;
  }

  @Override
  public boolean isDebugEnabled() {
    return LogLevel.debug();
  }

  @Override
  public boolean isInfoEnabled() {
    return LogLevel.debug();
  }

  @Override
  public boolean isWarnEnabled() {
    return LogLevel.warnings();
  }

  @Override
  public boolean isErrorEnabled() {
    return true;
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String pattern,
      Object @Nullable [] arguments,
      @Nullable Throwable thrown) {
    PrintStream target = System.err;
    target.println(line(level, pattern, arguments, thrown));
    if (thrown != null && LogLevel.debug()) {
      thrown.printStackTrace(target);
    }
  }

  private String line(
      Level level, String pattern, Object @Nullable [] arguments, @Nullable Throwable thrown) {
    StringBuilder text = new StringBuilder("sandbox: ");
    if (LogLevel.debug()) {
      text.append(level).append(' ').append(name).append(": ");
    } else if (level == Level.WARN) {
      text.append("warning: ");
    }
    text.append(MessageFormatter.basicArrayFormat(pattern, arguments));
    if (thrown != null) {
      text.append(": ").append(thrown.getMessage() == null ? thrown : thrown.getMessage());
    }
    return LogLevel.oneLine(text);
  }
}
