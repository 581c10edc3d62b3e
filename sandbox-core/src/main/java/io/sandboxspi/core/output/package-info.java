/**
 * Output on its way from a process to a caller: bounded buffers, decoding and truncation of text.
 *
 * <p>Holds memory only: no provider, no thread, no process and no input or output belongs here.
 */
@org.jspecify.annotations.NullMarked
package io.sandboxspi.core.output;
