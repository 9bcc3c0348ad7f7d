package dev.couchjobs.bridge.internal.transaction;

import dev.couchjobs.JobType;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.bridge.internal.Sha256;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.SortedSet;

/** The types of the jobs that run steps. Each type names the nodes that may claim its jobs. */
public final class StepTypes {
    /** The activity timeout: after so long without a heartbeat the jobs of a node are pending again. */
    public static final Duration TIMEOUT = Duration.ofSeconds(15);

    private static final int NAME_MAX = 400;

    /** For failures of the bridge or its database. Failed actions follow the retry strategy of their step. */
    private static final RetryPolicy RETRY =
            RetryPolicy.standard().attempts(1_000).backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(1));

    private static final Retention RETENTION =
            Retention.of(Duration.ofMinutes(10)).failed(Duration.ofDays(7));

    /** A failed job keeps an outcome that CouchDB refuses. Without the job the work could be repeated. */
    private static final Retention WORK_RETENTION =
            Retention.of(Duration.ofMinutes(10)).failedForever();

    private StepTypes() {}

    /** {@return the type of the jobs for one node} */
    public static JobType<StepJob, Void> of(String node) {
        return type("node/" + name(node));
    }

    /** {@return the type of the jobs that any node may take} */
    public static JobType<StepJob, Void> any() {
        return type("any");
    }

    /** {@return the type of the jobs that begin the next step when all nodes have ended their part of one} */
    public static JobType<StepJob, Void> join() {
        return type("join");
    }

    /** {@return the type of the jobs that any of these nodes may take} */
    public static JobType<StepJob, Void> of(SortedSet<String> nodes) {
        return type("set/" + name(String.join(",", nodes)));
    }

    /** {@return the type of the jobs for work items of one kind} */
    public static JobType<WorkJob, Void> ofWork(String kind) {
        return JobType.of("work/" + name(kind), WorkJob.class).retry(RETRY).retention(WORK_RETENTION);
    }

    private static JobType<StepJob, Void> type(String name) {
        return JobType.of(name, StepJob.class).retry(RETRY).retention(RETENTION);
    }

    private static String name(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length <= NAME_MAX
                ? text
                : HexFormat.of().formatHex(Sha256.of(text));
    }
}
