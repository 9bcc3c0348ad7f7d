package dev.couchjobs.bench.soak;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.JobType;
import dev.couchjobs.Retention;
import java.time.Duration;
import java.util.Locale;

/**
 * The jobs of a soak. The soak adds a {@value #WORK} job for each number. A worker over HTTP finishes it, and in the
 * same commit adds an {@value #EFFECT} job. A worker in the server's process ends that one, and in the same commit
 * counts the number.
 */
final class SoakJobs {
    static final String WORK = "soak-work";
    static final String EFFECT = "soak-effect";

    /** So short that claims of killed workers hold up little, and rows are few. */
    private static final Duration ACTIVITY_TIMEOUT = Duration.ofSeconds(5);

    /** Longer than a request is repeated after its commit: an id that is kept is not added again. */
    private static final Duration RETENTION = Duration.ofSeconds(30);

    private static final Duration FEED_RETENTION = Duration.ofMinutes(1);

    /** Each expired claim is a failed attempt, and must not be the last one. */
    private static final String RETRY = "\"retry\":{\"maxAttempts\":1000000,\"initialDelay\":\"PT0S\"}";

    static final JobType<Work, Void> WORK_TYPE = JobType.of(WORK, Work.class);
    static final JobType<Effect, Void> EFFECT_TYPE = JobType.of(EFFECT, Effect.class);

    private SoakJobs() {}

    /**
     * The data of a job.
     *
     * @param number its number
     * @param due when it was to be added, in milliseconds since 1970
     */
    record Work(long number, long due) {}

    /**
     * The data of the job that follows.
     *
     * @param number the number of the first job
     * @param waited milliseconds from when that job was due to its start
     */
    record Effect(long number, long waited) {}

    static CouchJobsBuilder on(Database database, Subspace prefix) {
        return CouchJobs.builder(database)
                .subspace(prefix.subspace(Tuple.from("jobs")))
                .feedRetention(FEED_RETENTION);
    }

    static void store(CouchJobs jobs, Database database) {
        for (JobType<?, ?> type : new JobType<?, ?>[] {WORK_TYPE, EFFECT_TYPE}) {
            jobs.types().setTypeTimeout(database, type, ACTIVITY_TIMEOUT).join();
            jobs.types()
                    .setTypeRetention(database, type, Retention.of(RETENTION))
                    .join();
        }
    }

    static String workJson(long number, long due) {
        return String.format(
                Locale.ROOT,
                "{\"type\":\"%s\",\"id\":\"%015d\",\"onlyIf\":\"absent\",%s,\"data\":{\"number\":%d,\"due\":%d}}",
                WORK,
                number,
                RETRY,
                number,
                due);
    }

    /** Without an id: if it is added twice, the number is counted twice. */
    static String effectJson(Work work, long now) {
        return String.format(
                Locale.ROOT,
                "{\"type\":\"%s\",%s,\"data\":{\"number\":%d,\"waited\":%d}}",
                EFFECT,
                RETRY,
                work.number(),
                Math.max(0, now - work.due()));
    }
}
