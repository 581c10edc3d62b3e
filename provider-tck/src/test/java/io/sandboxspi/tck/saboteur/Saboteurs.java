package io.sandboxspi.tck.saboteur;

import java.util.stream.Stream;

/** All of them. */
final class Saboteurs {
  private Saboteurs() {}

  static Stream<Saboteur> all() {
    return Stream.of(
            ClosingSaboteurs.all(), // first: it waits longest
            ProviderSaboteurs.all(),
            HearingSaboteurs.all(),
            SessionSaboteurs.all(),
            WindowSaboteurs.all(),
            ResultSaboteurs.all(),
            FileSaboteurs.all(),
            OwnershipSaboteurs.all(),
            RecoverySaboteurs.all())
        .flatMap(each -> each);
  }
}
