package dev.couchjobs.bridge.internal.transaction;

import dev.couchjobs.JobType;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.bridge.internal.Sha256;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.SortedSet;

/** The types of the jobs that run steps: each names the nodes that may take them. */
public final class StepTypes {
    /** How long a node may be silent before its steps are given to others. */
    public static final Duration TIMEOUT = Duration.ofSeconds(15);

    private static final int NAME_MAX = 400;

    /**
     * A step ends by what its own strategy says; this is for what is wrong around it, such as a database that is down.
     */
    private static final RetryPolicy RETRY =
            RetryPolicy.standard().attempts(1_000).backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(1));

    private static final Retention RETENTION =
            Retention.of(Duration.ofMinutes(10)).failed(Duration.ofDays(7));

    /** One that has failed stands for an outcome that CouchDB refuses: forgotten, the work might be done again. */
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

    /** {@return the type of the jobs that go on with a document when all nodes have ended their part of a step} */
    public static JobType<StepJob, Void> join() {
        return type("join");
    }

    /** {@return the type of the jobs for these nodes, whichever is first} */
    public static JobType<StepJob, Void> of(SortedSet<String> nodes) {
        return type("set/" + name(String.join(",", nodes)));
    }

    /** {@return the type of the jobs for one kind of work items} */
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
