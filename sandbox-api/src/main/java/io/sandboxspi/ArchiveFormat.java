package io.sandboxspi;

/** Formats of archives that are written; what is read is found out by its first bytes. */
public enum ArchiveFormat {
  /** A plain tar. */
  TAR,
  /** A tar compressed by gzip. */
  TAR_GZIP,
  /** A tar compressed by Zstandard; needs {@code com.github.luben:zstd-jni} on the class path. */
  TAR_ZSTD
}
