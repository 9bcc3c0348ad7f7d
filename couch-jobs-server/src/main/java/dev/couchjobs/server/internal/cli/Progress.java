package dev.couchjobs.server.internal.cli;

import java.time.Duration;

/** Says on standard error how far a long command is: in one line of a terminal, elsewhere every ten seconds. */
final class Progress {
    private static final Duration OFTEN = Duration.ofMillis(200);
    private static final Duration SELDOM = Duration.ofSeconds(10);

    private final Shell shell;
    private final boolean isRedrawn;
    private long toldAt = System.nanoTime();

    Progress(Shell shell) {
        this.shell = shell;
        isRedrawn = shell.isRedrawn();
    }

    void tell(String text) {
        long now = System.nanoTime();
        if (now - toldAt < (isRedrawn ? OFTEN : SELDOM).toNanos()) {
            return;
        }
        toldAt = now;
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
