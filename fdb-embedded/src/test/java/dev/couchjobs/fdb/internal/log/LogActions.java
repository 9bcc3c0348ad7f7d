package dev.couchjobs.fdb.internal.log;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Calls that may fail with an IOException and in a test do not. */
final class LogActions {
    interface Action {
        void run() throws IOException;
    }

    private LogActions() {}

    static void quietly(Action action) {
        try {
            action.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
