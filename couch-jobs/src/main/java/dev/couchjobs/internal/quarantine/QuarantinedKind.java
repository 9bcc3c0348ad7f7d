package dev.couchjobs.internal.quarantine;

import java.util.List;
import java.util.stream.Stream;

/** What rows in quarantine were for, by their tables, and what an operator does about them. */
public enum QuarantinedKind {
    JOB(
            "a job, which is not found, and for which its dependents, its sequence and its batch wait: restore it in a"
                    + " version of couch-jobs that can decode it, or remove it and add the job again; if a schedule had"
                    + " added it, put the schedule again",
            "data"),
    SCHEDULE("a schedule, which adds no more jobs: put it again, then remove the row", "schedules"),
    LINK(
            "a link between two jobs, of which the one that waits stays blocked: cancel that one and add it again, then"
                    + " remove the row",
            "dependents",
            "waits_for",
            "releasing",
            "expected"),
    INDEX(
            "a place of a job in an index, which a process that monitors the type writes again within ten minutes:"
                    + " remove the row",
            "pending",
            "ranked",
            "limited",
            "dead",
            "retire",
            "unique",
            "tags",
            "sequence_queue"),
    STATUS(
            "a row of the status index, whose job is left out of listings by status until it changes: remove the row",
            "statuses"),
    REQUEST(
            "a request of a limit key or turn key, whose jobs wait until another one of the key is added or ends: add"
                    + " one if none comes, then remove the row",
            "slot_requests",
            "turn_requests",
            "token_waits"),
    TURN(
            "a turn of a turn key, of which no job may begin: cancel its jobs and add them under another key, then"
                    + " remove the row",
            "turns",
            "in_turn"),
    SETTING(
            "a setting, which does not hold: set it again, then remove the row",
            "activity_timeout",
            "retention",
            "rules",
            "limits",
            "paused_keys",
            "rated_keys",
            "weights"),
    HISTORY("a part of the history of a job, which is lost without it: remove the row", "attempts", "log"),
    FEED("a change of a job, of which subscribers do not hear: remove the row", "feed", "feed_trimmed"),
    REPAIRED(
            "what couch-jobs writes again by itself: remove the row",
            "activity",
            "in_use",
            "idle",
            "archiving",
            "sequences",
            "slots",
            "running",
            "rate",
            "key_rates"),
    OTHER("what this version of couch-jobs does not know: restore it in one that does, or remove the row");

    private final String remedy;

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<String> tables;

    QuarantinedKind(String remedy, String... tables) {
        this.remedy = remedy;
        this.tables = List.of(tables);
    }

    /** {@return the kind of the rows of a table} */
    public static QuarantinedKind ofTable(String table) {
        return Stream.of(values())
                .filter(kind -> kind.tables.contains(table))
                .findFirst()
                .orElse(OTHER);
    }

    /** {@return what such a row was for, and what to do: the end of a sentence} */
    public String remedy() {
        return remedy;
    }

    /** {@return the tables of these rows} */
    public List<String> tables() {
        return tables;
    }
}
