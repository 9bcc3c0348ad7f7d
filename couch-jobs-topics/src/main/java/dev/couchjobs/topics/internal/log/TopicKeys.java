package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.nio.charset.StandardCharsets;

/** The keys of topics below a prefix. */
public final class TopicKeys {
    private static final int NAME_BYTES_MAX = 500;

    private final Subspace names;
    private final Subspace data;

    public TopicKeys(Subspace prefix) {
        Subspace root = prefix.subspace(Tuple.from("couch_topics"));
        names = root.get("topics");
        data = root.get("data");
    }

    /** Refuses an invalid name. */
    public static void checkName(String what, String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0
                || bytes > NAME_BYTES_MAX
                || !StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new IllegalArgumentException(what + " needs a name of 1 to " + NAME_BYTES_MAX
                    + " bytes in UTF-8 without half of a surrogate pair; this one has " + bytes
                    + ": choose a short, stable one.");
        }
        if (name.equals(".") || name.equals("..") || name.codePoints().anyMatch(TopicKeys::isHidden)) {
            throw new IllegalArgumentException(what + " needs a name without control characters, which is not . or .."
                    + ": paths and logs show it.");
        }
    }

    /** {@return whether a log would not show a character as it is} */
    private static boolean isHidden(int codePoint) {
        return Character.isISOControl(codePoint)
                || Character.getType(codePoint) == Character.LINE_SEPARATOR
                || Character.getType(codePoint) == Character.PARAGRAPH_SEPARATOR;
    }

    byte[] topic(String name) {
        return names.pack(name);
    }

    Range topics() {
        return names.range();
    }

    /** {@return the range of the topics whose names come after a name} */
    Range topicsAfter(String name) {
        return new Range(names.pack(name + '\0'), names.range().end);
    }

    String nameOf(byte[] topicKey) {
        return names.unpack(topicKey).getString(0);
    }

    LogKeys log(long id) {
        return new LogKeys(data.get(id));
    }
}
