package dev.couchjobs.internal.job;

import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Name;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** The bounds of a job's headers, which each of its rows contains. */
public final class Headers {
    private static final int COUNT_MAX = 32;
    private static final int BYTES_MAX = 4_096;

    private Headers() {}

    /** {@return headers with one more, or with another value} */
    public static Map<String, String> with(Map<String, String> before, String name, String value) {
        Name.HEADER.checked(name);
        if (!Keyspace.isWellFormed(value)) {
            throw new IllegalArgumentException("The value of header " + name
                    + " has half of a surrogate pair: encode what is no text, for example in Base64.");
        }
        Map<String, String> after = new TreeMap<>(before);
        after.put(name, value);
        int bytes = after.entrySet().stream()
                .mapToInt(header -> bytes(header.getKey()) + bytes(header.getValue()))
                .sum();
        if (after.size() > COUNT_MAX || bytes > BYTES_MAX) {
            throw new IllegalArgumentException("A job has at most " + COUNT_MAX + " headers of " + BYTES_MAX
                    + " bytes together; with header " + name + " these are " + after.size() + " of " + bytes
                    + " bytes. Put what belongs to the job itself into its data.");
        }
        return Collections.unmodifiableMap(after);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
