package io.sandboxspi.fake.blaxel;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Bytes as the vendor's encoder of JSON shows them: each that is no UTF-8 is a question mark. */
final class GoText {
  private GoText() {}

  static String of(byte[] bytes) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    while (in.hasRemaining()) {
      CoderResult result = decoder.decode(in, out, true);
      if (!result.isError()) {
        break;
      }
      in.get();
      out.put('\ufffd');
      decoder.reset();
    }
    return out.flip().toString();
  }
}
