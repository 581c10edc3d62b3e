package io.sandboxspi;

/**
 * What was in an archive.
 *
 * @param fingerprint SHA-256, in lower-case hexadecimal, of names, kinds, permissions, contents and
 *     link targets; independent of order, times and owners (spec S-ARCH-06)
 * @param members entries of any kind
 * @param bytes bytes of all files
 */
public record ArchiveSummary(String fingerprint, long members, long bytes) {}
