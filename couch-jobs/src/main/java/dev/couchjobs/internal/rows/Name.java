package dev.couchjobs.internal.rows;

import dev.couchjobs.internal.loop.LogText;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The names, keys and ids that callers give, with the one check of each of them. */
public enum Name {
    JOB("A job id", Keyspace.JOB_ID_BYTES_MAX, "use a short id and put the rest into the job's data.") {
        @Override
        public String known(String text) {
            Keyspace.checkJobId(text);
            return text;
        }
    },
    TYPE("The name of a job type", "choose a short, stable name."),
    SCHEDULE("The name of a schedule", "choose a short, stable name."),
    BATCH("The name of a batch", "choose a short, stable name."),
    LIMIT_KEY("A limit key", "use a short, stable key, such as the id of a tenant."),
    TURN_KEY("A turn key", "use a short, stable key, such as the id of a tenant."),
    SEQUENCE("The key of a sequence", "use a short, stable key, such as the id of an order."),
    UNIQUE_KEY("A unique key", "use a short, stable key, such as the id of what the job is about."),
    TAG("A tag", "use a short, stable text, such as the name of a feature."),
    HEADER("The name of a header", 128, "use a short name, such as traceparent."),
    /** It is written with every claim. */
    INSTANCE("The name of an instance", 200, Unit.CHARACTERS, "choose a short one that tells it from the others."),
    WORKER("The name of a worker", 200, Unit.CHARACTERS, "choose a short one, such as that of a deployment."),
    HOST("The host of a worker", 255, Unit.CHARACTERS, "leave out the domain."),
    VERSION("The version of a worker", 255, Unit.CHARACTERS, "name the program and its release."),
    /** FoundationDB's documentation allows 16 bytes. */
    TRANSACTION_TAG("The tag of transactions", 16, "choose a short one, such as couch-jobs."),
    ENCRYPTION_KEY("The id of an encryption key", 64, "choose a short, stable id, such as the month of its first use."),
    CALL("The id of a call", "use a random one, such as a UUID.");

    private enum Unit {
        BYTES("bytes in UTF-8") {
            @Override
            int count(String text) {
                return text.getBytes(StandardCharsets.UTF_8).length;
            }
        },
        CHARACTERS("characters") {
            @Override
            int count(String text) {
                return text.length();
            }
        };

        final String plural;

        Unit(String plural) {
            this.plural = plural;
        }

        abstract int count(String text);
    }

    private static final int BYTES_MAX = 500;

    private final String noun;
    private final int max;
    private final Unit unit;
    private final String advice;

    Name(String noun, String advice) {
        this(noun, BYTES_MAX, advice);
    }

    Name(String noun, int max, String advice) {
        this(noun, max, Unit.BYTES, advice);
    }

    Name(String noun, int max, Unit unit, String advice) {
        this.noun = noun;
        this.max = max;
        this.unit = unit;
        this.advice = advice;
    }

    /** {@return a text under which rows may be stored} Others are refused. */
    public String known(String text) {
        int length = unit.count(Objects.requireNonNull(text, noun));
        if (length == 0 || length > max || !Keyspace.isWellFormed(text)) {
            throw new IllegalArgumentException("%s has 1 to %d %s, and no half of a surrogate pair; this one has %d: %s"
                    .formatted(noun, max, unit.plural, length, advice));
        }
        return text;
    }

    /**
     * {@return a text under which new rows may be stored} Others are refused: also those that a path would not have as
     * they are, or that could forge a line of a log. Rows from before may have one, and are read.
     */
    public String checked(String text) {
        known(text);
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (LogText.isControl(each)) {
                throw new IllegalArgumentException(
                        "%s has no control characters; this one has U+%04X at index %d: ".formatted(noun, (int) each, i)
                                + "write bytes as text first, such as in Base64.");
            }
        }
        if (text.equals(".") || text.equals("..")) {
            throw new IllegalArgumentException(
                    noun + " is not " + text + ", which clients leave out of a path: add another character.");
        }
        return text;
    }
}
