package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows the counts of types as they change. */
@Command(
        name = "watch",
        description =
                "Shows the counts of types as they change: a table on a terminal, elsewhere a line for each change.")
final class WatchCommand extends ApiCommand {
    private static final List<String> FIELDS = List.of(
            "name",
            "counts.pending",
            "counts.blocked",
            "counts.running",
            "counts.succeeded",
            "counts.failed",
            "endedPerSecond",
            "pause.reason");

    @Parameters(arity = "0..*", paramLabel = "TYPE", description = "The types; all if none is given.")
    private List<String> types = List.of();

    @Option(names = "--every", paramLabel = "DURATION", description = "How often it looks at most. Default: 1s")
    private Duration period = CountsPoller.PERIOD;

    @Option(names = "--rounds", paramLabel = "N", description = "Ends when it has looked so often. Default: never")
    private int rounds = Integer.MAX_VALUE;

    private final Map<String, JsonNode> last = new HashMap<>();
    private int linesOnScreen;

    @Override
    int run(Session session) {
        if (period.compareTo(Duration.ofMillis(100)) < 0 || rounds < 1) {
            throw new Failure(
                    Failure.USAGE,
                    "--every is 100ms or more, --rounds 1 or more.",
                    "Leave them out, and it looks every second at most.");
        }
        CountsPoller poller = new CountsPoller(session, types);
        boolean hasSeen = false;
        boolean isDown = false;
        for (int round = 1; ; round++) {
            try {
                poller.awaitChange();
                show(session, poller.read());
                hasSeen = true;
                isDown = false;
            } catch (Failure failure) {
                if (session.stop().isRequested()) {
                    return DONE;
                }
                if (!hasSeen || failure.exitCode() != Failure.FAILED) {
                    throw failure;
                }
                if (!isDown) {
                    RootCommand.report(shell(), failure);
                    linesOnScreen = 0;
                }
                isDown = true;
            }
            if (round == rounds || session.output().isClosed() || session.stop().await(period)) {
                return DONE;
            }
        }
    }

    private void show(Session session, List<JsonNode> rows) {
        if (shell().isRedrawn() && !session.output().isJson()) {
            redraw(session, rows);
            return;
        }
        for (JsonNode row : rows) {
            JsonNode state = CountsPoller.state(row);
            if (!state.equals(last.put(row.path("name").asString(), state))) {
                session.output().change(row, line(row));
            }
        }
    }

    /** Clears the lines of the last round and writes those of this one. */
    private void redraw(Session session, List<JsonNode> rows) {
        Shell.Screen screen = shell().screen().get();
        List<String> lines = session.output().lines(new Table(FIELDS, rows), screen.columns());
        int room = Math.max(1, screen.rows() - 2);
        StringBuilder text = new StringBuilder();
        if (linesOnScreen > 0) {
            text.append("\u001B[").append(linesOnScreen).append('A');
        }
        text.append("\r\u001B[J");
        lines.stream().limit(room).forEach(line -> text.append(line).append('\n'));
        linesOnScreen = Math.min(lines.size(), room);
        if (lines.size() > room) {
            text.append("and ").append(lines.size() - room).append(" more\n");
            linesOnScreen++;
        }
        shell().out().print(text);
        shell().out().flush();
    }

    private static String line(JsonNode row) {
        StringBuilder line = new StringBuilder(ServerEnvironment.now().truncatedTo(ChronoUnit.SECONDS) + " "
                + row.path("name").asString());
        row.path("counts").forEachEntry((state, count) -> {
            if (count.asLong() > 0 && !state.equals("total")) {
                line.append(' ').append(state).append('=').append(count.asLong());
            }
        });
        if (row.has("pause")) {
            line.append(" paused");
        }
        return line.toString();
    }
}
