package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.time.Duration;
import java.time.Instant;

/** Says on standard error how far a long command is: in one line of a terminal, elsewhere every ten seconds. */
final class Progress {
    private static final Duration OFTEN = Duration.ofMillis(200);
    private static final Duration SELDOM = Duration.ofSeconds(10);

    private final Shell shell;
    private final boolean isRedrawn;
    private Instant toldAt = ServerEnvironment.now();

    Progress(Shell shell) {
        this.shell = shell;
        isRedrawn = shell.isRedrawn();
    }

    void tell(String text) {
        if (ServerEnvironment.nanosSince(toldAt) < (isRedrawn ? OFTEN : SELDOM).toNanos()) {
            return;
        }
        toldAt = ServerEnvironment.now();
        write(isRedrawn ? "\r\u001B[K" + Text.plain(text) : Text.plain(text) + "\n");
    }

    /** Writes the last line. */
    void end(String text) {
        write((isRedrawn ? "\r\u001B[K" : "") + Text.plain(text) + "\n");
    }

    private void write(String text) {
        shell.err().print(text);
        shell.err().flush();
    }
}
