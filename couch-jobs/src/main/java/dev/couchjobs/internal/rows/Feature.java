package dev.couchjobs.internal.rows;

/** What an instance may use only once no older code writes its rows, or none uses them. */
public enum Feature {
    /** Older code would end a job of a schedule without adding the next. */
    SCHEDULES(2, true),
    /** Older code would end a job without passing its slot on. */
    LIMIT_KEYS(3, true),
    /** Older code would claim jobs of paused types. */
    CLAIM_RULES(4, true),
    /** Older code can neither decode jobs with unique keys nor remove their rows. */
    UNIQUE_KEYS(5, false),
    /** Older code can neither decode jobs with turn keys nor find them. */
    TURN_KEYS(6, false),
    /** Older code can neither decode jobs in sequences nor let the next one go. */
    SEQUENCES(7, false),
    /** Older code can neither decode jobs with deadlines nor count those that have expired. */
    DEADLINES(8, false),
    /** Older code can neither decode jobs whose claim adds the next job of their schedule nor add that. */
    OVERLAPS(9, false),
    /** Older code can neither decode jobs in batches nor count them. */
    BATCHES(10, false),
    /** Older code can neither decode jobs with tags nor remove their rows. */
    TAGS(11, false),
    /** Older code would neither write the status index nor keep the features in the layout row. */
    STATUS_INDEX(12, true),
    /** Older code can decode neither the limits nor the rules of types with paused limit keys. */
    PAUSED_KEYS(13, false),
    /** Older code can decode neither the limits, the slots nor the rules of types with rates of limit keys. */
    KEY_RATES(14, false),
    /** Older code would end a job without taking it off its shard, and claim beside those that know the shards. */
    LIMIT_SHARDS(15, true),
    /** Older code can neither decode jobs with headers nor keep these. */
    HEADERS(16, false),
    /** Older code would end jobs by the retentions in its code. */
    TYPE_RETENTIONS(17, true),
    /** Older code can neither decode jobs in graphs nor keep their rows. */
    GRAPHS(18, false);

    private final long layout;
    private final boolean isReadByOlder;

    Feature(long layout, boolean isReadByOlder) {
        this.layout = layout;
        this.isReadByOlder = isReadByOlder;
    }

    /** {@return the first layout with this feature} */
    long layout() {
        return layout;
    }

    /** {@return the bit for this feature in a set of features} */
    long bit() {
        return 1L << layout;
    }

    /** {@return whether older code may read the rows of an instance that uses this feature} */
    boolean isReadByOlder() {
        return isReadByOlder;
    }
}
