package dev.couchjobs.server.internal.feed;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.ChangePage;
import dev.couchjobs.JobChange;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.json.Fields;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.StringNode;

/**
 * Changes as clients receive them. The changes of one commit may share a sequence, and a client must not go on between
 * them: only the last one has it. The last of a page has the sequence after the page.
 */
final class ChangeText {
    private ChangeText() {}

    /** {@return the wanted changes of a page} */
    static List<JsonNode> rows(ChangePage page, Follower follower) {
        List<JobChange> wanted = page.changes().stream().filter(follower::wants).toList();
        List<JsonNode> rows = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            Versionstamp sequence = wanted.get(i).sequence();
            boolean isLast = i + 1 == wanted.size();
            boolean hasSequence = isLast || !wanted.get(i + 1).sequence().equals(sequence);
            rows.add(row(wanted.get(i), hasSequence ? Optional.of(isLast ? page.next() : sequence) : Optional.empty()));
        }
        return rows;
    }

    private static JsonNode row(JobChange change, Optional<Versionstamp> sequence) {
        return new Fields()
                .put(
                        "seq",
                        sequence.<JsonNode>map(found -> StringNode.valueOf(Sequences.format(found)))
                                .orElse(NullNode.instance))
                .put("type", change.typeName())
                .put("id", change.jobId())
                .put("state", change.state())
                .node();
    }

    /** {@return the first rows, about as many as a client wants: it can go on behind the last} */
    static List<JsonNode> first(List<JsonNode> rows, long wanted) {
        int end = (int) Math.min(rows.size(), wanted);
        while (end < rows.size() && rows.get(end - 1).get("seq").isNull()) {
            end++;
        }
        return rows.subList(0, end);
    }

    /** {@return a line that says where to go on} */
    private static JsonNode last(String next, boolean isTrimmed) {
        Fields fields = new Fields().put("last_seq", next);
        if (isTrimmed) {
            fields.put("trimmed", true);
        }
        return fields.node();
    }

    /**
     * {@return lines of JSON}
     *
     * @param end where to go on, if these are the last lines
     */
    static byte[] lines(List<JsonNode> rows, Optional<String> end, boolean isTrimmed) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        rows.forEach(row -> line(text, row));
        end.ifPresent(next -> line(text, last(next, isTrimmed)));
        return text.toByteArray();
    }

    private static void line(ByteArrayOutputStream text, JsonNode row) {
        text.writeBytes(Json.writeLine(row));
        text.write('\n');
    }

    /** {@return server-sent events} */
    static byte[] events(List<JsonNode> rows, Optional<String> end, boolean isTrimmed) {
        EventText text = new EventText();
        for (JsonNode row : rows) {
            if (!row.get("seq").isNull()) {
                text.id(row.get("seq").stringValue());
            }
            text.data(Json.write(row)).end();
        }
        end.filter(next -> isTrimmed)
                .ifPresent(next -> text.id(next).name("trimmed").data("{}").end());
        return text.bytes();
    }
}
